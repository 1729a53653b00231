"""Prove that one entry is in a store's log, or that the log has only grown since an older head.

The first is a file of C2SP tlog-proof: with the entry's leaf (--leaf writes it) and the log's public
key anybody can check it offline. The second is what C2SP tlog-witness takes: the older size, hashes,
the newest head. Both lead to the last head that was signed; with a key one is signed first.
"""

import argparse
import shlex
import sqlite3

from toolreplay.cli.arguments import whole_number
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import run_of, store_and_run
from toolreplay.cli.older_heads import older_size
from toolreplay.cli.signing_key import add_signing_key, signing_key_of
from toolreplay.cli.whole_file import WholeFile, refuse_to_replace
from toolreplay.errors import UsageError
from toolreplay.evidence.tlog.checkpoint import Checkpoint
from toolreplay.findings.gate import CLEAN
from toolreplay.reports.lines import escaped
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.opening import open_store
from toolreplay.stores.sqlite.proving import growth_proof, index_of_entry, prove_entry
from toolreplay.stores.sqlite.reading import LogTables

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `store prove`."""
    parser.add_argument("store", metavar="STORE[#RUN]", help="a store, and the run of --entry")
    what = parser.add_argument_group("what is proved")
    what.add_argument(
        "--entry", type=whole_number, metavar="N", help="entry N of the run, which counts from 0"
    )
    what.add_argument(
        "--index", type=whole_number, metavar="N", help="entry N of the log, which counts from 0"
    )
    what.add_argument(
        "--since", metavar="SIZE|NOTE",
        help="that the log has grown out of its first SIZE entries, or out of the head in a file",
    )  # fmt: skip
    parser.add_argument("-o", dest="output", metavar="FILE", help="write the proof to a file")
    parser.add_argument(
        "--leaf", metavar="FILE", help="also write the two lines of the entry's leaf"
    )
    add_signing_key(parser.add_argument_group("who signs a head first"))


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write one proof."""
    path, wanted = store_and_run(arguments.store)
    asked = [arguments.entry, arguments.index, arguments.since]
    if sum(one is not None for one in asked) != 1:
        raise UsageError("store prove takes one of --entry N, --index N and --since SIZE|NOTE")
    if arguments.entry is not None and wanted is None:
        raise UsageError("--entry is about a run: STORE#RUN (--index counts through the log)")
    if arguments.since is not None and (arguments.leaf or wanted):
        raise UsageError("--since is about the log as a whole: no run and no --leaf go with it")
    for name in (arguments.output, arguments.leaf):
        if name is not None:
            refuse_to_replace(name, [path])
    key = signing_key_of(arguments)
    if key is not None:
        with open_store(path, key):
            pass  # whoever closes a store publishes its head
    leaf = None
    with reading_of_store(path) as (connection, _):
        tables = LogTables(connection, path)
        if arguments.since is not None:
            old = older_size(arguments.since, tables)
            data, head = growth_proof(tables, path, old)
            what = f"size {head.size:,} has grown out of size {old:,}"
        else:
            index = _index(connection, path, wanted, arguments)
            data, leaf, head = prove_entry(tables, path, index)
            what = f"entry {index:,} is in the log of size {head.size:,}"
    if arguments.leaf is not None and leaf is not None:
        _write(arguments.leaf, leaf)
    if arguments.output is None:
        console.write_bytes(data)
        return CLEAN
    _write(arguments.output, data)
    console.write_lines(map(escaped, _lines(arguments, what, head)))
    return CLEAN


def _index(
    connection: sqlite3.Connection, path: str, wanted: str | None, arguments: argparse.Namespace
) -> int:
    if wanted is None:
        found: int = arguments.index
        return found
    run = run_of(connection, path, wanted)
    if arguments.entry is None:
        raise UsageError("--index counts through the log: it goes with STORE alone")
    return index_of_entry(connection, path, run, arguments.entry)


def _write(name: str, data: bytes) -> None:
    with WholeFile(name) as file:
        file.write(data)
        file.keep()


def _lines(arguments: argparse.Namespace, what: str, head: Checkpoint) -> list[str]:
    lines = [
        f"{arguments.output}: {what}",
        f"origin: {head.origin}",
        f"root: {head.root.hex()}",
    ]
    if arguments.leaf is not None:
        lines.append(f"leaf: {arguments.leaf}")
        checked = " ".join(map(shlex.quote, (arguments.output, "--leaf", arguments.leaf)))
        lines.append(f"next: toolreplay verify {checked} --key VKEY")
    elif arguments.since is None:
        lines.append("whoever checks it needs the entry's leaf too (--leaf FILE)")
    return lines
