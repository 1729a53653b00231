r"""The escape table, and the two shapes of line that reports and commands print.

What a recording says may try to steer a terminal. Control characters, invisible and direction
marks, surrogates and noncharacters are printed as `\u{…}`, everywhere and always: the table does
not depend on terminal, locale or option.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice

__all__ = [
    "WIDTH",
    "columns",
    "cut",
    "encoded",
    "escaped",
    "folded",
    "plural",
    "shortened",
    "width_of",
]

_PLANES = range(0, 0x110000, 0x10000)

WIDTH = 80
"""Columns of a line that we compose; a recorded text is not broken to fit."""

_LINES_AT_ONCE = 500

_LONGEST_NAME = 200
"""Characters of a run, agent or model in a line of ours; JSON has them whole."""


def escaped(text: str) -> str:
    """Return text that is safe on any terminal; ordinary text comes back unchanged."""
    if text.isascii() and text.isprintable():
        return text
    return _special().sub(lambda match: f"\\u{{{ord(match[0]):x}}}", text)


@cache
def _special() -> re.Pattern[str]:
    """Compile the table when the first text needs it: most commands print none that does."""
    last_two = "".join(f"{chr(plane | 0xFFFE)}{chr(plane | 0xFFFF)}" for plane in _PLANES)
    return re.compile(
        "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
        f"\ud800-\udfff\ufdd0-\ufdef{last_two}]"
    )


def shortened(text: str) -> str:
    """Return a recorded name escaped, and cut where it is longer than any name that helps."""
    return escaped(text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME] + "…")


def width_of(text: str) -> int:
    """Return how many columns an escaped text takes: East Asian wide characters take two."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(character) else 1 + (east_asian_width(character) in "WF")
        for character in text
    )


def cut(text: str, width: int) -> str:
    """Return the text cut to a width, with `…` at its end where something is missing.

    Where there is no room at all nothing is left, not even the mark.
    """
    if width < 1:
        return ""
    text = text[: width + 1] + "…" if len(text) > width + 1 else text
    if width_of(text) <= width:
        return text
    kept = text[:width].rstrip("…")
    while width_of(kept) > width - 1:
        kept = kept[:-1]
    return kept + "…"


def columns(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Align rows of escaped cells, two spaces between; columns in `right` are set right.

    The last column is not padded; a row may have fewer cells than another.
    """
    count = max((len(row) for row in rows), default=0)
    widths = [
        max((width_of(row[at]) for row in rows if at < len(row) - 1), default=0)
        for at in range(count)
    ]
    to_right = set(right)
    lines = []
    for row in rows:
        cells = []
        for at, cell in enumerate(row):
            space = " " * (widths[at] - width_of(cell))
            if at in to_right:
                cells.append(space + cell)
            else:
                cells.append(cell if at == len(row) - 1 else cell + space)
        lines.append("  ".join(cells).rstrip())
    return lines


def folded(text: str, indent: str = "", width: int = WIDTH) -> list[str]:
    """Break a text of our own at spaces into lines of at most `width` columns."""
    lines: list[str] = []
    line = indent
    for word in text.split():
        if line.strip() and width_of(line) + 1 + width_of(word) > width:
            lines.append(line)
            line = indent
        line += word if line == indent else f" {word}"
    return [*lines, line] if line.strip() else lines


def encoded(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield the bytes of lines, each with its line ending, many at a time."""
    rest = iter(lines)
    while some := "".join(f"{line}\n" for line in islice(rest, _LINES_AT_ONCE)):
        yield some.encode()


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return the count with its noun: `1 call`, `2,310 calls`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
