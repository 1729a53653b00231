"""Show the calls of a run in order, one a line: a readable timeline.

Reads what `toolreplay audit` reads. --full prints arguments and responses whole. A session that
somebody linked to a recorded run (toolreplay runs link) is printed behind its calls.
"""

import argparse
import json
import re

from toolreplay.cli.arguments import add_format, add_limits, limits_of
from toolreplay.cli.call_lines import brief_lines, document_of, full_lines
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import add_store, resolved
from toolreplay.errors import InputError, UsageError
from toolreplay.findings.gate import COULD_NOT_RUN
from toolreplay.findings.spool import LineSpool
from toolreplay.records.call import Json, ToolCall
from toolreplay.records.run import Run
from toolreplay.reports.brief import delivered
from toolreplay.reports.lines import escaped
from toolreplay.reports.text.account import account_line
from toolreplay.reports.text.block import heading
from toolreplay.sources.folder import files_of, refuse_unfinished
from toolreplay.sources.recognise import NotRecognisedError, form_words
from toolreplay.sources.source import FileSource

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `show`."""
    parser.add_argument(
        "input", metavar="X", help="a file, a folder, a run of a store (STORE#RUN, @last), or -"
    )
    parser.add_argument("--tool", metavar="NAME", help="only the calls of this tool")
    parser.add_argument(
        "--calls", metavar="A-B", help="only the calls at these indexes: 3, 7- or 3-9"
    )
    parser.add_argument("--full", action="store_true", help="print arguments and responses whole")
    add_format(parser)
    add_store(add_limits(parser, form_words()))


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print each run; nothing is printed of an input that breaks half-way."""
    limits = limits_of(arguments)
    arguments.input = resolved(arguments.input, arguments)
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
    lines_of = full_lines if arguments.full else brief_lines
    if arguments.format == "json":
        lines_of = _json_lines
    calls = LineSpool()
    count = 0
    for call in shown.calls:
        count += 1
        if wanted[0] <= call.index <= wanted[1] and arguments.tool in (None, call.tool):
            for line in lines_of(call):
                calls.add(line)
    evidence = shown.info.evidence
    unbound = () if evidence is None else evidence.unbound()
    links = [value for name, value in unbound if name == "link"]
    _put(spool, shown, count, calls, links, before, arguments.format, with_file=with_file)


def _put(
    spool: LineSpool,
    shown: Run,
    count: int,
    calls: LineSpool,
    links: list[Json],
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
        spool.add(f'], "links": {json.dumps(links)}}}' if links else "]}")
        return
    if before:
        spool.add("")
    spool.add(heading(info, count))
    if with_file:
        spool.add(f"file: {escaped(info.file)}")
    spool.add("")
    spool.take(calls)
    if links:
        spool.add("")
        spool.add("unbound, as delivered:")
        for link in links:
            spool.add(f"  link  {delivered(link)}")


def _json_lines(call: ToolCall) -> list[str]:
    return [json.dumps(document_of(call))]


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
