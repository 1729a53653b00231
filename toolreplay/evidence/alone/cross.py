"""The steps of a workflow close against the receipts they name: one to one, member by member."""

from collections.abc import Iterable, Iterator

from toolreplay.evidence.aer1.receipt import check_receipt
from toolreplay.evidence.aer1.rule_check import RuleCheck, failures_of
from toolreplay.evidence.aer1.tally import Tally
from toolreplay.evidence.alone.calls import is_ours, tool_name
from toolreplay.evidence.alone.delivered import receipt_in
from toolreplay.evidence.bundle.closing import differences, workflow_of
from toolreplay.evidence.bundle.lines import step_of
from toolreplay.evidence.bundle.order import ReceiptOrder
from toolreplay.evidence.bundle.receipts import ReadReceipt, read_receipt
from toolreplay.findings.check import FAILED, NOT_CHECKED
from toolreplay.records.call import Json, JsonObject

__all__ = ["cross_checks"]

_COMPARED = frozenset({"receipt_id", "receipt_hash", "output_hash", "tool"})
"""Members of a step that are compared with any producer's receipt."""

_CHECKS = (
    ("receipts hold", ("HSH-1",)),
    ("one to one", ("WF-6",)),
    ("step digests", ("WF-5",)),
    ("step tools", ("WF-9",)),
    ("step members", ("WF-9",)),
    ("step times", ("WF-9",)),
    ("links", ("CHN-5",)),
    ("close receipt", ("WF-7",)),
)


def cross_checks(close: Json, receipts: Iterable[Json]) -> tuple[RuleCheck, ...]:
    """Return a check for each way in which steps and receipts may differ.

    A receipt that closes a run of ours is no step; what it says of the steps is compared too.
    """
    failed = Tally()
    steps = _steps_by_id(close, failed)
    count = len(steps)
    closing = close.get("receipt_id") if type(close) is dict else None
    seen = timed = ends = 0
    order: ReceiptOrder | None = None
    for number, document in enumerate(receipts, 1):
        receipt = receipt_in(document)
        report = check_receipt(receipt, with_anchor=False)
        for check in failures_of(report.checks)[:1]:
            failed.add("receipts hold", f"receipt {number}: {check.name}: {check.reason}")
        if report.receipt is None:
            continue
        value = report.value
        read = read_receipt(report.receipt, None) if is_ours(value) else None
        if read is not None and read.committed is not None:
            order = order or ReceiptOrder(read.committed["binding"]["job_id"])
            _compare_own(close, steps, read, order, number, failed)
        if is_ours(value) and "close" in value:
            ends += 1
            _compare_close(close, value["close"], count, failed)
            continue
        own = report.receipt.get("id")
        if type(own) is str and own == closing and own not in steps:
            continue  # of another producer: what it says of the steps is not known here
        seen += 1
        step = steps.pop(own, None) if type(own) is str else None
        if step is None:
            failed.add("one to one", f"receipt {number} is that of no step, or of one named before")
            continue
        for name in ("receipt_hash", "output_hash"):
            stated = step.get(name)
            if name in step and (type(stated) is not str or _bare(stated) != report.read.digest):
                failed.add("step digests", f"{name} of the step is not that of receipt {number}")
        tool = step.get("tool")
        if "tool" in step and tool_name(tool) != tool_name(report.receipt.get("tool")):
            failed.add("step tools", f"the step of receipt {number} has another tool")
        timed += _compare_times(step, value, number, failed)
    for own in steps:
        failed.add("one to one", f"no receipt is here for the step of {own[:100]}")
    made = {name: failed.check(name, rules) for name, rules in _CHECKS}
    if not seen:
        for name in ("receipts hold", "step digests", "step tools", "step members"):
            _unless_failed(made, name, "there is no receipt of a step")
    if not timed:
        _unless_failed(made, "step times", "no receipt commits to its times")
    if order is None:
        _unless_failed(made, "links", "no receipt names the one before it")
    else:
        for fault in order.missing():
            failed.add("links", fault.detail)
        made["links"] = failed.check("links", ("CHN-5",))
    if not ends:
        _unless_failed(made, "close receipt", "no receipt closes a run")
    return tuple(made.values())


def _compare_own(
    close: Json,
    steps: dict[str, JsonObject],
    read: ReadReceipt,
    order: ReceiptOrder,
    number: int,
    failed: Tally,
) -> None:
    """Compare what a receipt of our profile commits to: itself, its place, its step, the close."""
    committed = read.committed
    assert committed is not None
    for fault in read.faults[:1]:
        failed.add("receipts hold", f"receipt {number}: {fault}")
    for misplaced in order.take(read):
        failed.add("links", f"receipt {number}: {misplaced.detail}")
    own = committed["binding"]["receipt_id"]
    if read.is_close:
        wanted = workflow_of(own, committed)
        members = close if type(close) is dict else {}
        found = {name: value for name, value in members.items() if name in wanted}
        for name in differences(found, {name: wanted[name] for name in found}):
            failed.add("close receipt", f"the close receipt has another {name}")
        return
    step = steps.get(own)
    if step is None:
        return
    wanted = step_of(committed["binding"]["seq"], read.facts.output_hash, committed)
    for name in sorted((wanted.keys() & step.keys()) - _COMPARED):
        if step[name] != wanted[name]:
            check = "step times" if name.endswith("_at") else "step members"
            failed.add(check, f"{name} of the step is not that of receipt {number}")


def _unless_failed(made: dict[str, RuleCheck], name: str, reason: str) -> None:
    if made[name].result != FAILED:
        made[name] = made[name]._replace(result=NOT_CHECKED, reason=reason)


def _steps_by_id(close: Json, failed: Tally) -> dict[str, JsonObject]:
    steps: dict[str, JsonObject] = {}
    for number, step in enumerate(_steps(close), 1):
        own = step.get("receipt_id", step.get("id"))
        if type(own) is not str or not own or own in steps:
            failed.add("one to one", f"step {number} names no receipt, or one named before")
        else:
            steps[own] = step
    return steps


def _steps(close: Json) -> Iterator[JsonObject]:
    members = close if type(close) is dict else {}
    receipts, steps = members.get("receipts"), members.get("steps")
    chosen = receipts if type(receipts) is list else steps
    if type(chosen) is list:
        yield from (step for step in chosen if type(step) is dict)


def _bare(digest: str) -> str:
    return digest[:80].removeprefix("sha256:").lower()


def _compare_times(step: JsonObject, committed: Json, number: int, failed: Tally) -> bool:
    """Compare the times that both have; return whether there were any."""
    timing = committed.get("timing") if type(committed) is dict else None
    if type(timing) is not dict:
        return False
    compared = False
    for name in ("started_at", "ended_at"):
        if name in step and name in timing:
            compared = True
            if step[name] != timing[name]:
                failed.add("step times", f"{name} of the step is not that of receipt {number}")
    return compared


def _compare_close(close: Json, totals: Json, count: int, failed: Tally) -> None:
    """Compare what a close receipt of ours says of its run with the close and its steps."""
    members: JsonObject = close if type(close) is dict else {}
    if type(totals) is not dict:
        failed.add("close receipt", "the close receipt has no totals")
        return
    if totals.get("count") != count:
        failed.add("close receipt", "the close receipt counts another number of calls")
    for name in ("merkle_root", "receipt_id_root", "goal", "status"):
        if name in members and name in totals and members[name] != totals[name]:
            failed.add("close receipt", f"the close receipt has another {name}")
