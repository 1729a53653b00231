"""The beginning of an input, from which its form is recognised. Content decides, never the name."""

from typing import BinaryIO

from toolreplay.errors import InputError
from toolreplay.evidence.aer1.document import DOCUMENT_LIMITS, read_document
from toolreplay.evidence.alone.delivered import evidence_form
from toolreplay.records.call import Json
from toolreplay.records.jsonl import JSON_BLANKS, LineError, bytes_up_to, line_parser, lines_of
from toolreplay.records.limits import Limits

__all__ = ["DATABASE", "InputHead", "begins_as_database", "head_of"]

DATABASE = b"SQLite format 3\0"
"""How the file of a database begins (SQLite's file format, section 1.3)."""

_RAW_BYTES = 64 * 1024
_RECORDS = 50
_DEPTH = 3
_MARKS = (b'"canonical_bytes"', b'"output_hash"', b'"merkle_root"')
"""What each kind of evidence has a member of."""


class InputHead:
    """What a sniffer sees: see `Head` in records/flow.py.

    `first_error` says why the first line that is not blank could not be parsed, with its number.
    `evidence_form` is RECEIPTS, TIMELINE or WORKFLOW where the input is one of these: their
    documents are read otherwise than a transcript (a member that stands twice is a finding).
    """

    def __init__(self) -> None:
        self.raw = b""
        self.records: list[Json] = []
        self.document: Json = None
        self.first_error: tuple[int, str] | None = None
        self.is_empty = True
        self.evidence_form: str | None = None


def begins_as_database(name: str) -> bool:
    """Whether a name is that of a file that begins as a database does."""
    try:
        with open(name, "rb") as file:
            return file.read(len(DATABASE)) == DATABASE
    except (OSError, ValueError):
        return False


def head_of(file: BinaryIO, limits: Limits) -> InputHead:
    """Read the head of a seekable file, which stands at its start again afterwards.

    Lines are read until 64 KiB are passed (one line at least, however long) or 50 records are
    there. Raises InputError at a line over the byte limit.
    """
    head = InputHead()
    origin = file.tell()
    head.raw = file.read(_RAW_BYTES)
    file.seek(origin)
    if head.raw.startswith(DATABASE):
        head.is_empty = False
        return head
    parse = line_parser(limits)
    broken = False
    for number, start, line in lines_of(file, limits):
        if not head.is_empty and (start >= _RAW_BYTES or len(head.records) >= _RECORDS):
            break
        head.is_empty = False
        try:
            head.records.append(parse(line))
            if len(head.records) == 1 and not broken:
                head.evidence_form = evidence_form(head.records[0])
        except LineError as error:
            if not broken and not head.records:
                head.evidence_form = _form_of(line, limits)
            broken = True
            if head.first_error is None and not head.records:
                head.first_error = (number, str(error))
    if broken or len(head.records) == 1:
        file.seek(origin)
        data = bytes_up_to(file, limits.line_bytes)
        if data is not None and data.lstrip(JSON_BLANKS)[:1] in (b"{", b"["):
            try:
                value = line_parser(limits)(data)
                head.document = _skeleton(value, _DEPTH)
                head.evidence_form = head.evidence_form or evidence_form(value)
            except LineError:
                head.evidence_form = head.evidence_form or _form_of(data, limits)
    file.seek(origin)
    return head


def _form_of(data: bytes, limits: Limits) -> str | None:
    """Return the form of evidence in bytes that are no strict JSON: of such documents it counts."""
    if not any(mark in data for mark in _MARKS):
        return None
    try:
        return evidence_form(
            read_document(data, "", limits._replace(depth=DOCUMENT_LIMITS.depth)).value
        )
    except InputError:
        return None


def _skeleton(value: Json, depth: int) -> Json:
    if isinstance(value, dict):
        return {name: _skeleton(item, depth - 1) for name, item in value.items()} if depth else {}
    if isinstance(value, list):
        return [_skeleton(item, depth - 1) for item in value[:_RECORDS]] if depth else []
    return value
