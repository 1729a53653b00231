"""The JSON report of a tutorial command: one run, and a status of 0 or 1 only."""

import hashlib
from collections.abc import Iterator, Sequence

from toolreplay.audits.engine import Declared, Options, judge
from toolreplay.cli.console import Console
from toolreplay.cli.judging import carried
from toolreplay.evidence.seal import ExpectedHead
from toolreplay.findings.check import FAILED, Check
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.findings.judgement import Input
from toolreplay.findings.result import AuditResult
from toolreplay.packaged import load_extension
from toolreplay.records.limits import Limits
from toolreplay.records.run import Run
from toolreplay.sources.opening import Opened
from toolreplay.sources.source import FileSource

__all__ = ["verify_seal_as_json", "write_one"]

_PIECE_BYTES = 1 << 20


class _Single:
    """A Judgement of one run that has been judged already."""

    many = False

    def __init__(self, result: AuditResult, item: Input) -> None:
        self._result = result
        self._input = item

    def results(self) -> Iterator[AuditResult]:
        yield self._result

    def inputs(self) -> list[Input]:
        return [self._input]

    def totals(self) -> dict[str, int]:
        result = self._result
        return {
            "files": 1, "read": 1, "not recognised": 0, "unreadable": 0, "runs": 1,
            "calls": result.calls, "findings": result.found,
            "nothing recorded": int(not result.calls),
        }  # fmt: skip

    def exit_status(self) -> int:
        failed = any(check.result == FAILED for check in self._result.verdict.checks)
        return FOUND if self._result.found or failed else CLEAN


def write_one(result: AuditResult, run: Run, console: Console, sha256: str | None = None) -> int:
    """Write the JSON report of a tutorial command, which exits with 0 or 1 only.

    The input's digest is that of its bytes, where it can be read again.
    """
    if sha256 is None and run.raw is not None:
        digest, start = hashlib.sha256(), 0
        while piece := run.raw(start, start + _PIECE_BYTES):
            digest.update(piece)
            start += len(piece)
        sha256 = digest.hexdigest()
    single = _Single(result, Input(run.info.file, sha256, "read"))
    load_extension("reports", "json").write(single, console.write_bytes)
    return single.exit_status()


def verify_seal_as_json(
    opened: Opened, limits: Limits, expected: ExpectedHead | None, console: Console
) -> int:
    """Write the JSON report of `verify` for a sealed transcript, or for nothing at all."""
    source = FileSource(opened.name, limits, "sealed", opened)
    (run,) = source.runs()

    def required(checks: Sequence[Check]) -> list[str]:
        return [*carried(checks), *(["ending"] if expected is not None else [])]

    result = judge(run, ["recompute"], Declared(head=expected), Options(identify=True), required)
    return write_one(result, run, console, source.sha256())
