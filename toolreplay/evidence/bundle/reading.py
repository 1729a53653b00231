"""Read the lines of a bundle, one after the other; whatever is not exactly one is an error.

What a line says is judged elsewhere (bundle/checking.py): here a line is only read. A piece is
put together from its parts, hashed as it comes, and its content kept only while it is small.
"""

import hmac
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import BinaryIO

from toolreplay.errors import CanonicalError, InputError
from toolreplay.evidence.aer1.base64_text import Base64Error, bytes_of_base64
from toolreplay.evidence.bundle.lines import (
    ENTRY_LINE,
    FORMAT,
    PART_BYTES,
    STAGES,
    BundleLine,
    kind_of_line,
    read_piece_line,
)
from toolreplay.evidence.profile.piece import is_digest
from toolreplay.records.call import Json
from toolreplay.records.canonical import aer1_text_of_parsed
from toolreplay.records.jsonl import LineError, line_parser, lines_of
from toolreplay.records.limits import Limits

__all__ = ["CarriedPiece", "bundle_lines"]

_MOST_ENTRIES = 10**12
_RUN = re.compile("[A-Za-z0-9._-]{1,128}")


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
    stage = 0
    count = 0
    place = 0
    digest = sha256()
    for number, start, line in lines_of(file, limits):
        where = f"line {number}"
        if start != place or number != count + 1:
            raise InputError(f"line {count + 1}", _BLANK)
        place, count = start + len(line), number
        read = _read(number, start, line, parse)
        if (read.kind == "first") != (number == 1):
            raise InputError(
                where, f"must {'be' if number == 1 else 'not be'} the first line of a bundle"
            )
        if STAGES[read.kind] < stage:
            raise InputError(where, f"a line of kind {read.kind} stands too late")
        if STAGES[read.kind] == stage and read.kind in _ONCE:
            raise InputError(where, f"a second line of kind {read.kind}")
        stage = STAGES[read.kind]
        if read.kind == "end":
            read = read._replace(before=digest.hexdigest())
        digest.update(line)
        yield read
    if file.tell() != origin + place:
        raise InputError(f"line {count + 1}", _BLANK)


_BLANK = "is blank, which no line of a bundle is"
_ONCE = frozenset({"workflow", "commitment", "declared", "checkpoint", "head", "end"})


def _read(number: int, start: int, line: bytes, parse: object) -> BundleLine:
    end = start + len(line)
    try:
        value: Json = read_piece_line(line)
        if value is not None:
            return BundleLine(number, start, end, "piece", value, line)
        entry = ENTRY_LINE.fullmatch(line)
        if entry is not None:
            payload = entry[2]
            parsed = parse(payload)  # type: ignore[operator]
            _refuse_other_form(parsed, payload)
            value = {"entry": int(entry[1]), "payload": parsed, "salt": entry[3].decode("ascii"),
                     "index": None, "leaf_b64": None, "path": None}  # fmt: skip
            return BundleLine(number, start, end, "entry", value, line, payload)
        value = parse(line)  # type: ignore[operator]
        _refuse_other_form(value, line[:-1] if line[-1:] == b"\n" else b"")
        kind = kind_of_line(value)
        if kind is None:
            raise LineError("has not the members of any line of a bundle")
        _refuse_unreadable(kind, value)
        if kind == "piece":
            value["content"] = _content_of(value["b64"])
    except (LineError, CanonicalError) as error:
        raise InputError(f"line {number}", str(error)) from None
    payload_bytes = None
    if kind == "entry" and value["payload"] is not None:
        payload_bytes = aer1_text_of_parsed(value["payload"]).encode("utf-8")
    return BundleLine(number, start, end, kind, value, line, payload_bytes)


def _refuse_other_form(value: Json, data: bytes) -> None:
    """Raise LineError where bytes that were parsed are not the form `aer1` of their value."""
    try:
        is_form = aer1_text_of_parsed(value).encode("utf-8") == data
    except UnicodeEncodeError:
        is_form = False
    if not is_form:
        raise LineError(_NOT_CANONICAL)


_NOT_CANONICAL = "is not in form aer1, or does not end in a line feed"


def _content_of(text: Json) -> bytes:
    try:
        content = bytes_of_base64(text)
    except Base64Error as error:
        raise LineError(f"b64 {error}") from None
    if len(content) > PART_BYTES:
        raise LineError(f"a part of a piece has more than {PART_BYTES} bytes")
    return content


def _refuse_unreadable(kind: str, value: Json) -> None:
    """Raise LineError where a member has a type or range that no line of that kind has."""
    fault = ""
    if kind == "first":
        if value["format"] != FORMAT:
            fault = f"format must be {FORMAT}"
        elif type(value["run"]) is not str or not _RUN.fullmatch(value["run"]):
            fault = "run must be 1 to 128 of the characters A-Z a-z 0-9 . _ -"
        elif value["origin"] is not None or value["size"] is not None:
            fault = "is a run of a log (origin and size), which is not read yet"
    elif kind == "piece":
        fault = _fault_of_piece_line(value)
    elif kind == "entry":
        fault = _fault_of_entry_line(value)
    elif kind == "end":
        if type(value["end"]) is not int or not is_digest(value["sha256"]):
            fault = "end and sha256 must be a number and 64 lower-case hex digits"
    elif kind in ("consistency", "checkpoint", "head"):
        fault = f"a line of kind {kind} needs a log, and the first line names none"
    elif type(value[kind]) is not dict:
        fault = f"{kind} must be an object"
    if fault:
        raise LineError(fault)


def _fault_of_piece_line(value: Json) -> str:
    if not is_digest(value["piece"]) or type(value["last"]) is not bool:
        return "piece and last must be 64 lower-case hex digits and true or false"
    if type(value["part"]) is not int or value["part"] < 0:
        return "part must be a whole number"
    if "key" in value and not is_digest(value["key"]):
        return "key must be 64 lower-case hex digits"
    return ""


def _fault_of_entry_line(value: Json) -> str:
    if type(value["entry"]) is not int or not 0 <= value["entry"] < _MOST_ENTRIES:
        return f"entry must be a whole number below {_MOST_ENTRIES}"
    if value["index"] is not None or value["leaf_b64"] is not None or value["path"] is not None:
        return "index, leaf_b64 and path belong to a log, and the first line names none"
    if (value["payload"] is None) != (value["salt"] is None):
        return "payload and salt must be null together"
    if value["payload"] is None:
        return "" if is_digest(value.get("commit")) else "an erased entry must carry its commit"
    if "commit" in value:
        return "only an erased entry carries its commit"
    if type(value["payload"]) is not dict:
        return "payload must be an object"
    return "" if is_digest(value["salt"]) else "salt must be 64 lower-case hex digits"
