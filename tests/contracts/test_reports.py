"""The contract of a report, for each folder in `toolreplay/reports`.

A report has `write(judgement, out)`: it reads the results of a judgement once, as a stream, and
hands bytes to `out`. It never looks at a file, a terminal or the clock.
"""

import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from tests.cli import ways
from tests.contracts.test_audits import CASES, arguments_of
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check, Verdict
from toolreplay.findings.finding import Finding, StateChanges, Where
from toolreplay.findings.judgement import Input
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


class Told:
    """A judgement that is made up."""

    def __init__(self, results: list[AuditResult], status: int = 0, *, many: bool = False) -> None:
        self.many = many
        self.read = 0
        self._results = results
        self._status = status

    def results(self) -> Iterator[AuditResult]:
        for result in self._results:
            self.read += 1
            yield result

    def inputs(self) -> list[Input]:
        assert self.read == len(self._results), "asked before the last result"
        return [Input(HOSTILE, None, "unreadable", HOSTILE)]

    def totals(self) -> dict[str, int]:
        assert self.read == len(self._results), "asked before the last result"
        words = ("files", "read", "not recognised", "unreadable", "runs", "calls", "findings",
                 "nothing recorded")  # fmt: skip
        return dict.fromkeys(words, 1234)

    def exit_status(self) -> int:
        assert self.read == len(self._results), "asked before the last result"
        return self._status


def written(report: str, told: Told) -> bytes:
    pieces: list[bytes] = []
    load_extension("reports", report).write(told, pieces.append)
    return b"".join(pieces)


class EachReportKeepsTheContract(unittest.TestCase):
    """Decided by us."""

    def test_there_are_text_and_json(self) -> None:
        self.assertLessEqual({"json", "text"}, set(REPORTS))

    def test_its_docstring_says_what_it_is(self) -> None:
        for name in REPORTS:
            module = load_extension("reports", name)
            self.assertRegex(module.__doc__, rf"\A{name}: [^\n]{{20,}}\n")
            self.assertIn("write", module.__all__)

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
                told.read = 0
                with self.subTest(report=name, told=told):
                    data = written(name, told)
                    self.assertEqual(data[-1:] or b"\n", b"\n")

    def test_no_raw_control_byte_of_a_recording_reaches_the_output(self) -> None:
        for name in REPORTS:
            text = written(name, Told([result_of("r\x1b", 2)], 1, many=True)).decode("utf-8")
            for character in "\x1b\u202e\u2028\ud800\r\x00":
                self.assertNotIn(character, text, name)

    def test_it_writes_each_result_before_the_next_is_made(self) -> None:
        """Decided by us: memory does not grow with the number of runs."""
        for name in REPORTS:
            told = Told([result_of(f"run-{number}") for number in range(20)], many=True)
            seen: list[tuple[int, bytes]] = []
            load_extension("reports", name).write(
                told, lambda data, told=told, seen=seen: seen.append((told.read, data))
            )
            with self.subTest(name):
                for number in range(20):
                    made = next(read for read, data in seen if b"run-%d" % number in data)
                    self.assertLessEqual(made, number + 2)

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
