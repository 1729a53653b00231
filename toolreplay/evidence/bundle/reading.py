"""Read the lines of a bundle, one after the other; whatever is not exactly one is an error.

What a line says is judged elsewhere (bundle/checking.py): here a line is only read. A piece is
put together from its parts, hashed as it comes, and its content kept only while it is small.
"""

import hmac
from collections.abc import Iterator
from hashlib import sha256
from typing import BinaryIO

from toolreplay.errors import CanonicalError, InputError
from toolreplay.evidence.bundle.line_members import decoded, logged_of, refuse_unreadable
from toolreplay.evidence.bundle.lines import (
    ENTRY_LINE,
    PART_BYTES,
    STAGES,
    BundleLine,
    Logged,
    kind_of_line,
    read_piece_line,
)
from toolreplay.evidence.tlog.leaf import LEAF_BYTES
from toolreplay.records.call import Json
from toolreplay.records.canonical import aer1_text_of_parsed
from toolreplay.records.jsonl import LineError, line_parser, lines_of
from toolreplay.records.limits import Limits

__all__ = ["CarriedPiece", "bundle_lines"]


class CarriedPiece:
    """A piece as it comes in: digest and length of its content, which is kept up to a limit."""

    def __init__(self, digest: str, key: str | None, most: int) -> None:
        self.digest = digest
        self.key = key
        self.length = 0
        self.parts = 0
        self.is_whole = False
        self._most = most
        self._content: list[bytes] | None = []
        self._hash = hmac.new(bytes.fromhex(key), digestmod=sha256) if key is not None else sha256()

    def add(self, content: bytes) -> None:
        """Take the next part."""
        self.parts += 1
        self.length += len(content)
        self._hash.update(content)
        if self._content is not None:
            self._content.append(content)
            if self.length > self._most:
                self._content = None

    def let_go(self) -> None:
        """Keep nothing of the content: with that of the pieces beside it, it is too much."""
        self._content = None

    @property
    def content(self) -> bytes | None:
        """All of it, or None where it is more than was to be kept."""
        return None if self._content is None else b"".join(self._content)

    @property
    def fits(self) -> bool:
        """Whether the content is that of the digest the lines name."""
        return self._hash.hexdigest() == self.digest


def bundle_lines(file: BinaryIO, limits: Limits) -> Iterator[BundleLine]:
    """Yield each line. Raises InputError, which names the line, for one that cannot be read."""
    parse = line_parser(limits)
    origin = file.tell()
    order = _Order()
    count = 0
    place = 0
    digest = sha256()
    for number, start, line in lines_of(file, limits):
        if start != place or number != count + 1:
            raise InputError(f"line {count + 1}", _BLANK)
        place, count = start + len(line), number
        read = _read(number, start, line, parse, order.size)
        order.take(read)
        if read.kind == "end":
            read = read._replace(before=digest.hexdigest())
        digest.update(line)
        yield read
    if file.tell() != origin + place:
        raise InputError(f"line {count + 1}", _BLANK)


_BLANK = "is blank, which no line of a bundle is"
_ONCE = frozenset({"workflow", "commitment", "declared", "checkpoint", "head", "end"})
_MOST_CONSISTENCY = 64


class _Order:
    """What a line may follow; `size` is that of the log the first line names."""

    def __init__(self) -> None:
        self.size: int | None = None
        self._stage = 0
        self._from = self._consistency = 0

    def take(self, read: BundleLine) -> None:
        """Take the next line. Raises InputError where it stands where none of its kind may."""
        where, kind = f"line {read.number}", read.kind
        if (kind == "first") != (read.number == 1):
            verb = "be" if read.number == 1 else "not be"
            raise InputError(where, f"must {verb} the first line of a bundle")
        if STAGES[kind] < self._stage:
            raise InputError(where, f"a line of kind {kind} stands too late")
        if STAGES[kind] == self._stage and kind in _ONCE:
            raise InputError(where, f"a second line of kind {kind}")
        self._stage = STAGES[kind]
        if kind == "first":
            self.size = read.value["size"]
        elif kind == "consistency":
            older = read.value["consistency"]["from"]
            self._consistency += 1
            if older <= self._from:
                raise InputError(where, "from must be larger than in the line before it")
            if self._consistency > _MOST_CONSISTENCY:
                raise InputError(where, f"more than {_MOST_CONSISTENCY} lines of kind consistency")
            self._from = older


def _read(number: int, start: int, line: bytes, parse: object, size: int | None) -> BundleLine:
    end = start + len(line)
    try:
        value: Json = read_piece_line(line)
        if value is not None:
            return BundleLine(number, start, end, "piece", value, line)
        read = _read_entry_line(number, start, line, parse, size)
        if read is not None:
            return read
        value = parse(line)  # type: ignore[operator]
        _refuse_other_form(value, line[:-1] if line[-1:] == b"\n" else b"")
        kind = kind_of_line(value)
        if kind is None:
            raise LineError("has not the members of any line of a bundle")
        refuse_unreadable(kind, value, size=size)
        if kind == "piece":
            value["content"] = decoded(value["b64"], PART_BYTES, "b64")
        logged = logged_of(value) if kind == "entry" else None
    except (LineError, CanonicalError) as error:
        raise InputError(f"line {number}", str(error)) from None
    payload_bytes = None
    if kind == "entry" and value["payload"] is not None:
        payload_bytes = aer1_text_of_parsed(value["payload"]).encode("utf-8")
    return BundleLine(number, start, end, kind, value, line, payload_bytes, logged=logged)


def _read_entry_line(
    number: int, start: int, line: bytes, parse: object, size: int | None
) -> BundleLine | None:
    """Read the line of an entry without parsing all of it; None of any other line.

    Raises LineError. What is None and yet an entry line is read as every other line is.
    """
    found = ENTRY_LINE.fullmatch(line)
    if found is None or (found["leaf"] is None) != (size is None):
        return None
    logged, leaf_b64, path = None, None, None
    if found["leaf"] is not None:
        leaf_b64 = found["leaf"].decode("ascii")
        leaf = decoded(leaf_b64, LEAF_BYTES, "leaf_b64")
        path = found["path"].decode("ascii")[1:-1].split('","') if found["path"] else []
        logged = Logged(leaf, int(found["index"]), [bytes.fromhex(one) for one in path])
    payload = found["payload"]
    parsed = parse(payload)  # type: ignore[operator]
    _refuse_other_form(parsed, payload)
    value = {
        "entry": int(found["entry"]), "payload": parsed, "salt": found["salt"].decode("ascii"),
        "index": None if logged is None else logged.index, "leaf_b64": leaf_b64, "path": path,
    }  # fmt: skip
    return BundleLine(
        number, start, start + len(line), "entry", value, line, payload, logged=logged
    )


def _refuse_other_form(value: Json, data: bytes) -> None:
    """Raise LineError where bytes that were parsed are not the form `aer1` of their value."""
    try:
        is_form = aer1_text_of_parsed(value).encode("utf-8") == data
    except UnicodeEncodeError:
        is_form = False
    if not is_form:
        raise LineError(_NOT_CANONICAL)


_NOT_CANONICAL = "is not in form aer1, or does not end in a line feed"
