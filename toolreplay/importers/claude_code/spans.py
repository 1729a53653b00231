"""Where the parts of a JSON value stand in its bytes, so that one part can be read again alone.

Works on bytes that have been parsed before, decoded as Latin-1: what is not ASCII stands inside
strings only, and a character offset is then a byte offset.
"""

import re
from collections.abc import Iterator
from json import JSONDecoder

__all__ = ["item_spans", "members", "start_of_value"]

# Numbers stay text: nothing is computed from them here, and a long one would cost.
_scan = JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).scan_once  # type: ignore[attr-defined]

_after_blanks = re.compile("[ \t\r\n]*").match


def start_of_value(text: str, at: int = 0) -> int:
    """Return the offset of the first character from `at` on that is not blank."""
    found = _after_blanks(text, at)
    assert found is not None
    return found.end()


def members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield (name, offset of its value) for each member of the object that begins at `at`.

    A value is read only when the next member is asked for. On text that is not JSON it raises
    ValueError, StopIteration as RuntimeError, or RecursionError.
    """
    at = start_of_value(text, at + 1)
    while text[at : at + 1] == '"':
        name, at = _scan(text, at)
        value = start_of_value(text, start_of_value(text, at) + 1)
        yield name, value
        _, at = _scan(text, value)
        at = start_of_value(text, at)
        if text[at : at + 1] == ",":
            at = start_of_value(text, at + 1)


def item_spans(text: str, path: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield the [start, end) of each item of the array that the names of `path` lead to."""
    at = start_of_value(text)
    for wanted in path:
        at = next(value for name, value in members(text, at) if name == wanted)
    at = start_of_value(text, at + 1)
    while text[at : at + 1] not in ("]", ""):
        _, end = _scan(text, at)
        yield at, end
        at = start_of_value(text, end)
        if text[at : at + 1] == ",":
            at = start_of_value(text, at + 1)
