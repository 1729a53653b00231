"""toolreplay.evidence.aer1.rule_check"""

import unittest

from toolreplay.evidence.aer1.rule_check import RuleCheck, failures_of
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED


class FailuresOf(unittest.TestCase):
    def test_only_what_failed_is_returned_in_order(self) -> None:
        checks = (
            RuleCheck("a", ("B64-1",), FAILED, "x"),
            RuleCheck("b", ("UTF-1",), PASSED),
            RuleCheck("c", ("HSH-1",), NOT_CHECKED, "y"),
            RuleCheck("d", ("CAN-1",), FAILED, "z"),
        )
        self.assertEqual([check.name for check in failures_of(checks)], ["a", "d"])
