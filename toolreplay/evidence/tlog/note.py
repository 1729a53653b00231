"""Signed notes and the keys that check them (C2SP signed-note).

    text, which ends in LF
    (an empty line)
    — <key name> <base64(key id, 4 bytes || signature)>

What a note says counts only once `signed_by` has found a given key that signed it. A key is named
by its name and id together; the id is a hint of four bytes, and the key itself is always brought
from outside.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.evidence.aer1.base64_text import Base64Error, base64_of, bytes_of_base64
from toolreplay.evidence.signatures.ed25519 import is_usable_key

__all__ = [
    "ED25519",
    "ED25519_COSIGNATURE",
    "ML_DSA_44_COSIGNATURE",
    "NOTE_BYTES",
    "SIGNATURES",
    "CheckSignature",
    "Note",
    "NoteSignature",
    "NoteVerdict",
    "VerifierKey",
    "is_key_name",
    "key_id_of",
    "note_bytes",
    "parse_note",
    "parse_vkey",
    "signed_by",
    "text_fault",
    "vkey_text",
]

ED25519 = 0x01
ED25519_COSIGNATURE = 0x04
ML_DSA_44_COSIGNATURE = 0x06

_KEY_BYTES = {ED25519: 32, ED25519_COSIGNATURE: 32, ML_DSA_44_COSIGNATURE: 1312}

NOTE_BYTES = 1_000_000
"""The most bytes of a note: a hundred of the largest signatures, and text."""

SIGNATURES = 100
"""The most signature lines of a note; C2SP asks for at least 16."""

_VKEY_CHARACTERS = 4096
"""The most characters of a key as text; that of an ML-DSA-44 key takes half of them."""

_KEY_ID_BYTES = 4


class NoteSignature(NamedTuple):
    """One signature line: who says to have signed, and the bytes behind the key id."""

    name: str
    key_id: bytes
    signature: bytes


class Note(NamedTuple):
    """A note that was read: its text with the final LF, and its signature lines in order."""

    text: bytes
    signatures: tuple[NoteSignature, ...]


class VerifierKey(NamedTuple):
    """A public key with its name. `kind` is the signature type: 1 Ed25519, 4 and 6 cosignatures."""

    name: str
    key_id: bytes
    kind: int
    public: bytes


class NoteVerdict(NamedTuple):
    """What came of looking at a note with given keys; each key stands here at most once.

    `signers` are the keys whose signatures hold, `failed` those of which one does not, `unchecked`
    those of which one could not be checked on this machine.
    """

    signers: tuple[VerifierKey, ...]
    failed: tuple[VerifierKey, ...]
    unchecked: tuple[VerifierKey, ...]

    @property
    def is_accepted(self) -> bool:
        """Whether the text may be believed: some given key signed it, and none was misused."""
        return bool(self.signers) and not self.failed


CheckSignature = Callable[[VerifierKey, bytes, bytes], bool | None]
"""Takes (key, note text, signature); None where it cannot be checked on this machine."""


def signed_by(note: Note, keys: Sequence[VerifierKey], check: CheckSignature) -> NoteVerdict:
    """Judge a note by the keys given (C2SP signed-note, "Signatures").

    A signature by an unknown key is ignored, also where only its name or only its id is known.
    Each signature of a known key is checked, and one that fails spoils the note. Without any that
    holds the note is worth nothing. `check` is usually `cosignature.signature_holds`.
    """
    found: dict[bool | None, dict[VerifierKey, None]] = {True: {}, False: {}, None: {}}
    for line in note.signatures:
        for key in keys:
            if key.name == line.name and key.key_id == line.key_id:
                found[check(key, note.text, line.signature)][key] = None
    signers = (key for key in found[True] if key not in found[False])
    return NoteVerdict(tuple(signers), tuple(found[False]), tuple(found[None]))


def parse_note(data: bytes, where: str) -> Note:
    """Read a note strictly; nothing in it is believed yet. Raises InputError naming `where`."""
    if len(data) > NOTE_BYTES:
        raise InputError(where, f"a note of more than {NOTE_BYTES:,} bytes")
    fault = text_fault(data)
    if fault:
        raise InputError(where, f"a note {fault}")
    text, divider, block = data.rpartition(b"\n\n")
    if not divider:
        raise InputError(where, "a note without a signature after its last empty line")
    lines = block[:-1].decode("utf-8").split("\n")
    if len(lines) > SIGNATURES:
        raise InputError(where, f"a note with more than {SIGNATURES} signatures")
    return Note(text + b"\n", tuple(_signature_of(line, where) for line in lines))


def _signature_of(line: str, where: str) -> NoteSignature:
    dash, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    if dash != "\u2014" or not is_key_name(name):
        raise InputError(where, "a signature line of a note that is not `— name base64`")
    try:
        data = bytes_of_base64(encoded)
    except Base64Error as error:
        raise InputError(where, f"the signature of a note {error}") from None
    if len(data) <= _KEY_ID_BYTES:
        raise InputError(where, "a signature line of a note without a signature behind the key id")
    return NoteSignature(name, data[:_KEY_ID_BYTES], data[_KEY_ID_BYTES:])


def note_bytes(text: bytes, signatures: Iterable[NoteSignature]) -> bytes:
    """Return the bytes of a note. Raises ValueError for what could not be read back."""
    lines = [
        f"\u2014 {line.name} {base64_of(line.key_id + line.signature)}\n" for line in signatures
    ]
    data = text + b"\n" + "".join(lines).encode("utf-8")
    try:
        is_same = parse_note(data, "").text == text
    except InputError as error:
        raise ValueError(error.what) from None
    if not is_same:
        raise ValueError("a note whose text does not end in LF")
    return data


def text_fault(text: bytes) -> str:
    """Return why bytes cannot be (the text of) a note, or "": UTF-8, LF at the end, no controls."""
    if not text.endswith(b"\n"):
        return "must end with LF"
    if len(text.translate(None, _CONTROLS)) != len(text):
        return "has a control character"
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return "is not UTF-8"
    return ""


_CONTROLS = bytes(set(range(0x20)) - {0x0A})


def is_key_name(name: str) -> bool:
    """Whether a text can name a key: not empty, no Unicode space, no `+`, no control character."""
    return bool(name) and not any(
        character < " " or character == "+" or character.isspace() for character in name
    )


def key_id_of(name: str, kind: int, public: bytes) -> bytes:
    """Return the four bytes that stand for a key in signature lines."""
    hashed = sha256(name.encode("utf-8") + b"\n" + bytes([kind]) + public)
    return hashed.digest()[:_KEY_ID_BYTES]


def vkey_text(name: str, kind: int, public: bytes) -> str:
    """Return a public key as text: `name+key id in hex+base64(kind || key)`."""
    return f"{name}+{key_id_of(name, kind, public).hex()}+{base64_of(bytes([kind]) + public)}"


def parse_vkey(text: str, where: str) -> VerifierKey:
    """Read a public key. Raises InputError naming `where`.

    Its id must be that of its name and bytes, and an Ed25519 key must be one that can bind anyone
    to anything: its point canonical and of no small order.
    """
    if len(text) > _VKEY_CHARACTERS:
        raise InputError(where, f"a verifier key of more than {_VKEY_CHARACTERS:,} characters")
    name, _, rest = text.partition("+")
    key_id, _, encoded = rest.partition("+")
    if not is_key_name(name) or not encoded:
        raise InputError(where, "not a verifier key (name+hash+base64)")
    try:
        data = bytes_of_base64(encoded)
    except Base64Error as error:
        raise InputError(where, f"the key of a verifier key {error}") from None
    kind, public = data[0] if data else 0, data[1:]
    if kind not in _KEY_BYTES:
        raise InputError(
            where, f"a verifier key of type 0x{kind:02x}, which cannot be checked here"
        )
    if len(public) != _KEY_BYTES[kind]:
        raise InputError(
            where, f"a verifier key of {len(public)} bytes, where its type has {_KEY_BYTES[kind]}"
        )
    try:
        own_id = key_id_of(name, kind, public)
    except UnicodeEncodeError:
        raise InputError(where, "the name of a verifier key is not Unicode") from None
    if key_id.lower() != own_id.hex():
        raise InputError(where, "the hash of a verifier key is not that of its name and key")
    if kind != ML_DSA_44_COSIGNATURE and not is_usable_key(public):
        raise InputError(where, "a verifier key that is no usable Ed25519 key (see RFC 8032)")
    return VerifierKey(name, own_id, kind, public)
