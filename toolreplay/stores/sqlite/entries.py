"""Add entries to the tables: leaves, payloads, pieces, and the rows that find them.

Rows are gathered and written by table: a statement that many rows go through costs a fraction of
as many statements, and lets other threads run once instead of once for each.
"""

import json
import sqlite3
from base64 import b64decode
from collections.abc import Iterable
from typing import NamedTuple

from toolreplay.evidence.bundle.receipts import pieces_of, seen_in
from toolreplay.evidence.profile.entry import Entry, commit_of
from toolreplay.evidence.profile.making import RunHead
from toolreplay.evidence.profile.piece import INLINE, kind_of_piece
from toolreplay.evidence.tlog.leaf import Leaf, leaf_bytes
from toolreplay.evidence.tlog.merkle import leaf_hash
from toolreplay.records.call import JsonObject
from toolreplay.stores.sqlite.runs import CallFacts, RunFacts, RunRow, RunRows

__all__ = ["EntryWriter", "FindingRows", "Said", "said_by"]


class Said(NamedTuple):
    """What an entry says that the tables for finding hold.

    `digests` are those of the pieces it names and does not hold, `position` that of an intent
    or a call, `opened` and `closed_at` are what it says of a run that it opens or closes.
    """

    digests: list[bytes]
    position: int | None = None
    call: CallFacts | None = None
    opened: RunFacts | None = None
    closed_at: str | None = None


def said_by(entry: Entry) -> Said:
    """Read what an entry says from its payload, or from what its maker had in hand."""
    if entry.kind in ("call", "close"):
        receipt, committed = entry.receipt, entry.committed
        if receipt is None or committed is None:
            receipt = json.loads(entry.payload)
            committed = json.loads(b64decode(receipt["canonical_bytes"]))
        digests = _digests(piece for _, piece in pieces_of(committed))
        digests += [bytes.fromhex(digest) for _, digest in seen_in(committed)]
        if entry.kind == "close":
            return Said(digests, closed_at=receipt["created_at"])
        call = CallFacts(
            committed["tool"]["name"],
            committed["outputs"]["status"],
            committed["agent"].get("model"),
            receipt["output_hash"].removeprefix("sha256:"),
            receipt["id"],
        )
        return Said(digests, committed["binding"]["position"], call)
    if entry.kind == "start":
        payload: JsonObject = json.loads(entry.payload)
        return Said(_digests([payload["args"]]), payload["position"])
    if entry.kind == "open":
        payload = json.loads(entry.payload)
        agent = payload["agent"]
        facts = RunFacts(
            payload.get("name"),
            agent.get("name"),
            agent.get("model"),
            payload["started_at"],
            None,
            payload["run_by"],
        )
        return Said([], opened=facts)
    if entry.kind == "observe":
        piece = json.loads(entry.payload)["piece"]
        return Said([] if piece is None else _digests([piece]))
    return Said([])


def _digests(pieces: Iterable[JsonObject]) -> list[bytes]:
    return [bytes.fromhex(each["digest"]) for each in pieces if kind_of_piece(each) != INLINE]


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
        for digest in said.digests:
            self._uses.append((digest, row.number, number))
        if kind == "start":
            self._is_open[row.number, said.position] = True
        elif said.call is not None:
            self._is_open[row.number, said.position] = False
            key = row.number, said.call.tool, said.call.status
            self._calls[key] = self._calls.get(key, 0) + 1
            if row.facts.model is None and said.call.model is not None:
                row.facts = row.facts._replace(model=said.call.model)  # not known at the opening
        elif said.opened is not None:
            row.facts = said.opened
        elif said.closed_at is not None:
            row.facts = row.facts._replace(closed_at=said.closed_at)

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
