"""What a report of `diff` is told: the two runs, what became of their calls, the calls to list."""

from typing import NamedTuple

from toolreplay.evidence.seal import Head
from toolreplay.findings.difference import KINDS, Difference
from toolreplay.records.call import ToolCall
from toolreplay.records.run import RunInfo

__all__ = ["Compared", "Entry", "Mark", "left_out"]


class Compared(NamedTuple):
    """Two runs and how they differ; `calls` are their lengths.

    `shared` is the end of what two sealed transcripts share from their start, else None.
    """

    a: RunInfo
    b: RunInfo
    calls: tuple[int, int]
    difference: Difference
    shared: Head | None = None

    @property
    def links_fit(self) -> bool:
        """Whether the shared links are those of the calls that are the same from the start.

        Each link's digest follows from the calls up to it, so of two intact chains they are.
        """
        first = self.difference.first
        same = self.calls[0] if first is None else first.b if first.a is None else first.a
        return self.shared is None or self.shared.count == same


class Mark(NamedTuple):
    """Where a listed call stands in one run, and what came back (SHA-256 of its toolreplay-1 form)."""

    index: int  # type: ignore[assignment]  # a field, not the tuple's method
    line: int
    outcome: str | None
    response_sha256: str


class Entry(NamedTuple):
    """One listed call: its marks in both runs, None where a run does not have it.

    `call` is that of B, of a dropped call that of A; `before` is A's where the result changed in
    place. `same_result` is None for a call that only one run has.
    """

    kind: str
    a: Mark | None
    b: Mark | None
    call: ToolCall
    before: ToolCall | None = None
    same_result: bool | None = None


def left_out(difference: Difference, most: int | None) -> dict[str, int]:
    """Return how many calls of each kind a list of `most` a kind leaves out; kinds with none not."""
    if most is None:
        return {}
    counts = difference.counts
    return {kind: counts[kind] - most for kind in KINDS if counts[kind] > most}
