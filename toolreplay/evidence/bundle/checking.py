"""Judge a bundle as it streams past: every entry by itself, in its place, and against the close.

What is checked, in the order of the file: each receipt and each piece it needs; its place in the
run, in the chain and among the intents; the entries that no chain covers, through the close
receipt; steps, workflow close and commitment, recomputed from the receipts. A consequence is not
reported as a second cause: where receipts do not hold, what is computed from them is not compared.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import BinaryIO

from toolreplay.errors import InputError
from toolreplay.evidence.bundle.absent import OF_PIECES, SEALED, Absent
from toolreplay.evidence.bundle.calls import CallReader, doubted, unreadable_call
from toolreplay.evidence.bundle.ending import Ending
from toolreplay.evidence.bundle.entry_lines import contents_check, links_check
from toolreplay.evidence.bundle.in_log import InLog
from toolreplay.evidence.bundle.intents import Intents
from toolreplay.evidence.bundle.lines import ENTRY_LINE, BundleLine
from toolreplay.evidence.bundle.needed import NeededPieces
from toolreplay.evidence.bundle.opening import capture_fault, opening_of, other_class
from toolreplay.evidence.bundle.order import INTRUDERS, ReceiptOrder
from toolreplay.evidence.bundle.pieces import CarriedPieces
from toolreplay.evidence.bundle.plain import plain_fault, unknown_of_plain
from toolreplay.evidence.bundle.positions import Held, InPosition, Numbers
from toolreplay.evidence.bundle.reading import bundle_lines
from toolreplay.evidence.bundle.receipts import (
    ReadReceipt,
    length_of_pieces,
    read_receipt,
)
from toolreplay.evidence.bundle.remarks import Remarks, kept_elsewhere
from toolreplay.evidence.bundle.span import Span
from toolreplay.evidence.bundle.unsigned import unsigned_checks
from toolreplay.evidence.profile.entry import commit_of, kind_by_profile
from toolreplay.evidence.record import Asked, Fault, counted
from toolreplay.evidence.tlog.standing import Standing
from toolreplay.findings.check import NOT_CHECKED, Check
from toolreplay.records.call import Json, JsonObject, Place, ToolCall
from toolreplay.records.jsonl import line_parser
from toolreplay.records.limits import Limits

__all__ = ["BundleChecker"]

_MOST_NAMED = 20
_OF_LOG = frozenset({"consistency", "checkpoint", "head"})
_NOT_NEEDED = "the piece before it is needed by no entry"

_BEHIND = "entry {} stands behind the close receipt, which ends a record"
_MOVED = {True: "stands behind a later one: entries have changed places", False: "stands twice"}

_CONTENTS = frozenset({"broken-commitment", "missing-piece", "missing-entry"})
_LINKS = frozenset({"broken-link", "duplicate-receipt", "missing-receipt"})
_ENDING = frozenset(
    {
        "call-after-close", "commitment-mismatch", "root-mismatch", "truncated-run",
        "unclosed-run", "workflow-mismatch",
    }
)  # fmt: skip
_SIGNER = frozenset({"bad-signature", "unknown-signer"})
_LOG = frozenset({"broken-inclusion", "forked-log", "head-mismatch"})
"""Kinds by the line they make fail; audits/recompute lists the same."""

_Numbered = Iterator[tuple[ToolCall, tuple[Fault, ...]]]


class BundleChecker:
    """The evidence of one bundle (see RecordEvidence); `calls` reads it to its end.

    `run` and `opened`, the payload of the first entry, are there after construction. Raises
    InputError where the file cannot be read, there or while the calls are.
    """

    def __init__(
        self, file: BinaryIO, limits: Limits, raw: Callable[[int, int], bytes] | None
    ) -> None:
        self._raw = raw
        self._parse = line_parser(limits)
        self._lines = bundle_lines(file, limits)
        first = next(self._lines, None)
        if first is None:
            raise InputError("line 1", "is missing: a bundle has a first line")
        self.run: str = first.value["run"]
        self._waiting = [line for line in [next(self._lines, None)] if line is not None]
        self.opened = opening_of(self._waiting)
        self._asked = Asked()
        self._pieces = CarriedPieces(limits, raw)
        self._reader = CallReader(limits, self._pieces.content_of)
        self._in_position = InPosition(self._again)
        self._order, self._intents = ReceiptOrder(self.run), Intents()
        self._in_log = None
        if first.value["origin"] is not None:
            self._in_log = InLog(self.run, first.value["origin"], first.value["size"])
        self._ending = Ending(self.run, in_log=self._in_log is not None)
        self._faults: list[Fault] = []
        self._is_heard = False
        self._suspect: BundleLine | None = None
        self._suspect_commit = b""
        self._failed: set[str] = set()
        self._is_doubted = self._is_without_entries = False
        self._numbers, self._last_number = Numbers(), 0
        self._receipts = self._unsound = 0
        self._remarks = Remarks()
        self._pending: list[Fault] = []
        self._absent = Absent()
        self._needed = NeededPieces(self._pieces, self._absent)
        self._span = Span()
        self._standing: Standing | None = None

    def begin(self, asked: Asked) -> None:
        """Say what was handed in, before the first call is read."""
        self._asked = asked
        self._is_heard = True

    def take(self) -> Iterable[Fault]:
        """Return what was found since the last time."""
        found, self._faults = self._faults, []
        return found

    def calls(self) -> Iterator[ToolCall]:
        """Yield the calls in the order they began, and judge the file to its end."""
        for line in self._all_lines():
            if line.kind == "piece":
                self._pieces.take(line)
                continue
            self._pieces.refuse_unfinished(f"line {line.number}")
            if line.kind == "entry":
                yield from self._told(self._entry(line))
            else:
                if self._pieces.has_waiting and not self._is_doubted:
                    raise InputError(f"line {line.number}", _NOT_NEEDED)
                if self._in_log is not None and line.kind in _OF_LOG:
                    self._in_log.take_line(line)
                else:
                    self._ending.take_line(line)
        for position, intent in sorted(self._intents.open.items()):
            call = self._again(intent.place)
            faults = tuple(self._needed.of_piece("args", intent.args))
            held = Held(call, intent.place, faults, stretch=self._stretch)
            yield from self._told(self._in_position.take(position, held))
        yield from self._told(self._in_position.finish())
        self._finish()

    def _all_lines(self) -> Iterator[BundleLine]:
        yield from self._waiting
        self._waiting = []
        yield from self._lines

    def _told(self, numbered: _Numbered) -> Iterator[ToolCall]:
        for call, faults in numbered:
            for fault in faults:
                self._add(fault)
            yield call

    def _add(self, fault: Fault) -> None:
        """Report a fault; one that is open counts once nothing to come can take it back."""
        if fault.kind == SEALED:
            self._absent.take_sealed(fault)
            return
        if self._is_heard:
            self._faults.append(fault)
        if fault.is_open:
            self._pending.append(fault)
            return
        self._failed.add(fault.kind)
        self._is_doubted = True

    def stands(self, fault: Fault) -> bool:
        """Say, after the last call, whether a fault that was open stands."""
        if fault.kind == "missing-piece":
            return not self._absent.is_erased(fault.subject)
        return self._intents.is_without(fault.subject)

    @property
    def _stretch(self) -> int:
        """Which part of the record this is: between two of one part nothing is known to be gone."""
        return self._remarks.gaps + len(self._absent.entries)

    # One entry.

    def _entry(self, line: BundleLine) -> _Numbered:
        if self._suspect is not None:
            yield from self._receipt(self._suspect, self._suspect_commit)
            self._suspect = None
        number, payload = line.value["entry"], line.value["payload"]
        if line.payload is None:
            commit = bytes.fromhex(line.value["commit"])
        else:
            commit = commit_of(bytes.fromhex(line.value["salt"]), line.payload)
        if self._in_log is not None:
            number = self._in_log.take(line, commit)
        is_new, is_late = self._numbers.take(number + 1), number + 1 < self._last_number
        self._last_number = number + 1
        if line.payload is None:
            self._erased_entry(number, commit)
            return
        kind = kind_by_profile(payload)
        if number == 0 and kind != "open":
            self._add(Fault("missing-entry", "no entry opens the run: entry 0 must", "open"))
        if self._ending.is_closed and kind != "erase":
            yield from self._behind_the_close(kind, line, number)
        elif kind == "receipt":
            yield from self._receipt(line, commit)
        else:
            self._ending.add_commit(commit)
            self._plain(kind, line, number)
        if (is_late or not is_new) and not self._is_doubted:
            self._add(Fault("broken-link", f"entry {number} {_MOVED[is_new]}", number))
        extra = self._needed.settle()
        if extra and not self._is_doubted:
            raise InputError(f"line {line.number}", _NOT_NEEDED)

    def _leaf_faults(self, kind: str | None, others: Sequence[Fault] = ()) -> list[Fault]:
        """Return what is wrong with the leaf of this entry, where no other fault of it says so."""
        if self._in_log is None:
            return []
        found = self._in_log.faults_of_last(kind)
        if found:
            self._order.doubt()
        return [] if any(fault.kind not in OF_PIECES for fault in others) else found

    def _erased_entry(self, number: int, commit: bytes) -> None:
        if self._ending.is_closed:
            self._add(Fault("call-after-close", _BEHIND.format(number), number))
            return
        for fault in self._leaf_faults(None):
            self._add(fault)
        self._absent.entries[commit.hex()] = number
        self._remarks.note_erased(number)
        self._order.pass_over_erased()
        kind = None if self._in_log is None else self._in_log.kind_of_last
        self._ending.note_erased(is_close=kind == "close")
        self._ending.add_commit(commit)

    def _behind_the_close(self, kind: str | None, line: BundleLine, number: int) -> _Numbered:
        """Name what stands behind the close receipt, and judge nothing else of it."""
        fault = Fault("call-after-close", _BEHIND.format(number), number)
        read = None
        if kind == "receipt":
            read = read_receipt(line.value["payload"], self._asked.now, self._asked.level)
        if read is None or read.is_close:
            self._add(fault)
            return
        if read.committed is not None and read.committed["binding"]["job_id"] == self.run:
            self._order.note(read.committed["binding"]["seq"])
        self._is_doubted = True
        self._receipts += 1
        self._unsound += bool(read.faults)
        place = line.place
        held = Held(self._call_of(read, line), place, (fault,), stretch=self._stretch)
        yield from self._in_position.take(None, held)

    def _receipt(self, line: BundleLine, commit: bytes) -> _Numbered:
        read = read_receipt(line.value["payload"], self._asked.now, self._asked.level)
        if read.is_close:
            self._close(read, line.value["salt"])
            return
        if read.is_named_close and self._suspect is None:
            # A close, unless another entry comes: then a call gave itself out.
            self._suspect, self._suspect_commit = line, commit
            self._is_doubted = True
            return
        self._ending.add_commit(commit)
        self._receipts += 1
        self._remarks.note_unknown(read.unknown)
        faults = [Fault("broken-commitment", text, "receipt") for text in read.faults[:1]]
        committed, position = read.committed, None
        if committed is None:
            self._order.pass_over()
        else:
            faults += self._needed.of_receipt(committed)
            misplaced = self._order.take(read)
            faults += misplaced
            if not any(fault.subject in INTRUDERS for fault in misplaced):
                faults += self._intents.outcome(committed, has_erased=bool(self._absent.entries))
                if text := capture_fault(self.opened, committed):
                    faults.append(Fault("broken-commitment", text, "capture"))
                self._remarks.note_class(other_class(self.opened, committed))
                self._ending.add_receipt(read)
                position = committed["binding"]["position"]
            self._span.take(committed["timing"])
        faults += self._leaf_faults(None if committed is None else "call", faults)
        self._unsound += any(fault.kind == "broken-commitment" for fault in faults)
        self._is_doubted |= any(fault.kind not in OF_PIECES for fault in faults)
        call = self._call_of(read, line)
        weight = line.end - line.start + length_of_pieces(committed)
        held = Held(call, line.place, tuple(faults), weight, self._stretch)
        yield from self._in_position.take(position, held)

    def _call_of(self, read: ReadReceipt, line: BundleLine) -> ToolCall:
        if read.committed is not None:
            call = self._reader.call(read.committed, read.facts, line.place)
            return doubted(call) if read.faults else call
        tool = line.value["payload"].get("tool")
        name = tool.get("name") if type(tool) is dict else tool
        return unreadable_call(name, line.place, read.facts)

    def _close(self, read: ReadReceipt, salt: str) -> None:
        self._remarks.note_unknown(read.unknown)
        committed = read.committed
        assert committed is not None
        faults = [Fault("broken-commitment", text, "close") for text in read.faults[:1]]
        faults += self._needed.of_receipt(committed)
        faults += self._order.take(read)
        for fault in faults:
            self._add(fault._replace(detail=f"the close receipt: {fault.detail}"))
        for fault in self._leaf_faults("close", faults):
            self._add(fault)
        self._ending.note_close(read, salt)
        self._say_missing()
        if self._is_doubted or self._order.count_missing:
            return
        across = not self._absent.entries
        found: list[Fault] = []
        if across:
            found += self._intents.faults_at_close(committed["close"]["unfinished"])
        for fault in found or self._ending.close_faults(across=across):
            self._add(fault)

    def _say_missing(self) -> None:
        """Report the entries whose numbers were passed over; receipts have a name of their own."""
        missing = list(self._numbers.missing())
        count = sum(last - first + 1 for first, last in missing)
        if count <= self._order.count_missing or self._is_without_entries:
            return
        self._is_without_entries = True
        for first, last in missing:
            which = (
                f"entry {first - 1} is"
                if first == last
                else f"entries {first - 1} to {last - 1} are"
            )
            self._add(Fault("missing-entry", f"{which} not here, and later ones are", first - 1))

    def _plain(self, kind: str | None, line: BundleLine, number: int) -> None:
        """Judge an entry that is no receipt."""
        payload = line.value["payload"]
        if kind is not None:
            self._remarks.note_unknown(unknown_of_plain(kind, payload))
        fault = plain_fault(kind, number, payload, self.run, self._asked.now)
        leaf_faults = self._leaf_faults(kind, [] if fault is None else [fault])
        for found in leaf_faults:
            self._add(found)
        if fault is not None:
            self._add(fault)
        elif kind == "start":
            is_doubted = bool(leaf_faults)
            for found in self._intents.start(payload, line.place, is_doubted=is_doubted):
                self._add(found)
            if payload["args"]["digest"] in self._pieces:  # else its outcome says so, or the end
                self._judge_piece(number, "args", payload["args"])
        elif kind == "gap":
            self._remarks.note_gap(payload)
        elif kind == "observe" and payload["piece"] is not None:
            self._judge_piece(number, "piece", payload["piece"])
        elif kind == "erase":
            self._absent.note_erased(payload["digests"])
            self._ending.note_erasure(payload, line.value["salt"])
            self._remarks.note_erasure(number, payload)

    def _judge_piece(self, number: int, where: str, piece: JsonObject) -> None:
        for fault in self._needed.of_piece(where, piece):
            self._add(fault._replace(detail=f"entry {number}: {fault.detail}"))

    def _again(self, place: Place) -> ToolCall:
        """Make a call from its line once more: it was not kept, or an intent is all there is."""
        assert self._raw is not None
        found = ENTRY_LINE.fullmatch(self._raw(place.start, place.end))
        if found is None:
            raise InputError(f"line {place.line}", "changed while it was read")
        payload = self._parse(found["payload"])
        if kind_by_profile(payload) == "start":
            return self._reader.intent(payload, place)
        read = read_receipt(payload, None)
        if read.committed is None:
            return unreadable_call(None, place, read.facts)
        call = self._reader.call(read.committed, read.facts, place)
        return doubted(call) if read.faults else call

    # The end.

    def _finish(self) -> None:
        if self._suspect is not None:
            read = read_receipt(self._suspect.value["payload"], self._asked.now)
            text = f"the close receipt: {read.faults[0]}"
            self._add(Fault("broken-commitment", text, "close"))
            self._ending.has_broken_close = True
        self._say_missing()
        for fault in self._order.missing():
            self._add(fault)
        for fault in self._absent.faults():
            self._add(fault)
        self._failed.update(fault.kind for fault in self._pending if self.stands(fault))
        across = not self._absent.entries
        for fault in self._ending.faults(
            self._order.digest, sound=not self._failed, may_be_open=self._asked.may_be_open
        ):
            self._add(fault)
        for fault in self._ending.outside_faults(self._asked, self._order.digest, across=across):
            self._add(fault)
        if self._in_log is not None:
            is_cut, is_doubted = self._ending.is_cut, self._is_doubted
            for fault in self._in_log.faults(is_cut=is_cut, is_doubted=is_doubted):
                self._add(fault)
            self._standing = self._in_log.standing(self._asked)
            for fault in self._standing.faults:
                self._add(fault)

    def standing(self) -> Standing | None:
        """Return what came of the head of the log; None where the run was in none, or is not read."""
        return self._standing

    def checks(self) -> Iterator[Check]:
        """Answer the report lines, after the last call."""
        erased = sum(1 for _ in self._absent.erased_sealed())
        yield contents_check(
            failed=bool(self._failed & _CONTENTS),
            receipts=self._receipts,
            unsound=self._unsound,
            sealed=self._absent.sealed,
            erased=erased
            + sum(
                fault.kind == "missing-piece" and not self.stands(fault) for fault in self._pending
            ),
            has_close=self._ending.close is not None,
        )
        yield links_check(
            failed=bool(self._failed & _LINKS),
            unsound=self._unsound,
            has_erased=bool(self._absent.entries),
        )
        doubt = self._ending.erased
        if self._failed - _SIGNER - _LOG:
            doubt = "what it closes does not hold"
        yield self._ending.check(
            self._asked,
            failed=bool(self._failed & _ENDING),
            doubt=doubt,
            excluded=self._standing.excluded if self._standing else "",
        )
        if self._standing is None:
            yield from unsigned_checks(self._asked, "the run was in no log")
        else:
            yield from self._standing.checks
        if self._remarks.gaps:
            reason = f"{counted(self._remarks.gaps, 'gap')} in the record"
            yield Check("coverage", NOT_CHECKED, None, reason, "see: toolreplay explain coverage")

    def erased(self) -> int:
        """Return how many entries were erased whole."""
        return len(self._absent.entries)

    def doubt(self) -> str:
        """Return why nothing can be said of these calls as they stand, or nothing."""
        return "the record does not hold" if self._failed else ""

    def seconds(self) -> float | None:
        """Return how long the run took, None where its calls have no times."""
        return self._span.seconds()

    def unbound(self) -> Iterator[tuple[str, Json]]:
        """Name what nothing commits to, with its value as delivered."""
        yield from self._ending.unbound()

    def notes(self) -> Iterator[str]:
        """Return lines about the record that are neither findings nor checks."""
        yield from self._ending.close_notes()
        is_signed = self._standing is not None and bool(self._standing.excluded)
        if not self._failed and self._asked.commitment is None and not is_signed:
            yield kept_elsewhere(has_roots=bool(self._asked.roots))
        yield from self._remarks.lines(has_untimed=bool(self._span.untimed))
        for line in islice(self._erased_lines(), _MOST_NAMED):
            yield f"erased: {line}"

    def _erased_lines(self) -> Iterator[str]:
        yield from self._erased_pieces()
        yield from self._absent.erased_sealed()
        yield from self._absent.erased_seen()

    def _erased_pieces(self) -> Iterator[str]:
        for fault in self._pending:
            if fault.kind == "missing-piece" and not self.stands(fault):
                place = "" if fault.index is None else f"index {fault.index}: "
                yield f"{place}{fault.detail}"
