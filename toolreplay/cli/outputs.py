"""The reports that one command writes: `--format` to standard output, `--report` to files.

A file is whole or absent, and stands before the exit status is known. Of a single input that
breaks nothing has been printed.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType

from toolreplay.cli.console import Console
from toolreplay.cli.nearest import did_you_mean
from toolreplay.cli.whole_file import WholeFile, refuse_to_replace
from toolreplay.errors import OutputError, UsageError
from toolreplay.findings.judgement import Report, several
from toolreplay.packaged import extensions_of, load_extension

__all__ = ["Outputs", "add_reports"]

_KEPT_BYTES = 1 << 20


class _Formats:
    """Every report there is; the room is listed only when somebody asks for them all."""

    def __contains__(self, name: object) -> bool:
        return name == "text" or name in list(self)

    def __iter__(self) -> Iterator[str]:
        return iter(extensions_of("reports"))


def add_reports(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add `--format` with every report there is, and `--report`; return their group."""
    group = parser.add_argument_group("the report")
    group.add_argument(
        "--format",
        type=_format,
        choices=_Formats(),
        metavar="FORMAT",
        default="text",
        help="format of standard output: %(choices)s (default text)",
    )
    group.add_argument(
        "--report",
        type=_report,
        action="append",
        default=[],
        metavar="FORMAT=FILE",
        help="write a further report to a file (repeatable)",
    )
    return group


def _format(text: str) -> str:
    """Check the name of a report; the room is listed only for one that a start does not need."""
    if text != "text" and text not in (names := extensions_of("reports")):
        near = did_you_mean(text, names)
        raise argparse.ArgumentTypeError(
            f"no report '{text[:40]}' (there are: {', '.join(names)}){near}"
        )
    return text


def _report(text: str) -> tuple[str, str]:
    form, equals, name = text.partition("=")
    if name == "-":
        raise argparse.ArgumentTypeError("'-' is for --format: a further report goes to a file")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is not FORMAT=FILE")
    return _format(form), name


class Outputs:
    """Opens what the options ask for; `report` is told, then `keep` makes it stand.

    No file replaces one of the `inputs`, which are all that the command reads, nor a recording.
    `written` names a file that the command writes itself, to `beside`; it stands with the
    reports. Without `printed`
    nothing goes to standard output: the command prints lines of its own there.
    """

    report: Report
    beside: WholeFile | None = None

    def __init__(
        self,
        arguments: argparse.Namespace,
        console: Console,
        *,
        many: bool,
        inputs: Sequence[str | None],
        written: str | None = None,
        printed: bool = True,
    ) -> None:
        self._form: str | None = arguments.format if printed else None
        self._further: list[tuple[str, str]] = arguments.report
        files = [*(name for _, name in self._further), *([written] if written else [])]
        if len({os.path.realpath(name) for name in files}) < len(files):
            raise UsageError("two outputs cannot go to one file")
        for name in files:
            refuse_to_replace(name, inputs)
        self._console = console
        self._many = many
        self._written = written
        self._files: list[WholeFile] = []
        self.with_details = "json" in {self._form, *(form for form, _ in self._further)}

    def __enter__(self) -> "Outputs":
        from tempfile import SpooledTemporaryFile

        reports = []
        with ExitStack() as stack:
            self._kept = stack.enter_context(SpooledTemporaryFile(_KEPT_BYTES))
            if self._form is not None:
                to_output = self._console.write_bytes if self._many else self._write_kept
                reports.append(load_extension("reports", self._form).start(to_output, self._many))
            for form, name in self._further:
                file = stack.enter_context(WholeFile(name))
                self._files.append(file)
                reports.append(load_extension("reports", form).start(file.write, self._many))
            if self._written:
                self.beside = stack.enter_context(WholeFile(self._written))
                self._files.append(self.beside)
            self._stack = stack.pop_all()
        self.report = several(reports)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    @property
    def partials(self) -> frozenset[str]:
        """Real paths of the files that are being written: in a folder that is read they are ours."""
        return frozenset(os.path.realpath(file.partial) for file in self._files if file.partial)

    def keep(self) -> None:
        """Make the files stand, then print what was held back."""
        for file in self._files:
            file.keep()
        self._kept.seek(0)
        while piece := self._kept.read(_KEPT_BYTES):
            self._console.write_bytes(piece)

    def _write_kept(self, data: bytes) -> None:
        try:
            self._kept.write(data)
        except OSError as error:
            raise OutputError("the report", error.strerror or str(error)) from None
