"""The report of `diff` for people: both runs, where they part, how much, and the calls."""

from collections.abc import Iterator

from toolreplay.findings.difference import ADDED, CHANGED, DROPPED, MOVED
from toolreplay.reports.brief import MOST_CHARACTERS, brief
from toolreplay.reports.difference import (
    BROKEN,
    Compared,
    Entry,
    counts_line,
    first_line,
    result_texts,
    unaligned_line,
)
from toolreplay.reports.lines import WIDTH, cut, escaped, width_of
from toolreplay.reports.text.block import heading

__all__ = ["MOST_LISTED", "entry_lines", "opening_lines"]

MOST_LISTED = 200
"""Calls of each kind that are listed unless all are asked for."""

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
