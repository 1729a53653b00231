"""The end of a bundle: close receipt, steps, workflow close, commitment and end line.

All of it is recomputed from the receipts that came before, and compared member by member.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from hashlib import sha256

from toolreplay.evidence.aer1.base64_text import bytes_of_base64
from toolreplay.evidence.aer1.times import is_later, moment_of
from toolreplay.evidence.aer1.workflow import RootBuilder, receipt_id_leaf, seq_output_leaf
from toolreplay.evidence.bundle.closing import commitment_of, differences, workflow_of
from toolreplay.evidence.bundle.lines import BundleLine, step_of, step_text
from toolreplay.evidence.bundle.receipts import ReadReceipt
from toolreplay.evidence.profile.making import NOT_RECORDED
from toolreplay.evidence.profile.piece import is_digest
from toolreplay.evidence.record import Asked, Fault
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check
from toolreplay.records.call import Json, JsonObject

__all__ = ["Ending"]

_SHOWN_BYTES = 400
_MOST_SEQ = 2**64 - 1
_MOST_NAMED = 20
_PREFIX_BYTES = 8
"""Of each expected step line a part of its digest is kept, to name the step that differs; the
verdict is by the digest over all of them."""


class Ending:
    """Takes receipts and entries as they come, and then the lines that are derived from them.

    Of a run in a log (`in_log`) each entry has a leaf that commits to it, with its salt.
    """

    def __init__(self, run: str, *, in_log: bool = False) -> None:
        self._run = run
        self._in_log = in_log
        self.calls = 0
        self.entries = 0
        self._commits = sha256()
        self._outputs, self._ids = RootBuilder(), RootBuilder()
        self._by_status: dict[str, int] = {}
        self._wanted_steps = array("Q")
        self._found_steps = self._other_step = 0
        self._erased = self._before_erased = 0
        self._is_close_erased = False
        self._later_seqs, self._last_seq = array("Q"), 0
        self._step_root, self._unseen_steps, self._unseen = RootBuilder(), list[int](), 0
        self._wanted, self._found = sha256(), sha256()
        self.close: JsonObject | None = None
        self._lines: dict[str, Json] = {}
        self._links: list[Json] = []
        self._erasures: list[Json] = []
        self.has_end = self.has_broken_close = False
        self._end_fault = ""
        self.close_salt = ""

    def add_commit(self, commit: bytes) -> None:
        """Take the commitment of an entry before the close."""
        self.entries += 1
        self._commits.update(commit)

    def add_receipt(self, read: ReadReceipt) -> None:
        """Take the receipt of a call whose committed object can be read."""
        committed = read.committed
        assert committed is not None
        self.calls += 1
        seq, output = committed["binding"]["seq"], read.facts.output_hash
        self._outputs.add(seq_output_leaf(seq, output))
        self._ids.add(receipt_id_leaf(committed["binding"]["receipt_id"]))
        status = committed["outputs"]["status"]
        self._by_status[status] = self._by_status.get(status, 0) + 1
        line = step_text(step_of(seq, output, committed)).encode("utf-8") + b"\n"
        self._wanted.update(line)
        self._wanted_steps.append(_prefix_of(line))
        if self._erased:
            self._later_seqs.append(min(seq, _MOST_SEQ))

    @property
    def is_cut(self) -> bool:
        """Whether the tail is missing: the close receipt and all behind it, or the end line."""
        return not self.is_closed or not self.has_end

    @property
    def is_closed(self) -> bool:
        """Whether the close receipt came, or the entry that it stood in and that was erased."""
        return self.close is not None or self._is_close_erased

    @property
    def erased(self) -> str:
        """What was erased, as a reason why something is not checked, or nothing."""
        if self._is_close_erased:
            return "the close receipt was erased"
        return "entries were erased" if self._erased else ""

    def note_close(self, read: ReadReceipt, salt: str) -> None:
        """Take the close receipt."""
        assert read.committed is not None
        self.close, self.close_salt = read.committed, salt

    def note_erasure(self, payload: JsonObject, salt: str) -> None:
        """Take an `erase` entry; behind the close only its leaf commits to it, if it has one."""
        if self.close is not None and not self._in_log:
            self._erasures.append({"payload": payload, "salt": salt})

    def close_faults(self, *, across: bool) -> Iterator[Fault]:
        """Yield where the close receipt does not say what came before it.

        What is computed from receipts is compared where none was erased (`across`).
        """
        committed = self.close
        assert committed is not None
        close, entries = committed["close"], committed["close"]["entries"]
        if entries["count"] > self.entries:
            text = f"the close receipt counts {entries['count']} entries before it, {self.entries} are here"
            yield Fault("missing-entry", text, "entries")
        elif entries["count"] < self.entries:
            text = f"the close receipt counts {entries['count']} entries before it, {self.entries} are here"
            yield Fault("broken-commitment", text, "entries")
        elif entries["digest"] != self._commits.hexdigest():
            text = (
                "an entry that the chain does not cover (open, start, gap or observe), a salt, or "
                "what stands beside the bytes of a receipt is not what the close receipt commits to"
            )
            yield Fault("broken-commitment", text, "entries")
        if not across:
            return
        if close["count"] != self.calls or close["by_status"] != self._by_status:
            text = f"the close receipt counts {close['count']} calls otherwise than they are here"
            yield Fault("broken-commitment", text, "count")
        for name, root in (("merkle_root", self._outputs), ("receipt_id_root", self._ids)):
            if close[name] != (root.root() if self.calls else None):
                yield Fault("root-mismatch", f"the close receipt has another {name}", name)

    def take_line(self, line: BundleLine) -> None:
        """Take a line behind the entries."""
        if line.kind == "step":
            self._take_step(line)
        elif line.kind == "link":
            self._links.append(line.value["link"])
        elif line.kind == "end":
            self.has_end = True
            if line.value["end"] != line.number - 1 or line.value["sha256"] != line.before:
                self._end_fault = "the end line is not that of the lines before it"
        else:
            self._lines[line.kind] = line.value[line.kind]

    def _take_step(self, line: BundleLine) -> None:
        """Take a step line; all receipts stand before the first of them."""
        number = self._found_steps = self._found_steps + 1
        self._found.update(line.raw)
        if self._other_step:
            return
        place = number - 1
        if self._erased:
            seq = line.value["step"].get("seq")
            if type(seq) is not int or seq <= self._last_seq:
                self._other_step = number
                return
            self._last_seq = seq
            place = self._place_of(number := seq)
            output = line.value["step"].get("output_hash")
            self._step_root.add(seq_output_leaf(seq, output if is_digest(output) else ""))
            if place == len(self._wanted_steps):
                self._unseen += 1
                if self._unseen <= _MOST_NAMED:
                    self._unseen_steps.append(seq)
        if place < len(self._wanted_steps) and self._wanted_steps[place] != _prefix_of(line.raw):
            self._other_step = number

    def note_erased(self, *, is_close: bool = False) -> None:
        """Take an entry whose payload was erased: it may have been a receipt, or the close receipt."""
        self._is_close_erased |= is_close
        if not self._erased:
            self._before_erased = self.calls
        self._erased += 1

    def _place_of(self, seq: int) -> int:
        """Return where the receipt of a seq stands among those that are here, or behind them all."""
        if seq <= self._before_erased:
            return seq - 1
        at = bisect_left(self._later_seqs, seq)
        if at < len(self._later_seqs) and self._later_seqs[at] == seq:
            return self._before_erased + at
        return len(self._wanted_steps)

    def faults(
        self, final_entry_digest: str | None, *, sound: bool, may_be_open: bool = False
    ) -> Iterator[Fault]:
        """Yield what does not hold at the end; what receipts give only where these are `sound`."""
        if not self.has_end:
            yield Fault("truncated-run", "the file has no end line: its tail is missing", "end")
            return
        if self._end_fault and sound:
            yield Fault("broken-commitment", self._end_fault, "end")
        if self._is_close_erased:
            if sound:
                yield from self._steps_alone()
            return
        if self.close is None and self.has_broken_close:
            return
        if self.close is None:
            if not may_be_open:
                text = "the run has no close receipt: its tail may be missing"
                yield Fault("unclosed-run", text, "close")
            return
        if sound:
            yield from self._step_faults()
            yield from self._workflow_faults()
            yield from self._commitment_faults(final_entry_digest)

    def close_notes(self) -> Iterator[str]:
        """Yield what the close receipt says of the run, where somebody wrote it down."""
        if self.close is None:
            return
        if self.close["close"]["goal"] != NOT_RECORDED:
            yield f"goal: {self.close['close']['goal']}"
        result = self.close["outputs"]["result"]
        if self.close["close"]["answer_recorded"] and result is not None:
            text = f"a piece of {result.get('length', 'unknown')} bytes, sha256 {result['digest']}"
            if "b64" in result:
                text = bytes_of_base64(result["b64"])[:_SHOWN_BYTES].decode("utf-8", "replace")
            yield f"answer: {text}"

    def unbound(self) -> Iterator[tuple[str, Json]]:
        """Yield what nothing commits to, with its value as delivered."""
        if self.close is not None and not self._in_log:
            yield "salt of the close entry", self.close_salt
        for erasure in self._erasures:
            yield "erase", erasure
        commitment = self._lines.get("commitment")
        for name in ("workflow", "commitment") if self._is_close_erased else ():
            if name in self._lines:
                yield name, self._lines[name]
        if commitment is not None and "published_at" in commitment:
            yield "commitment.published_at", commitment["published_at"]
        if "declared" in self._lines:
            yield "declared", self._lines["declared"]
        if self._unseen_steps:
            seqs: Json = self._unseen_steps
            if self._unseen > _MOST_NAMED:
                seqs = [*self._unseen_steps, f"and {self._unseen - _MOST_NAMED:,} more"]
            yield "steps of erased receipts, but for seq and output_hash", seqs
        for link in self._links:
            yield "link", link

    @property
    def _count(self) -> int:
        """How many calls there were: of erased ones only the close receipt knows."""
        count: int = self.calls
        if self._erased and self.close is not None:
            count = self.close["binding"]["seq"] - 1
        return count

    @property
    def _lacks_steps(self) -> bool:
        """Whether steps of erased receipts are not here, but all of those that are."""
        if self._is_close_erased:
            return self._last_seq > self._found_steps
        told = self._found_steps - self._unseen == len(self._wanted_steps)
        return told and 0 < self._count - self._found_steps <= self._erased

    def _steps_alone(self) -> Iterator[Fault]:
        """Compare the steps with the receipts that are here; how many there were nobody says."""
        seq, unseen = self._other_step, self._unseen
        if not seq and self._found_steps - unseen == self.calls and unseen < self._erased:
            return
        text = f"{self._found_steps} steps stand here for {self.calls} receipts, and those erased"
        if seq:
            text = f"step {seq} is not what its receipt says"
        yield Fault("workflow-mismatch", text, seq or "steps")

    def _step_faults(self) -> Iterator[Fault]:
        assert self.close is not None
        count, seq = self._count, self._other_step
        if not self._erased and self._found.digest() == self._wanted.digest():
            return
        if self._erased and not seq and self._lacks_steps:
            return
        if self._erased and not seq and self._found_steps == count:
            if count and self._step_root.root() != self.close["close"]["merkle_root"]:
                text = "the steps do not give the workflow root of the close receipt"
                yield Fault("root-mismatch", text, "steps")
            return
        text = f"{self._found_steps} steps stand here for {count} receipts"
        if seq:
            text = f"step {seq} is not what its receipt says"
        yield Fault("workflow-mismatch", text, seq or "steps")

    def _workflow_faults(self) -> Iterator[Fault]:
        assert self.close is not None
        found = self._lines.get("workflow")
        if not self._count:
            if found is not None:
                yield Fault(
                    "workflow-mismatch", "a run without calls has no workflow close", "workflow"
                )
            return
        if found is None:
            yield Fault("workflow-mismatch", "the workflow close is missing", "workflow")
            return
        for name in differences(
            found, workflow_of(self.close["binding"]["receipt_id"], self.close)
        ):
            kind = "root-mismatch" if name.endswith("_root") else "workflow-mismatch"
            yield Fault(kind, f"the workflow close has another {name} than the receipts give", name)

    def _commitment_faults(self, final_entry_digest: str | None) -> Iterator[Fault]:
        found = self._lines.get("commitment")
        if found is None:
            yield Fault("commitment-mismatch", "the commitment is missing", "commitment")
            return
        wanted = commitment_of(self._run, final_entry_digest or "", self._count + 1, "")
        for name in differences(found, wanted):
            if name != "published_at":
                text = f"the commitment has another {name} than the chain"
                yield Fault("commitment-mismatch", text, name)
            elif moment_of(found.get(name)) is None:
                text = "published_at of the commitment is no time"
                yield Fault("commitment-mismatch", text, name)

    def outside_faults(
        self, asked: Asked, final_entry_digest: str | None, *, across: bool
    ) -> Iterator[Fault]:
        """Compare with what was kept elsewhere; always, whatever was found before.

        Where receipts were erased (not `across`) the close receipt says how many there were, and
        the steps give the root.
        """
        published = self._lines.get("commitment")
        at = published.get("published_at") if type(published) is dict else None
        if is_later(at, asked.now):
            text = "published_at of the commitment is later than the time it was held against"
            yield Fault("commitment-mismatch", text, "published_at")
        count = self.calls + (self.is_closed or self.has_broken_close)
        if not across and self.close is not None:
            count = self.close["binding"]["seq"]
        if asked.commitment is not None:
            given = asked.commitment
            if given["job_id"] != self._run:
                yield Fault(
                    "commitment-mismatch", "the commitment given is that of another run", "given"
                )
            elif self._is_close_erased and given["entry_count"] >= count:
                pass  # how many there were, and what the last one said, is erased
            elif given["entry_count"] > count:
                text = (
                    f"the commitment given counts {given['entry_count']} receipts, {count} are here"
                )
                yield Fault("truncated-run", text, "given")
            elif given["entry_count"] < count:
                text = (
                    f"the commitment given counts {given['entry_count']} receipts, {count} are here"
                )
                yield Fault("commitment-mismatch", text, "given")
            elif given["final_entry_digest"] != final_entry_digest:
                text = "the commitment given is over another chain of as many receipts"
                yield Fault("commitment-mismatch", text, "given")
        found, giving = (self._outputs.root() if self.calls else None), "receipts"
        if not across:
            found, giving = (self._step_root.root() if self._found_steps else None), "steps"
        is_out_of_reach = bool(self._other_step) or (not across and self._lacks_steps)
        for root in () if is_out_of_reach else asked.roots:
            if root != found:
                text = f"the {giving} give the root {found or 'of no call'}"
                yield Fault("root-mismatch", f"{text}, the one given is {root}", "given")

    def check(self, asked: Asked, *, failed: bool, doubt: str, excluded: str = "") -> Check:
        """Answer the line `ending`; a `doubt` is why what it closes was not compared.

        `excluded` is what something that was kept elsewhere says, beside what was handed in.
        """
        if failed:
            return Check("ending", FAILED)
        if doubt:
            return Check("ending", NOT_CHECKED, None, doubt)
        if asked.may_be_open and self.close is None:
            text = "the run is open: whoever records it has not closed it"
            return Check("ending", NOT_CHECKED, None, text)
        if asked.commitment is not None or asked.roots:
            if asked.commitment is not None:
                return Check("ending", PASSED, "closed, and as the commitment given says")
            text = "closed; the calls are those of the root given, which covers nothing else"
            return Check("ending", PASSED, text)
        text = excluded or "closed; cutting and rewriting by the holder not excluded"
        return Check("ending", PASSED, text)


def _prefix_of(line: bytes) -> int:
    return int.from_bytes(sha256(line).digest()[:_PREFIX_BYTES], "big")
