"""Erase content of a run: bytes go, what commits to them stays, and it is written down.

Without --payload only detached and sealed pieces go: each call's receipt stays, with the digest of
what is gone. With it intent and receipt of a call go whole, with content that stands in them; with
--all also observations, and the close with the run's goal and answer. Leaves, heads and the chain of
the run stay as they are and can be checked; every run that referred to something erased gets an entry
that says so, and the reason. Of each call its step stays (tool, times, outcome, receipt id), of which
the workflow root is made: --with-steps erases that too, and the root is then not checked. A piece that other receipts refer to is
gone for them too: --dry-run says for which.

What is not in this file is beyond us: copies, exports and bundles made before, backups, snapshots,
blocks that a disk has put aside. While others read the store its write-ahead log cannot be cut, and
keeps old pages: the command then says so, and --finish cuts it later.
"""

import argparse
import os
import re
import shlex
import sqlite3

from toolreplay.cli.arguments import whole_number
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import run_of, store_and_run
from toolreplay.errors import InputError, UsageError
from toolreplay.evidence.profile.ids import Ids
from toolreplay.findings.gate import CLEAN
from toolreplay.reports.lines import escaped, plural
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.connection import open_writer, told
from toolreplay.stores.sqlite.erasing import (
    Erased,
    Referred,
    call_entries,
    content_entries,
    erase,
    pieces_of_run,
    scrub,
)
from toolreplay.stores.sqlite.opening import microseconds
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.schema import refuse_other_schema
from toolreplay.stores.sqlite.unreadable import readable

__all__ = ["add_arguments", "run"]

_LONGEST_REASON = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `store erase`."""
    parser.add_argument("store", metavar="STORE#RUN", help="the run (STORE alone with --finish)")
    what = parser.add_argument_group("what is erased")
    what.add_argument(
        "--call", type=whole_number, action="append", default=[], metavar="N",
        help="the content of the call at this index, as `show` has it (repeatable)",
    )  # fmt: skip
    what.add_argument(
        "--piece", action="append", default=[], metavar="DIGEST", help="one piece (repeatable)"
    )
    what.add_argument(
        "--all", action="store_true",
        help="the content of every call, observation and of the close (the answer)",
    )  # fmt: skip
    what.add_argument(
        "--payload", action="store_true", help="also the entries themselves in which they stand"
    )
    what.add_argument(
        "--with-steps", action="store_true", help="with --payload: also tool, times and outcome"
    )
    parser.add_argument("--reason", metavar="TEXT", help="why: it is written into the run")
    parser.add_argument("--dry-run", action="store_true", help="say what would go, erase nothing")
    parser.add_argument(
        "--finish", action="store_true", help="cut the write-ahead log that an erasure has left"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Erase, or say what would be erased."""
    path, wanted = store_and_run(arguments.store)
    if arguments.finish:
        _finish(path, wanted, arguments)
        console.write_lines(["finished: no old page is left in the write-ahead log"])
        return CLEAN
    if wanted is None:
        raise UsageError("store erase takes STORE#RUN (see: toolreplay runs list)")
    if not (arguments.call or arguments.piece or arguments.all):
        raise UsageError("nothing is named: --call N, --piece DIGEST or --all")
    if arguments.payload and not (arguments.call or arguments.all):
        raise UsageError("--payload is about whole calls: --call N or --all")
    if arguments.with_steps and not arguments.payload:
        raise UsageError("--with-steps goes with --payload: a receipt that stays has its step")
    reason = (arguments.reason or "").strip()
    if not reason or len(reason) > _LONGEST_REASON or not reason.isprintable():
        raise UsageError("--reason TEXT says why, in one line; it stays in the run")
    for digest in arguments.piece:
        if not re.fullmatch("[0-9a-f]{64}", digest):
            raise UsageError(f"--piece takes 64 lower-case hex digits, not '{digest[:70]}'")
    with reading_of_store(path) as (connection, is_copy):
        if is_copy:
            raise InputError(path, "cannot be written to: its folder is read-only")
        named = run_of(connection, path, wanted)
        with readable(path):
            pieces, entries = _chosen(connection, path, named, arguments)
        is_signed = LogTables(connection, path).signer() is not None
    erased = erase(
        path, pieces, [(named, number) for number in entries], reason, Ids(os.urandom),
        microseconds(), with_steps=arguments.with_steps, is_trial=arguments.dry_run,
    )  # fmt: skip
    lines = _lines(erased, f"{path}#{named}", arguments, is_signed=is_signed)
    console.write_lines(map(escaped, lines))
    return CLEAN


def _chosen(
    connection: sqlite3.Connection, path: str, run: str, arguments: argparse.Namespace
) -> tuple[list[bytes], list[int]]:
    """Return the pieces and the entries that are meant. Raises InputError."""
    pieces = dict.fromkeys(bytes.fromhex(digest) for digest in arguments.piece)
    if arguments.all:
        entries = content_entries(connection, run, with_steps=arguments.with_steps)
    else:
        # By place in the run, which stays: of calls that are left the index moves up.
        by_position = call_entries(connection, run) if arguments.call else {}
        for index in arguments.call:
            if index + 1 not in by_position:
                raise InputError(path, f"run {run} has no call {index:,}, or it was erased before")
        entries = sorted({number for index in arguments.call for number in by_position[index + 1]})
    if entries:
        pieces.update(dict.fromkeys(pieces_of_run(connection, run, frozenset(entries))))
    if not arguments.payload:
        if not pieces:
            raise InputError(
                path,
                f"run {run}: nothing of these calls is kept apart from their receipts, or it was "
                "erased before; --payload erases the receipts themselves",
            )
        entries = []
    elif not entries:
        raise InputError(path, f"run {run} has no content, or it was erased before")
    return list(pieces), entries


def _finish(path: str, wanted: str | None, arguments: argparse.Namespace) -> None:
    if wanted is not None or arguments.call or arguments.piece or arguments.all:
        raise UsageError("--finish is about the file as a whole, and names nothing to erase")
    connection = open_writer(path)
    try:
        with told(path):
            refuse_other_schema(connection, path)
            scrub(connection, path)
    finally:
        connection.close()


def _lines(
    erased: Erased, place: str, arguments: argparse.Namespace, *, is_signed: bool
) -> list[str]:
    word = "would be erased" if arguments.dry_run else "erased"
    lines = [f"{word}: {plural(len(erased.pieces), 'piece')}"]
    if erased.entries:
        lines[0] += f", {plural(len(erased.entries), 'entry', 'entries')} whole"
    lines += [f"  piece {digest}" for digest in erased.pieces]
    lines += [f"  entry with the commitment {commit}" for commit in erased.entries]
    lines += ["referred to by:", *map(_line_of, sorted(erased.referred))]
    lines += [f"left: {text}" for text in _left(erased, arguments)]
    kept = "all receipts, their chain and roots, and the log; the pieces read `erased`"
    if erased.entries:
        also = "" if arguments.with_steps or arguments.all else ", roots"
        kept = f"leaves, heads and the log{also}; the chain is cut at what reads `erased`"
    lines += [
        f"still checked: {kept}",
        "beyond this: bundles, copies, backups and snapshots made before; blocks of the disk",
    ]
    if arguments.dry_run:
        return [*lines, "nothing was erased (--dry-run)"]
    if is_signed:
        lines.append(
            "no head covers this yet, unless somebody is recording: "
            f"toolreplay store sign {shlex.quote(place.partition('#')[0])} --key FILE"
        )
    return [*lines, f"next: toolreplay verify {shlex.quote(place)}"]


def _left(erased: Erased, arguments: argparse.Namespace) -> list[str]:
    """Return what of the content that was meant is still in the store."""
    if not erased.entries:
        return ["whatever stands in the receipts themselves (--payload erases it too)"]
    left = ["what is no call: observations, goal and answer of the run (--all)"]
    if arguments.all:
        left = ["the opening of the run, with its name and agent, and its gaps"]
    if not arguments.with_steps:
        left.append("of each call its step: tool, times, outcome, receipt id (--with-steps)")
    return left


def _line_of(referred: Referred) -> str:
    what = referred.kind if referred.receipt_id is None else f"receipt {referred.receipt_id}"
    return f"  run {referred.run}, entry {referred.entry}: {what}"
