"""The cases the importer carries with it: a session, what it exports, its account.

UPDATE_GOLDEN=1 writes what is exported now; the difference is to be read.
"""

import io
import os
import unittest

from toolreplay.importers import claude_code
from toolreplay.records.account import Account
from toolreplay.records.call import OUTCOMES
from toolreplay.records.limits import DEFAULT
from toolreplay.records.transcript import TranscriptWriter, read_transcript
from toolreplay.reports.text.account import account_line

CASES = os.path.join(os.path.dirname(claude_code.__file__), "cases")


def exported(session: bytes) -> dict[str, bytes]:
    """Return what a case's folder must hold beside its session, by file name."""
    account = Account()
    files = {}
    for number, run in enumerate(claude_code.read(io.BytesIO(session), DEFAULT, account), 1):
        out = io.BytesIO()
        writer = TranscriptWriter(out)
        for call in run.calls:
            writer.call(call.tool, call.args, call.response)
        name = "expected.jsonl" if number == 1 else f"expected.{number}.jsonl"
        files[name] = out.getvalue()
    files["account.txt"] = account_line(account).encode() + b"\n"
    return files


def content(*path: str) -> bytes:
    with open(os.path.join(CASES, *path), "rb") as file:
        return file.read()


class CasesTest(unittest.TestCase):
    maxDiff = None

    def test_each_case_exports_what_stands_beside_it(self):
        for case in sorted(os.listdir(CASES)):
            files = exported(content(case, "session.jsonl"))
            if os.environ.get("UPDATE_GOLDEN") == "1":
                for name, data in files.items():
                    with open(os.path.join(CASES, case, name), "wb") as file:
                        file.write(data)
            with self.subTest(case):
                self.assertEqual(
                    sorted(os.listdir(os.path.join(CASES, case))),
                    sorted([*files, "README", "session.jsonl"]),
                )
                for name, data in files.items():
                    self.assertEqual(content(case, name).decode(), data.decode(), name)

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
