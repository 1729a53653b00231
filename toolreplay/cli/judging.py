"""Join sources, audits and reports: what every command that judges has in common."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from toolreplay.cli.console import Console
from toolreplay.errors import InputError
from toolreplay.findings.gate import (
    COULD_NOT_RUN,
    NOT_ALL_CHECKED,
    exit_status,
    exit_status_of_many,
)
from toolreplay.findings.judgement import Input, Report, Summary
from toolreplay.findings.result import AuditResult
from toolreplay.findings.suppression import Known
from toolreplay.records.call import ToolCall
from toolreplay.records.limits import Limits
from toolreplay.records.run import LOG, Run
from toolreplay.sources.folder import files_of, is_many, refuse_unfinished
from toolreplay.sources.opening import Opened, shown_name
from toolreplay.sources.recognise import CompanionError, NotRecognisedError
from toolreplay.sources.source import FileSource

_CALLS_BETWEEN = 5000
"""Calls between two looks at the clock."""

__all__ = ["Judging"]


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
        passed_over: frozenset[str] = frozenset(),
        forced: str | None = None,
        with_details: bool = False,
        verbose: bool = False,
        shows_progress: bool = False,
        opened: Opened | None = None,
    ) -> None:
        self._many = is_many(names)
        self._names = names
        self._judge_run = judge_run
        self._report = report
        self._limits = limits
        self._console = console
        self._known = known
        self._passed_over = passed_over
        self._forced = forced
        self._with_details = with_details
        self._verbose = verbose
        self._shows_progress = shows_progress
        self._opened = opened
        self._statuses: set[int] = set()
        self._totals = dict.fromkeys(
            ("files", "read", "not recognised", "unreadable", "runs", "calls", "findings",
             "nothing recorded"), 0,
        )  # fmt: skip

    def run(self) -> int:
        """Judge everything, tell the report as it comes, and return the exit status."""
        for name, in_folder in files_of(self._names, self._note_closed_folder):
            if in_folder and self._passed_over and os.path.realpath(name) in self._passed_over:
                continue
            self._totals["files"] += 1
            self._say_how_far()
            try:
                if in_folder:
                    refuse_unfinished(name)
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
            for run in source.runs(with_log=True):
                if self._shows_progress:
                    run = run._replace(calls=self._told(run.calls))  # noqa: PLW2901
                result = self._judge_run(run)
                if self._known is not None:
                    result = self._known.without_known(result)
                self._report.run(result)
                if run.info.form == LOG:
                    self._totals["findings"] += result.found
                    self._statuses.add(exit_status(result))
                    continue
                self._totals["runs"] += 1
                self._totals["calls"] += result.calls
                self._totals["findings"] += result.found
                if not result.is_empty:
                    self._statuses.add(exit_status(result))
                if not result.calls and not result.erased:
                    self._totals["nothing recorded"] += 1
            item = Input(shown_name(name), None, "read")
            if source.is_import:
                from toolreplay.reports.text.account import account_line

                self._console.note(account_line(source.account, name if self._many else None))
                item = item._replace(account=source.account)
            if self._with_details:
                item = item._replace(sha256=source.sha256())
            self._totals["read"] += 1
        self._report.input(item)

    def _told(self, calls: Iterator[ToolCall]) -> Iterator[ToolCall]:
        """Say within a long run how far it is."""
        for number, call in enumerate(calls, 1):
            if number % _CALLS_BETWEEN == 0:
                self._say_how_far(number)
            yield call

    def _say_how_far(self, calls: int = 0) -> None:
        if self._shows_progress:
            totals = self._totals
            self._console.progress(
                f"{totals['files']:,} files · {totals['calls'] + calls:,} calls · "
                f"{totals['findings']:,} findings"
            )

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
        shown = shown_name(name)
        text = str(error).replace(name, shown)
        self._report.input(Input(shown, None, status, text))
