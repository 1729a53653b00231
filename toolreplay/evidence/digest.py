"""SHA-256 and its spellings: bare lower-case hex everywhere, `sha256:…` where AER-1 wants it."""

from hashlib import sha256

from toolreplay.records.call import JsonObject
from toolreplay.records.canonical import call_key_text, text_of_parsed

__all__ = ["HEX_DIGITS", "call_digest", "hex_of", "result_digest"]

HEX_DIGITS = 64
"""Length of a SHA-256 digest as bare hex."""


def hex_of(data: bytes) -> str:
    """Return the SHA-256 digest of bytes as 64 lower-case hex digits."""
    return sha256(data).hexdigest()


def call_digest(tool: str, args: JsonObject) -> bytes:
    """Return 32 raw bytes: the digest of a parsed call's key (form toolreplay-1)."""
    return sha256(call_key_text(tool, args).encode("ascii")).digest()


def result_digest(response: JsonObject) -> tuple[bytes, int]:
    """Return the digest of a parsed response as 32 raw bytes, and its length in bytes.

    Both are of its form toolreplay-1.
    """
    form = text_of_parsed(response).encode("ascii")
    return sha256(form).digest(), len(form)
