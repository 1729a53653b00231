"""Is it a Claude Code session? Asked of the beginning of an input, never of its name."""

from toolreplay.importers.claude_code.blocks import (
    BESIDE,
    CALL,
    HOLDERS,
    RESULT,
    content_of,
    kind_of,
)
from toolreplay.importers.claude_code.files import EXPORT_MEMBER
from toolreplay.records.call import Json
from toolreplay.records.flow import Head

__all__ = ["fit_of"]

_KEYS = ("uuid", "operation", "permissionMode", "snapshot")
"""Beside `type` and `sessionId`, one of these is on the lines of every session seen."""


def fit_of(head: Head) -> int:
    """Return 3 for a line or document with the host's own keys, 2 for its blocks, 1, or 0.

    A line counts by its own keys: a session may begin with any type of line, and lines that are
    no objects occur among real ones.
    """
    if _is_export(head.document):
        return 3
    if any(_is_fork(record) for record in head.records):
        return 0
    return max((_fit(record) for record in head.records), default=0)


def _fit(record: Json) -> int:
    if type(record) is not dict:
        return 0
    kind = kind_of(record)
    if kind is None:
        return 3 if _is_export(record) else 0
    spoken = kind in ("user", "assistant")
    if kind not in HOLDERS and kind not in BESIDE:
        return 0
    if spoken and not _has_content(record.get("message")):
        return 0
    if type(record.get("sessionId")) is str:
        # A `system` line alone is too common a word.
        told = any(key in record for key in _KEYS) and (kind != "system" or "isSidechain" in record)
        return 3 if told else 1
    if "session_id" in record or not spoken:
        return 0
    content = content_of(record)
    blocks = content if type(content) is list else []
    return 2 if any(kind_of(block) in (CALL, RESULT) for block in blocks) else 0


def _has_content(message: Json) -> bool:
    return type(message) is dict and "content" in message


def _is_fork(record: Json) -> bool:
    """Whether it is a line of a program that took over the envelope but not the messages."""
    message = record.get("message") if type(record) is dict else None
    return type(message) is dict and "parts" in message and "content" not in message


def _is_export(value: Json) -> bool:
    """Whether a document, or its skeleton, has `loglines` with lines of a session in them."""
    lines = value.get(EXPORT_MEMBER) if type(value) is dict else None
    if type(lines) is not list:
        return False
    return any(kind_of(line) in HOLDERS and type(line.get("message")) is dict for line in lines)
