"""Checkpoints: the text of a note that states the head of a log (C2SP tlog-checkpoint).

    <origin>
    <size>
    <base64 of the root>

Further lines are extensions, which are read and never written. The size is a plain decimal of at
most 2^63 - 1, which the specification leaves open; everything else it asks for is held, also where
other readers are laxer (leading zeros, roots of 31 or 33 bytes, empty extension lines).
"""

import re
from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.evidence.aer1.base64_text import Base64Error, base64_of, bytes_of_base64
from toolreplay.evidence.tlog.note import text_fault

__all__ = ["Checkpoint", "checkpoint_text", "parse_checkpoint", "parse_hash", "parse_size"]

_MOST = 2**63 - 1
_DECIMAL = re.compile("0|[1-9][0-9]{0,18}")
_HASH_BYTES = 32


class Checkpoint(NamedTuple):
    """The head of a log: whose, how many leaves, and their root (32 raw bytes)."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()


def parse_checkpoint(text: bytes, where: str) -> Checkpoint:
    """Read the text of a checkpoint. Raises InputError naming `where`."""
    fault = text_fault(text)
    if fault:
        raise InputError(where, f"a checkpoint {fault}")
    lines = text[:-1].decode("utf-8").split("\n")
    if len(lines) < 3 or not all(lines):
        raise InputError(where, "a checkpoint is at least three lines, none of them empty")
    origin, size, root, *extensions = lines
    return Checkpoint(
        origin,
        parse_size(size, where, "the size of a checkpoint"),
        parse_hash(root, where, "the root of a checkpoint"),
        tuple(extensions),
    )


def checkpoint_text(origin: str, size: int, root: bytes) -> bytes:
    """Return the text to be signed. Raises ValueError for what could not be read back."""
    text = f"{origin}\n{size}\n{base64_of(root)}\n".encode()
    try:
        is_same = parse_checkpoint(text, "") == Checkpoint(origin, size, root)
    except InputError as error:
        raise ValueError(error.what) from None
    if not is_same:
        raise ValueError("an origin is one line")
    return text


def parse_size(text: str, where: str, what: str) -> int:
    """Read an ASCII decimal without leading zeros, at most 2^63 - 1. Raises InputError."""
    if _DECIMAL.fullmatch(text) is None or int(text) > _MOST:
        raise InputError(where, f"{what} is not a plain decimal of at most 2^63 - 1")
    return int(text)


def parse_hash(text: str, where: str, what: str) -> bytes:
    """Read the standard base64 of 32 bytes. Raises InputError."""
    try:
        data = bytes_of_base64(text)
    except Base64Error as error:
        raise InputError(where, f"{what} {error}") from None
    if len(data) != _HASH_BYTES:
        raise InputError(where, f"{what} has {len(data)} bytes, not {_HASH_BYTES}")
    return data
