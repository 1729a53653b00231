"""Import a foreign session as strict transcripts, with an account of every part of it.

Each run becomes OUT (a sub-agent's OUT.agent-<id>; several sessions a folder OUT), with what four
members cannot say in OUT.meta.jsonl beside it. Without -o a single run goes to standard output.
The account on standard error says what was mapped, and what was skipped and why; with --strict a
loss ends with 1 and nothing is written.
"""

import argparse
import io
import os
import re
from collections.abc import Iterator
from contextlib import closing
from typing import BinaryIO

from toolreplay.cli.arguments import add_limits, limits_of
from toolreplay.cli.console import Console
from toolreplay.cli.whole_file import WholeFile, is_same_file
from toolreplay.errors import InputError, UsageError
from toolreplay.evidence.digest import hex_of
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.records.limits import Limits
from toolreplay.records.meta import meta_head, meta_line, meta_name
from toolreplay.records.run import Run
from toolreplay.records.transcript import TranscriptWriter
from toolreplay.reports.text.account import account_line
from toolreplay.reports.text.lines import escaped, plural, shortened
from toolreplay.sources.recognise import form_words
from toolreplay.sources.source import FileSource

__all__ = ["add_arguments", "run"]

_COPY_BYTES = 1 << 20
_MOST_NAMED = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `import`."""
    parser.add_argument("input", metavar="X", help="a session file, or -")
    parser.add_argument("-o", dest="output", metavar="OUT", help="where the transcripts go")
    parser.add_argument(
        "--strict", action="store_true", help="write nothing and exit with 1 if anything is lost"
    )
    parser.add_argument(
        "--from", dest="form", choices=form_words(), metavar="FORMAT", help="the input format"
    )
    add_limits(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write the transcripts of a session, and its account."""
    limits = limits_of(arguments)
    with closing(FileSource(arguments.input, limits, arguments.form)) as source:
        return _import(source, arguments, limits, console)


def _import(
    source: FileSource, arguments: argparse.Namespace, limits: Limits, console: Console
) -> int:
    if not source.is_import:
        raise InputError(arguments.input, f"is a {source.form} already (see: toolreplay audit)")
    runs = list(source.runs())
    account = account_line(source.account)
    if arguments.strict and source.account.lost:
        console.note(account)
        for loss in source.account.losses:
            console.note(f"lost: {loss}")
        console.note(f"{plural(source.account.lost, 'loss', 'losses')}: nothing was written")
        return FOUND
    if arguments.output in (None, "-"):
        if len(runs) > 1:
            raise UsageError(f"{arguments.input}: holds {len(runs):,} runs; name a place with -o")
        _write_to_output(runs[0], limits, console)
        console.flush()
        console.note(account)
        return CLEAN
    targets = list(_targets(runs, arguments.output))
    for _, name in targets:
        if any(is_same_file(arguments.input, file) for file in (name, meta_name(name))):
            raise UsageError(f"{arguments.input}: is the session itself")
    lines = []
    for shown, name in targets:
        calls = _write_run(shown, name, limits)
        run_name = shortened(shown.info.name)
        lines.append(f"{escaped(name)}: {plural(calls, 'call')} of run {run_name}")
    console.note(account)
    # Several runs of one session stand beside each other; several sessions in a folder.
    made = [name for _, name in targets]
    beside = made[0] == arguments.output and len(made) <= _MOST_NAMED
    next_names = " ".join(made) if beside else arguments.output
    console.write_lines([*lines, escaped(f"next: toolreplay audit {next_names}")])
    return CLEAN


def _write_to_output(shown: Run, limits: Limits, console: Console) -> None:
    from tempfile import TemporaryFile

    with TemporaryFile("w+b") as transcript:
        _copy_calls(shown, transcript, None, limits)
        transcript.seek(0)
        while piece := transcript.read(_COPY_BYTES):
            console.write_bytes(piece)


def _write_run(shown: Run, name: str, limits: Limits) -> int:
    """Write one run and its companion, each whole or not at all; return the number of calls."""
    with WholeFile(name) as transcript:
        if transcript.is_device:
            calls = _copy_calls(shown, transcript.file, None, limits)
            transcript.keep()
            return calls
        with WholeFile(meta_name(name)) as meta:
            calls = _copy_calls(shown, transcript.file, meta.file, limits)
            # Both or none: a new companion beside an old transcript would tell of other calls.
            transcript.settle()
            meta.keep()
            transcript.keep()
    return calls


def _copy_calls(shown: Run, out: BinaryIO, meta: BinaryIO | None, limits: Limits) -> int:
    buffered = io.BytesIO()
    writer = TranscriptWriter(buffered, limits)
    if meta is not None:
        meta.write(meta_head(shown.info))
    count = 0
    for call in shown.calls:
        count += 1
        writer.call(call.tool, call.args, call.response)
        out.write(buffered.getvalue())
        buffered.seek(0)
        buffered.truncate()
        if meta is not None:
            assert shown.raw is not None
            line = shown.raw(call.place.start, call.place.end)
            meta.write(meta_line(call, shown.info.file, hex_of(line)))
    return count


def _targets(runs: list[Run], output: str) -> Iterator[tuple[Run, str]]:
    """Yield each run with its file: OUT and OUT.agent-<id>, or a folder of several sessions."""
    sessions = {_session_of(shown) for shown in runs}
    taken: set[str] = set()
    if len(sessions) > 1:
        try:
            os.makedirs(output, exist_ok=True)
        except OSError as error:
            raise InputError(output, error.strerror or str(error)) from None
    elif os.path.isdir(output):
        raise InputError(output, "is a folder, and this session goes to one file")
    for shown in runs:
        _, dot_agent, agent = shown.info.name.partition(".agent-")
        ending = f".agent-{_file_name(agent)}" if dot_agent else ""
        if len(sessions) > 1:
            name = os.path.join(output, f"{_file_name(_session_of(shown))}{ending}.jsonl")
        else:
            name = f"{output}{ending}"
        while name in taken:
            name += "-again"
        taken.add(name)
        yield shown, name


def _session_of(shown: Run) -> str:
    return shown.info.name.partition(".agent-")[0]


def _file_name(recorded: str) -> str:
    """Make an id from a recording safe as a file name: it may hold `..`, `/` or worse."""
    safe = re.sub(r"[^A-Za-z0-9_-]", "_", recorded)[:100]
    return (
        safe
        if safe == recorded
        else f"{safe}-{hex_of(recorded.encode('utf-8', 'surrogatepass'))[:8]}"
    )
