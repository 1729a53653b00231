"""Who signs: a private key with the package `cryptography` (extra `sign`), or anything like it.

Making a signature handles a secret and must take the same time for every key, which Python cannot
promise. So it is left to a package that does; only checking is done without one.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from toolreplay.errors import InputError, MissingExtraError
from toolreplay.evidence.signatures.keys import PrivateKey
from toolreplay.evidence.signatures.verify import verify_ed25519
from toolreplay.evidence.tlog.note import (
    ED25519,
    NoteSignature,
    VerifierKey,
    key_id_of,
    note_bytes,
)

__all__ = ["Signer", "key_signer", "public_of", "sign_note", "verifier_key"]


class Signer(Protocol):
    """Signs messages under a name; `key` is what others check its signatures with."""

    @property
    def name(self) -> str:
        """The name of the key."""

    @property
    def key(self) -> VerifierKey:
        """The public key, of type Ed25519."""

    def sign(self, message: bytes) -> bytes:
        """Return the 64 bytes of the Ed25519 signature."""


class _KeySigner(NamedTuple):
    name: str
    key: VerifierKey
    sign_with: Callable[[bytes], bytes]

    def sign(self, message: bytes) -> bytes:
        return self.sign_with(message)


def verifier_key(name: str, public: bytes) -> VerifierKey:
    """Return an Ed25519 public key under a name."""
    return VerifierKey(name, key_id_of(name, ED25519, public), ED25519, public)


def public_of(seed: bytes) -> bytes:
    """Return the public key of a seed. Raises MissingExtraError."""
    return _opened(seed)[0]


def key_signer(private: PrivateKey) -> Signer:
    """Return the signer of a private key. Raises MissingExtraError, and InputError.

    The latter where the key's own id is not that of its name and seed: it was put together wrongly.
    """
    public, sign = _opened(private.seed)
    key = verifier_key(private.name, public)
    if key.key_id != private.key_id:
        raise InputError(
            f"the private key {private.name}", "its hash is not that of its name and key"
        )
    return _KeySigner(private.name, key, sign)


def sign_note(text: bytes, signer: Signer) -> bytes:
    """Return the note of a text (which ends in LF) with one signature.

    The signature is checked before it is used. Raises InputError where it does not hold.
    """
    signature = signer.sign(text)
    if not verify_ed25519(signer.key.public, text, signature):
        raise InputError(f"the signer {signer.name}", "its signature is not of its public key")
    return note_bytes(text, [NoteSignature(signer.name, signer.key.key_id, signature)])


def _opened(seed: bytes) -> tuple[bytes, Callable[[bytes], bytes]]:
    """Return the public key of a seed, and what signs with it."""
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    except ImportError:
        raise MissingExtraError("using a private key", "sign") from None
    secret = Ed25519PrivateKey.from_private_bytes(seed)
    # As long as there have been such keys; the shorter way came with version 40.
    return secret.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw), secret.sign
