"""Where each run of a store stands, as the next entry of it needs to know.

The table of runs is derived from the leaves and payloads; it is read inside the transaction that
appends, since another process may have appended meanwhile. What only a close receipt says (the
totals) is kept in memory while one process does all the appending, and read from the store else.
"""

import json
import sqlite3
from base64 import b64decode
from collections import OrderedDict

from toolreplay.evidence.profile.making import FIRST_PREV, RunHead, RunTotals
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.records.call import JsonObject

__all__ = ["RunRow", "RunRows"]

_COLUMNS = "id, run, name, agent, model, opened_at, closed_at, entries, seq, position, prev_digest, last_leaf"
_MOST_TOTALS = 256
"""Runs whose totals are kept in memory: those under way at once, and a few hundred bytes each."""


class RunRow:
    """One run in the transaction that appends to it."""

    def __init__(self, run: str, found: tuple[object, ...] | None) -> None:
        self.number: int = found[0] if found else 0  # type: ignore[assignment]
        self.names: list[object] = list(found[2:5]) if found else [None, None, None]
        self.opened_at, self.closed_at = (found[5], found[6]) if found else (None, None)
        entries, seq, position, prev = found[7:11] if found else (0, 0, 0, FIRST_PREV)
        self.head = RunHead(run, entries, seq, position, prev, None)  # type: ignore[arg-type]
        self.last_leaf: bytes = found[11] if found else bytes(32)  # type: ignore[assignment]

    @property
    def is_closed(self) -> bool:
        """Whether its close receipt is there."""
        return self.closed_at is not None


class RunRows:
    """The runs that a group appends to; `begin` before each group, `write` at its end."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._rows: dict[str, RunRow] = {}
        self._totals: OrderedDict[str, tuple[int, RunTotals]] = OrderedDict()
        self._new_totals: dict[str, tuple[int, RunTotals]] = {}

    def begin(self) -> None:
        """Forget what an earlier transaction read, and what it wrote if it was not committed."""
        self._rows, self._new_totals = {}, {}

    def of(self, run: str) -> RunRow:
        """Return a run as it stands now; a new one has no entry."""
        row = self._rows.get(run)
        if row is None:
            query = f"select {_COLUMNS} from run where run = ?"
            found = self._connection.execute(query, (run,)).fetchone()
            row = self._rows[run] = RunRow(run, found)
        return row

    def totals(self, row: RunRow) -> RunTotals:
        """Return the totals of a run as it stands now."""
        kept = self._kept(row)
        return kept if kept is not None else _read_totals(self._connection, row)

    def insert(self, row: RunRow) -> None:
        """Add the row of a run whose opening entry is added."""
        cursor = self._connection.execute(
            "insert into run (run, entries, seq, position, prev_digest, last_leaf) "
            "values (?, 0, 0, 0, ?, ?)",
            (row.head.run, FIRST_PREV, bytes(32)),
        )
        assert cursor.lastrowid is not None
        row.number = cursor.lastrowid

    def advance(self, row: RunRow, following: RunHead, leaf_hash: bytes, commit: bytes) -> None:
        """Let a run stand behind one more entry."""
        kept = self._kept(row)
        if kept is not None:
            self._new_totals[row.head.run] = (following.entries, kept.with_entry(commit))
        row.head, row.last_leaf = following, leaf_hash

    def count_call(self, row: RunRow, status: str, output_hex: str, receipt_id: str) -> None:
        """Take a receipt into the totals, behind `advance`."""
        kept = self._new_totals.get(row.head.run)
        if kept is not None and kept[0] == row.head.entries:
            totals = kept[1].with_call(row.head.seq, status, output_hex, receipt_id)
            self._new_totals[row.head.run] = (kept[0], totals)

    def write(self) -> None:
        """Write where the runs of this group stand."""
        for row in self._rows.values():
            if row.number:
                head = row.head
                self._connection.execute(
                    "update run set name = ?, agent = ?, model = ?, opened_at = ?, closed_at = ?, "
                    "entries = ?, seq = ?, position = ?, prev_digest = ?, last_leaf = ? "
                    "where id = ?",
                    (*row.names, row.opened_at, row.closed_at, head.entries, head.seq,
                     head.position, head.prev_digest, row.last_leaf, row.number),
                )  # fmt: skip

    def committed(self) -> None:
        """Keep the totals of this group: it is in the store."""
        for run, kept in self._new_totals.items():
            if self._rows[run].is_closed:
                self._totals.pop(run, None)
            else:
                self._totals[run] = kept
                self._totals.move_to_end(run)
        while len(self._totals) > _MOST_TOTALS:
            self._totals.popitem(last=False)

    def _kept(self, row: RunRow) -> RunTotals | None:
        run, entries = row.head.run, row.head.entries
        if not entries:
            return RunTotals.of_nothing()
        kept = self._new_totals.get(run) or self._totals.get(run)
        return kept[1] if kept is not None and kept[0] == entries else None


def _read_totals(connection: sqlite3.Connection, row: RunRow) -> RunTotals:
    totals, seq = RunTotals.of_nothing(), 0
    query = (
        "select e.kind, l.bytes from entry e join leaf l on l.idx = e.idx "
        "where e.run = ? order by e.entry"
    )
    for kind, data in connection.execute(query, (row.number,)):
        commit = parse_leaf(data).commit
        totals = totals.with_entry(commit)
        if kind == "call":
            found = connection.execute("select bytes from payload where commit_hash = ?", (commit,))
            receipt: JsonObject = json.loads(found.fetchone()[0])
            committed: JsonObject = json.loads(b64decode(receipt["canonical_bytes"]))
            seq += 1
            output = receipt["output_hash"].removeprefix("sha256:")
            totals = totals.with_call(seq, committed["outputs"]["status"], output, receipt["id"])
    return totals
