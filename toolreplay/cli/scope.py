"""Hold a strict transcript against a declared scope: were only permitted tools used?

The scope file is one JSON object: {"agent": "docs-reader", "allowed_tools": ["read_file"]}.
Exits with 1 when a call is outside the scope. `toolreplay explain scope` is the manual page.
"""

import argparse

from toolreplay.audits.engine import Declared, Options, judge
from toolreplay.cli.arguments import add_format, add_limits, limits_of, refuse_two_inputs
from toolreplay.cli.console import Console
from toolreplay.cli.strict import note_meta_beside, open_strict
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.reports.text.tutorial import counts_without_divergence, finding_line
from toolreplay.sources.declared import read_scope

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `scope`."""
    parser.add_argument(
        "transcript", metavar="TRANSCRIPT", help="a strict transcript, or - for standard input"
    )
    parser.add_argument("scope", metavar="SCOPE", help="the scope file (JSON)")
    add_format(parser)
    add_limits(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Judge the transcript and print what was found."""
    refuse_two_inputs(arguments.transcript, arguments.scope)
    limits = limits_of(arguments)
    declared = Declared(scope=read_scope(arguments.scope, limits))
    opened = open_strict(arguments.transcript, limits)
    if arguments.format == "json":
        from toolreplay.cli.one_report import write_one

        options = Options(identify=True, limits=limits)
        return write_one(judge(opened, ["scope"], declared, options), opened, console)
    result = judge(opened, ["scope"], declared, Options(limits=limits))
    console.write_lines(counts_without_divergence(result.calls, result.found))
    console.write_lines(map(finding_line, result.findings))
    note_meta_beside(arguments.transcript, console)
    return FOUND if result.found else CLEAN
