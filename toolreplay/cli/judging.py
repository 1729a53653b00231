"""Join sources, audits and reports: what every command that judges has in common."""

from collections.abc import Callable, Iterator, Sequence

from toolreplay.audits.engine import Declared, Options, judge
from toolreplay.cli.console import Console
from toolreplay.errors import InputError
from toolreplay.findings.check import Check
from toolreplay.findings.gate import (
    COULD_NOT_RUN,
    NOT_ALL_CHECKED,
    exit_status,
    exit_status_of_many,
)
from toolreplay.findings.judgement import Input
from toolreplay.findings.result import AuditResult
from toolreplay.packaged import load_extension
from toolreplay.records.limits import Limits
from toolreplay.records.run import Run
from toolreplay.sources.folder import files_of, is_many
from toolreplay.sources.opening import Opened
from toolreplay.sources.recognise import CompanionError, NotRecognisedError
from toolreplay.sources.source import FileSource

__all__ = ["Judging", "carried", "verify_by_audit", "verify_folder"]


class Judging:
    """A Judgement over the inputs of one command, read as a stream.

    With several inputs a broken one is named on standard error and counted; a single one raises.
    That one may have been `opened` already.
    """

    def __init__(
        self,
        names: Sequence[str],
        judge_run: Callable[[Run], AuditResult],
        limits: Limits,
        console: Console,
        *,
        forced: str | None = None,
        with_digests: bool = False,
        verbose: bool = False,
        opened: Opened | None = None,
    ) -> None:
        self.many = is_many(names)
        self._names = names
        self._judge_run = judge_run
        self._limits = limits
        self._console = console
        self._forced = forced
        self._with_digests = with_digests
        self._verbose = verbose
        self._opened = opened
        self._inputs: list[Input] = []
        self._statuses: set[int] = set()
        self._totals = dict.fromkeys(
            ("files", "read", "not recognised", "unreadable", "runs", "calls", "findings",
             "nothing recorded"), 0,
        )  # fmt: skip

    def results(self) -> Iterator[AuditResult]:
        """Yield each result once."""
        for name, in_folder in files_of(self._names, self._note_closed_folder):
            self._totals["files"] += 1
            try:
                yield from self._results_of(name)
            except NotRecognisedError as error:
                if not self.many:
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
                if not self.many:
                    raise
                self._note_unreadable(name, error)
            except (OSError, MemoryError) as error:  # of this input: the others can be judged
                if not self.many:
                    raise
                what = getattr(error, "strerror", None) or "not enough memory"
                self._note_unreadable(name, InputError(name, what))

    def inputs(self) -> list[Input]:
        """Return the inputs, after the last result."""
        return self._inputs

    def totals(self) -> dict[str, int]:
        """Return the counts by word, after the last result."""
        return self._totals

    def exit_status(self) -> int:
        """Return the status: runs of zero calls count only when there is no other run."""
        statuses = set(self._statuses)
        empty = self._totals["nothing recorded"]
        if empty and empty == self._totals["runs"]:
            statuses.add(NOT_ALL_CHECKED)
        if not self._totals["runs"] and not statuses:
            statuses.add(NOT_ALL_CHECKED)
        return exit_status_of_many(statuses)

    def _results_of(self, name: str) -> Iterator[AuditResult]:
        source = FileSource(name, self._limits, self._forced, self._opened)
        try:
            for run in source.runs():
                result = self._judge_run(run)
                self._totals["runs"] += 1
                self._totals["calls"] += result.calls
                self._totals["findings"] += result.found
                if result.calls:
                    self._statuses.add(exit_status(result))
                else:
                    self._totals["nothing recorded"] += 1
                yield result
            if source.is_import:
                from toolreplay.reports.text.account import account_line

                self._console.note(account_line(source.account, name if self.many else None))
            digest = source.sha256() if self._with_digests else None
            # The text report has the account on standard error already.
            account = source.account if source.is_import and self._with_digests else None
            self._inputs.append(Input(name, digest, "read", account=account))
            self._totals["read"] += 1
        finally:
            source.close()

    def _note_closed_folder(self, error: InputError) -> None:
        self._totals["files"] += 1
        self._note_unreadable(error.where, error)

    def _note_unreadable(self, name: str, error: InputError) -> None:
        self._count(name, "unreadable", error)
        self._statuses.add(COULD_NOT_RUN)
        self._console.note(f"error: {error}" if error.where == name else f"error: {name}: {error}")

    def _count(self, name: str, status: str, error: InputError) -> None:
        self._totals[status] += 1
        self._inputs.append(Input(name, None, status, str(error)))


def verify_by_audit(opened: Opened, limits: Limits, form: str, console: Console) -> int:
    """Write the report of `verify` for what is no sealed transcript."""
    return _verify(opened.name, limits, form, console, opened)


def verify_folder(name: str, limits: Limits, form: str, console: Console) -> int:
    """Write the report of `verify` for each file of a folder that is recognised."""
    return _verify(name, limits, form, console, None)


def _verify(name: str, limits: Limits, form: str, console: Console, opened: Opened | None) -> int:
    def judge_run(run: Run) -> AuditResult:
        return judge(run, ["recompute"], Declared(), Options(identify=True), carried)

    judging = Judging(
        [name], judge_run, limits, console, with_digests=form == "json", opened=opened
    )
    load_extension("reports", form).write(judging, console.write_bytes)
    return judging.exit_status()


def carried(checks: Sequence[Check]) -> list[str]:
    """`verify` requires that whatever it was handed can be recomputed."""
    return [check.line for check in checks if check.line in ("contents", "links")]
