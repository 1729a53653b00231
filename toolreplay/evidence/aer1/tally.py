"""Tally: what broke each of many rules, in memory that does not grow with what was read."""

from toolreplay.evidence.aer1.rule_check import RuleCheck
from toolreplay.findings.check import FAILED, PASSED

__all__ = ["Tally"]


class Tally:
    """The first reason of each name, and how many there were."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, int]] = {}

    def add(self, name: str, reason: str) -> None:
        """Count one more of a name."""
        first, count = self._found.get(name, (reason, 0))
        self._found[name] = first, count + 1

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def __len__(self) -> int:
        return len(self._found)

    def line(self, name: str) -> str:
        """Return the first reason of a name, and how many more there are."""
        first, count = self._found[name]
        return first if count == 1 else f"{first} (and {count - 1:,} more)"

    def lines(self) -> tuple[str, ...]:
        """Return the line of each name, in the order in which they were first met."""
        return tuple(self.line(name) for name in self._found)

    def check(self, name: str, rules: tuple[str, ...]) -> RuleCheck:
        """Return what a name came to: failed with its line, or passed."""
        if name in self._found:
            return RuleCheck(name, rules, FAILED, self.line(name))
        return RuleCheck(name, rules, PASSED)
