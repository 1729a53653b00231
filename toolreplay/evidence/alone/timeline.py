"""A chained timeline, judged as it streams past: each entry, its link, and the end.

A chain alone is never more than consistent with itself; a commitment kept elsewhere says whether
it is the one that was made. Where the links are those of the -06 rule, that is one finding, not
one an entry.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import BinaryIO

from toolreplay.evidence.aer1.chain import HISTORICAL, ChainChecker
from toolreplay.evidence.aer1.commitment import commitment_of_facts
from toolreplay.evidence.aer1.committed import Committed, read_committed
from toolreplay.evidence.aer1.rule_check import failures_of
from toolreplay.evidence.aer1.tiers import is_class
from toolreplay.evidence.alone.calls import foreign_call, is_ours, other_version_note
from toolreplay.evidence.alone.delivered import documents_of
from toolreplay.evidence.bundle.calls import CallReader, doubted, unreadable_call
from toolreplay.evidence.bundle.unsigned import unsigned_checks
from toolreplay.evidence.digests import SeenTexts
from toolreplay.evidence.profile.members import CLOSE, COMMITTED, faults_in
from toolreplay.evidence.record import Asked, Fault
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check
from toolreplay.records.call import Json, JsonObject, Place, ReceiptFacts, ToolCall
from toolreplay.records.limits import Limits
from toolreplay.records.run import NO_PROVENANCE

__all__ = ["TimelineChecker"]

_KINDS = {
    "members": "broken-commitment",
    "base64": "broken-commitment",
    "sequence": "broken-link",
    "job": "broken-link",
    "first link": "broken-link",
    "links": "broken-link",
}
"""Kinds of finding by the name of the chain's check; `close` depends on what is wrong with it."""

_LINKS = frozenset({"broken-link", "duplicate-receipt"})
_ENDING = frozenset({"unclosed-run", "call-after-close", "truncated-run", "commitment-mismatch"})


class TimelineChecker:
    """The evidence of a timeline (see RecordEvidence); `calls` reads it to its end.

    `name` and `provenance` are the job and the class of the first entry.
    """

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        documents = documents_of(file, limits)
        first = list(islice(documents, 1))
        self._documents = chain(first, documents)
        entry = first[0].value if first and type(first[0].value) is dict else {}
        claimed, job = entry.get("provenance_class"), entry.get("job_id")
        self.provenance = str(claimed) if is_class(claimed) else NO_PROVENANCE
        self.name = job if type(job) is str and job else None
        self._reader = CallReader(limits, lambda _: None)
        self._chain = ChainChecker()
        self._asked = Asked()
        self._ids = SeenTexts()
        self._faults: list[Fault] = []
        self._failed: set[str] = set()
        self._unsound = 0
        self._held: Fault | None = None
        self._more = 0
        self._historical = False
        self._classes: dict[str, int] = {}
        self._others: dict[str, None] = {}
        self._last: JsonObject | None = None

    def begin(self, asked: Asked) -> None:
        """Say what was handed in, before the first call is read."""
        self._asked = asked

    def take(self) -> list[Fault]:
        """Return what was found since the last time."""
        found, self._faults = self._faults, []
        return found

    def calls(self) -> Iterator[ToolCall]:
        """Yield a call an entry, but none for the entry that closes a run of ours."""
        index = 0
        for delivered in self._documents:
            entry = delivered.value
            faults = self._entry_faults(entry, delivered.twice)
            read = read_committed(*_committed_members(entry))
            is_close = False
            if type(entry) is not dict:
                call = unreadable_call(None, delivered.place, None)
            else:
                self._last = entry
                call, is_close = self._call(entry, read, delivered.place, faults)
            self._unsound += any(fault.kind == "broken-commitment" for fault in faults)
            for fault in faults:
                self._add(fault._replace(index=None if is_close else index))
            if not is_close:
                yield (doubted(call) if faults else call)._replace(index=index)
                index += 1
        self._finish()

    def _entry_faults(self, entry: Json, twice: str | None) -> list[Fault]:
        faults = []
        if twice is not None:
            text = f"members once: the member '{twice}' stands twice in one object"
            faults.append(Fault("broken-commitment", text, "entry"))
        for name, text in self._chain.judge(entry):
            if name == "close":
                behind = "before the last entry" in text
                kind = "call-after-close" if behind else "broken-commitment"
            else:
                kind = _KINDS[name]
            faults.append(Fault(kind, f"{name}: {text}", name))
        return faults

    def _call(
        self, entry: JsonObject, read: Committed, place: Place, faults: list[Fault]
    ) -> tuple[ToolCall, bool]:
        """Return the call of an entry, and whether the entry is a close of ours."""
        own, claimed = entry.get("id"), entry.get("provenance_class")
        if type(own) is str and own and not self._ids.add(own):
            faults.append(Fault("duplicate-receipt", "its id is that of an entry before it", "id"))
        shown = claimed if type(claimed) is str and is_class(claimed) else NO_PROVENANCE
        if shown in self._classes or len(self._classes) < 20:
            self._classes[shown] = self._classes.get(shown, 0) + 1
        facts = ReceiptFacts(own if type(own) is str else None, read.digest or "", shown)
        committed = read.value
        if not is_ours(committed):
            at = entry.get("created_at")
            return foreign_call(entry.get("tool"), read, facts, at, place), False
        grammar = CLOSE if "close" in committed else COMMITTED
        wrong = next(faults_in(committed, grammar), "")
        if wrong:
            # Its bytes are as they were committed to: another version of the profile, no edit.
            if len(self._others) < 20:
                self._others[other_version_note(wrong)] = None
            faults += _contradictions(entry, committed)
            return foreign_call(
                entry.get("tool"), read, facts, entry.get("created_at"), place
            ), False
        faults += _contradictions(entry, committed)
        if grammar is CLOSE:
            return unreadable_call(None, place, facts), True
        return self._reader.call(committed, facts, place), False

    def _add(self, fault: Fault) -> None:
        """Report a fault; links are held back while they may all be those of the older rule."""
        if fault.subject == "links" and self._chain.is_historical_so_far:
            if self._held is None:
                self._held = fault
            else:
                self._more += 1
            return
        self._release()
        self._faults.append(fault)
        self._failed.add(fault.kind)

    def _release(self) -> None:
        if self._held is not None and not self._chain.is_historical_so_far:
            more = f" (and {self._more:,} more)" if self._more else ""
            self._faults.append(self._held._replace(detail=self._held.detail + more))
            self._failed.add("broken-link")
            self._held = None

    def _finish(self) -> None:
        report = self._chain.report()
        self._historical = report.historical_valid and not report.valid
        if self._historical:
            self._faults.append(Fault("broken-link", f"links: {HISTORICAL}", "links"))
            self._failed.add("broken-link")
        elif self._held is not None:
            more = f" (and {self._more:,} more)" if self._more else ""
            self._faults.append(self._held._replace(detail=self._held.detail + more))
            self._failed.add("broken-link")
        for text in self._chain.finish():
            self._add_last(Fault("unclosed-run", text, "close"))
        if self._asked.level == "strict":
            for note in report.notes:
                self._add_last(Fault("broken-commitment", f"strict: {note}", "entry"))
                self._unsound += 1
        given = self._asked.commitment
        if given is None:
            return
        for check in failures_of(commitment_of_facts(report.facts, given).checks):
            counted = given["entry_count"]
            is_cut = check.name == "count" and counted > report.facts.count
            kind = "truncated-run" if is_cut else "commitment-mismatch"
            self._add_last(Fault(kind, f"the commitment given: {check.reason}", check.name))

    def _add_last(self, fault: Fault) -> None:
        self._faults.append(fault)
        self._failed.add(fault.kind)

    def checks(self) -> Iterator[Check]:
        """Answer the report lines, after the last call."""
        count = self._chain.count
        good = f"{count - min(self._unsound, count):,} of {count:,}"
        yield Check("contents", PASSED if count and not self._unsound else FAILED, good)
        report = self._chain.report()
        unlinked = next(
            (c.reason for c in report.checks if c.name == "links" and c.result == NOT_CHECKED), ""
        )
        if self._failed & _LINKS:
            yield Check("links", FAILED, HISTORICAL if self._historical else None)
        elif unlinked:
            yield Check("links", NOT_CHECKED, None, unlinked)
        else:
            yield Check("links", PASSED)
        if self._failed & _ENDING:
            yield Check("ending", FAILED)
        elif self._failed or not report.valid:
            yield Check("ending", NOT_CHECKED, None, "what it closes does not hold")
        elif self._asked.commitment is not None:
            yield Check("ending", PASSED, "closed, and as the commitment given says")
        else:
            yield Check(
                "ending", PASSED, "closed; deletion and rewriting by the holder not excluded"
            )
        yield from unsigned_checks(self._asked, "the timeline is in no log")

    def unbound(self) -> Iterator[tuple[str, Json]]:
        """Name the last entry: no link points at it, only a commitment does."""
        if self._asked.commitment is None and self._last is not None:
            yield (
                "last entry",
                {
                    name: self._last[name]
                    for name in ("id", "tool", "provenance_class")
                    if name in self._last
                },
            )

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
        return "the timeline does not hold" if self._failed else ""

    def seconds(self) -> float | None:
        """Say nothing of time: receipts alone are no run from its start to its end."""
        return None

    def notes(self) -> Iterator[str]:
        """Return lines about the timeline that are neither findings nor checks."""
        if len(self._classes) > 1:
            classes = ", ".join(f"{name} ({count:,})" for name, count in self._classes.items())
            yield f"provenance classes differ: {classes}"
        yield from self._others
        report = self._chain.report()
        yield from report.notes
        if self._asked.commitment is not None:
            yield from commitment_of_facts(report.facts, self._asked.commitment).notes


def _committed_members(entry: Json) -> tuple[Json, Json]:
    """Return the bytes of an entry; its digest is in the links, so it names none itself."""
    return (entry.get("canonical_bytes"), None) if type(entry) is dict else (None, None)


def _contradictions(entry: JsonObject, committed: JsonObject) -> Iterator[Fault]:
    """Yield where an entry says other than the bytes of our own profile in it.

    A member that another version of the profile has not is not compared.
    """
    binding, tool = committed["binding"], committed.get("tool")
    claims = committed.get("issuer_claims")
    wanted = {
        "id": binding.get("receipt_id"),
        "seq": binding.get("seq"),
        "job_id": binding.get("job_id"),
        "prev_digest": binding.get("prev_digest"),
        "tool": tool.get("name") if type(tool) is dict else None,
        "provenance_class": claims.get("provenance_class") if type(claims) is dict else None,
    }
    for name, value in wanted.items():
        if value is not None and entry.get(name) != value:
            yield Fault("broken-commitment", f"{name} is not what the committed bytes say", name)
            return
