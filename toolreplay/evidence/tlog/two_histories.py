"""Proof that a log showed two histories, which its holder can show to anyone.

A log that signs two heads of which neither begins the other has shown two histories. At one size
both notes prove it. At two sizes a path goes with them: it folds to the larger root, and to
*another* root than was signed for the smaller size. Such a path always begins with its seed (see
`merkle.seeded_path`): with the path of RFC 6962 the other root could not be told where the smaller
size is a power of two.

    {"format":"toolreplay-two-histories/1","notes":[base64,base64],"path":[hex…] or null}

The file is one such object in form aer1, and LF.
"""

from collections.abc import Sequence
from typing import NamedTuple

from toolreplay.errors import CanonicalError, InputError
from toolreplay.evidence.aer1.base64_text import Base64Error, base64_of, bytes_of_base64
from toolreplay.evidence.tlog.checkpoint import parse_checkpoint
from toolreplay.evidence.tlog.cosignature import signature_holds
from toolreplay.evidence.tlog.merkle import folded_pair
from toolreplay.evidence.tlog.note import Note, VerifierKey, parse_note, signed_by
from toolreplay.records.call import Json
from toolreplay.records.canonical import aer1
from toolreplay.records.jsonl import LineError, line_parser
from toolreplay.records.limits import DEFAULT

__all__ = [
    "Conviction",
    "TwoHistories",
    "is_conviction",
    "parse_two_histories",
    "two_histories_bytes",
]

_FORM = "toolreplay-two-histories/1"
_MEMBERS = {"format", "notes", "path"}
_MOST_HASHES = 64


class TwoHistories(NamedTuple):
    """Two notes, as their bytes, and at two sizes the seeded path between them."""

    notes: tuple[bytes, bytes]
    path: tuple[bytes, ...] | None


class Conviction(NamedTuple):
    """Whether a proof of two histories convicts, of whom, and why it does or does not."""

    is_proved: bool
    reason: str
    key: VerifierKey | None = None


def is_conviction(proof: TwoHistories, keys: Sequence[VerifierKey]) -> Conviction:
    """Say whether one and the same given key signed two heads that contradict each other.

    Anything short of that convicts nobody. A log that only ever grew cannot be convicted, because
    every hash of the path stands below the larger root (as SHA-256 has no collisions).
    """
    try:
        notes = [parse_note(data, "a note of the proof") for data in proof.notes]
        heads = [parse_checkpoint(note.text, "a note of the proof") for note in notes]
    except InputError as error:
        return Conviction(False, str(error))
    small, large = sorted(heads, key=lambda head: head.size)
    if small.origin != large.origin:
        return Conviction(False, "the heads are of two logs")
    both = [key for key in keys if all(_signed(note, key) for note in notes)]
    if not both:
        return Conviction(False, "no key given signed both heads")
    key = both[0]
    if small.size == large.size:
        if proof.path is not None:
            return Conviction(False, "a path stands between heads of one size")
        if small.root == large.root:
            return Conviction(False, "both heads have the same root")
        what = f"{key.name} signed two roots for size {small.size}"
        return Conviction(True, f"{what}: {small.root.hex()} and {large.root.hex()}", key)
    pair = None if proof.path is None else folded_pair(small.size, large.size, proof.path)
    if pair is None or pair[1] != large.root:
        return Conviction(False, f"the path does not lead to the root of size {large.size}")
    if pair[0] == small.root:
        return Conviction(False, f"the head of size {small.size} begins the one of {large.size}")
    what = f"{key.name} signed {small.root.hex()} for size {small.size}"
    return Conviction(True, f"{what}, and size {large.size} begins with {pair[0].hex()}", key)


def _signed(note: Note, key: VerifierKey) -> bool:
    return signed_by(note, [key], signature_holds).is_accepted


def two_histories_bytes(proof: TwoHistories) -> bytes:
    """Return the file of a proof: one JSON object in form aer1, and LF."""
    path: Json = None if proof.path is None else [hashed.hex() for hashed in proof.path]
    notes: Json = [base64_of(note) for note in proof.notes]
    return aer1({"format": _FORM, "notes": notes, "path": path}) + b"\n"


def parse_two_histories(data: bytes, where: str) -> TwoHistories:
    """Read the file of a proof strictly. Raises InputError naming `where`."""
    try:
        value = line_parser(DEFAULT)(data)
        if not isinstance(value, dict) or value.keys() != _MEMBERS or value["format"] != _FORM:
            raise InputError(where, f"not a proof of two histories ({_FORM})")
        if aer1(value) + b"\n" != data:
            raise InputError(where, "a proof of two histories that is not in form aer1 with LF")
        notes, path = value["notes"], value["path"]
        if not isinstance(notes, list) or len(notes) != 2:
            raise InputError(where, "a proof of two histories has two notes")
        first, second = (bytes_of_base64(note) for note in notes)
    except (LineError, CanonicalError) as error:
        raise InputError(where, str(error)) from None
    except Base64Error as error:
        raise InputError(where, f"a note of the proof {error}") from None
    return TwoHistories((first, second), None if path is None else _hashes(path, where))


def _hashes(path: Json, where: str) -> tuple[bytes, ...]:
    if isinstance(path, list) and len(path) <= _MOST_HASHES:
        texts = [text for text in path if isinstance(text, str) and _is_hash(text)]
        if len(texts) == len(path):
            return tuple(map(bytes.fromhex, texts))
    raise InputError(where, f"the path is not at most {_MOST_HASHES} hashes in lower-case hex")


def _is_hash(text: str) -> bool:
    return len(text) == 64 and not text.strip("0123456789abcdef")
