"""Erase content: bytes go, commitments stay, and every run that referred to them says so.

A piece leaves by its digest, a whole entry by its commitment: payload and salt, after which nobody
can guess what it was. Leaves are never touched, so log, heads and chain stay checkable. In the same
transaction an `erase` entry is added to each run that referred to what is gone.

The file is written anew (pages keep remains behind rows that moved), and the write-ahead log is moved
into it and cut. Where a reader keeps it from being cut, that is an error: the bytes are still there,
and the store says so until it was finished. What is beyond the file (snapshots, backups, blocks of the disk) is beyond us.
"""

import json
import os
import sqlite3
import time
from base64 import b64decode
from collections.abc import Collection, Iterable
from contextlib import nullcontext, suppress
from typing import NamedTuple

from toolreplay.errors import StoreBusyError, StoreError
from toolreplay.evidence.bundle.lines import step_of, step_text
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.making import erase_entry
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.stores.sqlite.connection import open_writer, told, transaction
from toolreplay.stores.sqlite.entries import EntryWriter
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.runs import RunRows
from toolreplay.stores.sqlite.unreadable import readable

__all__ = [
    "Erased",
    "Referred",
    "call_entries",
    "content_entries",
    "entries_of_calls",
    "erase",
    "pieces_of_run",
    "scrub",
]

_DIGESTS_OF_ENTRY = 1000
"""Digests that one `erase` entry names at most: it stays a line that people can read."""

_WAIT_SECONDS = 10.0


class Referred(NamedTuple):
    """An entry that refers to something erased: a receipt by its id where it is one."""

    run: str
    entry: int
    kind: str
    receipt_id: str | None


class Erased(NamedTuple):
    """What was erased: digests of pieces, commitments of entries, and who referred to them."""

    pieces: tuple[str, ...]
    entries: tuple[str, ...]
    referred: tuple[Referred, ...]


def pieces_of_run(
    connection: sqlite3.Connection, run: str, entries: Collection[int] | None
) -> list[bytes]:
    """Return the digests of the pieces with stored bytes that a run, or entries of it, refer to."""
    query = (
        "select u.digest, u.entry from piece_use u join run r on r.id = u.run "
        "join piece p on p.digest = u.digest where r.run = ? order by u.digest"
    )
    found = {
        digest: None
        for digest, entry in connection.execute(query, (run,))
        if entries is None or entry in entries
    }
    return list(found)


def entries_of_calls(
    connection: sqlite3.Connection, run: str, positions: Collection[int]
) -> list[int]:
    """Return the numbers of the entries, intents and receipts, of the calls at these positions."""
    found = call_entries(connection, run)
    return sorted(number for place in set(positions) & found.keys() for number in found[place])


def content_entries(
    connection: sqlite3.Connection, run: str, *, with_steps: bool = False
) -> list[int]:
    """Return the numbers of a run's entries in which content may stand, and was not erased.

    These are intents, receipts, observations and the close, with goal and answer; with_steps also
    those of which nothing but the step of a receipt is left.
    """
    query = (
        "select e.entry, l.bytes from entry e join run r on r.id = e.run join leaf l on l.idx = e.idx "
        "where r.run = ? and e.kind in ('start', 'call', 'observe', 'close') order by e.entry"
    )
    kept = "select 1 from payload where commit_hash = ?"
    if with_steps:
        kept += " union all select 1 from erased_step where commit_hash = ?"
    found = []
    for number, leaf in connection.execute(query, (run,)):
        commit = parse_leaf(leaf).commit
        if connection.execute(kept, (commit, commit)[: 1 + with_steps]).fetchone() is not None:
            found.append(number)
    return found


def call_entries(connection: sqlite3.Connection, run: str) -> dict[int, list[int]]:
    """Return the calls of a run by position, in order: the numbers of intent and receipt.

    A call whose entries were erased is not among them.
    """
    found: dict[int, list[int]] = {}
    query = (
        "select e.entry, e.kind, l.bytes from entry e join run r on r.id = e.run "
        "join leaf l on l.idx = e.idx where r.run = ? and e.kind in ('start', 'call') order by e.entry"
    )
    for number, kind, leaf in connection.execute(query, (run,)):
        row = connection.execute(
            "select bytes from payload where commit_hash = ?", (parse_leaf(leaf).commit,)
        ).fetchone()
        if row is not None:
            found.setdefault(_position_of(kind, row[0]) or 0, []).append(number)
    return dict(sorted(found.items()))


def _position_of(kind: str, payload: bytes) -> int | None:
    value = json.loads(payload)
    if kind == "call":
        value = json.loads(b64decode(value["canonical_bytes"]))["binding"]
    position: int | None = value["position"]
    return position


def erase(
    path: str,
    pieces: Iterable[bytes],
    entries: Iterable[tuple[str, int]],
    reason: str,
    ids: Ids,
    at: int,
    *,
    with_steps: bool = False,
    is_trial: bool = False,
) -> Erased:
    """Erase pieces by digest and whole entries by run and number, and write down that it was done.

    Of a receipt its workflow step is kept, unless with_steps. `at` is in microseconds since 1970. Nothing is erased where anything named is not there, or an
    entry is of a run that is not closed; a trial erases nothing and returns the same. Raises
    StoreError.
    """
    connection = open_writer(path)
    try:
        with told(path):
            with suppress(_OnlyATrialError), readable(path), transaction(connection):
                erasing = _Erasing(connection, path, at, with_steps=with_steps)
                for digest in dict.fromkeys(pieces):
                    erasing.drop_piece(digest)
                for run, number in dict.fromkeys(entries):
                    erasing.drop_entry(run, number)
                erased = erasing.write_down(reason, ids)
                if is_trial:
                    raise _OnlyATrialError
            if not is_trial:
                scrub(connection, path)
    finally:
        connection.close()
    return erased


class _OnlyATrialError(Exception):
    """Ends a transaction that was never meant to be kept."""


def scrub(connection: sqlite3.Connection, path: str) -> None:
    """Write the file anew, move the write-ahead log into it and cut it.

    SQLite overwrites what it frees, and not what a page keeps behind its rows when they move: only
    pages that are written anew hold nothing of what was erased. Raises StoreBusyError while others
    read.
    """
    end = time.monotonic() + _WAIT_SECONDS
    connection.execute("pragma busy_timeout=50")  # or each try waits for as long as a writer would
    is_written = False
    while True:
        with suppress(sqlite3.OperationalError) if time.monotonic() < end else nullcontext():
            if not is_written:
                connection.execute("vacuum")
                is_written = True
        is_busy, _, _ = connection.execute("pragma wal_checkpoint(truncate)").fetchone()
        if is_written and not is_busy:
            _sync_cut_log(path)
            with transaction(connection):
                connection.execute("delete from meta where name = 'unscrubbed'")
            return
        if time.monotonic() > end:
            raise StoreBusyError(
                path,
                "was erased from, but others read it, and its write-ahead log still holds the old "
                "pages: end them and run `toolreplay store erase STORE --finish`",
            )
        time.sleep(0.05)


def _sync_cut_log(path: str) -> None:
    """Bring the cut of the log to the disk: a loss of power could give it back its old length."""
    try:
        descriptor = os.open(path + "-wal", os.O_RDONLY)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(path + "-wal", error.strerror or str(error)) from None
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise StoreError(path + "-wal", error.strerror or str(error)) from None
    finally:
        os.close(descriptor)


class _Erasing:
    """One erasure inside its transaction."""

    def __init__(
        self, connection: sqlite3.Connection, path: str, at: int, *, with_steps: bool
    ) -> None:
        self._with_steps = with_steps
        self._connection = connection
        self._path = path
        self._at = at
        self._tables = LogTables(connection, path)
        self._runs = RunRows(connection)
        self._writer = EntryWriter(connection, self._tables.origin, self._runs)
        self._writer.begin()
        self._pieces: list[str] = []
        self._entries: list[str] = []
        self._named: dict[str, dict[str, None]] = {}
        self._referred: dict[Referred, None] = {}

    def drop_piece(self, digest: bytes) -> None:
        """Remove the bytes and key of a piece."""
        users = self._connection.execute(
            "select r.run, u.entry from piece_use u join run r on r.id = u.run where u.digest = ? "
            "order by u.run, u.entry",
            (digest,),
        ).fetchall()
        gone = self._connection.execute("delete from piece where digest = ?", (digest,)).rowcount
        if not gone:
            raise StoreError(self._path, f"has no bytes of a piece {digest.hex()}")
        self._pieces.append(digest.hex())
        for run, number in users:
            self._refer(run, number, digest.hex())

    def drop_entry(self, run: str, number: int) -> None:
        """Remove the payload and salt of an entry."""
        row = self._runs.of(run)
        if not row.is_closed:
            raise StoreError(self._path, f"run {run} is not closed: its entries are still needed")
        found = self._connection.execute(
            "select l.bytes from entry e join leaf l on l.idx = e.idx where e.run = ? and e.entry = ?",
            (row.number, number),
        ).fetchone()
        commit, gone = parse_leaf(found[0]).commit if found is not None else b"", 0
        if found is not None and self._refer(run, number, commit.hex()) == "call":
            gone = self._settle_step(row.number, commit)
        gone += self._connection.execute(
            "delete from payload where commit_hash = ?", (commit,)
        ).rowcount
        if not gone:
            raise StoreError(self._path, f"run {run} has no payload of an entry {number}")
        self._connection.execute(
            "delete from piece_use where run = ? and entry = ?", (row.number, number)
        )
        self._entries.append(commit.hex())

    def _settle_step(self, run: int, commit: bytes) -> int:
        """Keep the step of a call's receipt, as the workflow root is made of steps, or drop it.

        It has no content but the tool's name. Returns how many were dropped.
        """
        found, kept = self._tables.payload(commit), self._tables.erased_step(commit)
        if found is not None:
            receipt = json.loads(found[0])
            committed = json.loads(b64decode(receipt["canonical_bytes"]))
            output = receipt["output_hash"].removeprefix("sha256:")
            step = step_of(committed["binding"]["seq"], output, committed)
            kept = step_text(step)
        elif kept is not None:
            step = json.loads(kept)["step"]
        if kept is None or not self._with_steps:
            if found is not None:
                self._connection.execute(
                    "insert into erased_step (commit_hash, step) values (?, ?)", (commit, kept)
                )
            return 0
        self._connection.execute("delete from erased_step where commit_hash = ?", (commit,))
        self._connection.execute(
            "update run_tool set calls = calls - 1 where run = ? and tool = ? and outcome = ?",
            (run, step["tool"], step["status"]),
        )
        self._connection.execute("delete from run_tool where run = ? and calls < 1", (run,))
        return 1

    def write_down(self, reason: str, ids: Ids) -> Erased:
        """Add the entries that say what was erased, one run after the other."""
        self._connection.execute(
            "insert or replace into meta (name, value) values ('unscrubbed', 1)"
        )
        for run, digests in self._named.items():
            if self._runs.of(run).is_closed:  # with it, equal sealed values could be guessed
                self._connection.execute("delete from run_key where run = ?", (run,))
            names = sorted(digests)
            for first in range(0, len(names), _DIGESTS_OF_ENTRY):
                row = self._runs.of(run)
                part = {
                    "digests": names[first : first + _DIGESTS_OF_ENTRY], "reason": reason,
                }  # fmt: skip
                entry, following = erase_entry(row.head, part, ids.salt())
                self._writer.add(row, entry, following, self._at)
        self._writer.write()
        return Erased(tuple(self._pieces), tuple(self._entries), tuple(self._referred))

    def _refer(self, run: str, number: int, digest: str) -> str:
        """Note that an entry refers to what is gone; return the kind of the entry."""
        row = self._runs.of(run)
        self._named.setdefault(run, {})[digest] = None
        kind: str
        kind, leaf = self._connection.execute(
            "select e.kind, l.bytes from entry e join leaf l on l.idx = e.idx "
            "where e.run = ? and e.entry = ?",
            (row.number, number),
        ).fetchone()
        receipt_id = None
        payload = self._tables.payload(parse_leaf(leaf).commit)
        if kind in ("call", "close") and payload is not None:
            receipt_id = json.loads(payload[0])["id"]
        self._referred[Referred(run, number, kind, receipt_id)] = None
        return kind
