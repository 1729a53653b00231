"""Ids and salts of a run: random, or derived from a secret so that they can be made again.

Derived ones are HMAC-SHA256 under the secret over kind, run and index: who has the secret can tell
them, nobody else can.
"""

import hmac
from collections.abc import Callable

from toolreplay.evidence.profile.entry import SALT_BYTES

__all__ = ["SEED_BYTES", "Ids"]

SEED_BYTES = 32


class Ids:
    """Gives out ids and salts one after the other.

    `random_bytes` returns that many unguessable bytes; with a `seed` of 32 bytes it is not asked.
    `run` tells the runs of one seed apart. Raises ValueError for a seed of another length.
    """

    def __init__(
        self,
        random_bytes: Callable[[int], bytes],
        seed: bytes | None = None,
        run: int = 0,
    ) -> None:
        if seed is not None and len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes")
        self._random_bytes = random_bytes
        self._seed = seed
        self._run = run
        self._index = 0

    def salt(self) -> bytes:
        """Return the salt of the next entry."""
        return self._bytes("salt", SALT_BYTES)

    def receipt_id(self) -> str:
        """Return a UUID of version 4 (RFC 9562, section 5.4)."""
        return _uuid(self._bytes("receipt", 16), 4)

    def run_id(self, milliseconds: int) -> str:
        """Return a UUID of version 7 for a moment in Unix milliseconds (RFC 9562, section 5.7)."""
        start = max(0, milliseconds) & (2**48 - 1)
        return _uuid(start.to_bytes(6, "big") + self._bytes("run", 10), 7)

    def _bytes(self, kind: str, size: int) -> bytes:
        self._index += 1
        if self._seed is None:
            return self._random_bytes(size)
        name = f"toolreplay/{kind}/{self._run}/{self._index}".encode("ascii")
        return hmac.digest(self._seed, name, "sha256")[:size]


def _uuid(data: bytes, version: int) -> str:
    number = int.from_bytes(data, "big")
    number = number & ~(0xF << 76) | version << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    text = f"{number:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
