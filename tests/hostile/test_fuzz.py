"""The fuzz runner itself: it repeats, it finds what is planted, and a short run of it is clean."""

import gc
import os
import tempfile
import unittest
from collections import Counter
from collections.abc import Callable
from unittest import mock

from tests.hostile import fuzz
from tests.hostile.running import IN_MEMORY
from toolreplay.audits import replay
from toolreplay.records import meta
from toolreplay.reports.text import tutorial

CASES = 250

Check = Callable[[fuzz.Case], list[str]]


def what_breaks(case: fuzz.Case) -> list[str]:
    return fuzz.run_case(case)[1]


def what_the_oracle_denies(case: fuzz.Case) -> list[str]:
    fuzz.run_case(case)
    return fuzz.against_oracle(case)


class TheFuzzRunner(unittest.TestCase):
    """Decided by us: a check that never fires is no check."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(dir=IN_MEMORY)
        self.addCleanup(folder.cleanup)
        self.addCleanup(gc.enable)
        self.addCleanup(os.chdir, os.getcwd())
        os.mkdir(os.path.join(folder.name, "here"))
        fuzz.prepare(os.path.join(folder.name, "here"))

    def finds(self, word: str, seed: int, check: Check = what_breaks) -> bool:
        """Whether the first cases of a seed break something that is told with this word."""
        cases = (fuzz.Case(seed, number) for number in range(CASES))
        return any(word in fact for case in cases for fact in check(case))

    def test_a_case_is_made_of_its_seed_and_number_alone(self) -> None:
        for number in range(40):
            one, again = fuzz.Case(7, number), fuzz.Case(7, number)
            self.assertEqual((one.data, one.command), (again.data, again.command))
        self.assertGreater(len({fuzz.Case(7, number).data for number in range(40)}), 30)

    def test_a_short_run_breaks_nothing_and_ends_in_many_ways(self) -> None:
        ended: Counter[int] = Counter()
        for number in range(CASES):
            case = fuzz.Case(11, number)
            ran, found = fuzz.run_case(case)
            found += fuzz.against_oracle(case)
            if number % 10 == 0 and "--max" not in case.command:
                found += fuzz.relations(case)
            self.assertEqual(found, [], number)
            assert ran is not None
            ended[ran.status] += 1
        self.assertGreater(min(ended[0], ended[2]), 50, ended)

    def test_what_is_printed_raw_is_found(self) -> None:
        with mock.patch.object(tutorial, "escaped", str):
            self.assertTrue(self.finds("raw", 12))

    def test_a_wrong_answer_is_found(self) -> None:
        with mock.patch.object(replay, "differ_only_in_index", lambda *_: True):
            self.assertTrue(self.finds("must come out", 13, what_the_oracle_denies))

    def test_an_exception_nobody_expects_is_found(self) -> None:
        with mock.patch.object(meta, "_says_outcome", lambda response: response["outcome"]):
            self.assertTrue(self.finds("KeyError", 12))


if __name__ == "__main__":
    unittest.main()
