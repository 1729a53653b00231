"""Say what a store holds, who signs it, and whether it records.

Nothing is checked but what opening needs: `store check` holds the store against its own leaves,
and `toolreplay verify STORE` judges what it holds as an auditor would. Exits with 1 where the store
is smaller than a head that it has signed itself, or does not record.
"""

import argparse
import json

from toolreplay.cli.arguments import add_format
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import STORE_HELP, store_path
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.reports.lines import columns, escaped, plural
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.overview import Overview, overview_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `store status`."""
    parser.add_argument("store", metavar="STORE", help=STORE_HELP)
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the overview of a store."""
    path = store_path(arguments.store)
    with reading_of_store(path) as (connection, is_copy):
        found = overview_of(connection, path)
    if arguments.format == "json":
        console.write(json.dumps(_document(path, found)) + "\n")
    else:
        rows = [[name, escaped(text)] for name, text in _rows(path, found)]
        console.write_lines(columns(rows))
    if is_copy:
        console.note("note: a private copy was read: the folder of the store cannot be written to")
    return FOUND if found.failure is not None or found.behind < 0 else CLEAN


def _rows(path: str, found: Overview) -> list[tuple[str, str]]:
    runs = plural(found.runs, "run")
    if found.open_runs:
        runs += f", {found.open_runs:,} of them open"
    rows = [
        ("store", f"{path} (format {found.format})"),
        ("origin", found.origin),
        ("signed by", found.signer or "nobody (toolreplay store sign gives it a key)"),
        ("entries", f"{found.entries:,} of {runs}"),
        ("root", f"{found.root.hex()} (size {found.entries:,})"),
    ]
    if found.head is not None:
        rows.append(("last head", f"size {found.head.size:,}, of {found.heads:,} that are kept"))
    elif found.signer is not None:
        rows.append(("last head", "none was signed yet"))
    if found.behind < 0:
        rows.append(("cut", f"{-found.behind:,} entries that were signed are not here"))
    elif found.signer is not None and found.behind:
        rows.append(
            ("behind it", f"{plural(found.behind, 'entry', 'entries')} (no head covers them)")
        )
    rows.append(("recording", "works" if found.failure is None else f"not {found.failure}"))
    if found.torn_bytes:
        what = "at the end of the write-ahead log: a group that was never whole"
        rows.append(("torn tail", f"{found.torn_bytes:,} bytes {what}"))
    listed = ", ".join(f"{suffix or 'file'} {count:,}" for suffix, count in found.files)
    rows.append(("bytes", listed))
    return rows


def _document(path: str, found: Overview) -> dict[str, object]:
    head = found.head
    return {
        "format": "toolreplay-store/1",
        "store": path,
        "version": found.format,
        "origin": found.origin,
        "signer": found.signer,
        "entries": found.entries,
        "root": found.root.hex(),
        "runs": found.runs,
        "open_runs": found.open_runs,
        "heads": found.heads,
        "last_head": None if head is None else {"size": head.size, "root": head.root.hex()},
        "behind": found.behind,
        "not_recording": found.failure,
        "torn_bytes": found.torn_bytes,
        "files": [{"suffix": suffix, "bytes": count} for suffix, count in found.files],
    }
