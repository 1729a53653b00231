"""gate: what a result means for the exit status.

0  nothing found, and everything required was checked
1  something found, or a check failed
2  could not run (the command says so; no result has this status)
3  nothing found, but something required was not checked
"""

from collections.abc import Iterable

from toolreplay.findings.check import FAILED
from toolreplay.findings.result import AuditResult

__all__ = [
    "CLEAN",
    "COULD_NOT_RUN",
    "FOUND",
    "NOT_ALL_CHECKED",
    "exit_status",
    "exit_status_of_many",
]

CLEAN = 0
FOUND = 1
COULD_NOT_RUN = 2
NOT_ALL_CHECKED = 3


def exit_status(result: AuditResult) -> int:
    """Return the exit status of one judged run."""
    if result.found or any(check.result == FAILED for check in result.verdict.checks):
        return FOUND
    if result.is_empty or not result.verdict:
        return NOT_ALL_CHECKED
    return CLEAN


def exit_status_of_many(statuses: Iterable[int]) -> int:
    """Return the one status of many: found, else unreadable, else not checked, else clean."""
    seen = set(statuses)
    for status in (FOUND, COULD_NOT_RUN, NOT_ALL_CHECKED):
        if status in seen:
            return status
    return CLEAN
