"""Add entries to the tables: leaves, payloads, pieces, and the rows that find them.

Rows are gathered and written by table: a statement that many rows go through costs a fraction of
as many statements, and lets other threads run once instead of once for each.
"""

import json
import sqlite3
from base64 import b64decode
from typing import NamedTuple

from toolreplay.evidence.bundle.receipts import pieces_of
from toolreplay.evidence.profile.entry import Entry, commit_of
from toolreplay.evidence.profile.making import RunHead
from toolreplay.evidence.profile.piece import INLINE, kind_of_piece
from toolreplay.evidence.tlog.leaf import Leaf, leaf_bytes
from toolreplay.evidence.tlog.merkle import leaf_hash
from toolreplay.records.call import JsonObject
from toolreplay.stores.sqlite.runs import CallCounted, RunRow, RunRows

__all__ = ["EntryWriter", "FindingRows", "Said", "said_by"]


class Said(NamedTuple):
    """What an entry says that the tables for finding hold.

    `pieces` are those it describes, `position` that of an intent or a call, `names` those of a run
    that it opens: run, agent, model. `at` is when it opens or closes a run.
    """

    pieces: tuple[JsonObject, ...] = ()
    position: int | None = None
    names: tuple[object, object, object] | None = None
    at: str | None = None
    tool: str = ""
    call: CallCounted | None = None
    model: str | None = None


def said_by(entry: Entry) -> Said:
    """Read what an entry says from its payload, or from what its maker had in hand."""
    if entry.kind in ("call", "close"):
        receipt, committed = entry.receipt, entry.committed
        if receipt is None or committed is None:
            receipt = json.loads(entry.payload)
            committed = json.loads(b64decode(receipt["canonical_bytes"]))
        pieces = tuple(piece for _, piece in pieces_of(committed))
        if entry.kind == "close":
            return Said(pieces, at=receipt["created_at"])
        output = receipt["output_hash"].removeprefix("sha256:")
        return Said(
            pieces,
            position=committed["binding"]["position"],
            tool=committed["tool"]["name"],
            call=CallCounted(committed["outputs"]["status"], output, receipt["id"]),
            model=committed["agent"].get("model"),
        )
    if entry.kind == "start":
        payload: JsonObject = json.loads(entry.payload)
        return Said((payload["args"],), position=payload["position"])
    if entry.kind == "open":
        payload = json.loads(entry.payload)
        agent = payload["agent"]
        names = payload.get("name"), agent.get("name"), agent.get("model")
        return Said(names=names, at=payload["started_at"])
    if entry.kind == "observe":
        piece = json.loads(entry.payload)["piece"]
        return Said(() if piece is None else (piece,))
    return Said()


class FindingRows:
    """Rows of the tables for finding, gathered until they are written."""

    def __init__(self, runs: RunRows) -> None:
        self._runs = runs
        self.forget()

    def forget(self) -> None:
        """Drop what was gathered."""
        self._entries: list[tuple[int, int, int, str]] = []
        self._is_open: dict[tuple[int, int | None], bool] = {}
        self._calls: dict[tuple[int, str, str], int] = {}
        self._uses: list[tuple[bytes, int, int]] = []

    def add(self, row: RunRow, number: int, index: int, kind: str, said: Said | None) -> None:
        """Take an entry; `row` stands behind it already. Without a payload nothing is said."""
        self._entries.append((row.number, number, index, kind))
        if said is None:
            return
        for piece in said.pieces:
            if kind_of_piece(piece) != INLINE:
                self._uses.append((bytes.fromhex(piece["digest"]), row.number, number))
        if kind == "start":
            self._is_open[row.number, said.position] = True
        elif kind == "call":
            assert said.call is not None
            self._is_open[row.number, said.position] = False
            key = row.number, said.tool, said.call.status
            self._calls[key] = self._calls.get(key, 0) + 1
            if row.names[2] is None and said.model is not None:
                row.names[2] = said.model  # nobody knew it when the run was opened
        elif said.names is not None:
            row.names, row.opened_at = list(said.names), said.at
        elif kind == "close":
            row.closed_at = said.at

    def write(self, connection: sqlite3.Connection) -> None:
        """Write what was gathered, and where its runs stand, in the caller's transaction."""
        connection.executemany(
            "insert into entry (run, entry, idx, kind) values (?, ?, ?, ?)", self._entries
        )
        opened = [place for place, is_open in self._is_open.items() if is_open]
        if opened:
            connection.executemany(
                "insert or ignore into open_call (run, position) values (?, ?)", opened
            )
        if len(opened) < len(self._is_open):
            ended = [place for place, is_open in self._is_open.items() if not is_open]
            connection.executemany("delete from open_call where run = ? and position = ?", ended)
        if self._calls:
            connection.executemany(
                "insert into run_tool (run, tool, outcome, calls) values (?, ?, ?, ?) "
                "on conflict (run, tool, outcome) do update set calls = calls + excluded.calls",
                [(*key, count) for key, count in self._calls.items()],
            )
        if self._uses:
            connection.executemany(
                "insert or ignore into piece_use (digest, run, entry) values (?, ?, ?)", self._uses
            )
        self._runs.write()
        self.forget()


class EntryWriter:
    """Writes entries inside a transaction that its caller began: `begin`, `add`, then `write`.

    Where `write` was not reached, or the transaction was not committed, `forget`.
    """

    def __init__(self, connection: sqlite3.Connection, origin: str, runs: RunRows) -> None:
        self._connection = connection
        self._origin = origin
        self._runs = runs
        self._found = FindingRows(runs)
        self.forget()

    def forget(self) -> None:
        """Drop what was gathered, and whatever an earlier transaction knew."""
        self._version: int | None = None
        self._next = 0
        self._leaves: list[tuple[int, bytes, bytes]] = []
        self._payloads: list[tuple[bytes, bytes, bytes]] = []
        self._pieces: list[tuple[bytes, bytes | None, bytes]] = []
        self._found.forget()
        self._runs.forget()

    def begin(self) -> None:
        """Read where the log ends, if anybody else wrote since this connection did."""
        version: int = self._connection.execute("pragma data_version").fetchone()[0]
        if version != self._version:
            self._version = version
            self._runs.forget_rows()
            query = "select coalesce(max(idx) + 1, 0) from leaf"
            self._next = self._connection.execute(query).fetchone()[0]

    def add(self, row: RunRow, entry: Entry, following: RunHead, at: int) -> tuple[int, bytes]:
        """Add the next entry of a run, and return its index in the log and its leaf hash.

        Whatever is wrong with the entry is raised before anything is added.
        """
        index, number = self._next, row.head.entries
        said = said_by(entry)
        commit = commit_of(entry.salt, entry.payload)
        data = leaf_bytes(
            Leaf(
                self._origin,
                row.head.run,
                number,
                entry.kind,
                at,
                commit,
                row.last_leaf,
                len(entry.payload),
            )
        )
        digest = leaf_hash(data)
        pieces = [
            (bytes.fromhex(piece.described["digest"]), piece.key, piece.content)
            for piece in entry.pieces
            if piece.content is not None
        ]
        if entry.kind == "open":
            self._runs.insert(row)
        self._leaves.append((index, data, digest))
        self._payloads.append((commit, entry.salt, entry.payload))
        self._pieces += pieces
        self._runs.advance(row, following, digest, commit, said.call)
        self._found.add(row, number, index, entry.kind, said)
        self._next = index + 1
        return index, digest

    def write(self) -> None:
        """Write what was added."""
        if not self._leaves:
            return
        connection = self._connection
        connection.executemany("insert into leaf (idx, bytes, hash) values (?, ?, ?)", self._leaves)
        connection.executemany(
            "insert into payload (commit_hash, salt, bytes) values (?, ?, ?)", self._payloads
        )
        if self._pieces:
            connection.executemany(
                "insert or ignore into piece (digest, key, bytes) values (?, ?, ?)", self._pieces
            )
        self._found.write(connection)
        self._leaves, self._payloads, self._pieces = [], [], []
