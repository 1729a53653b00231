"""Judgement: the results of one command over all its inputs, read as a stream by a report.

Results come one by one; what was read and the totals are complete after the last one.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from toolreplay.findings.result import AuditResult
from toolreplay.records.account import Account

__all__ = ["Input", "Judgement"]


class Input(NamedTuple):
    """One input: `status` is "read", "not recognised" or "unreadable", the last two with an error.

    `account` is that of an import: what of the input reached the audits, and what did not.
    """

    name: str
    sha256: str | None
    status: str
    error: str | None = None
    account: Account | None = None


class Judgement(Protocol):
    """What a report needs to write everything a command judged."""

    many: bool
    """Whether more than one input was asked for: totals are printed then."""

    def results(self) -> Iterator[AuditResult]:
        """Yield each result once."""

    def inputs(self) -> list[Input]:
        """Return the inputs, after the last result."""

    def totals(self) -> dict[str, int]:
        """Return the counts by word ("files", "read", "runs", "calls" …), after the last result."""

    def exit_status(self) -> int:
        """Return the status the command will end with, after the last result."""
