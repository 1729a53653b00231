"""A signer in pure Python, for keys that protect nothing: demonstrations and tests.

Its time depends on the key, so whoever can measure it learns the key (RFC 8032 section 8.1).
"""

from hashlib import sha512
from typing import NamedTuple

from toolreplay.evidence.signatures.ed25519 import ORDER, base_multiple
from toolreplay.evidence.signatures.sign import Signer, verifier_key
from toolreplay.evidence.tlog.note import VerifierKey

__all__ = ["throwaway_signer"]


def throwaway_signer(name: str, seed: bytes) -> Signer:
    """Return a signer for a seed of 32 bytes (RFC 8032 section 5.1.5); never for a real key."""
    digest = sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    return _Throwaway(name, verifier_key(name, base_multiple(scalar)), scalar, digest[32:])


class _Throwaway(NamedTuple):
    name: str
    key: VerifierKey
    scalar: int
    prefix: bytes

    def sign(self, message: bytes) -> bytes:
        """Sign as RFC 8032 section 5.1.6 says."""
        nonce = int.from_bytes(sha512(self.prefix + message).digest(), "little") % ORDER
        start = base_multiple(nonce)
        hashed = sha512(start + self.key.public + message).digest()
        rest = (nonce + int.from_bytes(hashed, "little") * self.scalar) % ORDER
        return start + rest.to_bytes(32, "little")
