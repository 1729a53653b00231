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

import re
import sys
from collections.abc import Callable, Iterator
from io import BufferedRandom, BufferedReader
from json import JSONDecodeError, JSONDecoder
from typing import BinaryIO, NoReturn

from toolreplay.errors import InputError
from toolreplay.records.call import Json, JsonObject
from toolreplay.records.limits import DEFAULT, INTEGER_DIGITS, Limits
from toolreplay.records.structure import (
    colons_outside_strings,
    is_deeper,
    opening_brackets,
    values_over,
)

__all__ = ["JSON_BLANKS", "LineError", "bytes_up_to", "line_parser", "line_too_long", "lines_of"]

JSON_BLANKS = b" \t\r\n"
"""The only bytes that are white space to JSON (RFC 8259, section 2)."""

_MANY_BLANK = 256
"""Blank lines before a look at the buffer, which copies it, costs less than a step for each."""

_BLANK_LINES = re.compile(rb"[ \t\r\n]*\n")
_FEW_BRACKETS = 16
_LONG_BYTES = 1536
_PIECE_BYTES = 1 << 20
_INFINITY = float("inf")


class LineError(Exception):
    """A line cannot be parsed; the text is the fact, the caller knows the place."""


class _DuplicateError(LineError):
    pass


def lines_of(
    file: BinaryIO, limits: Limits = DEFAULT, start: int = 0
) -> Iterator[tuple[int, int, bytes]]:
    """Yield (line number from 1, byte offset, bytes with line ending) for each line of a file.

    Lines of nothing but JSON's blanks are counted and passed over. `start` is the offset of the
    file's position. Raises InputError at a line over the byte limit.
    """
    most = limits.line_bytes
    # The line ending does not count, and CR LF is one.
    readline, ask = file.readline, most + 3
    number = blank = 0
    while line := readline(ask):
        number += 1
        if len(line) > most and (
            not line.endswith(b"\n") or len(line[:-1].removesuffix(b"\r")) > most
        ):
            raise line_too_long(number, limits)
        if line.isspace() and not line.strip(JSON_BLANKS):
            start += len(line)
            blank += 1
            if blank % _MANY_BLANK == 0:
                passed, size = _pass_blank_lines(file, most)
                number += passed
                start += size
            continue
        yield number, start, line
        start += len(line)


def _pass_blank_lines(file: BinaryIO, most: int) -> tuple[int, int]:
    """Pass over the blank lines that are in the file's buffer; return their number and bytes."""
    if not isinstance(file, BufferedReader | BufferedRandom):
        return 0, 0
    # None of these is too long, as they are not longer together.
    found = _BLANK_LINES.match(file.peek(1)[:most])
    if found is None:
        return 0, 0
    file.read(found.end())
    return found[0].count(b"\n"), found.end()


def line_too_long(number: int, limits: Limits) -> InputError:
    """Return the error of a line over the byte limit."""
    return InputError(
        f"line {number}",
        f"longer than {limits.line_bytes} bytes (--max-line-bytes raises the limit)",
    )


def bytes_up_to(file: BinaryIO, most: int) -> bytes | None:
    """Return the rest of a file, or None where that is more than `most` bytes.

    Read in pieces: a limit that was raised to a terabyte must not be asked of memory at once.
    """
    pieces = []
    left = most + 1
    while left and (piece := file.read(min(left, _PIECE_BYTES))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces) if left else None


def line_parser(limits: Limits = DEFAULT) -> Callable[[bytes], Json]:
    """Return a function that parses one line of JSON strictly, or raises LineError.

    It is made once per reading and used by one thread: the decoder and its bound methods are the
    cost of a short line.
    """
    most_values, most_depth = limits.line_values, limits.depth
    # A level takes two bytes and a value one: a line up to here is within both limits.
    harmless = min(2 * most_depth, most_values)
    name_duplicates = _scanner(object_pairs_hook=_without_duplicates)
    members = 0

    def count(value: JsonObject) -> JsonObject:
        nonlocal members
        members += len(value)
        return value

    count_members = _scanner(object_hook=count)

    def parse(line: bytes) -> Json:
        nonlocal members
        size = len(line)
        has_few = False
        if size > harmless:
            if size > most_values and values_over(line, most_values):
                raise LineError(
                    f"more than {most_values} values (--max-line-values raises the limit)"
                )
            opens = opening_brackets(line, most_depth)
            has_few = opens <= _FEW_BRACKETS and size > _LONG_BYTES
            if opens > most_depth and is_deeper(line, most_depth):
                raise LineError(
                    f"nested deeper than {most_depth} levels (--max-depth raises the limit)"
                )
        try:
            text = line.decode()
            if text[:1] in " \t\r\n":
                text = text.lstrip(" \t\r\n")
            if has_few:
                value, end = name_duplicates(text, 0)
            else:
                # A member that stands twice is lost in its object, but not among the colons. To
                # count is a third of the cost of looking at each pair, unless the pairs are few
                # and the colons have to be looked for in a long text.
                members = 0
                value, end = count_members(text, 0)
                if members != line.count(b":") and members != colons_outside_strings(line):
                    name_duplicates(text, 0)
        except LineError:
            raise
        except (UnicodeDecodeError, ValueError, StopIteration, RecursionError) as error:
            raise _explained(line, error) from None
        if end != len(text) and text[end:].strip(" \t\r\n"):
            raise LineError(f"more text after the value (column {end + 1})")
        return value

    return parse


def _scanner(**hooks: Callable[..., Json]) -> Callable[[str, int], tuple[Json, int]]:
    """Return what JSONDecoder.decode calls, without its two searches for white space."""
    decoder = JSONDecoder(
        parse_float=_finite,
        parse_constant=_refuse_constant,
        parse_int=None if _interpreter_counts_digits() else _counted_integer,
        **hooks,  # type: ignore[arg-type]
    )
    scan: Callable[[str, int], tuple[Json, int]] = decoder.scan_once  # type: ignore[attr-defined]
    return scan


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
    # One zero byte alone is what a power loss leaves.
    if line[:2].count(0) == 1 and line.count(0) * 3 > len(line) > 2:
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
