"""The structure of a line of JSON, counted on its bytes before anything is built from them.

What stands inside strings does not count. All of it is linear in the line's length and without
recursion: these counts are what bounds the parser. A line that is no JSON gets some count, and is
refused by the parser.
"""

from collections.abc import Iterator

__all__ = ["colons_outside_strings", "is_deeper", "opens_at_most", "values_over"]

_NOT_MARKS = bytes(range(256)).translate(None, b'[]{}:"')
_NOT_BRACKETS = bytes(range(256)).translate(None, b"[]{}")
_PAIR_PASSES = 8
_CHUNK_BYTES = 1 << 20


def values_over(line: bytes, most: int) -> bool:
    """Whether more than `most` of `[`, `{`, `,`, `:` stand outside strings."""
    if sum(line.count(mark) for mark in (b"[", b"{", b",", b":")) <= most:
        return False
    count = 0
    for part in _outside_strings(line):
        count += sum(part.count(mark) for mark in (b"[", b"{", b",", b":"))
    return count > most


def opens_at_most(line: bytes, most: int) -> bool:
    """Whether at most `most` brackets open, inside strings or out: then no nesting is deeper.

    Looked up one by one, so that a long text with few brackets costs next to nothing.
    """
    find = line.find
    for mark in (b"{", b"["):
        at = find(mark)
        while at >= 0:
            if not most:
                return False
            most -= 1
            at = find(mark, at + 1)
    return True


def colons_outside_strings(line: bytes) -> int:
    """Count the colons outside strings: in valid JSON, one for each member of each object."""
    return _marks_outside_strings(line).count(b":")


def is_deeper(line: bytes, most: int) -> bool:
    """Whether brackets nest deeper than `most`.

    Wide records are decided by deleting pairs a level at a time, at the speed of `replace`; a line
    that a few passes do not use up is counted bracket by bracket.
    """
    brackets = _marks_outside_strings(line).translate(None, _NOT_BRACKETS)
    left = brackets
    if most >= 2 * _PAIR_PASSES:  # a pass takes at most two levels, one of each kind
        for _ in range(_PAIR_PASSES):
            left = left.replace(b"[]", b"").replace(b"{}", b"")
            if not left:
                return False
    depth = 0
    for bracket in brackets:
        if bracket in b"[{":
            depth += 1
            if depth > most:
                return True
        else:
            depth -= 1
    return False


def _marks_outside_strings(line: bytes) -> bytes:
    """Return the brackets and colons outside strings, and perhaps some other bytes.

    Where no quote is escaped and no string holds a mark, each string is an adjacent pair of
    quotes once everything else is deleted, and deleting those pairs leaves no quote. Any other
    line is split at its quotes.
    """
    if b"\\" not in line or (b'\\"' not in line and b"\\\\" not in line):
        marks = line.translate(None, _NOT_MARKS).replace(b'""', b"")
        if b'"' not in marks:
            return marks
    return b"".join(_outside_strings(line))


def _outside_strings(line: bytes) -> Iterator[bytes]:
    """Yield what stands outside strings, a megabyte at a time so that quotes cost no memory."""
    plain = line.replace(b"\\\\", b"").replace(b'\\"', b"")
    inside = 0
    for at in range(0, len(plain), _CHUNK_BYTES):
        parts = plain[at : at + _CHUNK_BYTES].split(b'"')
        yield b"".join(parts[inside::2])
        inside ^= (len(parts) - 1) & 1
