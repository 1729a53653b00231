"""toolreplay.evidence.aer1.tally"""

import unittest

from toolreplay.evidence.aer1.rule_check import RuleCheck
from toolreplay.evidence.aer1.tally import Tally
from toolreplay.findings.check import FAILED, PASSED


class TheFirstReasonAndHowMany(unittest.TestCase):
    def test_nothing_counted_has_passed(self) -> None:
        self.assertFalse(Tally())
        self.assertEqual(Tally().check("a", ("CHN-1",)), RuleCheck("a", ("CHN-1",), PASSED))

    def test_a_name_keeps_its_first_reason(self) -> None:
        tally = Tally()
        tally.add("a", "entry 1 is wrong")
        self.assertEqual(tally.line("a"), "entry 1 is wrong")
        for _ in range(1_200):
            tally.add("a", "another")
        self.assertEqual(tally.line("a"), "entry 1 is wrong (and 1,200 more)")
        self.assertEqual(tally.check("a", ()).result, FAILED)

    def test_lines_come_in_the_order_met(self) -> None:
        tally = Tally()
        for name in "bcab":
            tally.add(name, name)
        self.assertEqual(tally.lines(), ("b (and 1 more)", "c", "a"))
        self.assertIn("b", tally)
        self.assertNotIn("d", tally)
        self.assertEqual(len(tally), 3)
