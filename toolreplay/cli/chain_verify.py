"""Check a timeline of chained entries against AER-1, rule by rule, a JSON array or a line each.

A chain alone cannot show that it was cut or written anew: --commitment compares its end with a
commitment that was kept where its holder cannot change it.

Exits with 0 when nothing failed, 1 when something did, 2 when a document cannot be read.
"""

import argparse
from contextlib import closing

from toolreplay.cli.arguments import add_format, add_limits, limits_of, refuse_two_inputs
from toolreplay.cli.console import Console
from toolreplay.cli.rule_lines import Answer, write_answer
from toolreplay.errors import InputError
from toolreplay.evidence.aer1.chain import ChainChecker
from toolreplay.evidence.aer1.commitment import commitment_of_facts, standing_of
from toolreplay.evidence.aer1.document import Document
from toolreplay.evidence.aer1.rule_check import RuleCheck, failures_of
from toolreplay.evidence.alone.delivered import documents_of
from toolreplay.findings.check import FAILED
from toolreplay.records.limits import Limits
from toolreplay.sources.declared import read_record, refuse_bundle
from toolreplay.sources.opening import open_seekable

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `chain verify`."""
    parser.add_argument("input", metavar="FILE", help="a timeline, or - for standard input")
    group = parser.add_argument_group("how it is judged")
    group.add_argument(
        "--commitment", metavar="FILE", help="an AER-1 commitment that was kept elsewhere"
    )
    group.add_argument(
        "--strict", action="store_true", help="fail what another reader refuses, or is only noted"
    )
    add_format(parser)
    add_limits(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what each rule came to."""
    refuse_two_inputs(arguments.input, arguments.commitment)
    limits = limits_of(arguments)
    given = arguments.commitment
    commitment = None if given is None else read_record(given, limits)
    checker, outer, classes = _read(arguments.input, limits)
    report = checker.report()
    checks: tuple[RuleCheck, ...] = (outer, *report.checks)
    notes = list(report.notes)
    compared = None
    if given is not None:
        compared = commitment_of_facts(report.facts, commitment)
        checks = (*checks, *(c._replace(name=f"commitment: {c.name}") for c in compared.checks))
        notes += compared.notes
    if arguments.strict:
        checks = (*checks, *(RuleCheck("strict", ("CHN-7",), FAILED, note) for note in notes))
    facts: list[tuple[str, object]] = [
        ("standing", standing_of(report, compared)),
        ("entries", report.facts.count),
        ("job id", report.facts.job_id),
        ("final entry digest", report.final_entry_digest),
        ("provenance classes", sorted(classes)),
    ]
    passed = report.valid and not failures_of(checks)
    answer = Answer("chain verify", "timeline", checks, facts, notes, passed)
    return write_answer(answer, arguments.format, console)


def _read(name: str, limits: Limits) -> tuple[ChainChecker, RuleCheck, set[str]]:
    """Read a timeline to its end, in memory that does not grow where it is a line an entry."""
    checker, twice = ChainChecker(), None
    classes: set[str] = set()
    opened = open_seekable(name, limits)
    with closing(opened.file):
        origin = opened.file.tell()
        start = opened.file.read(64)
        if not start:
            raise InputError(name, "is empty")
        refuse_bundle(start, name)
        opened.file.seek(origin)
        for delivered in documents_of(opened.file, limits):
            checker.take(delivered.value)
            twice = twice or delivered.twice
            value = delivered.value
            claimed = value.get("provenance_class") if isinstance(value, dict) else None
            if isinstance(claimed, str) and len(classes) < 20:
                classes.add(claimed[:100])
    return checker, Document(None, twice).check, classes
