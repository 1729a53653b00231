"""Add one entry to the tables: its leaf, its payload, its pieces, and the rows that find it."""

import json
import sqlite3
from base64 import b64decode

from toolreplay.evidence.bundle.receipts import pieces_of
from toolreplay.evidence.profile.entry import Entry, commit_of
from toolreplay.evidence.profile.making import RunHead
from toolreplay.evidence.profile.piece import INLINE, kind_of_piece
from toolreplay.evidence.tlog.leaf import Leaf, leaf_bytes
from toolreplay.evidence.tlog.merkle import leaf_hash
from toolreplay.records.call import JsonObject
from toolreplay.stores.sqlite.runs import RunRow, RunRows

__all__ = ["EntryWriter", "index_entry"]


class EntryWriter:
    """Writes entries inside a transaction that its caller began; `begin` first."""

    def __init__(self, connection: sqlite3.Connection, origin: str, runs: RunRows) -> None:
        self._connection = connection
        self._origin = origin
        self._runs = runs
        self._next = 0

    def begin(self) -> None:
        """Read where the log ends: another process may have appended."""
        query = "select coalesce(max(idx) + 1, 0) from leaf"
        self._next = self._connection.execute(query).fetchone()[0]

    def add(self, row: RunRow, entry: Entry, following: RunHead, at: int) -> tuple[int, bytes]:
        """Add the next entry of a run, and return its index in the log and its leaf hash."""
        connection, index = self._connection, self._next
        commit = commit_of(entry.salt, entry.payload)
        leaf = Leaf(
            self._origin, row.head.run, row.head.entries, entry.kind, at, commit, row.last_leaf,
            len(entry.payload),
        )  # fmt: skip
        data = leaf_bytes(leaf)
        digest = leaf_hash(data)
        if entry.kind == "open":
            self._runs.insert(row)
        for piece in entry.pieces:
            if piece.content is not None:
                connection.execute(
                    "insert or ignore into piece (digest, key, bytes) values (?, ?, ?)",
                    (bytes.fromhex(piece.described["digest"]), piece.key, piece.content),
                )
        connection.execute(
            "insert into payload (commit_hash, salt, bytes) values (?, ?, ?)",
            (commit, entry.salt, entry.payload),
        )
        connection.execute("insert into leaf (idx, bytes, hash) values (?, ?, ?)", (index, data, digest))
        number = row.head.entries
        self._runs.advance(row, following, digest, commit)
        index_entry(connection, self._runs, row, number, index, entry)
        self._next = index + 1
        return index, digest


def index_entry(
    connection: sqlite3.Connection, runs: RunRows, row: RunRow, number: int, index: int, entry: Entry
) -> None:
    """Write the rows by which an entry is found; `row` stands behind it already."""
    connection.execute(
        "insert into entry (run, entry, idx, kind) values (?, ?, ?, ?)",
        (row.number, number, index, entry.kind),
    )
    described: list[JsonObject] = []
    if entry.kind == "start":
        payload: JsonObject = json.loads(entry.payload)
        described = [payload["args"]]
        place = (row.number, payload["position"])
        connection.execute("insert or ignore into open_call (run, position) values (?, ?)", place)
    elif entry.kind in ("call", "close"):
        receipt, committed = entry.receipt, entry.committed
        if receipt is None or committed is None:
            receipt = json.loads(entry.payload)
            committed = json.loads(b64decode(receipt["canonical_bytes"]))
        described = [piece for _, piece in pieces_of(committed)]
        if entry.kind == "close":
            row.closed_at = receipt["created_at"]
        else:
            _index_call(connection, runs, row, receipt, committed)
    elif entry.kind == "open":
        payload = json.loads(entry.payload)
        row.names = [payload.get("name"), payload["agent"].get("name"), payload["agent"].get("model")]
        row.opened_at = payload["started_at"]
    elif entry.kind == "observe":
        payload = json.loads(entry.payload)
        described = [piece for piece in [payload["piece"]] if piece is not None]
    for piece in described:
        if kind_of_piece(piece) != INLINE:
            connection.execute(
                "insert or ignore into piece_use (digest, run, entry) values (?, ?, ?)",
                (bytes.fromhex(piece["digest"]), row.number, number),
            )


def _index_call(
    connection: sqlite3.Connection,
    runs: RunRows,
    row: RunRow,
    receipt: JsonObject,
    committed: JsonObject,
) -> None:
    status: str = committed["outputs"]["status"]
    place = (row.number, committed["binding"]["position"])
    connection.execute("delete from open_call where run = ? and position = ?", place)
    connection.execute(
        "insert into run_tool (run, tool, outcome, calls) values (?, ?, ?, 1) "
        "on conflict (run, tool, outcome) do update set calls = calls + 1",
        (row.number, committed["tool"]["name"], status),
    )
    model = committed["agent"].get("model")
    if row.names[2] is None and model is not None:
        row.names[2] = model  # nobody knew it when the run was opened
    output = receipt["output_hash"].removeprefix("sha256:")
    runs.count_call(row, status, output, receipt["id"])
