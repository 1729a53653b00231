"""Build the tables for finding again, from the leaves and payloads of a store.

These are the subtrees, the runs, and what finds entries, calls and pieces. Leaves, payloads, pieces
and heads are not touched. No crash makes this necessary: whoever needs it had a disk that lies, or
somebody's hand in the file, and should first ask `store check` what else is wrong.
"""

import argparse
import shlex

from toolreplay.cli.console import Console
from toolreplay.cli.inputs import STORE_HELP, store_path
from toolreplay.cli.store_check import difference_lines
from toolreplay.findings.gate import CLEAN
from toolreplay.reports.lines import escaped
from toolreplay.stores.sqlite.repair import repair

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `store repair`."""
    parser.add_argument("store", metavar="STORE", help=STORE_HELP)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Repair the store and say what was mended."""
    path = store_path(arguments.store)
    found = repair(path)
    lines = [line.replace("derived-table: ", "mended: ") for line in difference_lines(found)]
    if not found:
        lines = ["nothing to mend: the tables for finding are those of the leaves"]
    lines.append(f"next: toolreplay store check {shlex.quote(path)}")
    console.write_lines(map(escaped, lines))
    return CLEAN
