"""What a report is told."""

import unittest

from toolreplay.findings.check import Verdict
from toolreplay.findings.judgement import Input, Summary, several
from toolreplay.findings.result import AuditResult
from toolreplay.records.run import STRICT, RunInfo


class Listening:
    def __init__(self) -> None:
        self.heard: list[object] = []

    def run(self, result: AuditResult) -> None:
        self.heard.append(result)

    def input(self, item: Input) -> None:
        self.heard.append(item)

    def end(self, summary: Summary) -> None:
        self.heard.append(summary)


class WhatAReportIsTold(unittest.TestCase):
    """Decided by us; what reports make of it: tests/contracts."""

    def test_an_input_is_read_not_recognised_or_unreadable_the_last_two_with_an_error(self) -> None:
        self.assertEqual(Input("a", None, "read"), ("a", None, "read", None, None))

    def test_several_reports_hear_the_same_in_the_same_order(self) -> None:
        info = RunInfo("r", "r.jsonl", STRICT)
        told = (
            AuditResult(info, 0, [], Verdict((), frozenset()), ()),
            Input("a", None, "read"),
            Summary(False, {}, 0),
        )
        reports = [Listening(), Listening()]
        both = several(reports)
        both.run(told[0])
        both.input(told[1])
        both.end(told[2])
        for report in reports:
            self.assertEqual(report.heard, list(told))
