"""Where a record stands by its head: who signed it, who timed it, and what is remembered of its log.

Answers the report lines `signer`, `time` and `log`, of a bundle and of a store alike. All that is
compared with comes from outside (`Trust`): keys, a policy, and the head that was remembered. A head
is remembered only once a key that was given has signed it, and only where it is the first of its
log or was seen to continue the one remembered.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from toolreplay.errors import InputError
from toolreplay.evidence.aer1.times import text_of_seconds
from toolreplay.evidence.record import Fault
from toolreplay.evidence.tlog.checkpoint import Checkpoint, parse_checkpoint
from toolreplay.evidence.tlog.heads import (
    BAD_SIGNATURE,
    HEAD_MISMATCH,
    HeadVerdict,
    judge_head,
)
from toolreplay.evidence.tlog.merkle import folded_pair
from toolreplay.evidence.tlog.note import (
    ED25519,
    Note,
    VerifierKey,
    note_bytes,
    parse_note,
    vkey_text,
)
from toolreplay.evidence.tlog.policy import Policy
from toolreplay.evidence.tlog.two_histories import (
    TwoHistories,
    is_conviction,
    two_histories_bytes,
)
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check

__all__ = [
    "FORKED_LOG",
    "ROLLED_BACK_LOG",
    "Learned",
    "Memory",
    "PathFrom",
    "Proof",
    "Remembered",
    "Shown",
    "Standing",
    "Trust",
    "standing_of",
]

FORKED_LOG = "forked-log"
ROLLED_BACK_LOG = "rolled-back-log"

_NOTHING_OUTSIDE = "agrees with itself; nothing outside to compare with"

PathFrom = Callable[[int], Sequence[bytes] | None]
"""Takes an older size; returns the seeded path from it to the head shown, None where there is none."""


class Remembered(NamedTuple):
    """The note of a head that was remembered, and where, as a message names it."""

    note: bytes
    where: str


class Memory(Protocol):
    """What is remembered of logs; asked only where a key that was given has signed a head."""

    def recall(self, origin: str) -> Remembered | None:
        """Return what is remembered of the log of an origin."""

    def hold(self, origin: str) -> Remembered | None:
        """Return the same once more, which from now on nobody else replaces."""


class Trust(NamedTuple):
    """Whom somebody believes about heads of logs; without a memory nothing is remembered."""

    keys: tuple[VerifierKey, ...] = ()
    policy: Policy | None = None
    memory: Memory | None = None

    def log_keys(self, origin: str) -> list[VerifierKey]:
        """Return the keys that can sign as the log of an origin."""
        own = [key for key in self.keys if key.name == origin]
        logs = () if self.policy is None else self.policy.logs
        return own + [key for key in logs if key.name == origin and key not in own]

    @property
    def names_witnesses(self) -> bool:
        """Whether a policy asks for somebody's word beside the log's own."""
        policy = self.policy
        if policy is None:
            return False
        return policy.quorum in policy.witnesses or policy.quorum in policy.groups


class Shown(NamedTuple):
    """The head of the log as a record shows it, and how it fits what it was shown with.

    `note` is None of a head that nobody signed. `misfit` is why it is not the head of these entries:
    then nothing is said about who signed it. `doubt` is why not every entry is known to stand under
    it. `is_broken` says that a path was found wrong. A store (`is_all`) shows its whole log, so that
    it cannot be an older part of it.
    """

    head: Checkpoint
    note: Note | None
    path_from: PathFrom
    misfit: str = ""
    doubt: str = ""
    is_broken: bool = False
    is_all: bool = False


class Learned(NamedTuple):
    """A head to be remembered, in place of a smaller one if there is one."""

    head: Checkpoint
    note: bytes


class Proof(NamedTuple):
    """A proof of two histories: whose, the bytes of its file, the key that signed both (a vkey)."""

    origin: str
    data: bytes
    vkey: str


class Standing(NamedTuple):
    """What came of it. `required` are the lines that must have been checked, by what was given.

    `remembered` is the size of the head remembered that this one was seen to continue, 0 without
    one. `is_remembered` says, of one run, that all its entries stand under that head.
    """

    checks: tuple[Check, Check, Check]
    faults: tuple[Fault, ...] = ()
    required: frozenset[str] = frozenset()
    learned: Learned | None = None
    proof: Proof | None = None
    remembered: int = 0
    is_remembered: bool = False

    @property
    def excluded(self) -> str:
        """What may be said of the end of a closed run: who could have cut or rewritten it."""
        if self.checks[0].result != PASSED:
            return ""
        if self.is_remembered:
            return "closed, in a log that is as it was remembered"
        return "closed; a rewrite by whoever holds the key of the log not excluded"


class _Compared(NamedTuple):
    """What came of comparing with the head remembered; `size` is its own where it was continued."""

    check: Check
    is_remembered: bool = True
    is_new: bool = False
    fault: Fault | None = None
    proof: Proof | None = None
    size: int = 0


def standing_of(shown: Shown, trust: Trust, option: str = "") -> Standing:
    """Judge a head by whom somebody believes. Raises InputError for a memory that is damaged.

    `option` is what was given that needs a signature, to be named where there is none.
    """
    if shown.note is None or not (trust.keys or trust.policy):
        return _without_keys(shown, option)
    verdict = judge_head(shown.note, None, None, None, trust.keys, trust.policy)
    required = {"signer", "log", "time"} if trust.names_witnesses else {"signer", "log"}
    if shown.misfit:
        reason = "what is signed is not the head of these entries"
        checks = (_open("signer", reason), _open("time", reason), _failed_log())
        return Standing(checks, (), frozenset(required))
    signer, faults = _signer(verdict, shown, trust)
    is_signed = bool(verdict.signers) and not verdict.faults
    time = _time(verdict, trust) if is_signed else _open("time", "no outside clock", "time")
    if not is_signed:
        log = _failed_log() if shown.is_broken else _open("log", _unsigned(signer), "log")
        return Standing((signer, time, log), tuple(faults), frozenset(required))
    compared = _compared(shown, shown.note, trust)
    if not compared.is_remembered:
        required.discard("log")
    if compared.fault is not None:
        faults.append(compared.fault)
    log = compared.check
    if shown.is_broken and log.result != FAILED:
        log = _failed_log()
    elif shown.doubt and log.result == PASSED:
        log = _open("log", shown.doubt)
    learned = Learned(shown.head, _bytes_of(shown.note)) if compared.is_new else None
    return Standing(
        (signer, time, log), tuple(faults), frozenset(required), learned, compared.proof,
        compared.size if log.result == PASSED else 0,
    )  # fmt: skip


def _without_keys(shown: Shown, option: str) -> Standing:
    """Answer where nobody signed, or nobody says whose signature counts."""
    given = f", and {option} was given" if option else ""
    signer = _open("signer", f"nothing here is signed{given}", "signer")
    if shown.note is not None:
        signer = Check("signer", NOT_CHECKED, None, "no key given", "add --key VKEY")
    log = _failed_log()
    if not (shown.is_broken or shown.misfit):
        log = _open("log", shown.doubt or _NOTHING_OUTSIDE, "log")
    return Standing((signer, _open("time", "no outside clock", "time"), log))


def _signer(verdict: HeadVerdict, shown: Shown, trust: Trust) -> tuple[Check, list[Fault]]:
    faults = [
        Fault(fault.kind, fault.what, "head")
        for fault in verdict.faults
        if fault.kind != HEAD_MISMATCH
    ]
    if any(fault.kind == BAD_SIGNATURE for fault in faults):
        return Check("signer", FAILED), faults
    if faults:
        logs = trust.log_keys(shown.head.origin)
        is_without = not logs and all(key.kind != ED25519 for key in trust.keys)
        if is_without or any(key.name in verdict.unchecked for key in logs):
            return _open("signer", faults[0].detail), []
        return Check("signer", FAILED), faults
    if shown.doubt or shown.is_broken:
        return _open(
            "signer", shown.doubt or "not every entry is under the head that is signed"
        ), []
    return Check("signer", PASSED, ", ".join(verdict.signers)), []


def _unsigned(signer: Check) -> str:
    if signer.result == FAILED:
        return "the head is not signed by a key that was given"
    return signer.reason or ""


def _time(verdict: HeadVerdict, trust: Trust) -> Check:
    if not trust.names_witnesses:
        return _open("time", "no outside clock", "time")
    if not verdict.is_policy_met:
        return _open("time", verdict.unmet)
    if verdict.cosigned is None:
        return _open("time", "cosigned, and none of the cosignatures has a time")
    first, last = (text_of_seconds(seconds) for seconds in verdict.cosigned)
    when = first if first == last else f"{first} to {last}"
    return Check("time", PASSED, f"cosigned {when} by {', '.join(verdict.cosigners)}")


def _compared(shown: Shown, note: Note, trust: Trust) -> _Compared:
    """Compare a signed head with the one remembered of its log."""
    if trust.memory is None:
        text = "no head is remembered (--seen none)"
        return _Compared(_open("log", text, "log"), is_remembered=False)
    found = trust.memory.recall(shown.head.origin)
    compared = _compared_with(found, shown, note, trust)
    if compared.is_new and (held := trust.memory.hold(shown.head.origin)) != found:
        # Somebody else has remembered one since: it counts, and no other comes now.
        compared = _compared_with(held, shown, note, trust)
    return compared


def _compared_with(found: Remembered | None, shown: Shown, note: Note, trust: Trust) -> _Compared:
    head = shown.head
    if found is None:
        return _Compared(_open("log", "first visit", "log"), is_remembered=False, is_new=True)
    old = _believed(found, head.origin, trust)
    if old.size == head.size:
        if old.root != head.root:
            return _forked(shown, note, found, old, None, trust)
        same = Check("log", PASSED, f"the head remembered, size {head.size}")
        return _Compared(same, size=old.size)
    if old.size > head.size:
        if not shown.is_all:
            return _Compared(_open("log", f"older than the head remembered, size {old.size}"))
        text = f"the log has {head.size} entries, and had {old.size} when it was seen before"
        return _Compared(_failed_log(), fault=Fault(ROLLED_BACK_LOG, text, "remembered"))
    path = shown.path_from(old.size)
    if path is None:
        text = f"remembered size {old.size}: ask for export --since {old.size}"
        return _Compared(_open("log", text))
    pair = folded_pair(old.size, head.size, path)
    if pair is None or pair[1] != head.root:
        text = f"the consistency path from size {old.size} does not lead to the head"
        return _Compared(_open("log", text))
    if pair[0] != old.root:
        return _forked(shown, note, found, old, path, trust)
    grown = Check("log", PASSED, f"consistent with size {old.size}")
    return _Compared(grown, is_new=True, size=old.size)


def _believed(found: Remembered, origin: str, trust: Trust) -> Checkpoint:
    """Return the head that is remembered. Raises InputError where it is none that can be believed."""
    note = parse_note(found.note, found.where)
    old = parse_checkpoint(note.text, found.where)
    if old.origin != origin:
        raise InputError(found.where, f"remembers another log ({old.origin}), not {origin}")
    verdict = judge_head(note, origin, None, None, trust.keys, trust.policy)
    if verdict.faults or not old.size:
        what = verdict.faults[0].what if verdict.faults else "an empty log"
        raise InputError(found.where, f"does not hold a head to compare with: {what}")
    return old


def _forked(
    shown: Shown,
    note: Note,
    found: Remembered,
    old: Checkpoint,
    path: Sequence[bytes] | None,
    trust: Trust,
) -> _Compared:
    """Say that the head remembered and the one shown cannot be of one history."""
    head = shown.head
    text = (
        f"{head.origin} has shown two histories: size {old.size} root {old.root.hex()} before, "
        f"size {head.size} root {head.root.hex()} now"
    )
    both = TwoHistories((found.note, _bytes_of(note)), None if path is None else tuple(path))
    conviction, proof = is_conviction(both, trust.log_keys(head.origin)), None
    if conviction.key is not None:
        key = conviction.key
        vkey = vkey_text(key.name, key.kind, key.public)
        proof = Proof(head.origin, two_histories_bytes(both), vkey)
    return _Compared(_failed_log(), fault=Fault(FORKED_LOG, text, "head"), proof=proof)


def _bytes_of(note: Note) -> bytes:
    return note_bytes(note.text, note.signatures)


def _failed_log() -> Check:
    return Check("log", FAILED)


def _open(line: str, reason: str, word: str = "") -> Check:
    return Check(
        line, NOT_CHECKED, None, reason, f"see: toolreplay explain {word}" if word else None
    )
