"""Checks and verdicts: passed, failed, not checked, and nothing in between."""

import unittest

from toolreplay.findings.check import FAILED, LINES, NOT_CHECKED, PASSED, Check, Verdict


def verdict(required: set[str], **results: str) -> Verdict:
    checks = tuple(Check(line, result) for line, result in results.items())
    return Verdict(checks, frozenset(required))


class TheLines(unittest.TestCase):
    """Decided by us: this order, in every report."""

    def test_they_are_these_in_this_order(self) -> None:
        self.assertEqual(
            " ".join(LINES),
            "replay scope loop contents links ending story signer time log job claims world coverage",
        )

    def test_the_three_words(self) -> None:
        self.assertEqual((PASSED, FAILED, NOT_CHECKED), ("passed", "failed", "not checked"))


class AVerdict(unittest.TestCase):
    """Decided by us: `if verify(...)` must be safe, so truth means that all of it was shown."""

    def test_it_is_true_when_all_that_is_required_passed(self) -> None:
        self.assertTrue(verdict({"replay", "loop"}, replay=PASSED, loop=PASSED))
        self.assertTrue(verdict({"replay"}, replay=PASSED, scope=NOT_CHECKED))
        self.assertTrue(verdict(set(), scope=NOT_CHECKED))
        self.assertTrue(verdict(set()))

    def test_it_is_false_when_anything_failed_required_or_not(self) -> None:
        self.assertFalse(verdict(set(), replay=FAILED))
        self.assertFalse(verdict({"loop"}, loop=PASSED, replay=FAILED))

    def test_not_checked_never_counts_as_passed(self) -> None:
        self.assertFalse(verdict({"scope"}, scope=NOT_CHECKED, replay=PASSED))

    def test_a_required_line_that_nobody_made_is_missing(self) -> None:
        self.assertFalse(verdict({"signer"}, replay=PASSED))
        self.assertEqual(verdict({"signer"}, replay=PASSED).missing, ["signer"])

    def test_what_is_missing_is_named_in_the_order_of_the_lines(self) -> None:
        shown = verdict(
            {"world", "scope", "replay", "loop", "links"},
            replay=PASSED,
            links=NOT_CHECKED,
            loop=FAILED,
        )
        self.assertEqual(shown.missing, ["scope", "links", "world"])

    def test_what_was_not_required_is_not_missing(self) -> None:
        self.assertEqual(verdict(set(), scope=NOT_CHECKED).missing, [])

    def test_a_check_has_no_count_reason_or_remedy_of_its_own(self) -> None:
        self.assertEqual(Check("replay", PASSED), ("replay", "passed", None, None, None))
