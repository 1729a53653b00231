"""Entries: a run's payloads in order, each bound by the commitment over its exact bytes.

    commit = SHA-256("toolreplay/commit/v1" LF || salt (32 bytes) || payload)

A payload is one JSON object in form `aer1`. What kind it is, its own bytes say: the `profile` of
all but receipts, and of these the committed member `close`. The salt keeps a commitment from
giving away a payload that can be guessed.
"""

from hashlib import sha256
from typing import NamedTuple

from toolreplay.evidence.profile.piece import Piece
from toolreplay.records.call import Json, JsonObject

__all__ = ["KINDS", "SALT_BYTES", "Entry", "commit_of", "kind_by_profile"]

SALT_BYTES = 32

_PREFIX = b"toolreplay/commit/v1\n"

KINDS = ("open", "start", "call", "gap", "observe", "close", "erase")

_BY_PROFILE = {
    "toolreplay/open/1": "open",
    "toolreplay/intent/1": "start",
    "toolreplay/gap/1": "gap",
    "toolreplay/observation/1": "observe",
    "toolreplay/erase/1": "erase",
}


class Entry(NamedTuple):
    """One entry as it is made: its kind, the exact payload bytes, its salt, the pieces beside it.

    `pieces` are those whose content is kept apart from the payload. `receipt` and `committed` are
    what the payload of a call or close says, where it was just made: nobody need parse it again.
    """

    kind: str
    payload: bytes
    salt: bytes
    pieces: tuple[Piece, ...] = ()
    receipt: JsonObject | None = None
    committed: JsonObject | None = None


def commit_of(salt: bytes, payload: bytes) -> bytes:
    """Return the 32 raw bytes that commit to a payload."""
    return sha256(b"%b%b%b" % (_PREFIX, salt, payload)).digest()


def kind_by_profile(payload: dict[str, Json]) -> str | None:
    """Return the kind of a payload that names its profile; "receipt" where it names none."""
    profile = payload.get("profile")
    if profile is None:
        return "receipt"
    return _BY_PROFILE.get(profile) if type(profile) is str else None
