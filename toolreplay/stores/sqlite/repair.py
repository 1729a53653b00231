"""Build the derived tables again from the leaves and payloads, or say whether they differ.

Subtrees, runs and what finds entries follow from leaves, payloads and nothing else. No crash makes
this necessary; a damaged file, or somebody's own hand in it, may. Leaves, payloads, pieces and
checkpoints are not touched.
"""

import json
import sqlite3
from base64 import b64decode

from toolreplay.errors import StoreDamagedError
from toolreplay.evidence.profile.entry import Entry, commit_of
from toolreplay.evidence.profile.making import chain_digest
from toolreplay.evidence.tlog.leaf import Leaf, LeafError, parse_leaf
from toolreplay.evidence.tlog.merkle import complete_nodes, leaf_hash
from toolreplay.records.call import JsonObject
from toolreplay.stores.sqlite.entries import index_entry
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.runs import RunRow, RunRows

__all__ = ["DERIVED", "rebuild"]

DERIVED = ("node", "run", "entry", "open_call", "run_tool", "piece_use")

_CHUNK = 4096


def rebuild(source: sqlite3.Connection, target: sqlite3.Connection, path: str) -> int:
    """Fill the derived tables of `target` from the leaves and payloads of `source`.

    They must be empty. Returns the number of entries. Both may be one connection, in a transaction
    of its own. Raises StoreDamagedError for a leaf that cannot be read.
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
        for (index, leaf), hashed in zip(leaves, hashes, strict=True):
            _index(tables, target, runs, index, leaf, hashed)
        runs.write()
    return size


def _index(
    tables: LogTables, target: sqlite3.Connection, runs: RunRows, index: int, leaf: Leaf, hashed: bytes
) -> None:
    row = runs.of(leaf.run)
    if not row.number:
        runs.insert(row)
    found = tables.payload(leaf.commit)
    if found is not None and commit_of(found[1], found[0]) != leaf.commit:
        found = None  # it was edited: nothing in it is believed
    head = row.head._replace(entries=row.head.entries + 1)
    if found is None:
        if leaf.kind == "call":
            head = head._replace(seq=head.seq + 1)
        runs.advance(row, head, hashed, leaf.commit)
        target.execute(
            "insert into entry (run, entry, idx, kind) values (?, ?, ?, ?)",
            (row.number, leaf.entry, index, leaf.kind),
        )
        return
    payload, salt = found
    entry = Entry(leaf.kind, payload, salt)
    if leaf.kind == "start":
        head = head._replace(position=max(head.position, json.loads(payload)["position"]))
    elif leaf.kind in ("call", "close"):
        receipt: JsonObject = json.loads(payload)
        committed: JsonObject = json.loads(b64decode(receipt["canonical_bytes"]))
        output = receipt["output_hash"].removeprefix("sha256:")
        head = head._replace(
            seq=head.seq + 1,
            position=max(head.position, committed["binding"]["position"] or 0),
            prev_digest=chain_digest(committed, output),
        )
        entry = entry._replace(receipt=receipt, committed=committed)
    runs.advance(row, head, hashed, leaf.commit)
    index_entry(target, runs, row, leaf.entry, index, entry)
