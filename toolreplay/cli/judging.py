"""Join sources, audits and reports: what every command that judges has in common."""

import argparse
from collections.abc import Callable, Sequence
from contextlib import closing

from toolreplay.audits.engine import Declared, Options, judge
from toolreplay.cli.console import Console
from toolreplay.cli.outputs import Outputs
from toolreplay.errors import InputError
from toolreplay.findings.check import Check
from toolreplay.findings.gate import (
    COULD_NOT_RUN,
    NOT_ALL_CHECKED,
    exit_status,
    exit_status_of_many,
)
from toolreplay.findings.judgement import Input, Report, Summary
from toolreplay.findings.result import AuditResult
from toolreplay.findings.suppression import Known
from toolreplay.records.limits import Limits
from toolreplay.records.run import Run
from toolreplay.sources.folder import files_of, is_many
from toolreplay.sources.opening import Opened
from toolreplay.sources.recognise import CompanionError, NotRecognisedError
from toolreplay.sources.source import FileSource

__all__ = ["Judging", "carried", "verify_by_audit"]


class Judging:
    """The inputs of one command, judged one after the other and told to a report.

    With several inputs a broken one is named on standard error and counted; a single one raises.
    That one may have been `opened` already.
    """

    def __init__(
        self,
        names: Sequence[str],
        judge_run: Callable[[Run], AuditResult],
        report: Report,
        limits: Limits,
        console: Console,
        *,
        known: Known | None = None,
        forced: str | None = None,
        with_details: bool = False,
        verbose: bool = False,
        opened: Opened | None = None,
    ) -> None:
        self._many = is_many(names)
        self._names = names
        self._judge_run = judge_run
        self._report = report
        self._limits = limits
        self._console = console
        self._known = known
        self._forced = forced
        self._with_details = with_details
        self._verbose = verbose
        self._opened = opened
        self._statuses: set[int] = set()
        self._totals = dict.fromkeys(
            ("files", "read", "not recognised", "unreadable", "runs", "calls", "findings",
             "nothing recorded"), 0,
        )  # fmt: skip

    def run(self) -> int:
        """Judge everything, tell the report as it comes, and return the exit status."""
        for name, in_folder in files_of(self._names, self._note_closed_folder):
            self._totals["files"] += 1
            try:
                self._judge(name)
            except NotRecognisedError as error:
                if not self._many:
                    raise
                if in_folder and isinstance(error, CompanionError):
                    self._totals["files"] -= 1
                    continue
                self._count(name, "not recognised", error)
                if not in_folder:
                    self._statuses.add(COULD_NOT_RUN)
                    self._console.note(f"error: {error}")
                elif self._verbose:
                    self._console.note(f"note: {error}")
            except InputError as error:
                if not self._many:
                    raise
                self._note_unreadable(name, error)
            except (OSError, MemoryError) as error:  # of this input: the others can be judged
                if not self._many:
                    raise
                what = getattr(error, "strerror", None) or "not enough memory"
                self._note_unreadable(name, InputError(name, what))
        status = self._status()
        suppressed = None if self._known is None else self._known.counts()
        self._report.end(Summary(self._many, self._totals, status, suppressed))
        return status

    def _judge(self, name: str) -> None:
        with closing(FileSource(name, self._limits, self._forced, self._opened)) as source:
            for run in source.runs():
                result = self._judge_run(run)
                if self._known is not None:
                    result = self._known.without_known(result)
                self._totals["runs"] += 1
                self._totals["calls"] += result.calls
                self._totals["findings"] += result.found
                if result.calls:
                    self._statuses.add(exit_status(result))
                else:
                    self._totals["nothing recorded"] += 1
                self._report.run(result)
            item = Input(name, None, "read")
            if source.is_import:
                from toolreplay.reports.text.account import account_line

                self._console.note(account_line(source.account, name if self._many else None))
                item = item._replace(account=source.account)
            if self._with_details:
                item = item._replace(sha256=source.sha256())
            self._totals["read"] += 1
        self._report.input(item)

    def _status(self) -> int:
        """Return the status: runs of zero calls count only when there is no other run."""
        statuses = set(self._statuses)
        empty = self._totals["nothing recorded"]
        if empty and empty == self._totals["runs"]:
            statuses.add(NOT_ALL_CHECKED)
        if not self._totals["runs"] and not statuses:
            statuses.add(NOT_ALL_CHECKED)
        return exit_status_of_many(statuses)

    def _note_closed_folder(self, error: InputError) -> None:
        self._totals["files"] += 1
        self._note_unreadable(error.where, error)

    def _note_unreadable(self, name: str, error: InputError) -> None:
        self._count(name, "unreadable", error)
        self._statuses.add(COULD_NOT_RUN)
        self._console.note(f"error: {error}" if error.where == name else f"error: {name}: {error}")

    def _count(self, name: str, status: str, error: InputError) -> None:
        self._totals[status] += 1
        self._report.input(Input(name, None, status, str(error)))


def verify_by_audit(
    name: str,
    arguments: argparse.Namespace,
    limits: Limits,
    console: Console,
    opened: Opened | None = None,
) -> int:
    """Write the reports of `verify` for what is no sealed transcript, or for a folder."""

    def judge_run(run: Run) -> AuditResult:
        return judge(run, ["recompute"], Declared(), Options(identify=True), carried)

    with Outputs(arguments, console, many=is_many([name]), inputs=[name]) as outputs:
        judging = Judging(
            [name], judge_run, outputs.report, limits, console,
            with_details=outputs.with_details, opened=opened,
        )  # fmt: skip
        status = judging.run()
        outputs.keep()
    return status


def carried(checks: Sequence[Check]) -> list[str]:
    """`verify` requires that whatever it was handed can be recomputed."""
    return [check.line for check in checks if check.line in ("contents", "links")]
