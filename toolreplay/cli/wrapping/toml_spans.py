"""Where the values of a TOML text stand in it, in bytes (TOML v1.0.0).

The text must be TOML that a parser took already: it is not judged here, only followed.
"""

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Value", "array_elements", "values_of"]

_STRING = (
    rb'"""(?:[^"\\]++|\\.|"(?!""))*+""""{0,2}'
    rb"|'''(?:[^']++|'(?!''))*+''''{0,2}"
    rb'|"(?:[^"\\\n]++|\\.)*+"'
    rb"|'[^'\n]*+'"
)
_PASSED = re.compile(rb"(?:[ \t\r\n]++|#[^\n]*+)*+")
_BLANKS = re.compile(rb"[ \t]*+")
_PART = re.compile(_STRING + rb"|[A-Za-z0-9_-]++", re.DOTALL)
_SIMPLE = re.compile(_STRING + rb"|[^\n#,\]}]++", re.DOTALL)
_TOKEN = re.compile(_STRING + rb"|#[^\n]*+|[\[\]{},]|[^\s\[\]{},#\"']++", re.DOTALL)
_OPENING, _CLOSING = frozenset(b"[{"), frozenset(b"]}")
_MOST_LEVELS = 4
"""Tables inside tables that are written in one line: no server stands deeper."""


class Value(NamedTuple):
    """A key's names from the top, where it begins, where its last name does, and its value's bytes."""

    path: tuple[str, ...]
    key: int
    last_name: int
    start: int
    end: int
    is_inline: bool


def values_of(data: bytes) -> Iterator[Value]:
    """Yield each key with its value, those of tables in one line behind the table itself."""
    table: tuple[str, ...] = ()
    at = _PASSED.match(data).end()  # type: ignore[union-attr]
    while at < len(data):
        if data[at : at + 1] == b"[":
            brackets = 2 if data[at : at + 2] == b"[[" else 1
            table, _, at = _key(data, at + brackets)
            at += brackets
        else:
            names, last, end = _key(data, at)
            start = _BLANKS.match(data, end + 1).end()  # type: ignore[union-attr]
            value = Value((*table, *names), at, last, start, _end(data, start), is_inline=False)
            yield value
            yield from _inside(data, value, _MOST_LEVELS)
            at = value.end
        at = _PASSED.match(data, at).end()  # type: ignore[union-attr]


def array_elements(data: bytes, start: int) -> list[tuple[int, int]]:
    """Return the bytes [start, end) of each element of the array that begins at `start`."""
    found = []
    at = _PASSED.match(data, start + 1).end()  # type: ignore[union-attr]
    while data[at : at + 1] != b"]":
        end = _end(data, at)
        found.append((at, end))
        at = _PASSED.match(data, end).end()  # type: ignore[union-attr]
        if data[at : at + 1] == b",":
            at = _PASSED.match(data, at + 1).end()  # type: ignore[union-attr]
    return found


def _inside(data: bytes, table: Value, levels: int) -> Iterator[Value]:
    """Yield what stands in a table that is written in one line."""
    if data[table.start : table.start + 1] != b"{" or not levels:
        return
    at = _PASSED.match(data, table.start + 1).end()  # type: ignore[union-attr]
    while data[at : at + 1] != b"}":
        names, last, end = _key(data, at)
        start = _BLANKS.match(data, end + 1).end()  # type: ignore[union-attr]
        value = Value((*table.path, *names), at, last, start, _end(data, start), is_inline=True)
        yield value
        yield from _inside(data, value, levels - 1)
        at = _PASSED.match(data, value.end).end()  # type: ignore[union-attr]
        if data[at : at + 1] == b",":
            at = _PASSED.match(data, at + 1).end()  # type: ignore[union-attr]


def _key(data: bytes, at: int) -> tuple[tuple[str, ...], int, int]:
    """Return the names of a key, where the last begins, and the place of what stands behind it."""
    names = []
    while True:
        at = last = _BLANKS.match(data, at).end()  # type: ignore[union-attr]
        found = _PART.match(data, at)
        if found is None:
            raise ValueError("a key has no name")
        names.append(_name(found[0]))
        at = _BLANKS.match(data, found.end()).end()  # type: ignore[union-attr]
        if data[at : at + 1] != b".":
            return tuple(names), last, at
        at += 1


def _name(token: bytes) -> str:
    text = token.decode()
    if text[0] == "'" or (text[0] == '"' and "\\" not in text):
        return text[1:-1]
    return next(iter(tomllib.loads(f"{text} = 0"))) if text[0] == '"' else text


def _end(data: bytes, start: int) -> int:
    """Return the end of a value; of a bare one with the blanks behind it."""
    if data[start] not in _OPENING:
        found = _SIMPLE.match(data, start)
        if found is None:
            raise ValueError("a value is missing")
        return found.end()
    depth = 0
    for token in _TOKEN.finditer(data, start):
        if token[0][0] in _OPENING:
            depth += 1
        elif token[0][0] in _CLOSING:
            depth -= 1
            if not depth:
                return token.end()
    raise ValueError("the text ends inside a value")
