"""Pieces: how a receipt commits to exact bytes that need not stand in it.

    inline    {media_type, length, method "sha256", digest, b64}
    detached  {media_type, length, method "sha256", digest, blob "detached"}
    sealed    {media_type, method "hmac-sha256-salted", digest, blob "sealed", same?}

A sealed piece has a digest that nobody can guess content from: HMAC-SHA256 under 32 random bytes
made for this piece alone. The key lies with the bytes; without both, the receipt still verifies.
`same` is HMAC-SHA256 under a key of the run, so that two sealed values can be told equal: the
recorder's word, which nobody outside can check.
"""

import hmac
from hashlib import sha256
from typing import NamedTuple

from toolreplay.evidence.aer1.base64_text import Base64Error, base64_of, bytes_of_base64
from toolreplay.records.call import Json, JsonObject

__all__ = [
    "DETACHED",
    "INLINE",
    "INLINE_BYTES",
    "KEY_BYTES",
    "MOST_INLINE_BYTES",
    "SEALED_PIECE",
    "Piece",
    "fault_of_piece",
    "is_digest",
    "kind_of_piece",
    "opens",
    "piece_of",
    "sealed_piece",
]

INLINE_BYTES = 4096
"""Bytes of content up to which a piece stands in its receipt. Most arguments and results are
smaller; a receipt stays one readable line."""

MOST_INLINE_BYTES = 1 << 16
"""Bytes of content up to which a store may be told to keep it in its receipts: these are read whole."""

KEY_BYTES = 32
"""Bytes of the key of a sealed piece: exactly these. HMAC pads shorter keys with zeros, so free
lengths would give one digest two openings."""

INLINE, DETACHED, SEALED_PIECE = "inline", "detached", "sealed piece"

_CALLED = {INLINE: "an inline piece", DETACHED: "a detached piece", SEALED_PIECE: "a sealed piece"}

_SHA256, _HMAC = "sha256", "hmac-sha256-salted"
_MEMBERS = {
    INLINE: frozenset({"media_type", "length", "method", "digest", "b64"}),
    DETACHED: frozenset({"media_type", "length", "method", "digest", "blob"}),
    SEALED_PIECE: frozenset({"media_type", "method", "digest", "blob"}),
}


class Piece(NamedTuple):
    """A piece as a receipt describes it, with the bytes to be kept beside it.

    `content` is None for an inline piece, and where the bytes are not kept. `key` is there for
    sealed bytes that are.
    """

    described: JsonObject
    content: bytes | None = None
    key: bytes | None = None


def piece_of(content: bytes, media_type: str, inline_bytes: int = INLINE_BYTES) -> Piece:
    """Commit to bytes in the open: inline up to `inline_bytes` of them, else detached."""
    described: JsonObject = {
        "media_type": media_type,
        "length": len(content),
        "method": _SHA256,
        "digest": sha256(content).hexdigest(),
    }
    if len(content) <= inline_bytes:
        described["b64"] = base64_of(content)
        return Piece(described)
    described["blob"] = "detached"
    return Piece(described, content)


def sealed_piece(
    content: bytes,
    media_type: str,
    key: bytes,
    run_key: bytes | None = None,
    *,
    keep: bool = True,
) -> Piece:
    """Commit to bytes without giving away anything about them.

    Raises ValueError for a key that has not exactly 32 bytes.
    """
    if len(key) != KEY_BYTES:
        raise ValueError(f"the key of a sealed piece has {KEY_BYTES} bytes")
    described: JsonObject = {
        "media_type": media_type,
        "method": _HMAC,
        "digest": hmac.digest(key, content, "sha256").hex(),
        "blob": "sealed",
    }
    if run_key is not None:
        described["same"] = hmac.digest(run_key, content, "sha256").hex()
    return Piece(described, content if keep else None, key if keep else None)


def kind_of_piece(described: JsonObject) -> str:
    """Return INLINE, DETACHED or SEALED_PIECE of what `fault_of_piece` finds no fault with."""
    if "b64" in described:
        return INLINE
    return DETACHED if described["blob"] == "detached" else SEALED_PIECE


def fault_of_piece(described: Json) -> str:
    """Return what is wrong with a piece as a receipt describes it, or nothing.

    An inline piece is opened here: its bytes must have the length and digest it says.
    """
    if type(described) is not dict:
        return "is not an object"
    is_sealed = described.get("blob") == "sealed"
    kind = INLINE if "b64" in described else SEALED_PIECE if is_sealed else DETACHED
    names = described.keys() - {"same"} if is_sealed else described.keys()
    if names != _MEMBERS[kind]:
        return f"has not exactly the members of {_CALLED[kind]}"
    if type(described["media_type"]) is not str:
        return "has a media_type that is no string"
    if not is_digest(described["digest"]):
        return "has a digest that is not 64 lower-case hex digits"
    if is_sealed:
        if "same" in described and not is_digest(described["same"]):
            return "has a `same` that is not 64 lower-case hex digits"
        return "" if described["method"] == _HMAC else f"is sealed by another method than {_HMAC}"
    if described["method"] != _SHA256:
        return f"is committed to by another method than {_SHA256}"
    length = described["length"]
    if type(length) is not int or length < 0:
        return "has a length that is no whole number"
    if kind == DETACHED:
        return "" if described["blob"] == "detached" else "has an unknown blob"
    try:
        content = bytes_of_base64(described["b64"])
    except Base64Error as error:
        return f"has a b64 that {error}"
    if len(content) != length or sha256(content).hexdigest() != described["digest"]:
        return "has other bytes than its digest"
    return ""


def opens(described: JsonObject, content: bytes, key: bytes) -> bool:
    """Whether these bytes and this key are those a sealed piece commits to."""
    return len(key) == KEY_BYTES and hmac.compare_digest(
        hmac.digest(key, content, "sha256").hex(), described["digest"]
    )


def is_digest(value: Json) -> bool:
    """Whether a value is 64 lower-case hex digits."""
    return type(value) is str and len(value) == 64 and not value.strip("0123456789abcdef")
