"""Check a workflow close of AER-1: recompute its root from its steps, rule by rule.

With --receipts the steps are held against the receipts they name, one to one: id, digest, tool and
times. Whoever holds a close can cut it and build its root again: `toolreplay verify --root HEX`
compares the root with one that was published elsewhere.

Exits with 0 when nothing failed, 1 when something did, 2 when the document cannot be read.
"""

import argparse
from collections.abc import Iterator
from contextlib import closing

from toolreplay.cli.arguments import add_format, add_limits, limits_of, refuse_two_inputs
from toolreplay.cli.console import Console
from toolreplay.cli.rule_lines import Answer, write_answer
from toolreplay.evidence.aer1.document import Document
from toolreplay.evidence.aer1.rule_check import RuleCheck, failures_of
from toolreplay.evidence.aer1.workflow import check_close
from toolreplay.evidence.alone.cross import cross_checks
from toolreplay.evidence.alone.delivered import documents_of
from toolreplay.evidence.alone.projected import receipts_of
from toolreplay.evidence.record import Asked
from toolreplay.findings.check import FAILED
from toolreplay.records.call import Json
from toolreplay.records.limits import Limits
from toolreplay.sources.declared import is_bundle, read_outer
from toolreplay.sources.opening import open_seekable

__all__ = ["add_arguments", "close_parts", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `workflow verify`."""
    parser.add_argument("input", metavar="FILE", help="a workflow close, or - for standard input")
    group = parser.add_argument_group("how it is judged")
    group.add_argument("--expected-id", metavar="ID", help="the id that the workflow must have")
    group.add_argument(
        "--receipts",
        metavar="FILE",
        help="the receipts of its steps: a bundle, an array, or a line each",
    )
    group.add_argument(
        "--strict", action="store_true", help="fail what another reader refuses, or is only noted"
    )
    add_format(parser)
    add_limits(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what each rule came to."""
    refuse_two_inputs(arguments.input, arguments.receipts)
    limits = limits_of(arguments)
    level = "strict" if arguments.strict else "default"
    document = read_outer(arguments.input, limits)
    asked = Asked(expected_id=arguments.expected_id, level=level)
    checks, facts, notes = close_parts(document, asked)
    if arguments.receipts is not None:
        checks = (*checks, *cross_checks(document.value, _receipts(arguments.receipts, limits)))
    answer = Answer(
        "workflow verify", "workflow close", checks, facts, notes, not failures_of(checks)
    )
    return write_answer(answer, arguments.format, console)


def close_parts(
    document: Document, asked: Asked
) -> tuple[tuple[RuleCheck, ...], list[tuple[str, Json]], list[str]]:
    """Return the checks that decide about a close, the facts beside them, and the notes."""
    report = check_close(document.value, asked.expected_id)
    checks = (document.check, *report.checks)
    if asked.level == "strict":
        noted = [RuleCheck("strict", ("WF-10",), FAILED, note) for note in report.notes]
        checks = (*checks, *noted, *report.tables)
    facts: list[tuple[str, Json]] = [
        ("root rule", report.merkle_version),
        ("root", report.root),
        ("steps", report.step_count),
        ("workflow id", report.workflow_id),
        ("tables", "passed" if report.tables_pass else "failed"),
    ]
    notes = [*report.notes]
    notes += [f"tables: {check.reason}" for check in failures_of(report.tables)]
    notes.append("cutting and rewriting by the holder are not excluded by a root in the same file")
    return checks, facts, notes


def _receipts(name: str, limits: Limits) -> Iterator[Json]:
    opened = open_seekable(name, limits)
    with closing(opened.file):
        origin = opened.file.tell()
        start = opened.file.read(64)
        opened.file.seek(origin)
        if is_bundle(start):
            yield from receipts_of(opened.file, limits)
            return
        for delivered in documents_of(opened.file, limits):
            yield delivered.value
