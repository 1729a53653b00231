"""The contract of a report, for each folder in `toolreplay/reports`.

A report has `start(out, many)`, which returns what is told each result and input as they come, and
hands bytes to `out`. It never looks at a file, a terminal or the clock.
"""

import tempfile
import tracemalloc
import unittest
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from tests.cli import ways
from tests.contracts.test_audits import CASES, arguments_of
from toolreplay.findings import spool
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check, Verdict
from toolreplay.findings.finding import Finding, StateChanges, Where
from toolreplay.findings.judgement import Input, Report, Summary
from toolreplay.findings.result import AuditResult
from toolreplay.findings.rule import Rule
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records.run import STRICT, RunInfo

REPORTS = extensions_of("reports")

RULES = (Rule("odd-call", "replay", "warning", "a call of which somebody thinks it is odd"),)

HOSTILE = "a\x1b[31m\u202eb\u2028c\ud800"


def result_of(name: str, found: int = 0, calls: int = 3) -> AuditResult:
    findings = [
        Finding(
            index or None,
            "odd-call",
            f"tool '{HOSTILE}' is odd",
            state_changes=StateChanges(1, (0,)),
            fingerprint="0" * 16,
            where=Where(HOSTILE, index + 1, (0, 9), "0" * 64),
        )
        for index in range(found)
    ]
    checks = (
        Check("replay", FAILED if found else PASSED),
        Check("scope", NOT_CHECKED, None, "no scope given", "add --scope scope.json"),
    )
    info = RunInfo(name, HOSTILE, STRICT, HOSTILE, HOSTILE)
    return AuditResult(info, calls, findings, Verdict(checks, frozenset()), RULES)


class Told(NamedTuple):
    """What a report is told, made up."""

    results: list[AuditResult]
    status: int = 0
    many: bool = False

    def to(self, report: Report) -> None:
        for result in self.results:
            report.run(result)
        report.input(Input(HOSTILE, None, "unreadable", HOSTILE))
        words = ("files", "read", "not recognised", "unreadable", "runs", "calls", "findings",
                 "nothing recorded")  # fmt: skip
        report.end(Summary(self.many, dict.fromkeys(words, 1234), self.status))


def written(report: str, told: Told) -> bytes:
    pieces: list[bytes] = []
    told.to(load_extension("reports", report).start(pieces.append, told.many))
    return b"".join(pieces)


class EachReportKeepsTheContract(unittest.TestCase):
    """Decided by us."""

    def test_there_are_text_and_json(self) -> None:
        self.assertLessEqual({"json", "text"}, set(REPORTS))

    def test_its_docstring_says_what_it_is(self) -> None:
        for name in REPORTS:
            module = load_extension("reports", name)
            self.assertRegex(module.__doc__, rf"\A{name}: [^\n]{{20,}}\n")
            self.assertIn("start", module.__all__)

    def test_it_writes_whatever_it_is_told(self) -> None:
        table = (
            Told([]),
            Told([], 2, many=True),
            Told([result_of("r", calls=0)], 3),
            Told([result_of("r", 2)], 1),
            Told([result_of("r"), result_of("s", 1)], 1, many=True),
        )
        for name in REPORTS:
            for told in table:
                with self.subTest(report=name, told=told):
                    data = written(name, told)
                    self.assertEqual(data[-1:] or b"\n", b"\n")

    def test_no_raw_control_byte_of_a_recording_reaches_the_output(self) -> None:
        for name in REPORTS:
            text = written(name, Told([result_of("r\x1b", 2)], 1, many=True)).decode("utf-8")
            for character in "\x1b\u202e\u2028\ud800\r\x00":
                self.assertNotIn(character, text, name)

    def test_nothing_is_written_before_the_first_result(self) -> None:
        """Decided by us: an input that cannot be read leaves no half of a document."""
        for name in REPORTS:
            pieces: list[bytes] = []
            load_extension("reports", name).start(pieces.append, True)
            self.assertEqual(pieces, [], name)

    def test_memory_does_not_grow_with_the_number_of_runs(self) -> None:
        def peak(name: str, runs: int) -> int:
            report = load_extension("reports", name).start(len, True)
            tracemalloc.start()
            try:
                for number in range(runs):
                    report.run(result_of(f"run-{number}", 1))
                    report.input(Input(f"run-{number}.jsonl", "0" * 64, "read"))
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

        with mock.patch.object(spool, "_MOST_CHARACTERS", 2000):
            for name in REPORTS:
                peak(name, 10)  # what is loaded when first needed
                with self.subTest(name):
                    self.assertLess(peak(name, 600), peak(name, 100) + 120_000)

    def test_nothing_is_written_of_an_input_that_cannot_be_read(self) -> None:
        """Decided by us: with status 2 there is no report, not half of one."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "broken.jsonl").write_bytes(
                b'{"index": 0, "tool": "t", "args": {}, "response": {}}\n{"index": 1}\n'
            )
            for name in REPORTS:
                for file in ("broken.jsonl", "gone.jsonl"):
                    ran = ways.in_process("audit", file, "--format", name, folder=folder)
                    with self.subTest(report=name, file=file):
                        self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))

    def test_every_report_of_the_cases_ends_with_the_same_status(self) -> None:
        for audit, case in CASES:
            statuses = {
                ways.in_process(*arguments_of(audit, case), "--format", name, folder=case).status
                for name in REPORTS
            }
            self.assertEqual(len(statuses), 1, case)
