"""From results to the exit status."""

import itertools
import unittest

from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check, Verdict
from toolreplay.findings.finding import Finding
from toolreplay.findings.gate import (
    CLEAN,
    COULD_NOT_RUN,
    FOUND,
    NOT_ALL_CHECKED,
    exit_status,
    exit_status_of_many,
)
from toolreplay.findings.result import AuditResult
from toolreplay.records.run import STRICT, RunInfo


def status(*checks: Check, found: int = 0, calls: int = 3, required: tuple[str, ...] = ()) -> int:
    info = RunInfo("r", "r.jsonl", STRICT)
    verdict = Verdict(checks, frozenset(required))
    return exit_status(AuditResult(info, calls, [Finding(0, "loop", "d")] * found, verdict, ()))


class OneRun(unittest.TestCase):
    """Decided by us; 0 and 1 as the tutorial has them."""

    def test_the_four_are_these_numbers(self) -> None:
        self.assertEqual((CLEAN, FOUND, COULD_NOT_RUN, NOT_ALL_CHECKED), (0, 1, 2, 3))

    def test_nothing_found(self) -> None:
        self.assertEqual(status(Check("replay", PASSED)), CLEAN)

    def test_something_found(self) -> None:
        self.assertEqual(status(Check("replay", PASSED), found=1), FOUND)

    def test_a_failed_check_without_a_finding(self) -> None:
        self.assertEqual(status(Check("ending", FAILED)), FOUND)

    def test_what_was_not_required_may_stay_unchecked(self) -> None:
        self.assertEqual(status(Check("scope", NOT_CHECKED)), CLEAN)

    def test_something_required_was_not_checked(self) -> None:
        self.assertEqual(status(Check("scope", NOT_CHECKED), required=("scope",)), NOT_ALL_CHECKED)
        self.assertEqual(status(Check("scope", PASSED), required=("signer",)), NOT_ALL_CHECKED)

    def test_a_finding_outweighs_what_was_not_checked(self) -> None:
        self.assertEqual(status(found=1, required=("scope",)), FOUND)
        self.assertEqual(status(Check("loop", FAILED), required=("scope",)), FOUND)

    def test_no_call_is_never_clean(self) -> None:
        self.assertEqual(status(Check("replay", PASSED), calls=0), NOT_ALL_CHECKED)
        self.assertEqual(status(Check("ending", FAILED), calls=0), FOUND)


class ManyInputs(unittest.TestCase):
    """Decided by us: found, else unreadable, else not checked, else clean."""

    def test_the_one_that_outweighs_the_others_decides(self) -> None:
        order = (FOUND, COULD_NOT_RUN, NOT_ALL_CHECKED, CLEAN)
        for length in (1, 2, 3, 4):
            for chosen in itertools.product(order, repeat=length):
                wanted = next(status for status in order if status in chosen)
                self.assertEqual(exit_status_of_many(chosen), wanted)

    def test_nothing_at_all_is_clean(self) -> None:
        """What that means is the caller's to say: `audit` of no run ends with 3."""
        self.assertEqual(exit_status_of_many([]), CLEAN)
