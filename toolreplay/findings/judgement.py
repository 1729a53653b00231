"""What a report is told: results one by one, what became of each input, and the end.

Reports are written as a stream, several at once if asked, so nothing here is kept.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from toolreplay.findings.result import AuditResult
from toolreplay.findings.suppression import Suppressed
from toolreplay.records.account import Account

__all__ = ["Input", "Report", "Summary", "several"]


class Input(NamedTuple):
    """One input: `status` is "read", "not recognised" or "unreadable", the last two with an error.

    `account` is that of an import: what of the input reached the audits, and what did not.
    """

    name: str
    sha256: str | None
    status: str
    error: str | None = None
    account: Account | None = None


class Summary(NamedTuple):
    """What is known after the last input.

    `many` says whether more than one input was asked for: totals are printed then. `totals` are
    counts by word ("files", "read", "runs", "calls" …); `status` is the exit status to come;
    `suppressed` is there where a baseline or project file was used.
    """

    many: bool
    totals: dict[str, int]
    status: int
    suppressed: Suppressed | None = None


class Report(Protocol):
    """A report that is being written.

    A module in `reports/` has `start(out, many)`, which returns one: `out` takes bytes. Nothing
    is handed to `out` before the first result or the end, so that an input which cannot be read
    leaves no half of a document.
    """

    def run(self, result: AuditResult) -> None:
        """Take the next result."""

    def input(self, item: Input) -> None:
        """Take what became of an input, after its results."""

    def end(self, summary: Summary) -> None:
        """Take the end."""


class _Several:
    def __init__(self, reports: Iterable[Report]) -> None:
        self._reports = list(reports)

    def run(self, result: AuditResult) -> None:
        for report in self._reports:
            report.run(result)

    def input(self, item: Input) -> None:
        for report in self._reports:
            report.input(item)

    def end(self, summary: Summary) -> None:
        for report in self._reports:
            report.end(summary)


def several(reports: Iterable[Report]) -> Report:
    """Return a report that hands everything on to each of these."""
    return _Several(reports)
