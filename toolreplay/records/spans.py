"""Where the values of a JSON text stand in it, in bytes.

A receipt commits to the exact bytes of a part of a message, and a redaction replaces exactly the
bytes of a value. Both need places, which a parser does not give. The text must be JSON that a
parser took already (RFC 8259; bytes that are no UTF-8 may stand in strings): it is not judged
again here, only followed. Nothing recurses, whatever the depth.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Member", "Scalar", "elements_of", "members_of", "names_of", "scalars_of", "text_at"]

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_OPENING, _CLOSING = frozenset(b"{["), frozenset(b"}]")


class Member(NamedTuple):
    """A member of an object: its name, and the bytes [start, end) of its value."""

    name: str
    start: int
    end: int


class Scalar(NamedTuple):
    """A string, number or literal: names and places on the way to it, and its bytes [start, end)."""

    path: tuple[str | int, ...]
    start: int
    end: int


def members_of(data: bytes, start: int = 0) -> list[Member]:
    """Return the members of the object that begins at `start` (blanks may come before it).

    In the order of the text, duplicates too: parsers take the last. What is no object has none.
    Raises ValueError for a text that ends too early.
    """
    tokens = _TOKEN.finditer(data, start)
    first = next(tokens, None)
    if first is None or first[0] != b"{":
        return []
    found: list[Member] = []
    for token in tokens:
        text = token[0]
        if text == b"}":
            return found
        if text == b",":
            continue
        _next(tokens)  # the colon
        begin, end = _value(tokens)
        found.append(Member(text_at(data, token.start(), token.end()), begin, end))
    raise ValueError("the text ends inside an object")


def elements_of(data: bytes, start: int = 0) -> list[tuple[int, int]]:
    """Return the bytes [start, end) of each element of the array that begins at `start`.

    What is no array has none. Raises ValueError for a text that ends too early.
    """
    tokens = _TOKEN.finditer(data, start)
    first = next(tokens, None)
    if first is None or first[0] != b"[":
        return []
    found: list[tuple[int, int]] = []
    for token in tokens:
        if token[0] == b"]":
            return found
        if token[0] != b",":
            found.append(_rest(token, tokens))
    raise ValueError("the text ends inside an array")


def scalars_of(data: bytes, start: int = 0) -> Iterator[Scalar]:
    """Yield each string, number and literal of a text in order; names of members are none.

    Raises ValueError for a text that ends too early.
    """
    path: list[str | int | None] = []
    is_object: list[bool] = []
    tokens = _TOKEN.finditer(data, start)
    for found in tokens:
        token, text = found, found[0]
        if text == b",":
            path[-1] = None if is_object[-1] else path[-1] + 1  # type: ignore[operator]
        elif text[0] in _CLOSING:
            is_object.pop()
            path.pop()
        else:
            if path and path[-1] is None:
                path[-1] = text_at(data, token.start(), token.end())
                _next(tokens)  # the colon
                token = _next(tokens)
                text = token[0]
            if text[0] in _OPENING:
                is_object.append(text == b"{")
                path.append(None if text == b"{" else 0)
                continue
            yield Scalar(tuple(path), token.start(), token.end())  # type: ignore[arg-type]
        if not path:
            return


def names_of(data: bytes, start: int = 0) -> Iterator[Scalar]:
    """Yield each name of a member of a text in order, with the path of that member.

    Raises ValueError for a text that ends too early.
    """
    path: list[str | int] = []
    is_object: list[bool] = []
    tokens = _TOKEN.finditer(data, start)
    has_name = False
    for token in tokens:
        text = token[0]
        if text[0] in _CLOSING:
            is_object.pop()
            path.pop()
        elif text == b",":
            has_name = False
            if not is_object[-1]:
                path[-1] += 1  # type: ignore[operator]
            continue
        elif is_object and is_object[-1] and not has_name:
            path[-1] = text_at(data, token.start(), token.end())
            yield Scalar(tuple(path), token.start(), token.end())
            _next(tokens)  # the colon
            has_name = True
            continue
        elif text[0] in _OPENING:
            is_object.append(text == b"{")
            path.append(0)
            has_name = False
            continue
        has_name = True
        if not path:
            return
    raise ValueError("the text ends too early")


def text_at(data: bytes, start: int, end: int) -> str:
    """Return the text of a string that stands there with its quotes; bytes that are no UTF-8 replaced."""
    if data.find(b"\\", start, end) < 0:
        return data[start + 1 : end - 1].decode("utf-8", "replace")
    text: str = json.loads(data[start:end].decode("utf-8", "replace"), strict=False)
    return text


def _value(tokens: "Iterator[re.Match[bytes]]") -> tuple[int, int]:
    return _rest(_next(tokens), tokens)


def _rest(token: "re.Match[bytes]", tokens: "Iterator[re.Match[bytes]]") -> tuple[int, int]:
    """Return the bytes of the value that begins with a token, having read to its end."""
    start, depth = token.start(), 0
    while True:
        if token[0][0] in _OPENING:
            depth += 1
        elif token[0][0] in _CLOSING:
            depth -= 1
        if depth == 0:
            return start, token.end()
        token = _next(tokens)


def _next(tokens: "Iterator[re.Match[bytes]]") -> "re.Match[bytes]":
    for token in tokens:
        return token
    raise ValueError("the text ends too early")
