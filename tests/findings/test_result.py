"""The result of one run, as reports and the gate read it."""

import unittest

from toolreplay.findings.check import Verdict
from toolreplay.findings.finding import Finding
from toolreplay.findings.result import AuditResult
from toolreplay.records.run import STRICT, RunInfo


class AResult(unittest.TestCase):
    """Decided by us."""

    def test_without_facts_there_is_no_divergence_and_nothing_was_excused(self) -> None:
        info = RunInfo("r", "r.jsonl", STRICT)
        result = AuditResult(info, 0, [], Verdict((), frozenset()), ())
        self.assertEqual((result.divergence, result.explained, result.undetermined), (None, 0, 0))

    def test_found_is_the_number_of_findings(self) -> None:
        info = RunInfo("r", "r.jsonl", STRICT)
        findings = [Finding(0, "loop", "d"), Finding(1, "loop", "d")]
        result = AuditResult(info, 9, findings, Verdict((), frozenset()), ())
        self.assertEqual(result.found, 2)
