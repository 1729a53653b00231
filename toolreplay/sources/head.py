"""The beginning of an input, from which its form is recognised. Content decides, never the name."""

from typing import BinaryIO

from toolreplay.records.call import Json
from toolreplay.records.jsonl import JSON_BLANKS, LineError, bytes_up_to, line_parser, lines_of
from toolreplay.records.limits import Limits

__all__ = ["InputHead", "head_of"]

_RAW_BYTES = 64 * 1024
_RECORDS = 50
_DEPTH = 3


class InputHead:
    """What a sniffer sees: see `Head` in records/flow.py.

    `first_error` says why the first line that is not blank could not be parsed, with its number.
    """

    def __init__(self) -> None:
        self.raw = b""
        self.records: list[Json] = []
        self.document: Json = None
        self.first_error: tuple[int, str] | None = None
        self.is_empty = True


def head_of(file: BinaryIO, limits: Limits) -> InputHead:
    """Read the head of a seekable file, which stands at its start again afterwards.

    Lines are read until 64 KiB are passed (one line at least, however long) or 50 records are
    there. Raises InputError at a line over the byte limit.
    """
    head = InputHead()
    origin = file.tell()
    head.raw = file.read(_RAW_BYTES)
    file.seek(origin)
    parse = line_parser(limits)
    broken = False
    for number, start, line in lines_of(file, limits):
        if not head.is_empty and (start >= _RAW_BYTES or len(head.records) >= _RECORDS):
            break
        head.is_empty = False
        try:
            head.records.append(parse(line))
        except LineError as error:
            broken = True
            if head.first_error is None and not head.records:
                head.first_error = (number, str(error))
    if broken or len(head.records) == 1:
        file.seek(origin)
        head.document = _document_of(file, limits)
    file.seek(origin)
    return head


def _document_of(file: BinaryIO, limits: Limits) -> Json:
    """Return the skeleton of an input that is one JSON value over several lines, else None."""
    data = bytes_up_to(file, limits.line_bytes)
    if data is None or data.lstrip(JSON_BLANKS)[:1] not in (b"{", b"["):
        return None
    try:
        return _skeleton(line_parser(limits)(data), _DEPTH)
    except LineError:
        return None


def _skeleton(value: Json, depth: int) -> Json:
    if isinstance(value, dict):
        return {name: _skeleton(item, depth - 1) for name, item in value.items()} if depth else {}
    if isinstance(value, list):
        return [_skeleton(item, depth - 1) for item in value[:_RECORDS]] if depth else []
    return value
