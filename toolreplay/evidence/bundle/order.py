"""The receipts of a run in their order: none missing, none twice, each tied to the one before."""

from collections.abc import Iterator

from toolreplay.evidence.bundle.positions import Numbers
from toolreplay.evidence.bundle.receipts import ReadReceipt
from toolreplay.evidence.digests import SeenTexts
from toolreplay.evidence.profile.making import FIRST_PREV, chain_digest
from toolreplay.evidence.record import Fault
from toolreplay.records.call import JsonObject

__all__ = ["INTRUDERS", "ReceiptOrder"]

INTRUDERS = frozenset({"copy", "fork", "job_id"})
"""Subjects of faults of receipts that have no place in the run; they take no position either."""


class ReceiptOrder:
    """Takes the receipts of one run as they come; `digest` is that of the last entry of the chain.

    A receipt that cannot be read takes the next place, and nothing is said of what follows it: its
    digest is unknown. One that has no place in the run takes none: what follows it follows the
    receipt before it, or, at a fork, either.
    """

    def __init__(self, run: str) -> None:
        self._run = run
        self._numbers = Numbers()
        self._last = 0
        self._ids, self._copies = SeenTexts(), SeenTexts()
        self.digest: str | None = FIRST_PREV
        self._erased = 0

    def take(self, read: ReadReceipt) -> list[Fault]:
        """Take the next receipt that can be read; its own faults are not looked at."""
        assert read.committed is not None
        binding = read.committed["binding"]
        seq, receipt_id = binding["seq"], binding["receipt_id"]
        is_known = receipt_id in self._ids
        # One id over other bytes is no copy: somebody put it in, or two writers went on from here.
        is_copy = is_known and f"{receipt_id} {read.facts.output_hash}" in self._copies
        fault = self._fault(seq, binding, is_known=is_known, is_copy=is_copy)
        if fault is not None and fault.subject in INTRUDERS:
            if fault.subject == "fork" and seq == self._last:
                self.digest = None
            return [fault]
        self._ids.add(receipt_id)
        self._copies.add(f"{receipt_id} {read.facts.output_hash}")
        self._last = seq
        is_sound = not read.faults and (fault is None or fault.kind != "duplicate-receipt")
        self.digest = None
        if is_sound:
            self.digest = chain_digest(read.committed, read.facts.output_hash)
        return [] if fault is None else [fault]

    def note(self, seq: int) -> None:
        """Take the number of a receipt that stands where none belongs: it is not missing."""
        self._numbers.take(seq)

    def pass_over(self) -> None:
        """Take a receipt that cannot be read."""
        self._numbers.take(self._numbers.next)
        self._last = self._numbers.next - 1
        self.digest = None

    def pass_over_erased(self) -> None:
        """Take an entry whose payload was erased: it may have been a receipt, or not."""
        self._erased += 1
        self.digest = None

    def doubt(self) -> None:
        """Say that the receipt taken last is not the one that was recorded."""
        self.digest = None

    @property
    def count_missing(self) -> int:
        """How many numbers were passed over and have not come so far; erased entries had some."""
        missing = sum(last - first + 1 for first, last in self._numbers.missing())
        return max(0, missing - self._erased)

    def missing(self) -> Iterator[Fault]:
        """Yield the receipts whose numbers were passed over, at the end."""
        if not self.count_missing:
            return
        for first, last in self._numbers.missing():
            which = f"seq {first} is" if first == last else f"seq {first} to {last} are"
            yield Fault("missing-receipt", f"{which} not here, and later ones are", first)

    def _fault(
        self, seq: int, binding: JsonObject, *, is_known: bool, is_copy: bool
    ) -> Fault | None:
        if binding["job_id"] != self._run:
            return Fault("broken-link", "the receipt is of another run (binding.job_id)", "job_id")
        expected = self._last + 1
        if not self._numbers.take(seq):
            if is_copy:
                return Fault("duplicate-receipt", f"this receipt stands twice (seq {seq})", "copy")
            text = (
                f"seq {seq} is taken: two receipts follow the same one (a fork, or one was put in)"
            )
            return Fault("broken-link", text, "fork")
        if is_known:
            return Fault(
                "duplicate-receipt", f"its id is that of another receipt (seq {seq})", "id"
            )
        if seq < expected:
            text = f"seq {seq} stands behind seq {self._last}: receipts have changed places"
            return Fault("broken-link", text, "order")
        if seq == expected and self.digest not in (None, binding["prev_digest"]):
            text = "prev_digest is not the digest of the receipt before it"
            return Fault("broken-link", text, "prev_digest")
        return None
