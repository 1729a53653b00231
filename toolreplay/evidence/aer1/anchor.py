"""The anchor report of a receipt (AER-1, rules ANC-1 to ANC-9): it never changes the verdict.

`verified` means that the anchor agrees with the receipt it stands in. Nobody asked the log, so
whoever prints the outcome prints LOCAL_ONLY beside it.
"""

import re
from hashlib import sha256
from typing import NamedTuple

from toolreplay.evidence.aer1.base64_text import loosely_read
from toolreplay.evidence.aer1.committed import is_output_hash
from toolreplay.evidence.aer1.times import moment_of
from toolreplay.records.call import Json

__all__ = [
    "ABSENT",
    "LOCAL_ONLY",
    "NOT_EVALUATED",
    "UNRESOLVABLE",
    "UUID_4",
    "VERIFICATION_FAILED",
    "VERIFIED",
    "AnchorReport",
    "anchor_report",
]

VERIFIED = "verified"
VERIFICATION_FAILED = "verification failed"
UNRESOLVABLE = "rejected: unresolvable record"
NOT_EVALUATED = "not checked"
ABSENT = "absent"

LOCAL_ONLY = "consistent (log not contacted)"
"""What VERIFIED means here, for a person."""

UUID_4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
"""A UUID of version 4 in lower case, to be matched in full (REC-6, ANC-8)."""

_MEMBERS = frozenset({"log", "leaf_hash", "anchored_at", "proof"})
_AUTHORITY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^/?#]+)")


class AnchorReport(NamedTuple):
    """Whether there is an anchor, whether it was looked at, what came of it, and why.

    `outcome` is verified, verification failed, rejected: unresolvable record, not checked or
    absent.
    """

    present: bool
    evaluated: bool
    outcome: str
    failures: tuple[str, ...] = ()


_ABSENT = AnchorReport(False, False, ABSENT)
_NOT_EVALUATED = AnchorReport(True, False, NOT_EVALUATED)


def anchor_report(receipt: Json, *, evaluate: bool = True) -> AnchorReport:
    """Return the report on the `anchor` of an unwrapped receipt; never raises.

    A record of another kind under this name is no anchor (ANC-1). A log under `.invalid` cannot
    be resolved, which wins over every other failure (ANC-7).
    """
    anchor = receipt.get("anchor") if isinstance(receipt, dict) else None
    if not isinstance(anchor, dict) or _MEMBERS.isdisjoint(anchor):
        return _ABSENT
    if not evaluate:
        return _NOT_EVALUATED
    failures = _failures(receipt, anchor)
    if _is_unresolvable(anchor.get("log")):
        outcome = UNRESOLVABLE
    else:
        outcome = VERIFICATION_FAILED if failures else VERIFIED
    return AnchorReport(True, True, outcome, failures)


def _failures(receipt: dict[str, Json], anchor: dict[str, Json]) -> tuple[str, ...]:
    failures = []
    own = receipt.get("id")
    if type(own) is not str or UUID_4.fullmatch(own) is None:
        failures.append("the receipt's id is not a UUID of version 4")
    if anchor.keys() != _MEMBERS:
        failures.append("its members are not exactly log, leaf_hash, anchored_at and proof")
    log, leaf = anchor.get("log"), anchor.get("leaf_hash")
    if type(log) is not str or not log:
        failures.append("log is not a string with something in it")
    if not is_output_hash(leaf):
        failures.append("leaf_hash is not sha256: and 64 lower-case hex digits")
    elif leaf != _leaf_of(receipt.get("canonical_bytes")):
        failures.append("leaf_hash is not the digest of the committed bytes")
    if moment_of(anchor.get("anchored_at")) is None:
        failures.append("anchored_at is not a time")
    if not isinstance(anchor.get("proof"), dict):
        failures.append("proof is not an object")
    return tuple(failures)


def _leaf_of(canonical_bytes: Json) -> str | None:
    """Return the digest that a leaf must have; unused bits of the base64 do not matter to it."""
    data = loosely_read(canonical_bytes)
    if data is None:
        return None
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    return f"sha256:{sha256(data).hexdigest()}"


def _is_unresolvable(log: Json) -> bool:
    found = _AUTHORITY.match(log) if type(log) is str else None
    if found is None:
        return False
    host = found[1].rpartition("@")[2].partition(":")[0]
    return host.lower().endswith(".invalid")
