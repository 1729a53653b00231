"""The report of `diff` as Markdown, for a comment on a pull request.

Counts first, then the calls in a list that is folded away. Recorded text stands in code spans only.
"""

from collections.abc import Iterator

from toolreplay.findings.difference import MOVED
from toolreplay.records.run import RunInfo
from toolreplay.reports.brief import MOST_CHARACTERS, brief
from toolreplay.reports.difference import (
    BROKEN,
    Compared,
    Entry,
    counts_line,
    ending_lines,
    first_line,
    result_texts,
    unaligned_line,
)
from toolreplay.reports.lines import cut, escaped, plural, shortened
from toolreplay.reports.markdown.spans import code_span

__all__ = ["MOST_LISTED", "ending", "entry_item", "opening"]

MOST_LISTED = 25
"""Calls of each kind that are listed unless all are asked for. A comment may have 65,536
characters, and a recording that is all backticks makes each of its spans three times as long."""

_TOOL_WIDTH = 40
_WIDTH = 80
_NAME_WIDTH = 100
"""Columns of a recorded text."""


def opening(compared: Compared) -> Iterator[str]:
    """Yield everything in front of the list."""
    yield f"**{counts_line(compared)}**"
    yield ""
    yield first_line(compared)
    yield ""
    for name, info, calls in zip("AB", (compared.a, compared.b), compared.calls, strict=True):
        yield f"- {name}: {_heading(info, calls)}"
    if compared.shared is not None:
        digest = f", last digest {code_span(compared.shared.digest)}" if compared.shared.count else ""  # fmt: skip
        yield f"- {plural(compared.shared.count, 'shared link')}{digest}"
        if not compared.links_fit:
            yield f"- {BROKEN}"
    unaligned = unaligned_line(compared)
    if unaligned:
        yield f"- {unaligned}"
    if compared.difference.differs:
        counts = compared.difference.counts
        count = sum(counts.values()) - counts["same"]
        yield ""
        yield "<details>"
        yield f"<summary>{plural(count, 'call')}</summary>"
        yield ""


def entry_item(entry: Entry) -> Iterator[str]:
    """Yield the list item of one call."""
    places = ", ".join(
        f"index {mark.index} in {name}"
        for name, mark in (("A", entry.a), ("B", entry.b))
        if mark is not None
    )
    tool = cut(escaped(entry.call.tool[:MOST_CHARACTERS]), _TOOL_WIDTH)
    end = ", with another result" if entry.kind == MOVED and not entry.same_result else ""
    args = code_span(cut(brief(entry.call.args), _WIDTH))
    yield f"- {entry.kind}, {places}{end}: {code_span(tool)} {args}".rstrip()
    for name, text in zip("AB", result_texts(entry), strict=False):
        yield f"  - {name}: {code_span(cut(text, _WIDTH))}".rstrip()


def ending(compared: Compared, most: int | None) -> Iterator[str]:
    """Yield what closes the list."""
    if compared.difference.differs:
        yield from ending_lines(compared, most)
        yield ""
        yield "</details>"


def _heading(info: RunInfo, calls: int) -> str:
    parts = [_name(info.file), f"run {_name(info.name)}"]
    if info.agent:
        parts.append(f"agent {_name(info.agent)}")
    if info.model:
        parts.append(f"model {_name(info.model)}")
    return " · ".join([*parts, plural(calls, "call"), info.provenance])


def _name(text: str) -> str:
    return code_span(cut(shortened(text), _NAME_WIDTH))
