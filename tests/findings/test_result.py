"""The result of one run, as reports and the gate read it."""

import unittest

from toolreplay.findings.check import Verdict
from toolreplay.findings.result import AuditResult
from toolreplay.records.run import STRICT, RunInfo


class AResult(unittest.TestCase):
    """Decided by us."""

    def test_without_facts_there_is_no_divergence_and_nothing_was_excused(self) -> None:
        info = RunInfo("r", "r.jsonl", STRICT)
        result = AuditResult(info, 0, 0, [], Verdict((), frozenset()), ())
        self.assertEqual((result.divergence, result.explained, result.undetermined), (None, 0, 0))

    def test_the_count_of_findings_is_its_own(self) -> None:
        """A command that hands findings on one by one keeps none."""
        info = RunInfo("r", "r.jsonl", STRICT)
        result = AuditResult(info, 9, 4, [], Verdict((), frozenset()), ())
        self.assertEqual((result.found, result.findings), (4, []))
