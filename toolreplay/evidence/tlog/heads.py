"""Judging the head of a log: who signed it, and does it say what it must?

A head is a checkpoint in a note. It is judged by what is brought from outside: keys, a policy, the
origin, size and root that were computed or remembered. Nothing is read or remembered here.
"""

from collections.abc import Sequence
from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.evidence.tlog.checkpoint import Checkpoint, parse_checkpoint
from toolreplay.evidence.tlog.cosignature import parse_cosignature, signature_holds
from toolreplay.evidence.tlog.note import ED25519, Note, NoteVerdict, VerifierKey, signed_by
from toolreplay.evidence.tlog.policy import Policy, why_unmet

__all__ = [
    "BAD_SIGNATURE",
    "HEAD_MISMATCH",
    "UNKNOWN_SIGNER",
    "HeadFault",
    "HeadVerdict",
    "judge_head",
]

BAD_SIGNATURE = "bad-signature"
UNKNOWN_SIGNER = "unknown-signer"
HEAD_MISMATCH = "head-mismatch"

_SHOWN = 200
"""Characters of a name or origin that somebody else chose, in a fact about it."""


class HeadFault(NamedTuple):
    """What is wrong with a head: one of the kinds above, and the fact."""

    kind: str
    what: str


class HeadVerdict(NamedTuple):
    """What came of judging a head.

    `signers` are the names of the log's keys given of which a signature holds, `cosigners` those of
    the witnesses' keys, `unchecked` those of keys whose signatures cannot be checked on this
    machine. `is_policy_met` is None without a policy, or where only signatures that cannot be
    checked here would make it met; `unmet` then says so, or why it is not. `cosigned` are the
    earliest and latest times of cosignatures that hold, in seconds since 1970.
    """

    checkpoint: Checkpoint | None
    faults: tuple[HeadFault, ...]
    signers: tuple[str, ...]
    cosigners: tuple[str, ...]
    unchecked: tuple[str, ...]
    is_policy_met: bool | None
    unmet: str
    cosigned: tuple[int, int] | None


def judge_head(
    note: Note,
    origin: str | None,
    size: int | None,
    root: bytes | None,
    keys: Sequence[VerifierKey],
    policy: Policy | None,
) -> HeadVerdict:
    """Judge a signed head by the keys and the policy given, and by what it must say.

    `origin`, `size` and `root` are what was computed; None where there is nothing to compare.
    Without any key of the log that signed it, a head is by an unknown signer, whatever it says: a
    key speaks for the log of its own name, and for no other.
    """
    faults: list[HeadFault] = []
    checkpoint, own = None, None
    try:
        checkpoint = parse_checkpoint(note.text, "")
    except InputError as error:
        faults.append(HeadFault(HEAD_MISMATCH, error.what))
    else:
        own = checkpoint.origin
        faults += _mismatches(checkpoint, origin, size, root)
    logs, witnesses = _logs_and_witnesses(keys, policy, own)
    verdict = signed_by(note, list(dict.fromkeys([*logs, *witnesses])), signature_holds)
    faults += [
        HeadFault(BAD_SIGNATURE, f"the signature of {key.name} does not hold")
        for key in verdict.failed
    ]
    signers = [key for key in logs if key in verdict.signers]
    others = [key for key in keys if key.kind == ED25519 and key.name != own]
    cosigners = [key for key in witnesses if key in verdict.signers]
    if checkpoint is not None and not signers and not any(key in verdict.failed for key in logs):
        faults.append(
            HeadFault(UNKNOWN_SIGNER, _why_unknown(note, logs, others, verdict.unchecked))
        )
    is_met, unmet = _met(policy, own, verdict)
    return HeadVerdict(
        checkpoint=checkpoint,
        faults=tuple(faults),
        signers=_names(signers),
        cosigners=_names(cosigners),
        unchecked=_names(verdict.unchecked),
        is_policy_met=is_met,
        unmet=unmet,
        cosigned=_times(note, cosigners),
    )


def _logs_and_witnesses(
    keys: Sequence[VerifierKey], policy: Policy | None, own: str | None
) -> tuple[list[VerifierKey], list[VerifierKey]]:
    """Sort keys by what a signature of theirs says: the log's own head, or a witness's word.

    A log of a policy is the one whose origin its key is named for (C2SP tlog-policy); a log may
    also sign with a key of a cosigner's type (C2SP tlog-checkpoint).
    """
    logs = [key for key in keys if key.name == own]
    witnesses = [key for key in keys if key not in logs]
    if policy is not None:
        logs += [key for key in policy.logs if key.name == own and key not in logs]
        witnesses += [key for key in policy.witnesses.values() if key not in witnesses]
    return logs, witnesses


def _mismatches(
    checkpoint: Checkpoint, origin: str | None, size: int | None, root: bytes | None
) -> list[HeadFault]:
    facts = []
    if origin not in (None, checkpoint.origin):
        facts.append(f"the head is of the log {checkpoint.origin[:_SHOWN]}, not of {origin}")
    if size not in (None, checkpoint.size):
        facts.append(f"the head has {checkpoint.size} entries, here are {size}")
    elif root is not None and root != checkpoint.root:
        facts.append(f"the head has the root {checkpoint.root.hex()}, here is {root.hex()}")
    return [HeadFault(HEAD_MISMATCH, fact) for fact in facts]


def _why_unknown(
    note: Note,
    logs: Sequence[VerifierKey],
    others: Sequence[VerifierKey],
    unchecked: Sequence[VerifierKey],
) -> str:
    named = [key.name for key in unchecked if key in logs]
    if named:
        return f"the signature of {named[0]} cannot be checked on this machine"
    if not logs and not others:
        return "no key of the log was given"
    given = {key.name: key for key in (*others, *logs)}
    signed = next((line for line in note.signatures if line.name in given), note.signatures[0])
    name, key = signed.name, given.get(signed.name)
    if key is None:
        return f"signed by {name[:_SHOWN]}, of which no key was given"
    hashed = f"with the key {signed.key_id.hex()}, and the key given is {key.key_id.hex()}"
    return f"signed by {name[:_SHOWN]} {hashed}"


def _met(policy: Policy | None, own: str | None, verdict: NoteVerdict) -> tuple[bool | None, str]:
    if policy is None:
        return None, "no policy was given"
    unmet = why_unmet(policy, own, verdict.signers)
    if not unmet:
        return True, ""
    if not why_unmet(policy, own, [*verdict.signers, *verdict.unchecked]):
        return None, f"{unmet}; the rest cannot be checked on this machine"
    return False, unmet


def _times(note: Note, cosigners: Sequence[VerifierKey]) -> tuple[int, int] | None:
    by_id = {(key.name, key.key_id): key for key in cosigners}
    times = []
    for line in note.signatures:
        key = by_id.get((line.name, line.key_id))
        found = None if key is None else parse_cosignature(key, line.signature)
        if found is not None and found.time:
            times.append(found.time)
    return (min(times), max(times)) if times else None


def _names(keys: Sequence[VerifierKey]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key.name for key in keys))
