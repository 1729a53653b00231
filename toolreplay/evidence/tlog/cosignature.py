"""Cosignatures: signatures of a checkpoint with the time they were made (C2SP tlog-cosignature).

    signature = time (seconds since 1970, 8 bytes, big-endian) || Ed25519 or ML-DSA-44 signature

A cosigner states that, of this log, the largest tree it saw at that time and found consistent with
all it saw before has this root. An Ed25519 cosignature covers the whole text of the checkpoint, an
ML-DSA-44 one its first three lines and the cosigner's name.
"""

from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.evidence.signatures.sign import Signer
from toolreplay.evidence.signatures.verify import verify_ed25519, verify_ml_dsa_44
from toolreplay.evidence.tlog.checkpoint import Checkpoint, parse_checkpoint
from toolreplay.evidence.tlog.note import (
    ED25519,
    ED25519_COSIGNATURE,
    ML_DSA_44_COSIGNATURE,
    NoteSignature,
    VerifierKey,
    key_id_of,
)

__all__ = ["Cosignature", "cosign", "cosigner_key", "parse_cosignature", "signature_holds"]

_TIME_BYTES = 8
_BYTES = {ED25519_COSIGNATURE: 64, ML_DSA_44_COSIGNATURE: 2420}
_MOST_NAME_BYTES = 255


class Cosignature(NamedTuple):
    """What stands behind the key id: seconds since 1970 (0 may mean no time), and the signature."""

    time: int
    signature: bytes


def signature_holds(key: VerifierKey, text: bytes, signature: bytes) -> bool | None:
    """Say whether a signature of any known type is that of a note's text under a key.

    None where this machine cannot check it: an ML-DSA-44 one without a recent `cryptography`.
    """
    if key.kind == ED25519:
        return verify_ed25519(key.public, text, signature)
    cosignature = parse_cosignature(key, signature)
    try:
        checkpoint = parse_checkpoint(text, "")
    except InputError:
        return False
    if cosignature is None:
        return False
    time, signed = cosignature
    if key.kind == ED25519_COSIGNATURE:
        return verify_ed25519(key.public, _ed25519_message(text, time), signed)
    message = _ml_dsa_message(key.name, time, checkpoint)
    return False if message is None else verify_ml_dsa_44(key.public, message, signed)


def parse_cosignature(key: VerifierKey, signature: bytes) -> Cosignature | None:
    """Take a signature line of a cosigner's key apart; None for one of another form."""
    if len(signature) != _TIME_BYTES + _BYTES.get(key.kind, -1):
        return None
    time = int.from_bytes(signature[:_TIME_BYTES], "big")
    return Cosignature(time, signature[_TIME_BYTES:]) if time < 2**63 else None


def cosigner_key(signer: Signer) -> VerifierKey:
    """Return the key that a signer's cosignatures are checked with."""
    public = signer.key.public
    key_id = key_id_of(signer.name, ED25519_COSIGNATURE, public)
    return VerifierKey(signer.name, key_id, ED25519_COSIGNATURE, public)


def cosign(text: bytes, time: int, signer: Signer) -> NoteSignature:
    """Return the signature line of an Ed25519 cosigner for a checkpoint's text."""
    signature = time.to_bytes(_TIME_BYTES, "big") + signer.sign(_ed25519_message(text, time))
    return NoteSignature(signer.name, cosigner_key(signer).key_id, signature)


def _ed25519_message(text: bytes, time: int) -> bytes:
    return b"cosignature/v1\ntime %d\n%b" % (time, text)


def _ml_dsa_message(name: str, time: int, checkpoint: Checkpoint) -> bytes | None:
    """Return the `cosigned_message` of a checkpoint; None where a name is longer than it can say."""
    cosigner, origin = name.encode("utf-8"), checkpoint.origin.encode("utf-8")
    if max(len(cosigner), len(origin)) > _MOST_NAME_BYTES:
        return None
    return b"".join(
        (
            b"subtree/v1\n\0",
            bytes([len(cosigner)]) + cosigner,
            time.to_bytes(8, "big"),
            bytes([len(origin)]) + origin,
            bytes(8),  # the first leaf of the subtree that is signed: of a whole tree 0
            checkpoint.size.to_bytes(8, "big"),
            checkpoint.root,
        )
    )
