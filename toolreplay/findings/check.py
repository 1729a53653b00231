"""Check and Verdict: passed, failed or not checked, and never anything between.

"Not checked" is an answer: it has a reason, it is printed, and it never counts as passed.
"""

from typing import NamedTuple

__all__ = ["FAILED", "LINES", "NOT_CHECKED", "PASSED", "Check", "Verdict"]

PASSED = "passed"
FAILED = "failed"
NOT_CHECKED = "not checked"

LINES = (
    "replay", "scope", "loop", "contents", "links", "ending", "story", "signer", "time", "log",
    "job", "claims", "world", "coverage",
)  # fmt: skip
"""The lines of a report, in the order they are printed."""


class Check(NamedTuple):
    """The result of one line.

    `count` is what stands in brackets behind the line ("5 of 5", "2 findings"). A check that was
    not made has a reason, and a remedy where there is one.
    """

    line: str
    result: str
    count: str | None = None  # type: ignore[assignment]  # a field, not the tuple's method
    reason: str | None = None
    remedy: str | None = None


class Verdict(NamedTuple):
    """Checks together; true only if every required line passed."""

    checks: tuple[Check, ...]
    required: frozenset[str]

    def __bool__(self) -> bool:
        """Whether nothing failed and every required line was checked and passed."""
        passed = {check.line for check in self.checks if check.result == PASSED}
        return self.required <= passed and all(check.result != FAILED for check in self.checks)

    @property
    def missing(self) -> list[str]:
        """Required lines that were not checked, in the order of LINES."""
        unchecked = {check.line for check in self.checks if check.result == NOT_CHECKED}
        made = {check.line for check in self.checks}
        return [
            line
            for line in LINES
            if line in self.required and (line in unchecked or line not in made)
        ]
