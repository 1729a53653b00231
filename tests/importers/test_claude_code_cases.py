"""The cases the importer carries with it: what they show together.

That each exports what stands beside it is tested in tests/contracts/test_importers.py.
"""

import io
import os
import unittest

from toolreplay.importers import claude_code
from toolreplay.records.account import Account
from toolreplay.records.call import OUTCOMES
from toolreplay.records.limits import DEFAULT
from toolreplay.records.transcript import read_transcript

CASES = os.path.join(os.path.dirname(claude_code.__file__), "cases")


def content(*path: str) -> bytes:
    with open(os.path.join(CASES, *path), "rb") as file:
        return file.read()


class CasesTest(unittest.TestCase):
    def test_each_export_passes_the_strict_reader(self):
        calls = 0
        for case in sorted(os.listdir(CASES)):
            for name in sorted(os.listdir(os.path.join(CASES, case))):
                if name.startswith("expected"):
                    with self.subTest(case=case, name=name):
                        calls += len(list(read_transcript(io.BytesIO(content(case, name)))))
        self.assertGreater(calls, 40)

    def test_the_cases_together_show_every_outcome_the_host_can_tell(self):
        told = set()
        for case in os.listdir(CASES):
            session = io.BytesIO(content(case, "session.jsonl"))
            for run in claude_code.read(session, DEFAULT, Account()):
                told |= {call.outcome for call in run.calls}
        self.assertEqual(told, set(OUTCOMES) - {"protocol_error", "timeout"})

    def test_each_case_is_small_and_says_what_it_shows(self):
        for case in sorted(os.listdir(CASES)):
            with self.subTest(case):
                self.assertRegex(content(case, "README").decode(), r"\A[A-Z`].{20,}\n")
                self.assertLess(len(content(case, "session.jsonl")), 4096)


if __name__ == "__main__":
    unittest.main()
