"""The documents of a file: one JSON value, on a line or over many, an array, or a line each.

Their outer members are nobody's commitment, so how they are delivered does not matter: in an
envelope, in the answer of an MCP server, as they are. A member that stands twice is said of each.
"""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from toolreplay.errors import InputError
from toolreplay.evidence.aer1.document import DOCUMENT_LIMITS, Document, read_document
from toolreplay.records.call import Json, JsonObject, Place
from toolreplay.records.jsonl import bytes_up_to, lines_of
from toolreplay.records.limits import DEFAULT, Limits
from toolreplay.records.run import RECEIPTS, TIMELINE, WORKFLOW

__all__ = ["Delivered", "documents_of", "evidence_form", "is_receipt", "receipt_in"]

_RECEIPT = frozenset(
    {
        "canonical_bytes", "output_hash", "receipt_schema_version", "provenance_class",
        "verification_status",
    }
)  # fmt: skip
_FEW = 2
"""Members of those that make an object a receipt, if a broken one."""


class Delivered(NamedTuple):
    """One document, the first member found twice in what it came in, and where that stands."""

    value: Json
    twice: str | None
    place: Place


def documents_of(file: BinaryIO, limits: Limits) -> Iterator[Delivered]:
    """Yield the documents of a seekable file in their order, a line at a time where it can be.

    Raises InputError, which names the line, for what is no JSON.
    """
    if limits.depth == DEFAULT.depth:
        limits = limits._replace(depth=DOCUMENT_LIMITS.depth)
    origin = file.tell()
    lines = lines_of(file, limits)
    first: tuple[Document, Place] | None = None
    try:
        number, start, line = next(lines)
        first = (
            read_document(line, f"line {number}", limits),
            Place(number, start, start + len(line)),
        )
    except StopIteration:
        return
    except InputError:
        first = None
    if first is None:
        file.seek(origin)
        yield from _whole(file, limits)
        return
    (value, twice), place = first
    second = next(lines, None)
    if second is None and type(value) is list:
        yield from _elements(value, twice, place)
        return
    yield Delivered(value, twice, place)
    while second is not None:
        number, start, line = second
        value, twice = read_document(line, f"line {number}", limits)
        yield Delivered(value, twice, Place(number, start, start + len(line)))
        second = next(lines, None)


def _whole(file: BinaryIO, limits: Limits) -> Iterator[Delivered]:
    data = bytes_up_to(file, limits.line_bytes)
    if data is None:
        what = f"longer than {limits.line_bytes} bytes (--max-line-bytes raises the limit)"
        raise InputError("the document", what)
    value, twice = read_document(data, "", limits)
    place = Place(1, 0, len(data))
    if type(value) is list:
        yield from _elements(value, twice, place)
    else:
        yield Delivered(value, twice, place)


def _elements(values: list[Json], twice: str | None, place: Place) -> Iterator[Delivered]:
    """Yield the elements of an array; what stands twice in it is said of the first alone."""
    for number, value in enumerate(values):
        yield Delivered(value, None if number else twice, place)


def receipt_in(value: Json) -> Json:
    """Return the receipt in a document: in an envelope, in an MCP answer, or the document itself.

    An MCP server hands it on as the member `_receipt` of its result.
    """
    if type(value) is not dict:
        return value
    for holder in (value, value.get("result")):
        if type(holder) is dict and type(holder.get("_receipt")) is dict:
            value = holder["_receipt"]
            break
    inner = value.get("receipt")
    return inner if type(inner) is dict else value


def is_receipt(value: Json) -> bool:
    """Whether an object has so much of a receipt that it is judged as one."""
    return type(value) is dict and len(value.keys() & _RECEIPT) >= _FEW


def evidence_form(value: Json) -> str | None:
    """Return RECEIPTS, TIMELINE or WORKFLOW for a document, or the first of many; None of others."""
    if type(value) is list:
        value = value[0] if value else None
    if type(value) is not dict:
        return None
    if _is_close(value):
        return WORKFLOW
    if "canonical_bytes" in value and "prev_digest" in value and value.keys() & {"seq", "job_id"}:
        return TIMELINE
    return RECEIPTS if is_receipt(receipt_in(value)) else None


def _is_close(value: JsonObject) -> bool:
    return "merkle_root" in value and bool(value.keys() & {"steps", "receipts"})
