"""Import foreign sessions as strict transcripts, with an account of every part of them.

Each run becomes OUT (a sub-agent's OUT.agent-<id>; several sessions a folder OUT), with what four
members cannot say in OUT.meta.jsonl beside it. Of a folder every session is imported, into the
folder OUT, under the names they had. Without -o a single run goes to standard output.
The account on standard error says what was mapped, and what was skipped and why; with --strict a
loss ends with 1 and nothing is written.
"""

import argparse
import os
from collections.abc import Callable
from contextlib import closing

from toolreplay.cli.arguments import add_limits, limits_of
from toolreplay.cli.console import Console
from toolreplay.cli.importing import made_folder, safe_stem, targets_of, write_runs, write_to_output
from toolreplay.errors import InputError, OutputError, UsageError
from toolreplay.findings.gate import CLEAN, COULD_NOT_RUN, FOUND
from toolreplay.records.limits import Limits
from toolreplay.records.run import RECEIPTS
from toolreplay.reports.lines import escaped, plural
from toolreplay.reports.text.account import account_line
from toolreplay.sources.folder import files_of, refuse_unfinished
from toolreplay.sources.recognise import NotRecognisedError, form_words
from toolreplay.sources.source import FileSource

__all__ = ["add_arguments", "run"]

_MOST_NAMED = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `import`."""
    parser.add_argument("input", metavar="X", help="a session file, a folder of them, or -")
    parser.add_argument(
        "-o",
        dest="output",
        metavar="OUT",
        help="where the transcripts go, a file or a folder; files of their names are replaced",
    )
    parser.add_argument(
        "--strict", action="store_true", help="write nothing and exit with 1 if anything is lost"
    )
    add_limits(parser, form_words())


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write the transcripts of a session or of a folder of them, and their accounts."""
    limits = limits_of(arguments)
    if arguments.input != "-" and os.path.isdir(arguments.input):
        return _Folder(arguments, limits, console).run()
    with closing(FileSource(arguments.input, limits, arguments.form)) as source:
        return _import(source, arguments, limits, console)


def _import(
    source: FileSource, arguments: argparse.Namespace, limits: Limits, console: Console
) -> int:
    if not source.is_import:
        what = "holds receipts" if source.form == RECEIPTS else f"is a {source.form}"
        raise InputError(arguments.input, f"{what} already (see: toolreplay audit)")
    runs = list(source.runs())
    account = account_line(source.account)
    if arguments.strict and source.account.lost:
        console.note(account)
        for loss in source.account.losses:
            console.note(f"lost: {loss}")
        console.note(_nothing_written(source.account.lost))
        return FOUND
    if arguments.output in (None, "-"):
        if len(runs) > 1:
            raise UsageError(f"{arguments.input}: holds {len(runs):,} runs; name a place with -o")
        write_to_output(runs[0], limits, console)
        console.flush()
        console.note(account)
        return CLEAN
    targets = list(targets_of(runs, arguments.output, set()))
    lines, _ = write_runs(arguments.input, targets, limits)
    console.note(account)
    # Several runs of one session stand beside each other; several sessions in a folder.
    made = [name for _, name in targets]
    beside = made[0] == arguments.output and len(made) <= _MOST_NAMED
    next_names = " ".join(made) if beside else arguments.output
    console.write_lines([*lines, escaped(f"next: toolreplay audit {next_names}")])
    return CLEAN


def _nothing_written(lost: int) -> str:
    return f"{plural(lost, 'loss', 'losses')}: nothing was written"


class _Folder:
    """The import of every session below a folder, one after the other."""

    def __init__(self, arguments: argparse.Namespace, limits: Limits, console: Console) -> None:
        self._folder = arguments.input
        self._output = arguments.output
        self._strict = arguments.strict
        self._form = arguments.form
        self._limits = limits
        self._console = console
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}
        self._lost = self._runs = self._calls = 0

    def run(self) -> int:
        """Write what can be read; a file that cannot is named, and the status is then 2."""
        if self._output in (None, "-"):
            raise UsageError(f"{self._folder}: is a folder; name a folder for it with -o")
        if self._is_inside(self._output):
            raise UsageError(f"{self._output}: lies in the folder that is read")
        if self._strict:
            self._each(self._look_for_losses)
            if self._lost:
                self._console.note(_nothing_written(self._lost))
                return FOUND
            if self._counts["unreadable"]:
                self._console.note("nothing was written")
                return COULD_NOT_RUN
        if os.path.lexists(self._output) and not os.path.isdir(self._output):
            raise OutputError(self._output, "is a file, and a folder is needed")
        self._each(self._write)
        counts = ", ".join(f"{count:,} {word}" for word, count in self._counts.items())
        failed = self._counts["unreadable"] + self._counts.get("not written", 0)
        if not self._counts["imported"] and not failed:
            raise InputError(self._folder, f"holds no session that can be imported ({counts})")
        files = f"files: {sum(self._counts.values()):,} ({counts})"
        lines = [f"{files} · runs: {self._runs:,} · calls: {self._calls:,}"]
        if self._runs:
            lines.append(escaped(f"next: toolreplay audit {self._output}"))
        self._console.write_lines(lines)
        return COULD_NOT_RUN if failed else CLEAN

    def _each(self, take: Callable[[FileSource], None]) -> None:
        self._counts = dict.fromkeys(("imported", "no session", "unreadable"), 0)
        for name, _ in files_of([self._folder], self._note_unreadable):
            try:
                refuse_unfinished(name)
                with closing(FileSource(name, self._limits, self._form)) as source:
                    if not source.is_import:
                        self._counts["no session"] += 1
                        continue
                    take(source)
                    self._counts["imported"] += 1
            except NotRecognisedError:
                self._counts["no session"] += 1
            except InputError as error:
                self._note_unreadable(error, name)
            except OutputError as error:  # of this session's place: the others have their own
                self._counts["not written"] = self._counts.get("not written", 0) + 1
                self._console.note(f"error: {error}")
            except MemoryError:
                self._note_unreadable(InputError(name, "not enough memory"))

    def _is_inside(self, name: str) -> bool:
        """Whether recordings are read there; a link, or OUT itself, may lead to them."""
        folder = os.path.join(os.path.realpath(self._folder), "")
        return os.path.join(os.path.realpath(name), "").startswith(folder)

    def _look_for_losses(self, source: FileSource) -> None:
        for _ in source.runs():
            pass
        account = source.account
        if account.lost:
            self._lost += account.lost
            self._console.note(account_line(account, source.name))
            for loss in account.losses:
                self._console.note(f"lost: {source.name}: {loss}")

    def _write(self, source: FileSource) -> None:
        """Write the runs of one session at the place below OUT that it has below the folder."""
        runs = list(source.runs())
        below = os.path.dirname(os.path.relpath(source.name, self._folder))
        place = os.path.normpath(os.path.join(self._output, below))
        made_folder(place)
        output = os.path.join(place, safe_stem(source.name))
        targets = list(targets_of(runs, output, self._taken, ".jsonl"))
        for _, target in targets:
            if self._is_inside(target):
                raise OutputError(target, "lies in the folder that is read")
        lines, calls = write_runs(source.name, targets, self._limits)
        self._runs += len(lines)
        self._calls += calls
        self._console.write_lines(lines)
        self._console.note(account_line(source.account, source.name))

    def _note_unreadable(self, error: InputError, name: str | None = None) -> None:
        self._counts["unreadable"] += 1
        named = name is None or error.where == name
        self._console.note(f"error: {error}" if named else f"error: {name}: {error}")
