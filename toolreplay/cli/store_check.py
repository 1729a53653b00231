"""Hold a store against its own leaves: nothing that is derived from them is believed.

Every leaf, payload and piece is hashed, the tree is computed anew and compared with every head that
was signed and every subtree that is kept, and the tables for finding with those that are built anew
beside it. That finds damage, and whoever changed a part. Whoever changed all of it alike is only
found by the head that others remember: `toolreplay verify STORE --key VKEY`, which also judges the
receipts. Exits with 0 where everything agrees and with 1 where something does not.
"""

import argparse
import shlex

from toolreplay.cli.console import Console
from toolreplay.cli.inputs import STORE_HELP, store_path
from toolreplay.errors import StoreError
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.reports.lines import escaped, plural
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.checking import LogCheck
from toolreplay.stores.sqlite.repair import Difference, differences

__all__ = ["add_arguments", "difference_lines", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `store check`."""
    parser.add_argument("store", metavar="STORE", help=STORE_HELP)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Check the store and print what was found."""
    path = store_path(arguments.store)
    with reading_of_store(path) as (connection, is_copy):
        check = LogCheck(connection, path)
        checked = check.run(with_contents=True)
        faults = [f"{fault.kind}: {fault.detail}" for fault in check.faults]
        found: list[Difference] = []
        compared = "not compared: the leaves do not hold"
        if checked.root is not None and not check.is_changed:
            try:
                found = differences(connection, path)
                compared = "differ" if found else "agree"
            except StoreError as error:
                faults.append(f"derived-table: {error.what}")
                compared = "not compared"
    quoted = shlex.quote(path)
    lines = [
        f"leaves     {checked.size:,} of {plural(len(check.runs), 'run')}",
        f"heads      {checked.heads:,} compared",
        f"payloads   {checked.payloads:,} compared",
        f"pieces     {checked.pieces:,} compared",
        f"tables     {compared}",
        *faults,
        *difference_lines(found),
    ]
    if checked.root is not None:
        lines.insert(1, f"root       {checked.root.hex()}")
    if found and not faults:
        lines.append(f"next: toolreplay store repair {quoted}")
    elif not faults:
        lines.append(f"receipts, signatures and time: toolreplay verify {quoted} --key VKEY")
    console.write_lines(map(escaped, lines))
    if is_copy:
        console.note("note: a private copy was read: the folder of the store cannot be written to")
    return FOUND if faults or found else CLEAN


def difference_lines(found: list[Difference]) -> list[str]:
    """Return a line for each derived table that differs from what the leaves give."""
    lines = []
    for one in found:
        counts = [
            f"{count:,} {word}"
            for count, word in (
                (one.wrong, "wrong"),
                (one.missing, "missing"),
                (one.surplus, "too many"),
            )
            if count
        ]
        lines.append(f"derived-table: {one.table}: rows: {', '.join(counts)}")
    return lines
