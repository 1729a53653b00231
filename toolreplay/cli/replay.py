"""Replay a strict transcript: which calls repeat, and which came back different?

Prints the number of calls, the first index where a rerun would disagree (the divergence), and
each finding. Exits with 1 when there are findings. `toolreplay explain replay` is the manual page.
"""

import argparse

from toolreplay.audits.engine import Declared, Options, judge
from toolreplay.cli.arguments import add_format, add_limits, limits_of, refuse_two_inputs
from toolreplay.cli.console import Console
from toolreplay.cli.strict import note_meta_beside, open_strict
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.records.run import TUTORIAL_MUTATORS, ToolEffects
from toolreplay.reports.text.tutorial import counts_with_divergence, finding_line

__all__ = ["add_arguments", "add_mutators", "named_mutators", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `replay`."""
    parser.add_argument(
        "transcript", metavar="TRANSCRIPT", help="a strict transcript, or - for standard input"
    )
    add_mutators(parser)
    parser.add_argument(
        "--unexplained-only",
        action="store_true",
        help="leave out calls that differ after a recorded change of state",
    )
    add_format(parser)
    add_limits(parser)


def add_mutators(parser: argparse._ActionsContainer) -> None:
    """Add the two options that name further tools which change state."""
    parser.add_argument(
        "--mutator",
        action="append",
        default=[],
        metavar="NAME",
        help="a tool that changes state, beside the usual ones (repeatable)",
    )
    parser.add_argument("--mutators", metavar="FILE", help="a file of such tools, one name a line")


def named_mutators(arguments: argparse.Namespace) -> set[str]:
    """Return the tools that the options of `add_mutators` name. Raises InputError."""
    names = set(arguments.mutator)
    if arguments.mutators:
        from toolreplay.sources.declared import read_names

        names |= read_names(arguments.mutators)
    return names


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Judge the transcript and print what was found."""
    refuse_two_inputs(arguments.transcript, arguments.mutators)
    limits = limits_of(arguments)
    effects = ToolEffects(TUTORIAL_MUTATORS | named_mutators(arguments))
    opened = open_strict(arguments.transcript, limits)
    info = opened.info._replace(effects=effects)
    opened = opened._replace(info=info)
    as_text = arguments.format == "text"
    options = Options(
        state_changes=not as_text,
        unexplained_only=arguments.unexplained_only,
        identify=not as_text,
        raw=opened.raw,
        limits=limits,
    )
    if not as_text:
        from toolreplay.cli.one_report import write_one

        return write_one(judge(opened, ["replay"], Declared(), options), opened, console)
    result = judge(opened, ["replay"], Declared(), options)
    console.write_lines(counts_with_divergence(result.calls, result.divergence, result.found))
    console.write_lines(map(finding_line, result.findings))
    note_meta_beside(arguments.transcript, console)
    return FOUND if result.found else CLEAN
