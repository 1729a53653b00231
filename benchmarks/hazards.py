"""Hostile transcripts of up to 64 MB: how each is made, in chunks, so that this stays small.

    python3 -m benchmarks.hazards NAME OUT

Each maker yields the bytes of one file. Most are wrong in one way and large in another, so that
a reader which looks too late pays for the size; those called valid are within every limit and
cost as much as a limit allows.
"""

import argparse
import gzip
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

Chunks = Iterator[bytes]

FULL = 64_000_000  # bytes of a file as large as these files get
LINE = 16 * 1_024 * 1_024  # bytes of the longest line, without its newline, read without a flag
VALUES = 1_000_000  # values of the fullest line that is read without a flag
DEPTH = 200  # levels of the deepest record that is read without a flag
TINY_RECORDS = 10_000_000
CHUNK = 1_000_000  # bytes, about, that are made at once
ZEROS = b"0" * 64


class Hazard(NamedTuple):
    """One hostile file: its name and what makes its bytes."""

    name: str
    make: Callable[[], Chunks]


def repeated(piece: bytes, total: int) -> Chunks:
    """Yield a piece over and over, `total` bytes at most and only whole pieces."""
    count = total // len(piece)
    block = max(1, CHUNK // len(piece))
    while count > 0:
        yield piece * min(block, count)
        count -= block


def record(
    index: int, *, args: bytes = b"{}", response: bytes = b"{}", tool: bytes = b"t"
) -> bytes:
    """Write one line from JSON texts."""
    head = b'{"index": %d, "tool": "%s", "args": ' % (index, tool)
    return head + args + b', "response": ' + response + b"}\n"


def within(before: bytes, filling: Chunks, after: bytes) -> Chunks:
    """Yield a filling between two ends."""
    yield before
    yield from filling
    yield after


def in_response(filling: Chunks, *, opening: bytes = b'"', closing: bytes = b'"') -> Chunks:
    """Yield one valid record around a filling that stands in its response."""
    before, after = record(0, response=b'{"r": \0}').split(b"\0")
    return within(before + opening, filling, closing + after)


def string_of(piece: bytes, total: int = LINE - 100) -> Callable[[], Chunks]:
    """Make one line whose response is a string of repeated pieces."""
    return lambda: in_response(repeated(piece, total))


def list_of(piece: bytes, count: int) -> Callable[[], Chunks]:
    """Make one line whose response is a list of `count` equal values."""
    filling = piece + b", "

    def make() -> Chunks:
        values = repeated(filling, len(filling) * (count - 1))
        return in_response(values, opening=b"[", closing=piece + b"]")

    return make


def plain(piece: bytes, total: int = FULL) -> Callable[[], Chunks]:
    """Make a file of nothing but a repeated piece."""
    return lambda: repeated(piece, total)


def constant(content: bytes) -> Callable[[], Chunks]:
    """Make a small file."""
    return lambda: iter((content,))


def nested(levels: int) -> Callable[[], Chunks]:
    """Make a record that is `levels` deep: itself, its response, and lists."""
    lists = levels - 2
    return constant(record(0, response=b'{"a": ' + b"[" * lists + b"]" * lists + b"}"))


def numbered(line: Callable[[int], bytes], total: int = FULL) -> Callable[[], Chunks]:
    """Make a file of records, their index counting up, until `total` bytes are passed."""

    def make() -> Chunks:
        index = written = 0
        step = max(1, CHUNK // 10 // len(line(0)))
        while written < total:
            block = b"".join(map(line, range(index, index + step)))
            yield block
            written += len(block)
            index += step

    return make


def then(make: Callable[[], Chunks], last: bytes) -> Callable[[], Chunks]:
    """Make a file and end it with one more line."""

    def made() -> Chunks:
        yield from make()
        yield last

    return made


def equal_call(index: int) -> bytes:
    """Write a record that makes the same call and gets the same response each time."""
    return record(index)


def other_response(index: int) -> bytes:
    """Write a record that makes the same call and gets another response each time."""
    return record(index, response=b'{"r": %d}' % index)


def other_call(index: int) -> bytes:
    """Write a record that makes a call of its own."""
    return record(index, args=b'{"a": %d}' % index)


def medium(index: int) -> bytes:
    """Write an ordinary record of 2 KB."""
    return record(index, args=b'{"a": %d}' % index, response=b'{"r": "%s"}' % (b"x" * 1_950))


def doubled(index: int) -> bytes:
    """Write a record that names one member of its response twice."""
    return record(index, response=b'{"a": 1, "b": 2, "a": 3}')


def bracketed(index: int) -> bytes:
    """Write a record of 1 MB whose string looks like a million values."""
    return record(index, response=b'{"r": "%s"}' % (b"[{:," * 250_000))


def link(index: int) -> bytes:
    """Write something sealed-looking whose digests are all wrong."""
    before = medium(index)[:-2]
    return before + b', "prev": "%s", "digest": "%s"}\n' % (ZEROS, ZEROS)


def object_of(count: int, key: bytes) -> Callable[[], Chunks]:
    """Make one line whose response has `count` members; `key` holds a place for the number."""

    def make() -> Chunks:
        members = (key % number + b": 1, " for number in range(count))
        return in_response(members, opening=b"{", closing=b'"last": 1}')

    return make


def unknown_fields(count: int) -> Chunks:
    """Yield one record with many members that no record has."""
    before = record(0)[:-2]
    return within(before, (b', "u%d": 0' % number for number in range(count)), b"}\n")


def tiny(line: Callable[[int], bytes]) -> Callable[[], Chunks]:
    """Make ten million records, about half a gigabyte."""

    def make() -> Chunks:
        for index in range(0, TINY_RECORDS, 10_000):
            yield b"".join(map(line, range(index, index + 10_000)))

    return make


def packed(make: Callable[[], Chunks], copies: int = 1) -> Callable[[], Chunks]:
    """Compress a file with gzip; copies follow each other as members of one file."""

    def made() -> Chunks:
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        member = b"".join(map(packer.compress, make())) + packer.flush()
        return repeated(member, len(member) * copies)

    return made


def utf16(bom: bytes, encoding: str) -> Callable[[], Chunks]:
    """Make a file of ordinary records in UTF-16."""

    def made() -> Chunks:
        yield bom
        for chunk in numbered(medium, FULL // 2)():
            yield chunk.decode().encode(encoding)

    return made


def four_long_lines() -> Chunks:
    """Yield four valid lines, each as long as a line may be, all of one call."""
    for index in range(4):
        yield record(index, response=b'{"r": "%s"}' % (b"x" * LONGEST_STRING))


LONGEST_STRING = LINE + 1 - len(record(0, response=b'{"r": ""}'))
STRUCTURE = [
    Hazard("depth-200", nested(DEPTH)),
    Hazard("depth-201", nested(DEPTH + 1)),
    Hazard("depth-100000", nested(100_000)),
    Hazard("depth-16mib-unclosed", plain(b"[", LINE - 1)),
    Hazard("depth-16mib-objects", plain(b'{"a":', LINE - 1)),
    Hazard("depth-64mb-unclosed", plain(b"[")),
    Hazard("values-1000001", list_of(b"0", VALUES + 1)),
    Hazard("values-16mib-commas", plain(b",", LINE - 1)),
    Hazard("values-999900-integers", list_of(b"0", VALUES - 100)),
    Hazard("values-490000-objects", list_of(b"{}", 490_000)),
    Hazard("values-490000-strings", list_of(b'"abcdefghijkl"', 490_000)),
    Hazard("values-490000-floats", list_of(b"0.123456789012345", 490_000)),
    Hazard("object-100000-keys", object_of(100_000, b'"k%d"')),
    Hazard("object-100000-keys-doubled", object_of(100_000, b'"k%d": 1, "last"')),
    Hazard("object-backslash-keys", object_of(100_000, b'"k%d\\\\"')),
    Hazard("unknown-fields-100000", lambda: unknown_fields(100_000)),
    Hazard("unknown-field-15mb", lambda: within(b'{"', repeated(b"u", 15_000_000), b'": 0}\n')),
    Hazard("doubled-keys-64mb", numbered(doubled)),
    Hazard("doubled-key-on-last-line", then(numbered(medium), b'{"a": 1, "a": 1}\n')),
]
LINES = [
    Hazard("line-16mib", string_of(b"x", LONGEST_STRING)),
    Hazard("line-16mib-and-1", string_of(b"x", LONGEST_STRING + 1)),
    Hazard("line-16mib-four-times", four_long_lines),
    Hazard("line-60mb", string_of(b"x", 60_000_000)),
    Hazard("spaces-64mb", plain(b" ")),
    Hazard("spaces-16mib", plain(b" ", LINE - 1)),
    Hazard("blank-lines-64mb", plain(b"\n")),
    Hazard("blank-crlf-64mb", plain(b" \r\n")),
    Hazard("cr-only-64mb", lambda: (each.replace(b"\n", b"\r") for each in numbered(medium)())),
    Hazard("zero-bytes-64mb", plain(b"\0")),
    Hazard("utf16-bom-64mb", utf16(b"\xff\xfe", "utf-16-le")),
    Hazard("utf16-be-64mb", utf16(b"", "utf-16-be")),
    Hazard("utf8-bom-64mb", lambda: within(b"\xef\xbb\xbf", numbered(medium)(), b"")),
    Hazard("utf8-broken-on-last-line", then(numbered(medium), b'{"index": "\xff"}\n')),
    Hazard("cut-on-last-line", then(numbered(medium), b'{"index": ')),
]
STRINGS = [
    Hazard("string-brackets-16mib", string_of(b"[{:,")),
    Hazard("string-brackets-64mb", numbered(bracketed)),
    Hazard("string-quote-colons-16mib", string_of(rb"\":")),
    Hazard("string-backslashes-16mib", string_of(rb"\\")),
    Hazard("string-surrogates-16mib", string_of(rb"\ud800")),
    Hazard("string-emoji-16mib", string_of("\U0001f600".encode())),
    Hazard("string-delete-16mib", string_of(b"\x7f")),
    Hazard("string-unclosed-16mib", lambda: within(b'{"', repeated(b"x", LINE - 10), b"\n")),
    Hazard("string-raw-escapes", constant(record(0, response=b'{"r": "\x1b[2J"}'))),
    Hazard("tool-with-escapes", constant(b"".join(record(n, tool=rb"\u001b[2J") for n in (0, 1)))),
    Hazard("tool-with-c1", constant(b"".join(record(n, tool=b"\xc2\x9b2J") for n in (0, 1)))),
    Hazard("field-with-escapes", constant(b'{"\\u001b[2J\\u009b": 0}\n')),
    Hazard(
        "tool-of-8mb-twice",
        lambda: iter([record(n, tool=b"t" * 8_000_000) for n in (0, 1)]),
    ),
]
NUMBERS = [
    Hazard("integer-5000", constant(record(0, response=b'{"r": ' + b"9" * 5_000 + b"}"))),
    Hazard(
        "integer-16mib",
        lambda: in_response(repeated(b"9", LINE - 100), opening=b"", closing=b""),
    ),
    Hazard(
        "float-16mib",
        lambda: in_response(repeated(b"9", LINE - 100), opening=b"0.", closing=b""),
    ),
    Hazard("integers-4300-16mib", list_of(b"9" * 4_300, 3_890)),
    Hazard("exponent", constant(record(0, response=b'{"r": 1e999999999}'))),
]
CHAINS = [
    Hazard("sealed-wrong-64mb", numbered(link)),
    Hazard(
        "sealed-prev-60mb",
        lambda: within(
            record(0)[:-2] + b', "digest": "%s", "prev": "' % ZEROS,
            repeated(b"0", 60_000_000),
            b'"}\n',
        ),
    ),
    Hazard(
        "sealed-index-4000-digits",
        constant(b'{"index": ' + b"9" * 4_000 + link(0).removeprefix(b'{"index": 0')),
    ),
]
REPEATS = [
    Hazard("tiny-equal-64mb", numbered(equal_call)),
    Hazard("tiny-other-response-64mb", numbered(other_response)),
    Hazard("tiny-distinct-64mb", numbered(other_call)),
]
PACKED = [
    Hazard("zeros-64mb.gz", packed(plain(b"\0"))),
    Hazard("zeros-64gb.gz", packed(plain(b"\0"), 1_000)),
    Hazard("spaces-64mb.gz", packed(plain(b" "))),
    Hazard("spaces-64gb.gz", packed(plain(b" "), 1_000)),
    Hazard("blank-lines-64mb.gz", packed(plain(b"\n"))),
    Hazard("blank-lines-1gb.gz", packed(plain(b"\n"), 16)),
    Hazard("blank-lines-64gb.gz", packed(plain(b"\n"), 1_000)),
    Hazard("equal-lines-64mb.gz", packed(plain(equal_call(0)))),
    Hazard("twice-packed.gz", packed(packed(numbered(medium, CHUNK)))),
    Hazard("cut.gz", constant(gzip.compress(b"".join(map(medium, range(1_000))), mtime=0)[:-9])),
    Hazard("rubbish-after.gz", constant(gzip.compress(medium(0), mtime=0) + b"rubbish")),
    Hazard("not-packed.gz", constant(medium(0))),
]
HAZARDS = [*STRUCTURE, *LINES, *STRINGS, *NUMBERS, *CHAINS, *REPEATS, *PACKED]
HUGE_HAZARDS = [
    Hazard("huge-equal-10m", tiny(equal_call)),
    Hazard("huge-distinct-10m", tiny(other_call)),
]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write one hostile file."""
    makers = {each.name: each.make for each in HAZARDS + HUGE_HAZARDS}
    parser = argparse.ArgumentParser(prog="python3 -m benchmarks.hazards")
    parser.add_argument("name", metavar="NAME", choices=list(makers), help=", ".join(makers))
    parser.add_argument("out", metavar="OUT")
    options = parser.parse_args(arguments)
    with open(options.out, "wb") as out:
        out.writelines(makers[options.name]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
