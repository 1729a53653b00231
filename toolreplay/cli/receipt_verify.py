"""Check one receipt against AER-1, rule by rule; or a workflow close, or a document that is both.

The verdict is that of aer1-verify, the newest reader that could be compared with; --core judges
by the core tier alone, --strict refuses whatever any reader refuses. Without --now no time is too
late. An intact receipt shows that nothing committed was changed since, not that it is true.

Exits with 0 when nothing failed, 1 when something did, 2 when the document cannot be read.
"""

import argparse
from collections.abc import Iterator

from toolreplay.cli.arguments import add_format, add_limits, limits_of, refuse_two_inputs
from toolreplay.cli.asked import add_receipt_options, asked_of
from toolreplay.cli.console import Console
from toolreplay.cli.rule_lines import Answer, write_answer
from toolreplay.cli.workflow_verify import close_parts
from toolreplay.evidence.aer1.anchor import LOCAL_ONLY, VERIFIED
from toolreplay.evidence.aer1.document import Document
from toolreplay.evidence.aer1.receipt import ReceiptReport
from toolreplay.evidence.aer1.rule_check import failures_of
from toolreplay.evidence.aer1.workflow import is_close_document
from toolreplay.evidence.alone.calls import is_ours
from toolreplay.evidence.alone.delivered import receipt_in
from toolreplay.evidence.alone.receipts import report_of
from toolreplay.evidence.alone.workflow import receipt_beside
from toolreplay.evidence.bundle.receipts import read_receipt
from toolreplay.evidence.record import Asked
from toolreplay.records.call import Json
from toolreplay.sources.declared import read_outer

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `receipt verify`."""
    parser.add_argument("input", metavar="FILE", help="a receipt, or - for standard input")
    add_receipt_options(parser.add_argument_group("how it is judged"))
    add_format(parser)
    add_limits(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what each rule came to."""
    refuse_two_inputs(arguments.input, arguments.resolved_record)
    limits = limits_of(arguments)
    asked = asked_of(arguments, limits)
    document = read_outer(arguments.input, limits)
    answer = _of_both(document, asked) if is_close_document(document.value) else None
    return write_answer(answer or _of_receipt(document, asked), arguments.format, console)


def _of_receipt(document: Document, asked: Asked) -> Answer:
    report = report_of(receipt_in(document.value), asked)
    deciding = report.checks_at(asked.level)
    checks = (document.check, *deciding)
    passed = not failures_of(checks)
    heading = f"receipt {_id_of(report)} · {report.provenance_class or 'no provenance class'}"
    facts, notes = _facts(report, asked), [*report.notes, *_own_notes(report)]
    return Answer("receipt verify", heading, checks, facts, notes, passed)


def _of_both(document: Document, asked: Asked) -> Answer:
    """Check a close, and the receipt that stands in the same document (CLI-4)."""
    checks, facts, notes = close_parts(document, asked)
    own = receipt_beside(document.value)
    heading = "workflow close"
    if own is not None:
        # The id that is expected is that of the workflow.
        report = report_of(own, asked._replace(expected_id=None))
        heading = f"workflow close and receipt · {report.provenance_class or 'no provenance class'}"
        of_receipt = report.checks_at(asked.level)
        checks = (*checks, *(c._replace(name=f"receipt: {c.name}") for c in of_receipt))
        facts = [*facts, *_facts(report, asked)]
        notes = [*notes, *report.notes]
    passed = not failures_of(checks)
    return Answer("receipt verify", heading, checks, facts, notes, passed)


def _facts(report: ReceiptReport, asked: Asked) -> list[tuple[str, Json]]:
    anchor = report.anchor.outcome
    if anchor == VERIFIED:
        anchor = f"{VERIFIED}: {LOCAL_ONLY}"
    level = asked.level
    facts: list[tuple[str, Json]] = [
        ("level", level),
        ("id_state", report.id_state),
        ("id_verdict", report.id_verdict),
        ("anchor", anchor),
        ("provenance class", report.provenance_class),
        ("claimed by the producer", report.claimed_status),
        ("core tier", "passed" if report.core_passed else "failed"),
        ("producer profile", report.producer_profile.result),
        ("strict level", "passed" if report.strict_passed else "failed"),
    ]
    if report.receipt is not None and is_ours(report.value):
        bound = report.value["binding"].get("receipt_id") == report.receipt.get("id")
        facts.append(("id bound by committed bytes", "yes" if bound else "no"))
    if report.anchor.failures:
        facts.append(("anchor, because", "; ".join(report.anchor.failures)))
    return facts


def _own_notes(report: ReceiptReport) -> Iterator[str]:
    """Say where a receipt of our profile contradicts itself: no rule of AER-1, so it decides nothing."""
    if report.receipt is not None and is_ours(report.value):
        for fault in read_receipt(report.receipt, None).faults[:3] if report.passed else ():
            yield f"own profile (IDB-10): {fault}; a finding of `toolreplay verify`"


def _id_of(report: ReceiptReport) -> str:
    own = None if report.receipt is None else report.receipt.get("id")
    return own[:100] if isinstance(own, str) else "without an id"
