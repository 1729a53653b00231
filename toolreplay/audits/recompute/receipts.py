"""The commitments of a record of receipts, as its own reader recomputes them."""

from collections.abc import Iterable, Iterator, Mapping

from toolreplay.audits.engine import Seen
from toolreplay.evidence.record import Asked, Fault, RecordEvidence
from toolreplay.findings.check import Check
from toolreplay.findings.finding import Finding

__all__ = ["ReceiptAudit"]


class ReceiptAudit:
    """Turns what the evidence finds while it is read into findings of the calls they are about."""

    def __init__(self, evidence: RecordEvidence, asked: Asked | None) -> None:
        self._evidence = evidence
        self._open: list[tuple[Fault, Finding]] = []
        evidence.begin(asked or Asked())

    def see(self, seen: Seen) -> Iterable[Finding]:
        """Take what was found up to this call."""
        return self._findings(seen)

    def finish(self) -> Iterable[Finding]:
        """Take what was found behind the last call, and what was open and stands."""
        found = self._findings(None)
        return [*found, *(item for fault, item in self._open if self._evidence.stands(fault))]

    def _findings(self, seen: Seen | None) -> list[Finding]:
        found = []
        for fault in self._evidence.take():
            origin = seen.origin if seen and seen.call.index == fault.index else None
            finding = Finding(
                fault.index, fault.kind, fault.detail, subject=fault.subject, origin=origin
            )
            if fault.is_open:
                self._open.append((fault, finding))
            else:
                found.append(finding)
        return found

    def covers_now(self) -> bool:
        """Say that no finding of this audit covers calls."""
        return False

    def checks(self) -> Iterator[Check]:
        """Answer the lines about contents, links and ending, and name what is not checked."""
        yield from self._evidence.checks()

    def facts(self) -> Mapping[str, object]:
        """Add how long it took, what nothing commits to, what was erased, and the record's notes."""
        return {
            "seconds": self._evidence.seconds(),
            "unbound": tuple(self._evidence.unbound()),
            "notes": tuple(self._evidence.notes()),
            "erased": self._evidence.erased(),
        }
