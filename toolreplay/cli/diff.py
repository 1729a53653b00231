"""Say where two runs part: calls that changed, moved, were dropped or added.

A and B are one run each. Calls are equal by tool and arguments, and aligned as in a diff of two
texts; a changed call is equal and came back with something else. A stretch of more than some 8,000
calls in which none stands just once is not aligned: it counts as dropped, added or moved, and
the report says so.

Marks: - only in A, + only in B, ~ changed, > moved. Exits with 0 when the runs do not differ and
with 1 when they do. Of two sealed transcripts it also says how many links are the same from the
start, and links that differ are a difference; whether a chain holds says `toolreplay verify`.
"""

import argparse

from toolreplay.cli.arguments import add_format, add_limits, limits_of, refuse_two_inputs
from toolreplay.cli.comparing import Side, entries_of
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import add_store, resolved
from toolreplay.errors import UsageError
from toolreplay.evidence.run_digests import numbered, shared_links
from toolreplay.findings.difference import compare
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.findings.spool import LineSpool
from toolreplay.reports.difference import Compared, ending_lines
from toolreplay.sources.naming import FEWEST_CHARACTERS, is_named
from toolreplay.sources.recognise import form_words

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diff`."""
    parser.add_argument("a", metavar="A", help="a file, or -")
    parser.add_argument("b", metavar="B", help="the file it is compared with, or -")
    parser.add_argument(
        "--run",
        metavar="NAME",
        help="which run, where a file holds several: its name, or at least "
        f"{FEWEST_CHARACTERS} characters of its beginning",
    )
    parser.add_argument("--full", action="store_true", help="list every call, however many")
    add_format(parser, ("text", "json", "markdown"))
    add_store(add_limits(parser, form_words()))


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Compare two runs; nothing is printed of inputs of which one breaks half-way."""
    arguments.a, arguments.b = (resolved(name, arguments) for name in (arguments.a, arguments.b))
    refuse_two_inputs(arguments.a, arguments.b)
    limits = limits_of(arguments)
    sides = [Side(name, limits, arguments) for name in (arguments.a, arguments.b)]
    with_links = all(side.is_sealed for side in sides)
    for side in sides:
        side.read(with_links=with_links)
    first, second = sides
    if arguments.run is not None and not any(is_named(side.info, arguments.run) for side in sides):
        raise UsageError(f"no run of A or B is named '{arguments.run[:100]}'")
    a, b = first.digests, second.digests
    difference = compare(*numbered(a, b), lambda at, other: a.same_result(at, b, other))
    compared = Compared(
        first.info, second.info, (len(a), len(b)), difference,
        shared_links(a, b) if with_links else None,
    )  # fmt: skip
    spool = _written(compared, first, second, arguments)
    for side in sides:
        side.note_account(console)
        side.close()
    console.write_lines(spool.lines())
    return FOUND if compared.differs else CLEAN


def _written(compared: Compared, a: Side, b: Side, arguments: argparse.Namespace) -> LineSpool:
    """Return the lines of a report; only the modules of its own format are loaded."""
    spool = LineSpool()
    difference = compared.difference
    if arguments.format == "json":
        from toolreplay.reports.json.difference import entry_text, opening_text

        entries = LineSpool()
        for entry in entries_of(difference, a, b, None):
            entries.add(f"  {entry_text(entry)}")
        for line in opening_text(compared):
            spool.add(line)
        spool.take(entries, separator=",")
        spool.add("]}")
        return spool
    if arguments.format == "markdown":
        from toolreplay.reports.markdown import difference as form

        opening, item, ending = form.opening, form.entry_item, form.ending
        most = form.MOST_LISTED
    else:
        from toolreplay.reports.text import difference as lines

        opening, item, ending = lines.opening_lines, lines.entry_lines, ending_lines
        most = lines.MOST_LISTED
    shown = None if arguments.full else most
    for line in opening(compared):
        spool.add(line)
    for entry in entries_of(difference, a, b, shown):
        for line in item(entry):
            spool.add(line)
    for line in ending(compared, shown):
        spool.add(line)
    return spool
