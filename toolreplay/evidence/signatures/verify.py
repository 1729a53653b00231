"""Checking signatures: with the package `cryptography` where it is installed, else without.

Both ways give the same answer for every signature (tests hold them together over all vectors),
because what they could differ in is decided here, before either: a key must be usable.
"""

from collections.abc import Callable
from functools import cache

from toolreplay.evidence.signatures.ed25519 import is_usable_key, is_valid

__all__ = ["verify_ed25519", "verify_ml_dsa_44"]

_Verify = Callable[[bytes, bytes, bytes], bool]


def verify_ed25519(public: bytes, message: bytes, signature: bytes) -> bool:
    """Say whether a signature of 64 bytes is that of this message (RFC 8032, without cofactor).

    False also for a public key that is not canonical, on no curve, or of small order.
    """
    return is_usable_key(public) and len(signature) == 64 and _backend()(public, message, signature)


def verify_ml_dsa_44(public: bytes, message: bytes, signature: bytes) -> bool | None:
    """Say whether an ML-DSA-44 signature holds (FIPS 204, empty context); None: cannot be checked.

    Only a recent `cryptography` can check it; nothing here does without.
    """
    try:
        from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey
    except ImportError:
        return None
    try:
        MLDSA44PublicKey.from_public_bytes(public).verify(signature, message)
    except UnsupportedAlgorithm:
        return None
    except (InvalidSignature, ValueError):
        return False
    return True


@cache
def _backend() -> _Verify:
    try:
        from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return is_valid

    def verify(public: bytes, message: bytes, signature: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
        except UnsupportedAlgorithm:  # an OpenSSL that was built or set not to know it
            return is_valid(public, message, signature)
        except InvalidSignature:
            return False
        return True

    return verify
