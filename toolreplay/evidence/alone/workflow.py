"""A workflow close: its root recomputed from its steps, and a receipt in the same document.

A close names calls and does not hold them: each step is a call without arguments and result. Who
holds a close can cut it and build its root again; a root kept elsewhere shows that.
"""

from collections.abc import Iterator

from toolreplay.evidence.aer1.rule_check import RuleCheck, failures_of
from toolreplay.evidence.aer1.tiers import is_class
from toolreplay.evidence.aer1.times import is_later, moment_of
from toolreplay.evidence.aer1.workflow import (
    RECEIPT_ID,
    SEQ_OUTPUT,
    CloseReport,
    check_close,
)
from toolreplay.evidence.alone.calls import tool_name
from toolreplay.evidence.alone.delivered import Delivered, receipt_in
from toolreplay.evidence.alone.receipts import fault_text, report_of
from toolreplay.evidence.bundle.unsigned import unsigned_checks
from toolreplay.evidence.record import Asked, Fault, counted
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check
from toolreplay.records.call import CallMeta, Json, JsonObject, ToolCall
from toolreplay.records.run import NO_PROVENANCE

__all__ = ["CloseChecker", "receipt_beside"]

_KINDS = {"root": "root-mismatch", "receipt ids": "duplicate-receipt"}


_COVERED = {
    SEQ_OUTPUT: frozenset({"seq", "step_index", "output_hash"}),
    RECEIPT_ID: frozenset({"receipt_id", "id", "seq", "step_index"}),
}
"""The members of a step that a root of each rule covers; the places are those of the leaves."""


class CloseChecker:
    """The evidence of one workflow close (see RecordEvidence)."""

    def __init__(self, delivered: Delivered) -> None:
        self._delivered = delivered
        self._asked = Asked()
        self._faults: list[Fault] = []
        self._failed: set[str] = set()
        self._report: CloseReport | None = None
        self._notes: list[str] = []
        self._receipt: bool | None = None

    @property
    def name(self) -> str | None:
        """The workflow's id, where it has one."""
        value = self._delivered.value
        own = value.get("workflow_id") if type(value) is dict else None
        return own if type(own) is str and own else None

    @property
    def provenance(self) -> str:
        """The class of the receipt in the same document; a close alone has none."""
        own = receipt_beside(self._delivered.value)
        claimed = own.get("provenance_class") if type(own) is dict else None
        return str(claimed) if is_class(claimed) else NO_PROVENANCE

    def begin(self, asked: Asked) -> None:
        """Say what was handed in, before the first call is read."""
        self._asked = asked

    def take(self) -> list[Fault]:
        """Return what was found since the last time."""
        found, self._faults = self._faults, []
        return found

    def calls(self) -> Iterator[ToolCall]:
        """Yield a call a step, in the order of the list."""
        value = self._delivered.value
        if self._delivered.twice is not None:
            text = f"the member '{self._delivered.twice}' stands twice in one object"
            self._add("workflow-mismatch", f"members once: {text}", "document")
        for index, step in enumerate(_steps(value)):
            at, tool = step.get("started_at"), step.get("tool")
            own = step.get("receipt_id", step.get("id"))
            meta = CallMeta(
                call_id=own if type(own) is str else None,
                at=at if moment_of(at) is not None else None,
            )
            yield ToolCall(
                index,
                tool_name(tool),
                {},
                {"outcome": "missing"},
                self._delivered.place,
                "missing",
                meta=meta,
            )
        self._judge(value)

    def _judge(self, value: Json) -> None:
        own = receipt_beside(value)
        # The id of a receipt and that of its workflow are two; where both stand here, the one
        # that is expected may be either.
        report = self._report = check_close(value, self._asked.expected_id)
        for check in failures_of(self._deciding(report)):
            kind = _KINDS.get(check.name, "workflow-mismatch")
            self._add(kind, f"{check.name}: {check.reason}", check.name)
        for number, step in enumerate(_steps(value), 1):
            for name in ("started_at", "ended_at"):
                if is_later(step.get(name), self._asked.now):
                    text = f"{name} of step {number} is later than the time it was held against"
                    self._add("workflow-mismatch", text, number)
        for root in self._asked.roots:
            if report.root != root:
                shown = report.root or "no root"
                text = f"the steps give the root {shown}, the one given is {root}"
                self._add("root-mismatch", text, "given")
        self._notes += report.notes
        if not report.tables_pass:
            names = ", ".join(check.name for check in failures_of(report.tables))
            self._notes.append(f"tables: not complete: {names}")
        if own is not None:
            checked = report_of(own, self._asked._replace(expected_id=None))
            text = fault_text(checked, self._asked.level)
            self._receipt = not text
            if text:
                self._add(
                    "broken-commitment", f"the receipt in the same document: {text}", "receipt"
                )
            self._notes += [note for note in checked.notes if not note.startswith("future: ")]

    def _deciding(self, report: CloseReport) -> tuple[RuleCheck, ...]:
        if self._asked.level != "strict":
            return report.checks
        noted = [RuleCheck("strict", ("WF-10",), FAILED, note) for note in report.notes]
        return (*report.checks, *noted, *report.tables)

    def _add(self, kind: str, detail: str, subject: Json) -> None:
        self._faults.append(Fault(kind, detail, subject))
        self._failed.add(kind)

    def checks(self) -> Iterator[Check]:
        """Answer the report lines, after the last call."""
        report = self._report
        if self._receipt is not None:
            result = PASSED if self._receipt else FAILED
            yield Check("contents", result, f"{int(self._receipt)} of 1")
        if "duplicate-receipt" in self._failed:
            yield Check("links", FAILED)
        others = self._failed - {"broken-commitment", "duplicate-receipt"}
        if others or report is None:
            yield Check("ending", FAILED)
        elif self._failed:
            yield Check("ending", NOT_CHECKED, None, "what it closes does not hold")
        elif self._asked.roots:
            yield Check("ending", PASSED, "closed, and as the root given says")
        else:
            steps = counted(report.step_count, "step")
            yield Check(
                "ending",
                PASSED,
                f"root of {steps}; cutting and rewriting not excluded",
            )
        yield from unsigned_checks(self._asked, "the close is in no log")

    def unbound(self) -> Iterator[tuple[str, Json]]:
        """Name the members that no root covers, as they were delivered."""
        value: JsonObject = self._delivered.value if type(self._delivered.value) is dict else {}
        for name in ("goal", "status", "output_hash"):
            if name in value:
                yield name, value[name]
        version = self._report.merkle_version if self._report else None
        covered = _COVERED.get(version or "", frozenset())
        names = {name for step in _steps(value) for name in step} - covered
        if names:
            yield "members of its steps", sorted(names)

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
        return "nothing commits to the tools of its steps"

    def seconds(self) -> float | None:
        """Say nothing of time: receipts alone are no run from its start to its end."""
        return None

    def notes(self) -> Iterator[str]:
        """Return lines about the close that are neither findings nor checks."""
        if self._report is not None and self._report.merkle_version is not None:
            yield f"root rule: {self._report.merkle_version[:40]}"
        yield from self._notes


def receipt_beside(document: Json) -> Json:
    """Return the receipt that stands in the same document as a close, or None (CLI-4)."""
    if type(document) is not dict:
        return None
    if "canonical_bytes" in document:
        return document
    inner = receipt_in(document)
    return inner if inner is not document and type(inner) is dict else None


def _steps(value: Json) -> Iterator[JsonObject]:
    """Yield the steps that are objects, of the shape that is judged."""
    if type(value) is dict:
        receipts, steps = value.get("receipts"), value.get("steps")
        chosen = receipts if type(receipts) is list else steps
        if type(chosen) is list:
            yield from (step for step in chosen if type(step) is dict)
