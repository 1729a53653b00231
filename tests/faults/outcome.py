"""What a fault scenario came to: counts that must be 0, and what replays each that is not."""

from typing import NamedTuple

LOST, WRONG, REPAIR, HARNESS = "lost", "wrong", "repair", "harness"

_MOST_SHOWN = 20


class Problem(NamedTuple):
    """One thing that must not be. `kind` is one of the four words above; HARNESS is our own fault."""

    kind: str
    fact: str


class Failure(NamedTuple):
    """A problem at the point (or with the seed) that shows it again."""

    point: str
    problem: Problem


class Outcome:
    """What one scenario came to. `points` were tried; `notes` are counts that prove nothing wrong.

    With `only` one point is tried again, by the name that a failure was printed with.
    """

    def __init__(self, name: str, only: str = "") -> None:
        self.name = name
        self._only = only
        self.points = 0
        self.failures: list[Failure] = []
        self.notes: list[str] = []
        self.skipped = ""

    def wants(self, point: str) -> bool:
        """Whether a point is to be tried."""
        return self._only in ("", point)

    def add(self, point: str, problems: list[Problem]) -> None:
        """Count one point with what was wrong there."""
        self.points += 1
        self.failures += [Failure(point, problem) for problem in problems]

    def count(self, kind: str) -> int:
        """Return how many problems are of a kind."""
        return sum(failure.problem.kind == kind for failure in self.failures)

    @property
    def holds(self) -> bool:
        """Whether nothing was wrong (a scenario that was skipped says nothing)."""
        return not self.failures and bool(self.points or self.skipped)

    def lines(self, seconds: float) -> list[str]:
        """Return the scenario's line, and one for each failure up to a bound."""
        if self.skipped:
            return [f"{self.name:12} skipped: {self.skipped}"]
        if not self.points:
            return [f"{self.name:12} nothing was tried"]
        line = (
            f"{self.name:12} points {self.points:>8,}   lost {self.count(LOST)}   "
            f"wrong verdicts {self.count(WRONG)}   manual repairs {self.count(REPAIR)}   {seconds:.0f} s"
        )
        told = [f"  {note}" for note in self.notes]
        told += [
            f"  {at}: {problem.kind}: {problem.fact}" for at, problem in self.failures[:_MOST_SHOWN]
        ]
        if len(self.failures) > _MOST_SHOWN:
            told.append(f"  … and {len(self.failures) - _MOST_SHOWN:,} more")
        return [line, *told]
