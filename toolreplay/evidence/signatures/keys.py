"""Private keys as text, in the form that Go's package `sumdb/note` writes and reads.

    PRIVATE+KEY+<name>+<key id in hex>+<base64(0x01 || seed, 32 bytes)>

Whoever has the text can sign with the key. The seed is in no message and in no `repr`.
"""

from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.evidence.aer1.base64_text import Base64Error, base64_of, bytes_of_base64
from toolreplay.evidence.tlog.note import ED25519, is_key_name, key_id_of

__all__ = ["PRIVATE_PREFIX", "PrivateKey", "parse_private_key", "private_key_text"]

PRIVATE_PREFIX = "PRIVATE+KEY+"
"""What the text of a private key begins with."""

_SEED_BYTES = 32


class PrivateKey(NamedTuple):
    """A private key: its name, its seed (RFC 8032 section 5.1.5), and the key id it came with."""

    name: str
    seed: bytes
    key_id: bytes

    def __repr__(self) -> str:
        return f"PrivateKey(name={self.name!r})"


def private_key_text(name: str, seed: bytes, public: bytes) -> str:
    """Return the text of a private key, one line without its LF."""
    key_id = key_id_of(name, ED25519, public).hex()
    return f"{PRIVATE_PREFIX}{name}+{key_id}+{base64_of(bytes([ED25519]) + seed)}"


def parse_private_key(text: str, where: str) -> PrivateKey:
    """Read the text of a private key, with or without a last LF. Raises InputError.

    That the key id is that of the seed is seen when the public key is made (`sign.key_signer`).
    """
    line = text.removesuffix("\n")
    name, _, rest = line.removeprefix(PRIVATE_PREFIX).partition("+")
    key_id, _, encoded = rest.partition("+")
    if not line.startswith(PRIVATE_PREFIX) or not is_key_name(name) or not encoded:
        raise InputError(where, "not a private key (PRIVATE+KEY+name+hash+base64)")
    try:
        data = bytes_of_base64(encoded)
        short = bytes.fromhex(key_id)
    except (Base64Error, ValueError):
        raise InputError(where, "a private key that is spelt wrongly") from None
    if len(short) != 4 or len(key_id) != 8 or len(data) != 1 + _SEED_BYTES or data[0] != ED25519:
        raise InputError(where, "a private key that is no Ed25519 key of 32 bytes")
    return PrivateKey(name, data[1:], short)
