"""What a report of `diff` is told, and the lines that all its formats say alike."""

from collections.abc import Iterator
from typing import NamedTuple

from toolreplay.evidence.seal import Head
from toolreplay.findings.difference import KINDS, SAME, Difference
from toolreplay.records.call import ToolCall
from toolreplay.records.run import RunInfo
from toolreplay.reports.brief import parting
from toolreplay.reports.lines import plural

__all__ = [
    "BROKEN",
    "Compared",
    "Entry",
    "Mark",
    "counts_line",
    "ending_lines",
    "first_line",
    "left_out",
    "result_texts",
    "unaligned_line",
]

BROKEN = "a chain is broken: links and calls disagree (see: toolreplay verify)"
"""Two intact chains share exactly the links of the calls that are the same from the start."""


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
    def differs(self) -> bool:
        """Whether any call, result, or link of two sealed transcripts differs."""
        return self.difference.differs or (
            self.shared is not None and self.shared.count < max(self.calls)
        )

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


def first_line(compared: Compared) -> str:
    """Return the line that says where the runs part."""
    first = compared.difference.first
    if first is None:
        return "first difference: none"
    parts = [
        f"index {index} in {name}" if index is not None else f"{name} ends after {plural(calls, 'call')}"
        for name, index, calls in zip("AB", first, compared.calls, strict=True)
    ]  # fmt: skip
    return f"first difference: {', '.join(parts)}"


def counts_line(compared: Compared) -> str:
    """Return the line of counts."""
    counts = compared.difference.counts
    return " · ".join(f"{word}: {counts[word]:,}" for word in (SAME, *KINDS))


def unaligned_line(compared: Compared) -> str:
    """Return the line about calls that were not aligned, empty where there are none."""
    calls_a, calls_b = compared.difference.unaligned
    if not calls_a:
        return ""
    return f"not aligned: {calls_a:,} calls of A, {calls_b:,} of B (long, and alike throughout)"


def result_texts(entry: Entry) -> tuple[str, ...]:
    """Return both results of a changed call, each on one line; of another call nothing."""
    if entry.before is None or entry.a is None or entry.b is None:
        return ()
    texts = parting(entry.before.response, entry.call.response)
    if entry.a.outcome == entry.b.outcome:
        return texts
    marks = (entry.a, entry.b)
    return tuple(
        text if mark.outcome is None else f"[{mark.outcome}] {text}"
        for mark, text in zip(marks, texts, strict=True)
    )


def ending_lines(compared: Compared, most: int | None) -> Iterator[str]:
    """Yield what stands below the list: how many calls it leaves out."""
    missing = left_out(compared.difference, most)
    if missing:
        yield ""
        listed = ", ".join(f"{count:,} {kind}" for kind, count in missing.items())
        yield f"left out: {listed} (--full lists them)"
