"""The units of a session file, and how to read one again.

A session is JSON Lines, one unit a line. The web export is one JSON document whose member
`loglines` is an array; its unit is an element of that array, and it is bounded as one line is.
"""

from collections.abc import Iterator
from typing import BinaryIO

from toolreplay.errors import InputError
from toolreplay.importers.claude_code.blocks import content_of
from toolreplay.importers.claude_code.spans import item_spans, members, start_of_value
from toolreplay.records.call import Json, JsonObject, Place
from toolreplay.records.jsonl import LineError, bytes_up_to, line_parser, lines_of
from toolreplay.records.limits import Limits

__all__ = ["EXPORT_MEMBER", "SessionFile"]

EXPORT_MEMBER = "loglines"

_CHANGED = "the file changed while it was read"

_HEAD_BYTES = 64 * 1024
"""Bytes in which the web export's member must begin; it is the first one in every export seen."""


class SessionFile:
    """A seekable file, read once from start to end and then again unit by unit."""

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self._file = file
        self._limits = limits
        self.parse = line_parser(limits)
        self.unit = "line"

    def units(self) -> Iterator[tuple[Place, bytes]]:
        """Yield (place, bytes) of each unit. Raises InputError where the file must be refused."""
        self._file.seek(0)
        if _is_export(self._file.read(_HEAD_BYTES)):
            self.unit = "element"
            yield from self._elements()
            return
        self._file.seek(0)
        for number, start, line in lines_of(self._file, self._limits):
            yield Place(number, start, start + len(line)), line

    def where(self, place: Place) -> str:
        """Name a place for a person."""
        return f"{self.unit} {place.line}"

    def raw(self, start: int, end: int) -> bytes:
        """Return bytes of the file again; the position of the first reading is kept."""
        position = self._file.tell()
        self._file.seek(start)
        data = self._file.read(end - start)
        self._file.seek(position)
        return data

    def record(self, place: Place) -> JsonObject:
        """Return the object of a unit that was read before. Raises InputError if it is gone."""
        return self.value(place, place.start, place.end)

    def value(self, place: Place, start: int, end: int) -> JsonObject:
        """Return an object that stands in a unit, by its own bytes. Raises InputError."""
        try:
            value: Json = self.parse(self.raw(start, end))
        except LineError:
            value = None
        if type(value) is not dict:
            raise InputError(self.where(place), _CHANGED)
        return value

    def block(self, place: Place, record: JsonObject, at: int) -> JsonObject:
        """Return a block of a unit that was read before. Raises InputError if it is gone."""
        content = content_of(record)
        block = content[at] if type(content) is list and at < len(content) else None
        if type(block) is not dict:
            raise InputError(self.where(place), _CHANGED)
        return block

    def call(self, place: Place, record: JsonObject, at: int) -> JsonObject:
        """Return a block that was a call. Raises InputError if it is none now."""
        block = self.block(place, record, at)
        if type(block.get("name")) is not str or not block["name"]:
            raise InputError(self.where(place), _CHANGED)
        return block

    def _elements(self) -> Iterator[tuple[Place, bytes]]:
        most = self._limits.line_bytes
        self._file.seek(0)
        data = bytes_up_to(self._file, most)
        if data is None:
            raise InputError(
                EXPORT_MEMBER, f"longer than {most} bytes (--max-line-bytes raises the limit)"
            )
        try:
            self.parse(data)
        except LineError as error:
            raise InputError(EXPORT_MEMBER, str(error)) from None
        # Latin-1: a character offset is a byte offset (see spans.py).
        spans = item_spans(data.decode("latin-1"), (EXPORT_MEMBER,))
        for number, (start, end) in enumerate(spans, 1):
            yield Place(number, start, end), data[start:end]


def _is_export(head: bytes) -> bool:
    """Whether the first value is an object whose member `loglines` is an array."""
    if b'"loglines"' not in head:
        return False
    text = head.decode("latin-1")
    at = start_of_value(text)
    if text[at : at + 1] != "{":
        return False
    try:
        return any(
            name == EXPORT_MEMBER and text[value : value + 1] == "["
            for name, value in members(text, at)
        )
    except (ValueError, RuntimeError):
        # Cut by the head, too deep (RecursionError is a RuntimeError), or no JSON: not that form.
        return False
