"""Where each run of a store stands, as the next entry of it needs to know.

The table of runs is derived from the leaves and payloads. What was read of it holds until another
connection writes. What only a close receipt says (the totals) is kept in memory while one process
does all the appending, and read from the store else.
"""

import hashlib
import json
import sqlite3
from base64 import b64decode
from collections import OrderedDict
from typing import NamedTuple

from toolreplay.evidence.aer1.workflow import RootBuilder, receipt_id_leaf, seq_output_leaf
from toolreplay.evidence.profile.making import FIRST_PREV, RunHead, RunTotals
from toolreplay.evidence.tlog.leaf import parse_leaf

__all__ = ["CallFacts", "RunFacts", "RunRow", "RunRows"]

_QUERY = (
    "select id, name, agent, model, opened_at, closed_at, run_by, entries, seq, position, prev_digest, "
    "last_leaf from run where run = ?"
)
_MOST_KEPT = 256
"""Runs of which something is kept in memory: those under way at once, and a few hundred bytes each."""


class CallFacts(NamedTuple):
    """What is taken from the receipt of a call."""

    tool: str
    status: str
    model: str | None
    output_hex: str
    receipt_id: str


class RunFacts(NamedTuple):
    """What is known of a run beside where it stands."""

    name: str | None
    agent: str | None
    model: str | None
    opened_at: str | None
    closed_at: str | None
    run_by: str | None


_NO_FACTS = RunFacts(None, None, None, None, None, None)


class RunRow:
    """One run in the transaction that appends to it; `written` is what the store has of `facts`."""

    def __init__(self, run: str, found: tuple[object, ...] | None) -> None:
        self.number: int = found[0] if found else 0  # type: ignore[assignment]
        self.facts = RunFacts(*found[1:7]) if found else _NO_FACTS  # type: ignore[arg-type]
        self.written = self.facts
        entries, seq, position, prev = found[7:11] if found else (0, 0, 0, FIRST_PREV)
        self.head = RunHead(run, entries, seq, position, prev, None)  # type: ignore[arg-type]
        self.last_leaf: bytes = found[11] if found else bytes(32)  # type: ignore[assignment]

    @property
    def is_closed(self) -> bool:
        """Whether its close receipt is there."""
        return self.facts.closed_at is not None


class _Totals:
    """The totals of a run (see making.py), which grow in place."""

    def __init__(self) -> None:
        self.entries = 0
        self._calls = 0
        self._by_status: dict[str, int] = {}
        self._commits = hashlib.sha256()
        self._outputs, self._ids = RootBuilder(), RootBuilder()

    def add_entry(self, commit: bytes) -> None:
        """Take in the next entry of the run."""
        self.entries += 1
        self._commits.update(commit)

    def add_call(self, status: str, output_hex: str, receipt_id: str) -> None:
        """Take in what the receipt says that is the entry just added."""
        self._calls += 1
        self._by_status[status] = self._by_status.get(status, 0) + 1
        self._outputs.add(seq_output_leaf(self._calls, output_hex))
        self._ids.add(receipt_id_leaf(receipt_id))

    def copied(self) -> RunTotals:
        """Return them as they stand now, for a maker."""
        by_status = tuple(self._by_status.items())
        return RunTotals(by_status, self._commits.copy(), self._outputs.copy(), self._ids.copy())


class RunRows:
    """The runs that a group appends to: `write` at its end, `committed` behind it.

    `forget_rows` where another connection wrote, `forget` where a transaction was not committed.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._totals: OrderedDict[str, _Totals] = OrderedDict()
        self._changed: dict[str, RunRow] = {}
        self._rows: dict[str, RunRow] = {}

    def forget(self) -> None:
        """Forget what was read, and the totals of the runs that were to grow."""
        for run in self._changed:
            self._totals.pop(run, None)
        self._changed = {}
        self.forget_rows()

    def forget_rows(self) -> None:
        """Forget what was read."""
        self._rows = {}

    def of(self, run: str) -> RunRow:
        """Return a run as it stands now; a new one has no entry."""
        row = self._rows.get(run)
        if row is None:
            found = self._connection.execute(_QUERY, (run,)).fetchone()
            row = self._rows[run] = RunRow(run, found)
        return row

    def totals(self, row: RunRow) -> RunTotals:
        """Return the totals of a run as it stands now; what was added to it must be written."""
        kept = self._totals.get(row.head.run)
        if kept is None or kept.entries != row.head.entries:
            kept = _read_totals(self._connection, row)
        return kept.copied()

    def insert(self, row: RunRow) -> None:
        """Add the row of a run whose opening entry is added."""
        cursor = self._connection.execute(
            "insert into run (run, entries, seq, position, prev_digest, last_leaf) "
            "values (?, 0, 0, 0, ?, ?)",
            (row.head.run, FIRST_PREV, bytes(32)),
        )
        assert cursor.lastrowid is not None
        row.number = cursor.lastrowid
        self._totals[row.head.run] = _Totals()
        while len(self._totals) > _MOST_KEPT:
            self._totals.popitem(last=False)

    def advance(
        self,
        row: RunRow,
        following: RunHead,
        leaf_hash: bytes,
        commit: bytes,
        call: CallFacts | None = None,
    ) -> None:
        """Let a run stand behind one more entry, and its totals with it; `call` is a receipt's."""
        run = row.head.run
        self._changed[run] = row
        kept = self._totals.get(run)
        if kept is not None:
            if kept.entries != row.head.entries or row.is_closed:
                del self._totals[run]
            else:
                self._totals.move_to_end(run)
                kept.add_entry(commit)
                if call is not None:
                    kept.add_call(call.status, call.output_hex, call.receipt_id)
        row.head, row.last_leaf = following, leaf_hash

    def write(self) -> None:
        """Write where the runs stand that this transaction changed."""
        rows = self._changed.values()
        self._connection.executemany(
            "update run set entries = ?, seq = ?, position = ?, prev_digest = ?, last_leaf = ? "
            "where id = ?",
            [(*row.head[1:5], row.last_leaf, row.number) for row in rows],
        )
        named = [row for row in rows if row.facts != row.written]
        if named:
            self._connection.executemany(
                "update run set name = ?, agent = ?, model = ?, opened_at = ?, closed_at = ?, "
                "run_by = ? where id = ?",
                [(*row.facts, row.number) for row in named],
            )

    def committed(self) -> None:
        """Go on from what was written: it is in the store."""
        for row in self._changed.values():
            row.written = row.facts
        self._changed = {}
        if len(self._rows) > _MOST_KEPT:
            self._rows = {}


def _read_totals(connection: sqlite3.Connection, row: RunRow) -> _Totals:
    totals = _Totals()
    query = (
        "select e.kind, l.bytes from entry e join leaf l on l.idx = e.idx "
        "where e.run = ? order by e.entry"
    )
    for kind, data in connection.execute(query, (row.number,)):
        commit = parse_leaf(data).commit
        totals.add_entry(commit)
        if kind == "call":
            found = connection.execute("select bytes from payload where commit_hash = ?", (commit,))
            receipt = json.loads(found.fetchone()[0])
            committed = json.loads(b64decode(receipt["canonical_bytes"]))
            output = receipt["output_hash"].removeprefix("sha256:")
            totals.add_call(committed["outputs"]["status"], output, receipt["id"])
    return totals
