"""Build the derived tables again from the leaves and payloads, or say whether they differ.

Subtrees, runs and what finds entries follow from leaves, payloads and nothing else. No crash makes
this necessary; a damaged file, or somebody's own hand in it, may. Leaves, payloads, pieces and
checkpoints are not touched.

Of a run of which an entry was erased the tables know more than can be built again: what stood in
the payload. There only the order of the entries is compared.
"""

import json
import sqlite3
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from toolreplay.errors import StoreDamagedError
from toolreplay.evidence.profile.entry import Entry, commit_of
from toolreplay.evidence.profile.making import chain_digest
from toolreplay.evidence.tlog.leaf import Leaf, LeafError, parse_leaf
from toolreplay.evidence.tlog.merkle import complete_nodes, leaf_hash
from toolreplay.records.times import utc_of
from toolreplay.stores.sqlite.connection import open_writer, told, transaction
from toolreplay.stores.sqlite.entries import FindingRows, said_by
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.runs import RunRow, RunRows
from toolreplay.stores.sqlite.schema import create_tables, refuse_other_schema
from toolreplay.stores.sqlite.unreadable import NO_ENTRY

__all__ = ["DERIVED", "Difference", "differences", "rebuild", "repair"]

DERIVED = ("node", "run", "entry", "open_call", "run_tool", "piece_use")

_KEYS = {"node": 2, "run": 1, "entry": 2, "open_call": 2, "run_tool": 3, "piece_use": 3}
"""How many of a table's first columns name a row."""

_OF_A_RUN = {"run": 0, "open_call": 0, "run_tool": 0}
"""Tables that hold what a payload says, and the column that has the number of the run."""

_CHUNK = 4096

_Row = tuple[object, ...]


class Difference(NamedTuple):
    """How a derived table differs from what the leaves give: rows of each kind."""

    table: str
    wrong: int
    missing: int
    surplus: int


def differences(connection: sqlite3.Connection, path: str) -> list[Difference]:
    """Compare the derived tables with those that are built anew, beside the store.

    The connection holds a transaction. Raises StoreError where an entry cannot be read.
    """
    # No name: a database of its own, in memory and beyond that in a file that nobody else has.
    with closing(sqlite3.connect("", isolation_level=None)) as fresh:
        fresh.execute("begin")
        create_tables(fresh)
        origin = LogTables(connection, path).origin
        fresh.execute("insert into meta (name, value) values ('origin', ?)", (origin,))
        incomplete: set[int] = set()
        rebuild(connection, fresh, path, incomplete)
        settled = _settled(connection)
        found = []
        for one in (connection, fresh):
            one.text_factory = _text_of
        try:
            for table in DERIVED:
                counts = [0, 0, 0]
                for kind, row in _unequal(connection, fresh, table):
                    column = _OF_A_RUN.get(table)
                    if column is not None and row[column] in incomplete:
                        continue
                    if table == "node" and kind == 1 and _lags_behind(row, settled):
                        continue
                    counts[kind] += 1
                if any(counts):
                    found.append(Difference(table, *counts))
        finally:
            connection.text_factory = str
    return found


def repair(path: str) -> list[Difference]:
    """Build the derived tables of a store again, in one transaction; return what was mended.

    Raises StoreDamagedError for a leaf that cannot be read; then nothing was changed.
    """
    with told(path), closing(open_writer(path)) as connection:
        refuse_other_schema(connection, path)
        with transaction(connection):
            found = differences(connection, path)
            if found:
                for table in DERIVED:
                    connection.execute(f"delete from {table}")  # noqa: S608 - names of our own
                size = rebuild(connection, connection, path)
                connection.execute(
                    "insert or replace into meta (name, value) values ('nodes', ?)", (size,)
                )
    return found


def _settled(connection: sqlite3.Connection) -> int:
    """Return of how many leaves the subtrees were computed: those of later ones are not due."""
    found = connection.execute("select value from meta where name = 'nodes'").fetchone()
    return found[0] if found is not None and type(found[0]) is int else 0


def _lags_behind(node: _Row, settled: int) -> bool:
    level, index = node[:2]
    assert isinstance(level, int)
    assert isinstance(index, int)
    return (index + 1) << level > settled


def _unequal(
    connection: sqlite3.Connection, fresh: sqlite3.Connection, table: str
) -> Iterator[tuple[int, _Row]]:
    """Yield (0 wrong, 1 missing, 2 surplus; the row) by reading both tables side by side."""
    width = _KEYS[table]
    order = ", ".join(map(str, range(1, width + 1)))
    query = f"select * from {table} order by {order}"  # noqa: S608 - names of our own
    kept, made = connection.execute(query), fresh.execute(query)
    old, new = kept.fetchone(), made.fetchone()
    while old is not None or new is not None:
        if old == new:
            old, new = kept.fetchone(), made.fetchone()
            continue
        old_key = None if old is None else tuple(map(_in_order, old[:width]))
        new_key = None if new is None else tuple(map(_in_order, new[:width]))
        if old_key == new_key:
            yield 0, new
            old, new = kept.fetchone(), made.fetchone()
        elif old_key is None or (new_key is not None and new_key < old_key):
            yield 1, new
            new = made.fetchone()
        else:
            yield 2, old
            old = kept.fetchone()


def _in_order(value: object) -> tuple[int, object]:
    """Return what sorts as SQLite sorts: nothing, numbers, texts, bytes."""
    if value is None:
        return 0, 0
    if isinstance(value, int | float):
        return 1, value
    return (2, value.encode("utf-8", "surrogateescape")) if isinstance(value, str) else (3, value)


def _text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def rebuild(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    path: str,
    incomplete: set[int] | None = None,
) -> int:
    """Fill the derived tables of `target` from the leaves and payloads of `source`.

    They must be empty. Returns the number of entries; runs of which a payload is not there are
    added to `incomplete`, by their number. Both may be one connection, in a transaction of its own.
    Raises StoreDamagedError for a leaf that cannot be read, or a payload that is none of ours.
    """
    tables = LogTables(source, path)
    size = tables.size()
    kept = LogTables(target, path)
    for first in range(0, size, _CHUNK):
        hashes, leaves = [], []
        for index, data, _ in tables.leaves(first, min(size, first + _CHUNK)):
            try:
                leaves.append((index, parse_leaf(data)))
            except LeafError as error:
                raise StoreDamagedError(path, f"leaf {index:,} {error}") from None
            hashes.append(leaf_hash(data))
        nodes = complete_nodes(first, hashes, kept.node if first else tables.node)
        target.executemany("insert into node (level, idx, hash) values (?, ?, ?)", nodes)
        runs = RunRows(target)
        found = FindingRows(runs)
        index = first
        try:
            for (index, leaf), hashed in zip(leaves, hashes, strict=True):
                row = _index(tables, runs, found, index, leaf, hashed)
                if row is not None and incomplete is not None:
                    incomplete.add(row.number)
            found.write(target)
        except NO_ENTRY:  # whoever can write the file can add leaves that no recorder would
            fact = f"leaf {index:,}, or one before it, is no entry that a recorder makes"
            raise StoreDamagedError(path, fact) from None
    return size


def _index(
    tables: LogTables, runs: RunRows, rows: FindingRows, index: int, leaf: Leaf, hashed: bytes
) -> RunRow | None:
    """Add the rows of one entry; return its run where its payload is not there."""
    row = runs.of(leaf.run)
    if not row.number:
        runs.insert(row)
    found = tables.payload(leaf.commit)
    if found is not None and commit_of(found[1], found[0]) != leaf.commit:
        found = None  # it was edited: nothing in it is believed
    head = row.head._replace(entries=row.head.entries + 1)
    said = None
    if found is None:
        if leaf.kind in ("call", "close"):
            head = head._replace(seq=head.seq + 1)
        if leaf.kind == "close":  # nearly when: that nothing follows it must stay true
            row.facts = row.facts._replace(closed_at=utc_of(leaf.at))
    else:
        entry = Entry(leaf.kind, *found)
        if leaf.kind in ("call", "close"):
            receipt = json.loads(entry.payload)
            committed = json.loads(b64decode(receipt["canonical_bytes"]))
            entry = entry._replace(receipt=receipt, committed=committed)
            output = receipt["output_hash"].removeprefix("sha256:")
            digest = chain_digest(committed, output)
            head = head._replace(seq=head.seq + 1, prev_digest=digest)
        said = said_by(entry)
        if said.position is not None:
            head = head._replace(position=max(head.position, said.position))
    runs.advance(row, head, hashed, leaf.commit)
    rows.add(row, leaf.entry, index, leaf.kind, said)
    return row if found is None else None
