"""The reports of `verify`, and the JSON of the tutorial's other commands."""

import argparse
import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence

from toolreplay.audits.engine import Declared, Options, judge
from toolreplay.cli.asked import (
    asked_of,
    files_of_asked,
    has_asked,
    lines_required,
    refuse_unusable,
    with_unusable,
)
from toolreplay.cli.console import Console
from toolreplay.cli.heads import remember, standing_in
from toolreplay.cli.judging import Judging
from toolreplay.cli.outputs import Outputs
from toolreplay.cli.requiring import carried_lines
from toolreplay.cli.settings import required_lines
from toolreplay.evidence.seal import ExpectedHead
from toolreplay.findings.check import FAILED, Check
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.findings.judgement import Input, Report, Summary
from toolreplay.findings.result import AuditResult
from toolreplay.packaged import load_extension
from toolreplay.records.limits import Limits
from toolreplay.records.run import Run
from toolreplay.sources.folder import is_many
from toolreplay.sources.opening import Opened
from toolreplay.sources.source import FileSource

__all__ = ["verify_by_audit", "verify_seal_as_reports", "write_one"]

_PIECE_BYTES = 1 << 20


def write_one(result: AuditResult, run: Run, console: Console) -> int:
    """Write the JSON report of a tutorial command, which exits with 0 or 1 only.

    The input's digest is that of its bytes, where it can be read again.
    """
    sha256 = None
    if run.raw is not None:
        digest, start = hashlib.sha256(), 0
        while piece := run.raw(start, start + _PIECE_BYTES):
            digest.update(piece)
            start += len(piece)
        sha256 = digest.hexdigest()
    report = load_extension("reports", "json").start(console.write_bytes, False)
    return _tell(report, result, sha256)


def verify_seal_as_reports(
    opened: Opened,
    arguments: argparse.Namespace,
    limits: Limits,
    expected: ExpectedHead | None,
    console: Console,
) -> int:
    """Write the reports of `verify` for a sealed transcript, or for nothing at all.

    As text it has lines of its own, which are not printed here.
    """
    source = FileSource(opened.name, limits, "sealed", opened)
    (run,) = source.runs()

    def required(checks: Sequence[Check]) -> list[str]:
        asked = ["ending"] if expected is not None else []
        if arguments.key:
            asked.append("signer")
        return [*carried_lines(checks), *asked]

    result = judge(run, ["recompute"], Declared(head=expected), Options(identify=True), required)
    printed = arguments.format != "text"
    with Outputs(
        arguments,
        console,
        many=False,
        inputs=[opened.name, arguments.against, *arguments.key],
        printed=printed,
    ) as outputs:
        status = _tell(outputs.report, result, source.sha256())
        outputs.keep()
    return status


def verify_by_audit(
    name: str,
    arguments: argparse.Namespace,
    limits: Limits,
    console: Console,
    opened: Opened | None = None,
) -> int:
    """Write the reports of `verify` for what is no sealed transcript, or for a folder."""
    declared = Declared(asked=asked_of(arguments, limits) if has_asked(arguments) else None)
    many = is_many([name])

    asked_lines = required_lines(arguments.require)
    lines: set[str] = set()

    def judge_run(run: Run) -> AuditResult:
        def required(checks: Sequence[Check]) -> Iterable[str]:
            if asked_lines is not None:
                return asked_lines
            return [*carried_lines(checks, run.info.form), *lines_required(arguments, run)]

        if not many:
            refuse_unusable(arguments, run.info.form)
        result = judge(run, ["recompute"], declared, Options(identify=True), required)
        remember(standing_in(run), declared.asked, arguments, console)
        lines.update(check.line for check in result.verdict.checks)
        return with_unusable(result, arguments)

    inputs = [name, *files_of_asked(arguments)]
    with Outputs(arguments, console, many=many, inputs=inputs) as outputs:
        judging = Judging(
            [name], judge_run, outputs.report, limits, console,
            forced=arguments.form, with_details=outputs.with_details, opened=opened,
        )  # fmt: skip
        status = judging.run()
        outputs.keep()
    if arguments.explain and arguments.format == "text":
        console.write_lines(_explained(lines))
    return status


def _explained(lines: Collection[str]) -> Iterator[str]:
    """Yield what each of these report lines covers, and what it cannot show."""
    from toolreplay.findings.check import LINES
    from toolreplay.findings.words import WORDS
    from toolreplay.reports.lines import folded

    for line in LINES:
        if line in lines:
            yield from ("", f"{line}:", *folded(WORDS[line].meaning, "  "))


def _tell(report: Report, result: AuditResult, sha256: str | None) -> int:
    failed = any(check.result == FAILED for check in result.verdict.checks)
    status = FOUND if result.found or failed else CLEAN
    totals = {
        "files": 1, "read": 1, "not recognised": 0, "unreadable": 0, "runs": 1,
        "calls": result.calls, "findings": result.found, "nothing recorded": int(not result.calls),
    }  # fmt: skip
    report.run(result)
    report.input(Input(result.run.file, sha256, "read"))
    report.end(Summary(False, totals, status))
    return status
