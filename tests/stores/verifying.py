"""Verify a store as the command does, and say what was found."""

from typing import Any

from tests.stores.recording import Place
from toolreplay.audits.engine import Declared, Options, judge
from toolreplay.evidence.record import Asked
from toolreplay.findings.result import AuditResult
from toolreplay.records.limits import DEFAULT
from toolreplay.sources.source import FileSource


def results_of(name: str, asked: Asked | None = None) -> list[AuditResult]:
    """Judge the log of a store, then its runs; or the run of a bundle."""
    source = FileSource(name, DEFAULT)
    try:
        return [
            judge(run, ["recompute"], Declared(asked=asked), Options(identify=True), lambda _: ())
            for run in source.runs(with_log=True)
        ]
    finally:
        source.close()


def findings_in(name: str, asked: Asked | None = None) -> list[tuple[str, str]]:
    """Return (kind, detail) of all that is found in a store or bundle."""
    return [
        (finding.kind, finding.detail)
        for result in results_of(name, asked)
        for finding in result.findings
    ]


def findings_of(there: Place, asked: Asked | None = None) -> list[tuple[str, str]]:
    """Return (kind, detail) of all that is found in a store."""
    return findings_in(there.path, asked)


def line_of(result: AuditResult, line: str) -> Any:
    """Return the check of a report line."""
    (found,) = [check for check in result.verdict.checks if check.line == line]
    return found
