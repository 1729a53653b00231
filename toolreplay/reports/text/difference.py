"""The report of `diff` for people: both runs, where they part, how much, and the calls."""

from collections.abc import Iterator

from toolreplay.findings.difference import ADDED, CHANGED, DROPPED, KINDS, MOVED, SAME
from toolreplay.reports.difference import Compared, Entry, left_out
from toolreplay.reports.text.block import heading
from toolreplay.reports.text.brief import MOST_CHARACTERS, brief, parting
from toolreplay.reports.text.lines import WIDTH, cut, escaped, plural, width_of

__all__ = [
    "BROKEN",
    "MOST_LISTED",
    "counts_line",
    "ending_lines",
    "entry_lines",
    "first_line",
    "opening_lines",
    "result_texts",
    "unaligned_line",
]

MOST_LISTED = 200
"""Calls of each kind that are listed unless all are asked for."""

BROKEN = "a chain is broken: links and calls disagree (see: toolreplay verify)"
"""Two intact chains share exactly the links of the calls that are the same from the start."""

_MARKS = {DROPPED: "-", ADDED: "+", CHANGED: "~", MOVED: ">"}
_TOOL_WIDTH = 16
_INDENT = " " * 15
_MOST_COLUMNS = 32
"""Columns of a tool's name: what else is said of the call must find room."""


def opening_lines(compared: Compared) -> Iterator[str]:
    """Yield everything but the list of calls."""
    for name, info, calls in zip("AB", (compared.a, compared.b), compared.calls, strict=True):
        yield f"{name}: {escaped(info.file)}"
        yield f"   {heading(info, calls)}"
    yield ""
    yield first_line(compared)
    yield counts_line(compared)
    if compared.shared is not None:
        calls_a, calls_b = compared.calls
        yield f"shared links: {compared.shared.count:,} (of {calls_a:,} in A, {calls_b:,} in B)"
        if compared.shared.count:
            yield f"last digest: {compared.shared.digest}"
        if not compared.links_fit:
            yield BROKEN
    unaligned = unaligned_line(compared)
    if unaligned:
        yield unaligned
    if compared.difference.differs:
        yield ""
        yield "      A     B"


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


def entry_lines(entry: Entry) -> Iterator[str]:
    """Yield the lines of one call: mark, index in A, index in B, tool, arguments.

    Below a changed call stand both results, from shortly before they differ.
    """
    a, b = ("" if mark is None else str(mark.index) for mark in (entry.a, entry.b))
    tool = cut(escaped(entry.call.tool[:MOST_CHARACTERS]), _MOST_COLUMNS)
    tool += " " * (_TOOL_WIDTH - width_of(tool))
    start = f"{_MARKS[entry.kind]} {a:>5} {b:>5}  {tool} "
    end = "" if entry.kind != MOVED or entry.same_result else " [other result]"
    args = cut(brief(entry.call.args), WIDTH - width_of(start) - len(end))
    yield f"{start}{args}{end}".rstrip()
    for name, text in zip("AB", result_texts(entry), strict=False):
        yield cut(f"{_INDENT}{name} → {text}", WIDTH)


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
