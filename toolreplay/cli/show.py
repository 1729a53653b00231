"""Show the calls of a run in order, one a line: a readable timeline.

Reads what `toolreplay audit` reads. --full prints arguments and responses whole.
"""

import argparse
import json
import re

from toolreplay.cli.arguments import add_format, add_limits, limits_of
from toolreplay.cli.console import Console
from toolreplay.errors import InputError, UsageError
from toolreplay.findings.gate import COULD_NOT_RUN
from toolreplay.findings.spool import LineSpool
from toolreplay.records.call import Json, ToolCall
from toolreplay.records.run import Run
from toolreplay.reports.brief import MOST_CHARACTERS, brief, content_of
from toolreplay.reports.lines import WIDTH, cut, escaped, width_of
from toolreplay.reports.text.account import account_line
from toolreplay.reports.text.block import heading
from toolreplay.sources.folder import files_of, refuse_unfinished
from toolreplay.sources.recognise import NotRecognisedError, form_words
from toolreplay.sources.source import FileSource

__all__ = ["add_arguments", "run"]

_TOOL_WIDTH = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `show`."""
    parser.add_argument("input", metavar="X", help="a file, a folder, or - for standard input")
    parser.add_argument("--tool", metavar="NAME", help="only the calls of this tool")
    parser.add_argument(
        "--calls", metavar="A-B", help="only the calls at these indexes: 3, 7- or 3-9"
    )
    parser.add_argument("--full", action="store_true", help="print arguments and responses whole")
    add_format(parser)
    add_limits(parser, form_words())


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print each run; nothing is printed of an input that breaks half-way."""
    limits = limits_of(arguments)
    wanted = _range_of(arguments.calls)
    runs = 0
    spool = LineSpool()
    notes: list[str] = []
    status = 0
    for name, in_folder in files_of([arguments.input]):
        try:
            if in_folder:
                refuse_unfinished(name)
            source = FileSource(name, limits, arguments.form)
            for shown in source.runs():
                _add(shown, spool, runs, wanted, arguments, with_file=in_folder)
                runs += 1
        except NotRecognisedError:
            if in_folder:
                continue
            raise
        except InputError as error:
            if not in_folder:
                raise
            # A line number alone would not say whose.
            notes.append(f"error: {error}" if error.where == name else f"error: {name}: {error}")
            status = COULD_NOT_RUN
            continue
        if source.is_import:
            notes.append(account_line(source.account, name if in_folder else None))
        source.close()
    if not runs and not notes:
        raise InputError(
            arguments.input, "holds no run that can be shown (see: toolreplay formats)"
        )
    for note in notes:
        console.note(note)
    if arguments.format == "json":
        console.write('{"format": "toolreplay-show/1", "runs": [\n')
    console.write_lines(spool.lines())
    if arguments.format == "json":
        console.write("]}\n")
    return status


def _add(
    shown: Run,
    spool: LineSpool,
    before: int,
    wanted: tuple[int, int],
    arguments: argparse.Namespace,
    *,
    with_file: bool,
) -> None:
    """Add one run to what is printed, `before` others in front of it."""
    calls = LineSpool()
    count = 0
    for call in shown.calls:
        count += 1
        if wanted[0] <= call.index <= wanted[1] and arguments.tool in (None, call.tool):
            for line in _lines_of(call, arguments):
                calls.add(line)
    _put(spool, shown, count, calls, before, arguments.format, with_file=with_file)


def _put(
    spool: LineSpool,
    shown: Run,
    count: int,
    calls: LineSpool,
    before: int,
    form: str,
    *,
    with_file: bool,
) -> None:
    info = shown.info
    if form == "json":
        members = {
            "run": info.name, "file": info.file, "form": info.form, "agent": info.agent,
            "model": info.model, "provenance": info.provenance, "count": count,
        }  # fmt: skip
        spool.add(f'{"," if before else ""}{json.dumps(members)[:-1]}, "calls": [')
        spool.take(calls, separator=",")
        spool.add("]}")
        return
    if before:
        spool.add("")
    spool.add(heading(info, count))
    if with_file:
        spool.add(f"file: {escaped(info.file)}")
    spool.add("")
    spool.take(calls)


def _lines_of(call: ToolCall, arguments: argparse.Namespace) -> list[str]:
    if arguments.format == "json":
        return [json.dumps(_document_of(call))]
    outcome = "" if call.outcome in (None, "ok") else f"[{call.outcome}] "
    time = _clock(call.meta.at) if call.meta else ""
    start = f"{call.index:>5}  {time}"
    tool = escaped(call.tool[:MOST_CHARACTERS])
    if arguments.full:
        lines = [f"{start}{tool} {outcome}".rstrip()]
        for label, value in (("args", call.args), ("response", call.response)):
            text = json.dumps(value, ensure_ascii=False, indent=2)
            lines += [f"       {label}: " + escaped(line) if number == 0 else f"       {escaped(line)}"
                      for number, line in enumerate(text.split("\n"))]  # fmt: skip
        return lines
    start += tool if width_of(tool) > _TOOL_WIDTH else tool + " " * (_TOOL_WIDTH - width_of(tool))
    result = "" if not call.has_result else f"→ {brief(content_of(call.response))}"
    room = WIDTH - width_of(start) - 1
    args = brief(call.args)
    if result:
        # Arguments may take what the response leaves, and at least half of the room.
        args = cut(args, max(room // 2, room - width_of(outcome + result) - 1))
    else:
        args = cut(args, room - width_of(outcome))
    return [cut(f"{start} {args} {outcome}{result}".rstrip(), WIDTH)]


def _clock(time: str | None) -> str:
    """Return the time of day as the record has it, or blanks: dates stand in --full and JSON."""
    found = re.search(r"T(\d\d:\d\d:\d\d)", time or "")
    return f"{found[1]}  " if found else ""


def _document_of(call: ToolCall) -> dict[str, Json]:
    document: dict[str, Json] = {
        "index": call.index, "tool": call.tool, "args": call.args, "response": call.response,
        "outcome": call.outcome, "line": call.place.line,
    }  # fmt: skip
    if call.meta is not None:
        meta = call.meta
        document |= {
            "call_id": meta.call_id, "at": meta.at, "ended_at": meta.ended_at, "model": meta.model,
        }  # fmt: skip
    return document


def _range_of(text: str | None) -> tuple[int, int]:
    if text is None:
        return 0, 1 << 62
    found = re.fullmatch(r"([0-9]{1,15})(?:-([0-9]{0,15}))?", text)
    if not found:
        raise UsageError("--calls takes one index or a range, as 3 or 3-9")
    first = int(found[1])
    if found[2] is None:
        return first, first
    last = int(found[2]) if found[2] else 1 << 62
    if last < first:
        raise UsageError(f"--calls {first}-{last}: the last index is before the first")
    return first, last
