"""RuleCheck: what one rule of AER-1 came to, as every reader here says it."""

from typing import NamedTuple

from toolreplay.findings.check import FAILED

__all__ = ["RuleCheck", "failures_of"]


class RuleCheck(NamedTuple):
    """One named check: `rules` are the ids of docs/conformance.md it stands for.

    `result` is passed, failed or not checked; `reason` is one line for a person, there where it
    did not pass.
    """

    name: str
    rules: tuple[str, ...]
    result: str
    reason: str = ""


def failures_of(checks: tuple[RuleCheck, ...]) -> list[RuleCheck]:
    """Return the checks that failed, in their order."""
    return [check for check in checks if check.result == FAILED]
