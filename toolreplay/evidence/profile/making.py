"""Make the entries of a run, one after the other, each from the head before it.

Every function is pure: it takes the run's head and what was observed, and returns the entry and
the next head, or raises and changes nothing. Ids, salts and times come in as arguments, so that a
store may ask again after losing a race. What has no form, or is no member, is refused before
anything is committed to.
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from toolreplay.errors import CanonicalError
from toolreplay.evidence.aer1.base64_text import base64_of
from toolreplay.evidence.aer1.chain import entry_digest
from toolreplay.evidence.aer1.receipt import check_receipt
from toolreplay.evidence.aer1.workflow import RootBuilder, receipt_id_leaf, seq_output_leaf
from toolreplay.evidence.profile.entry import Entry, commit_of
from toolreplay.evidence.profile.members import (
    CLOSE,
    COMMITTED,
    ERASE,
    GAP,
    OBSERVATION,
    OPEN,
    START,
    Grammar,
    provenance_of,
    refuse_faults,
    spelt,
)
from toolreplay.evidence.profile.piece import DETACHED, Piece, kind_of_piece, piece_of
from toolreplay.records.call import JsonObject
from toolreplay.records.canonical import aer1, aer1_text_of_parsed
from toolreplay.version import __version__

__all__ = [
    "CLOSE_TOOL",
    "FIRST_PREV",
    "NOT_RECORDED",
    "ObservedCall",
    "RunHead",
    "RunTotals",
    "call_entry",
    "chain_digest",
    "close_entry",
    "erase_entry",
    "gap_entry",
    "observe_entry",
    "open_entry",
    "start_entry",
    "tool_of",
]

FIRST_PREV = "0" * 64
CLOSE_TOOL = "toolreplay.close"
NOT_RECORDED = "not recorded"
"""The goal of a run whose goal nobody wrote down."""


class RunTotals(NamedTuple):
    """What grows with a run and only its close receipt says.

    `by_status` counts the calls by outcome, `commits` is the running SHA-256 over the entries'
    commitments, `outputs` and `ids` are the two workflow roots as they grow.
    """

    by_status: tuple[tuple[str, int], ...]
    commits: "hashlib._Hash"
    outputs: RootBuilder
    ids: RootBuilder

    @classmethod
    def of_nothing(cls) -> "RunTotals":
        """Return the totals of a run that has no entry yet."""
        return cls((), hashlib.sha256(), RootBuilder(), RootBuilder())

    def with_entry(self, commit: bytes) -> "RunTotals":
        """Return the totals with one more entry, by its commitment."""
        commits = self.commits.copy()
        commits.update(commit)
        return self._replace(commits=commits)

    def with_call(self, seq: int, status: str, output_hex: str, receipt_id: str) -> "RunTotals":
        """Return the totals with one more receipt of a call; its entry is taken by itself."""
        outputs, ids = self.outputs.copy(), self.ids.copy()
        outputs.add(seq_output_leaf(seq, output_hex))
        ids.add(receipt_id_leaf(receipt_id))
        counts = dict(self.by_status)
        counts[status] = counts.get(status, 0) + 1
        return self._replace(by_status=tuple(counts.items()), outputs=outputs, ids=ids)


class RunHead(NamedTuple):
    """Where a run stands: what the next entry continues.

    `entries` and `seq` count what is there, `position` is the last one given to a call. `totals`
    are None where whoever keeps the run reads them only for its close.
    """

    run: str
    entries: int
    seq: int
    position: int
    prev_digest: str
    totals: RunTotals | None

    @classmethod
    def of_new_run(cls, run: str) -> "RunHead":
        """Return the head of a run that has no entry yet."""
        return cls(run, 0, 0, 0, FIRST_PREV, RunTotals.of_nothing())

    def after(self, entry: Entry) -> "RunHead":
        """Return the head behind an entry that is no receipt."""
        totals = self.totals
        if totals is not None:
            totals = totals.with_entry(commit_of(entry.salt, entry.payload))
        return self._replace(entries=self.entries + 1, totals=totals)


class ObservedCall(NamedTuple):
    """A call as a layer saw it end; the members are those of the committed object.

    `created_at` is the moment it ended (UTC, milliseconds). `kept` are the pieces of inputs and
    outputs whose content is carried beside the receipt.
    """

    tool: JsonObject
    inputs: JsonObject
    outputs: JsonObject
    timing: JsonObject
    capture: JsonObject
    agent: JsonObject
    position: int
    created_at: str
    kept: tuple[Piece, ...] = ()
    parent: str | None = None


def chain_digest(committed: JsonObject, output_hex: str) -> str:
    """Return a receipt's digest in the chain of its run, by what it commits to."""
    binding: JsonObject = committed["binding"]
    return entry_digest(
        close="close" in committed,
        id=binding["receipt_id"],
        job_id=binding["job_id"],
        output_hash_hex=output_hex,
        prev_digest=binding["prev_digest"],
        provenance_class=committed["issuer_claims"]["provenance_class"],
        seq=binding["seq"],
        tool=committed["tool"]["name"],
    )


def tool_of(name: str, version: str = "unknown", scope: str = "unknown") -> JsonObject:
    """Return the committed tool; a lone surrogate gets its fixed escape (flag `name_escaped`)."""
    return {"name": spelt(name) or "unknown", "version": spelt(version), "scope": spelt(scope)}


def open_entry(head: RunHead, payload: JsonObject, salt: bytes) -> tuple[Entry, RunHead]:
    """Open a run. `payload` lacks profile, run and recorder, which are the same for all runs."""
    whole = {
        "profile": "toolreplay/open/1",
        "run": head.run,
        "recorder": {"name": "toolreplay", "version": __version__},
        **payload,
    }
    return _plain(head, "open", whole, OPEN, salt)


def start_entry(
    head: RunHead, payload: JsonObject, salt: bytes, kept: tuple[Piece, ...] = ()
) -> tuple[Entry, RunHead]:
    """Record an intent before its call leaves; `payload` lacks profile and run."""
    whole = {"profile": "toolreplay/intent/1", "run": head.run, **payload}
    entry, following = _plain(head, "start", whole, START, salt, kept)
    return entry, following._replace(position=max(head.position, payload["position"]))


def gap_entry(head: RunHead, payload: JsonObject, salt: bytes) -> tuple[Entry, RunHead]:
    """Record that something was not recorded; `payload` lacks profile."""
    return _plain(head, "gap", {"profile": "toolreplay/gap/1", **payload}, GAP, salt)


def observe_entry(
    head: RunHead, payload: JsonObject, salt: bytes, kept: tuple[Piece, ...] = ()
) -> tuple[Entry, RunHead]:
    """Record what was read back from the world; `payload` lacks profile."""
    whole = {"profile": "toolreplay/observation/1", **payload}
    return _plain(head, "observe", whole, OBSERVATION, salt, kept)


def erase_entry(head: RunHead, payload: JsonObject, salt: bytes) -> tuple[Entry, RunHead]:
    """Record that content was erased on purpose; `payload` lacks profile. May follow the close."""
    return _plain(head, "erase", {"profile": "toolreplay/erase/1", **payload}, ERASE, salt)


def call_entry(
    head: RunHead, call: ObservedCall, receipt_id: str, salt: bytes
) -> tuple[Entry, RunHead]:
    """Make the receipt of a call that ended; it takes the next place in the run's chain.

    Raises CanonicalError for what cannot be committed to.
    """
    committed = _committed(head, call, receipt_id, call.position)
    refuse_faults(committed, COMMITTED)
    entry, digest, output = _receipt(committed, call.kept, salt)
    seq, following = head.seq + 1, head.after(entry)
    totals = following.totals
    if totals is not None:
        totals = totals.with_call(seq, call.outputs["status"], output, receipt_id)
    following = following._replace(
        seq=seq,
        position=max(head.position, call.position),
        prev_digest=digest,
        totals=totals,
    )
    return entry, following


def close_entry(
    head: RunHead,
    call: ObservedCall,
    receipt_id: str,
    salt: bytes,
    *,
    status: str,
    closed_by: str,
    goal: str = NOT_RECORDED,
    answer: Piece | None = None,
    unfinished: Sequence[int] = (),
) -> tuple[Entry, RunHead]:
    """Make the close receipt: it ends the record, and says how much of it there is.

    Of `call` the capture, agent, timing and created_at are used. The roots leave it out. The head
    must have its totals.
    """
    totals = head.totals
    assert totals is not None
    given = piece_of(b"", "application/octet-stream") if answer is None else answer
    call = call._replace(
        tool=tool_of(CLOSE_TOOL, __version__, "run"),
        inputs={"args": piece_of(b"", "application/json").described},
        outputs={"result": given.described, "status": "ok", "flags": []},
        kept=(given,) if given.content is not None else (),
    )
    committed = _committed(head, call, receipt_id, None)
    committed["close"] = {
        "goal": spelt(goal) or NOT_RECORDED,
        "answer_recorded": answer is not None,
        "status": status,
        "count": head.seq,
        "by_status": dict(totals.by_status),
        "unfinished": sorted(unfinished),
        "merkle_version": "seq-output-v1",
        "merkle_root": totals.outputs.root() if head.seq else None,
        "receipt_id_root": totals.ids.root() if head.seq else None,
        "entries": {"count": head.entries, "digest": totals.commits.hexdigest()},
        "closed_by": closed_by,
    }
    refuse_faults(committed, CLOSE)
    entry, digest, _ = _receipt(committed, call.kept, salt)
    following = head.after(entry)._replace(seq=head.seq + 1, prev_digest=digest)
    return entry._replace(kind="close"), following


def _plain(
    head: RunHead,
    kind: str,
    payload: JsonObject,
    grammar: Grammar,
    salt: bytes,
    kept: tuple[Piece, ...] = (),
) -> tuple[Entry, RunHead]:
    refuse_faults(payload, grammar)
    entry = Entry(kind, aer1(payload), salt, kept)
    return entry, head.after(entry)


def _committed(
    head: RunHead, call: ObservedCall, receipt_id: str, position: int | None
) -> JsonObject:
    provenance = provenance_of(call.capture.get("layer", ""))
    if provenance is None:
        raise CanonicalError("capture.layer is none that a receipt can come from")
    binding: JsonObject = {
        "profile": "toolreplay/1",
        "receipt_id": receipt_id,
        "job_id": head.run,
        "seq": head.seq + 1,
        "position": position,
        "prev_digest": head.prev_digest,
        "created_at": call.created_at,
    }
    if call.parent is not None:
        binding["parent"] = call.parent
    return {
        "tool": call.tool,
        "inputs": call.inputs,
        "outputs": call.outputs,
        "timing": call.timing,
        "binding": binding,
        "capture": call.capture,
        "agent": call.agent,
        "issuer_claims": {"provenance_class": provenance},
        "receipt_schema_version": "0.4",
    }


def _receipt(committed: JsonObject, kept: tuple[Piece, ...], salt: bytes) -> tuple[Entry, str, str]:
    """Return the entry of a receipt, its digest in the chain, and the digest of its bytes."""
    for piece in kept:
        if kind_of_piece(piece.described) == DETACHED and piece.content is None:
            raise CanonicalError("a detached piece has no content to be kept")
    data = aer1(committed)
    output = hashlib.sha256(data).hexdigest()
    binding = committed["binding"]
    receipt: JsonObject = {
        "id": binding["receipt_id"],
        "receipt_schema_version": "0.4",
        "created_at": binding["created_at"],
        "tool": committed["tool"],
        "provenance_class": committed["issuer_claims"]["provenance_class"],
        "canonical_bytes": base64_of(data),
        "canonical_byte_length": len(data),
        "hash_algorithm": "sha256",
        "output_hash": f"sha256:{output}",
        "verification_status": "verified",
    }
    if not check_receipt(receipt, with_anchor=False).passed:
        raise CanonicalError("the finished receipt does not recompute")
    digest = chain_digest(committed, output)
    # All in it is text of ours or stands in the committed bytes: it has a form.
    payload = aer1_text_of_parsed(receipt).encode("utf-8")
    return Entry("call", payload, salt, kept, receipt, committed), digest, output
