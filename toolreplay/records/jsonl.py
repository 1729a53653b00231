r"""The bounded line reader and the strict parser of one JSON line.

Rules kept here:
* Lines end at LF and nowhere else (U+2028 and U+0085 may stand raw inside a string).
* A line over the byte limit is refused before the rest of it is read.
* Values and depth are bounded on the bytes, before anything is built from them.
* UTF-8 is strict; a byte order mark, a duplicate member at any depth, NaN, Infinity, a number that
  overflows and an integer of more than 4,300 digits are refused, never repaired.
* Lone surrogates in `\u` escapes are kept: real tools cut strings in the middle of a pair.

What a record must look like is left to records/transcript.py and the importers.
"""

import sys
from collections.abc import Callable, Iterator
from json import JSONDecodeError, JSONDecoder
from typing import BinaryIO, NoReturn

from toolreplay.errors import InputError
from toolreplay.records.call import Json
from toolreplay.records.limits import DEFAULT, INTEGER_DIGITS, Limits

__all__ = ["JSON_BLANKS", "LineError", "line_parser", "lines_of"]

JSON_BLANKS = b" \t\r\n"
"""The only bytes that are white space to JSON (RFC 8259, section 2)."""

_NOT_BRACKETS = bytes(range(256)).translate(None, b"[]{}")
_NOT_MARKS = bytes(range(256)).translate(None, b'[]{}"\\')
_FEW_BRACKETS = 200
_PAIR_PASSES = 8
_INFINITY = float("inf")


class LineError(Exception):
    """A line cannot be parsed; the text is the fact, the caller knows the place."""


class _DuplicateError(LineError):
    pass


def lines_of(
    file: BinaryIO, limits: Limits = DEFAULT, start: int = 0
) -> Iterator[tuple[int, int, bytes]]:
    """Yield (line number from 1, byte offset, bytes with line ending) for each line of a file.

    Blank lines are yielded too: whether they count is the format's decision. `start` is the
    offset of the file's position. Raises InputError at a line over the byte limit.
    """
    most = limits.line_bytes
    # The line ending does not count, and CR LF is one.
    readline, ask = file.readline, most + 3
    number = 0
    while line := readline(ask):
        number += 1
        if len(line) > most and (
            not line.endswith(b"\n") or len(line[:-1].removesuffix(b"\r")) > most
        ):
            raise InputError(
                f"line {number}", f"longer than {most} bytes (--max-line-bytes raises the limit)"
            )
        yield number, start, line
        start += len(line)


def line_parser(limits: Limits = DEFAULT) -> Callable[[bytes], Json]:
    """Return a function that parses one line of JSON strictly, or raises LineError.

    It is made once per reading: the decoder and its bound methods are the cost of a short line.
    """
    decoder = JSONDecoder(
        object_pairs_hook=_without_duplicates,
        parse_float=_finite,
        parse_constant=_refuse_constant,
        parse_int=None if _interpreter_counts_digits() else _counted_integer,
    )
    # What decode() calls, without its two searches for white space.
    scan = decoder.scan_once  # type: ignore[attr-defined]
    most_values, most_depth = limits.line_values, limits.depth

    def parse(line: bytes) -> Json:
        if len(line) > most_values and _values_over(line, most_values):
            raise LineError(f"more than {most_values} values (--max-line-values raises the limit)")
        if not _has_few_brackets(line, most_depth) and _is_deeper(line, most_depth):
            raise LineError(
                f"nested deeper than {most_depth} levels (--max-depth raises the limit)"
            )
        try:
            text = line.decode()
            if text[:1] in " \t\r\n":
                text = text.lstrip(" \t\r\n")
            value, end = scan(text, 0)
        except LineError:
            raise
        except (UnicodeDecodeError, ValueError, StopIteration, RecursionError) as error:
            raise _explained(line, error) from None
        if end != len(text) and text[end:].strip(" \t\r\n"):
            raise LineError(f"more text after the value (column {end + 1})")
        return value

    return parse


def _without_duplicates(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = set()
        for name, _ in pairs:
            if name in names:
                # What a hostile line brings must still be one short message.
                shown = name if len(name) <= 100 else name[:100] + "…"
                raise _DuplicateError(f"duplicate field '{shown}'")
            names.add(name)
    return members


def _finite(text: str) -> float:
    value = float(text)
    if value in (_INFINITY, -_INFINITY):
        raise LineError("a number overflows to infinity")
    return value


def _refuse_constant(text: str) -> NoReturn:
    raise LineError(f"{text} is not JSON")


def _interpreter_counts_digits() -> bool:
    return sys.get_int_max_str_digits() == INTEGER_DIGITS


def _counted_integer(text: str) -> int:
    if len(text) - text.startswith("-") > INTEGER_DIGITS:
        raise LineError(_TOO_MANY_DIGITS)
    try:
        return int(text)
    except ValueError:
        raise LineError(
            f"an integer of more than {sys.get_int_max_str_digits()} digits "
            "(the interpreter was started with this limit: PYTHONINTMAXSTRDIGITS)"
        ) from None


_TOO_MANY_DIGITS = f"an integer of more than {INTEGER_DIGITS} digits"


def _explained(line: bytes, error: Exception) -> LineError:
    if isinstance(error, UnicodeDecodeError):
        # Without a mark too: text that begins in ASCII has a zero byte in its first character.
        if line.startswith((b"\xff\xfe", b"\xfe\xff")) or line[:2].count(0) == 1:
            return LineError(_UTF16)
        return LineError(f"not UTF-8 (byte {error.start + 1} of the line)")
    if line[:2].count(0) == 1 and line.count(0) * 3 > len(line):
        return LineError(_UTF16)
    if line.startswith(b"\xef\xbb\xbf"):
        return LineError("starts with a byte order mark (save the file as UTF-8 without one)")
    if isinstance(error, RecursionError):
        return LineError("nested deeper than the interpreter can follow")
    if isinstance(error, StopIteration):
        return _not_json(line, int(error.value))
    if isinstance(error, JSONDecodeError):
        raw_control = error.msg.startswith("Invalid control character")
        at_its_end = not error.doc[error.pos :].strip("\r\n")
        if error.msg.startswith("Unterminated string") or (raw_control and at_its_end):
            return LineError("not valid JSON (the line ends inside a string)")
        if raw_control:
            return LineError(f"a raw control character in a string (column {error.pos + 1})")
        return _not_json(line, error.pos)
    return LineError(_TOO_MANY_DIGITS)


_UTF16 = "the file is UTF-16, not UTF-8 (a shell's > may have re-encoded it; -o FILE does not)"


def _not_json(line: bytes, position: int) -> LineError:
    """Positions count from the first character that is not blank, as the scanner saw it."""
    text = line.decode().lstrip(" \t\r\n")
    if not text[position:].strip(" \t\r\n"):
        return LineError("not valid JSON (the line ends in the middle of a value)")
    return LineError(f"not valid JSON (column {position + 1})")


def _values_over(line: bytes, most: int) -> bool:
    """Whether more than `most` of `[`, `{`, `,`, `:` stand outside strings."""
    if sum(line.count(mark) for mark in (b"[", b"{", b",", b":")) <= most:
        return False
    count = 0
    for part in _outside_strings(line):
        count += sum(part.count(mark) for mark in (b"[", b"{", b",", b":"))
    return count > most


def _outside_strings(line: bytes) -> Iterator[bytes]:
    """Yield what stands outside strings, a megabyte at a time so that quotes cost no memory."""
    plain = line.replace(b"\\\\", b"").replace(b'\\"', b"")
    inside = 0
    for at in range(0, len(plain), 1 << 20):
        parts = plain[at : at + (1 << 20)].split(b'"')
        yield b"".join(parts[inside::2])
        inside ^= (len(parts) - 1) & 1


def _has_few_brackets(line: bytes, most: int) -> bool:
    """Whether at most `most` brackets open: then no nesting can be deeper (the usual case)."""
    budget = min(most, _FEW_BRACKETS)
    find = line.find
    for mark in (b"{", b"["):
        at = find(mark)
        while at >= 0:
            if not budget:
                return False
            budget -= 1
            at = find(mark, at + 1)
    return True


def _is_deeper(line: bytes, most: int) -> bool:
    """Whether brackets nest deeper than `most`; linear in the line's length, no recursion.

    Wide records are decided by deleting pairs a level at a time, at the speed of `replace`; a line
    that a few passes do not use up is counted bracket by bracket.
    """
    brackets = _brackets_outside_strings(line)
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


def _brackets_outside_strings(line: bytes) -> bytes:
    """Return the structural brackets of a line.

    Where no string holds a bracket or a backslash, each string is an adjacent pair of quotes once
    everything else is deleted, and deleting those pairs leaves no quote. Any other line is split
    at its quotes.
    """
    marks = line.translate(None, _NOT_MARKS).replace(b'""', b"")
    if b'"' in marks or b"\\" in marks:
        return b"".join(_outside_strings(line)).translate(None, _NOT_BRACKETS)
    return marks
