"""Write the runs of a recognised session as strict transcripts, each with its companion."""

import io
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from toolreplay.cli.console import Console
from toolreplay.cli.whole_file import WholeFile, is_same_file
from toolreplay.errors import OutputError
from toolreplay.evidence.digest import hex_of
from toolreplay.records.limits import Limits
from toolreplay.records.meta import meta_head, meta_line, meta_name
from toolreplay.records.run import Run
from toolreplay.records.transcript import TranscriptWriter
from toolreplay.reports.lines import escaped, plural, shortened
from toolreplay.sources.opening import plain_name

__all__ = ["made_folder", "safe_stem", "targets_of", "write_runs", "write_to_output"]

_COPY_BYTES = 1 << 20


def write_to_output(shown: Run, limits: Limits, console: Console) -> None:
    """Print the transcript of one run; nothing of one that breaks half-way."""
    from tempfile import TemporaryFile

    with TemporaryFile("w+b") as transcript:
        _copy_calls(shown, transcript, None, limits)
        transcript.seek(0)
        while piece := transcript.read(_COPY_BYTES):
            console.write_bytes(piece)


def write_runs(
    source: str, targets: list[tuple[Run, str]], limits: Limits
) -> tuple[list[str], int]:
    """Write each run to its file; return what to print, and the number of calls.

    Raises OutputError, before anything is written, where a file would replace the session.
    """
    for _, name in targets:
        if any(is_same_file(source, file) for file in (name, meta_name(name))):
            raise OutputError(source, "is the session itself")
    lines, total = [], 0
    for shown, name in targets:
        calls = _write_run(shown, name, limits)
        total += calls
        run_name = shortened(shown.info.name)
        lines.append(f"{escaped(name)}: {plural(calls, 'call')} of run {run_name}")
    return lines, total


def _write_run(shown: Run, name: str, limits: Limits) -> int:
    """Write one run and its companion, each whole or not at all; return the number of calls."""
    with WholeFile(name) as transcript:
        if transcript.is_device:
            calls = _copy_calls(shown, transcript.file, None, limits)
            transcript.keep()
            return calls
        with WholeFile(meta_name(name)) as meta:
            calls = _copy_calls(shown, transcript.file, meta.file, limits)
            # Never one beside the other's partner, wherever this ends: a companion tells of the
            # calls of its own transcript.
            transcript.settle()
            meta.settle()
            with suppress(FileNotFoundError):
                os.unlink(meta_name(name))
            transcript.keep()
            meta.keep()
    return calls


def targets_of(
    runs: list[Run], output: str, taken: set[str], suffix: str = ""
) -> Iterator[tuple[Run, str]]:
    """Yield each run with its file: OUT and OUT.agent-<id>, or a folder OUT of several sessions.

    A file has the suffix, a folder has not. No file is in `taken`, to which it is added. Raises
    OutputError.
    """
    sessions = {_session_of(shown) for shown in runs}
    if len(sessions) > 1:
        made_folder(output)
    elif os.path.isdir(output + suffix):
        raise OutputError(output + suffix, "is a folder, and this session goes to one file")
    for shown in runs:
        _, dot_agent, agent = shown.info.name.partition(".agent-")
        ending = f".agent-{_file_name(agent)}" if dot_agent else ""
        if len(sessions) > 1:
            name = os.path.join(output, f"{_file_name(_session_of(shown))}{ending}.jsonl")
        else:
            name = f"{output}{suffix}{ending}"
        while not taken.isdisjoint((name, meta_name(name))):
            name += "-again"
        taken |= {name, meta_name(name)}
        yield shown, name


def made_folder(name: str) -> None:
    """Make a folder and those above it where they are not there. Raises OutputError."""
    try:
        os.makedirs(name, exist_ok=True)
    except RecursionError:
        raise OutputError(name, "has more folders above it than can be made") from None
    except FileExistsError:
        raise OutputError(name, "is a file, and a folder is needed") from None
    except OSError as error:
        raise OutputError(name, error.strerror or str(error)) from None
    except ValueError:
        raise OutputError(name, "is not a name a folder can have") from None


def safe_stem(name: str) -> str:
    """Return the name of a file without what says how it is packed, fit to be a folder's name."""
    stem = plain_name(name)
    return _file_name(os.path.basename(name)) if stem.strip(".") == "" else stem


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
