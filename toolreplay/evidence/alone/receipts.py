"""Receipts alone, judged as they stream past: each by itself, no order and no close around them.

Of our own profile more is known, and more can be wrong: what stands outside must be what the
committed bytes say (IDB-10). Content that is not carried cannot be looked at, and is counted.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import BinaryIO

from toolreplay.errors import InputError
from toolreplay.evidence.aer1.anchor import LOCAL_ONLY, VERIFIED
from toolreplay.evidence.aer1.identity import NOT_SUPPLIED
from toolreplay.evidence.aer1.receipt import ReceiptReport, check_receipt
from toolreplay.evidence.aer1.rule_check import failures_of
from toolreplay.evidence.aer1.tiers import is_class
from toolreplay.evidence.alone.calls import (
    foreign_call,
    is_ours,
    other_version_note,
    tool_name,
)
from toolreplay.evidence.alone.delivered import Delivered, documents_of, receipt_in
from toolreplay.evidence.bundle.calls import CallReader, doubted, unreadable_call
from toolreplay.evidence.bundle.order import ReceiptOrder
from toolreplay.evidence.bundle.receipts import ReadReceipt, pieces_of, read_receipt
from toolreplay.evidence.bundle.unsigned import unsigned_checks
from toolreplay.evidence.digests import SeenTexts
from toolreplay.evidence.profile.piece import DETACHED, SEALED_PIECE, kind_of_piece
from toolreplay.evidence.record import Asked, Fault, counted
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check
from toolreplay.records.call import Json, JsonObject, Place, ReceiptFacts, ToolCall
from toolreplay.records.limits import Limits
from toolreplay.records.run import NO_PROVENANCE

__all__ = ["ReceiptsChecker", "fault_text", "report_of"]

_MOST_NAMED = 20
_MOST_TOLD = 3
_IN_THE_BYTES = frozenset(
    {"canonical_bytes", "output_hash", "canonical_byte_length", "hash_algorithm"}
)
_COMPARED = frozenset({"receipt_schema_version", "provenance_class"})
_AFTER_DIGEST = ("provenance class",)
"""What cannot hold where the digest is wrong, and says nothing new."""


class ReceiptsChecker:
    """The evidence of receipts alone (see RecordEvidence); `calls` reads them to their end.

    `provenance` is the class of the first receipt, where it is one of the grammar. Raises
    InputError where the file cannot be read, there or while the calls are.
    """

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        documents = documents_of(file, limits)
        first = list(islice(documents, 2))
        self._documents = chain(first, documents)
        self._has_many = len(first) > 1
        self.provenance = _class_of(receipt_in(first[0].value)) if first else NO_PROVENANCE
        self._reader = CallReader(limits, lambda _: None)
        self._asked = Asked()
        self._ids = SeenTexts()
        self._faults: list[Fault] = []
        self._receipts = self._unsound = self._sealed = self._absent = 0
        self._failed: set[str] = set()
        self._counts: dict[str, int] = {}
        self._classes: dict[str, int] = {}
        self._consistent = 0
        self._states: dict[str, int] = {}
        self._unknown: dict[str, None] = {}
        self._delivered: dict[str, Json] = {}
        self._shape: tuple[Json, ...] = ()
        self._order: ReceiptOrder | None = None
        self._linked = 0
        self._unlinked = ""

    def begin(self, asked: Asked) -> None:
        """Say what was handed in, before the first call is read.

        Raises InputError where it is about one receipt and there are more.
        """
        if self._has_many and (asked.expected_id is not None or asked.has_resolved_record):
            given = "--resolved-record" if asked.expected_id is None else "--expected-id"
            raise InputError("", f"{given} is about one receipt, and here are several")
        self._asked = asked

    def take(self) -> list[Fault]:
        """Return what was found since the last time."""
        found, self._faults = self._faults, []
        return found

    def calls(self) -> Iterator[ToolCall]:
        """Yield a call a receipt, but none for the receipt that closes a run."""
        index = 0
        for delivered in self._documents:
            call, faults, is_close = self._receipt(delivered)
            self._receipts += 1
            if faults:
                self._take(faults, None if is_close else index)
                call = doubted(call)
            if not is_close:
                yield call._replace(index=index)
                index += 1

    def _take(self, faults: list[Fault], index: int | None) -> None:
        self._unsound += any(fault.kind == "broken-commitment" for fault in faults)
        for fault in faults:
            self._failed.add(fault.kind)
            self._faults.append(fault._replace(index=index))

    def _receipt(self, delivered: Delivered) -> tuple[ToolCall, list[Fault], bool]:
        receipt = receipt_in(delivered.value)
        report = report_of(receipt, self._asked)
        self._note(report)
        is_usual = report.is_usual and self._asked.level == "default"
        text = "" if is_usual else fault_text(report, self._asked.level)
        if delivered.twice is not None:
            twice = f"members once: the member '{delivered.twice}' stands twice in one object"
            text = f"{twice}; {text}" if text else twice
        faults = [Fault("broken-commitment", text, "receipt")] if text else []
        if report.receipt is None:
            return unreadable_call(None, delivered.place, None), faults, False
        own = report.receipt.get("id")
        if type(own) is str and not self._ids.add(own):
            faults.append(Fault("duplicate-receipt", "its id is that of a receipt before it", "id"))
        if is_ours(report.value):
            call, is_close = self._ours(report.receipt, delivered.place, faults)
            return call, faults, is_close
        facts = ReceiptFacts(
            own if type(own) is str else None, report.read.digest or "", report.provenance_class
        )
        self._note_delivered(report)
        at = report.receipt.get("created_at")
        tool = report.receipt.get("tool")
        return foreign_call(tool, report.read, facts, at, delivered.place), faults, False

    def _ours(
        self, receipt: JsonObject, place: Place, faults: list[Fault]
    ) -> tuple[ToolCall, bool]:
        """Judge what our own profile adds; return the call, and whether it is the close receipt."""
        read = read_receipt(receipt, self._asked.now)
        if read.committed is None and not faults:
            return self._other_version(receipt, read, place, faults), False
        if not faults:
            faults += [Fault("broken-commitment", text, "receipt") for text in read.faults[:1]]
        for name in read.unknown:
            if len(self._unknown) < _MOST_NAMED:
                self._unknown[name[:100]] = None
        if read.committed is None:
            return unreadable_call(tool_name(receipt.get("tool")), place, read.facts), False
        self._link(read, faults)
        for _, piece in pieces_of(read.committed):
            kind = kind_of_piece(piece)
            self._absent += kind == DETACHED
            self._sealed += kind == SEALED_PIECE
        if read.is_close:
            return unreadable_call(None, place, read.facts), True
        return self._reader.call(read.committed, read.facts, place), False

    def _note_delivered(self, report: ReceiptReport) -> None:
        """Take the members that nothing binds; with a schema version of today two more are bound."""
        assert report.receipt is not None
        shape = (*report.receipt, report.legacy)
        if shape == self._shape:
            return  # as the receipt before it, which most of one producer are
        self._shape = shape
        names = report.receipt.keys() - _IN_THE_BYTES
        if not report.legacy:
            names -= _COMPARED
        for name in names - self._delivered.keys():
            if len(self._delivered) < _MOST_NAMED:
                self._delivered[name[:100]] = report.receipt[name]

    def _link(self, read: ReadReceipt, faults: list[Fault]) -> None:
        """Hold a receipt of ours against the one before it, where that is here.

        Receipts alone may be a selection: what is missing, or stands elsewhere, is no fault.
        """
        assert read.committed is not None
        if self._order is None:
            self._order = ReceiptOrder(read.committed["binding"]["job_id"])
        self._linked += 1
        for fault in self._order.take(read):
            if fault.subject == "prev_digest":
                faults.append(fault)
            else:
                self._unlinked = self._unlinked or fault.detail

    def _other_version(
        self, receipt: JsonObject, read: ReadReceipt, place: Place, faults: list[Fault]
    ) -> ToolCall:
        """Read a receipt that holds, but has not the members of our profile, as a foreign one.

        Its bytes are as they were committed to: it is another version of the profile, no edit. What
        it says of its own id must be so all the same (IDB-10).
        """
        note = other_version_note(read.faults[0])
        self._counts[note] = self._counts.get(note, 0) + 1
        bound = read.report.value["binding"].get("receipt_id")
        if bound is not None and bound != receipt.get("id"):
            text = "id is not what the committed bytes say"
            faults.append(Fault("broken-commitment", text, "receipt"))
        at, tool = receipt.get("created_at"), receipt.get("tool")
        return foreign_call(tool, read.report.read, read.facts, at, place)

    def _note(self, report: ReceiptReport) -> None:
        for note in report.notes:
            if not note.startswith("future: "):
                self._counts[note] = self._counts.get(note, 0) + 1
        outcome = report.anchor.outcome
        if report.anchor.present:
            shown = f"{outcome}: {LOCAL_ONLY}" if outcome == VERIFIED else outcome
            self._consistent += outcome == VERIFIED
            self._counts[f"anchor: {shown}"] = self._counts.get(f"anchor: {shown}", 0) + 1
        claimed = _class_of(report.receipt)
        if claimed in self._classes or len(self._classes) < _MOST_NAMED:
            self._classes[claimed] = self._classes.get(claimed, 0) + 1
        self._states[report.id_state] = self._states.get(report.id_state, 0) + 1

    def checks(self) -> Iterator[Check]:
        """Answer the report lines, after the last call."""
        count = f"{self._receipts - self._unsound:,} of {self._receipts:,}"
        if self._absent:
            count += f"; {counted(self._absent, 'piece')} not available"
        if self._sealed:
            count += f"; {counted(self._sealed, 'sealed piece')} not opened"
        failed = bool(self._unsound) or not self._receipts
        yield Check("contents", FAILED if failed else PASSED, count)
        if self._failed & {"duplicate-receipt", "broken-link"}:
            yield Check("links", FAILED)
        elif self._order is not None and self._linked > 1:
            missing = next((fault.detail for fault in self._order.missing()), "")
            reason = self._unlinked or missing
            if reason:
                yield Check("links", NOT_CHECKED, None, reason, "see: toolreplay explain links")
            else:
                yield Check("links", PASSED, counted(self._linked, "receipt"))
        log = "the receipts are in no log"
        if self._consistent:
            log = "an anchor names a log, which was not contacted"
        yield from unsigned_checks(self._asked, log)

    def unbound(self) -> Iterator[tuple[str, Json]]:
        """Name what the bytes of receipts of other producers do not cover, as it was delivered."""
        if self._receipts == 1:
            yield from self._delivered.items()
        elif self._delivered:
            yield "members outside the bytes", sorted(self._delivered)

    def stands(self, _: Fault) -> bool:
        """Say that every fault stands: nothing that comes later takes one back."""
        return True

    def standing(self) -> None:
        """Return nothing: it shows no head of a log."""

    def erased(self) -> int:
        """Return 0: only a bundle says what was erased."""
        return 0

    def doubt(self) -> str:
        """Return why nothing can be said of these calls as they stand, or nothing."""
        return "a receipt does not hold" if self._failed else ""

    def seconds(self) -> float | None:
        """Say nothing of time: receipts alone are no run from its start to its end."""
        return None

    def notes(self) -> Iterator[str]:
        """Return lines about the receipts that are neither findings nor checks."""
        if self._asked.level != "default":
            yield f"level: {self._asked.level}"
        if len(self._classes) > 1:
            classes = ", ".join(f"{name} ({count:,})" for name, count in self._classes.items())
            yield f"provenance classes differ: {classes}"
        if self._asked.expected_id is not None or self._asked.has_resolved_record:
            yield from (f"id_state: {state}" for state in self._states)
        for note, count in self._counts.items():
            yield note if count == self._receipts == 1 else f"{note} ({counted(count, 'receipt')})"
        for name in self._unknown:
            yield f"unknown member: {name}"


def report_of(receipt: Json, asked: Asked) -> ReceiptReport:
    """Check a receipt with what was handed in."""
    return check_receipt(
        receipt,
        now=asked.now,
        expected_id=asked.expected_id,
        resolved_record=asked.resolved_record if asked.has_resolved_record else NOT_SUPPLIED,
        with_anchor=asked.with_anchor,
    )


def fault_text(report: ReceiptReport, level: str) -> str:
    """Say in one line which checks failed, or nothing.

    A wrong digest and bytes in another spelling are two things: the first says that the content
    was changed, the second that its producer serialises differently.
    """
    failures = failures_of(report.checks_at(level))
    names = {check.name for check in failures}
    told: list[str] = []
    for check in failures:
        if check.name == "digest" and "base64" not in names:
            told.insert(0, f"digest wrong: {check.reason}")
        elif check.name == "canonical form" and "digest" not in names:
            told.append(f"digest ok, not canonical: {check.reason}")
        elif check.name not in _AFTER_DIGEST or "digest" not in names:
            told.append(f"{check.name}: {check.reason}")
    more = len(told) - _MOST_TOLD
    return "; ".join(told[:_MOST_TOLD]) + (f" (and {more} more)" if more > 0 else "")


def _class_of(receipt: Json) -> str:
    claimed = receipt.get("provenance_class") if type(receipt) is dict else None
    return claimed if type(claimed) is str and is_class(claimed) else NO_PROVENANCE
