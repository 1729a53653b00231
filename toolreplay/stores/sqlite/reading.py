"""Read a store: its log, its runs, and the entries of one run, as the tables hold them.

Nothing is believed here: `checking.py` says whether what was read is what the leaves commit to.
"""

import json
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from toolreplay.errors import StoreError
from toolreplay.evidence.profile.entry import commit_of
from toolreplay.evidence.profile.piece import INLINE_BYTES, MOST_INLINE_BYTES
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.evidence.tlog.merkle import node_hash, root_at
from toolreplay.records.call import Json, JsonObject
from toolreplay.records.limits import DEFAULT
from toolreplay.stores.sqlite.unreadable import has_many_values, readable

__all__ = ["LogTables", "RunFound", "StoredEntry"]


_LOWEST_KEPT = 8
"""Subtrees below this level are made again when they are needed: 256 hashes."""


_MOST_SEEN = 16_384
"""Subtrees kept in memory while paths are computed: neighbours share most of them. 2 MB."""


class StoredEntry(NamedTuple):
    """One entry of a run: its place in the run and in the log, and its leaf."""

    entry: int
    index: int  # type: ignore[assignment]  # a field, not the tuple's method
    leaf: bytes


class RunFound(NamedTuple):
    """One run as the table for finding has it; `calls` are those with an outcome."""

    run: str
    name: str | None
    agent: str | None
    model: str | None
    opened_at: str | None
    closed_at: str | None
    run_by: str | None
    entries: int
    calls: int
    open_calls: int


class LogTables:
    """The tables of one connection, read in the transaction that its caller holds, if any.

    Raises StoreError where a row does not hold what its table says.
    """

    def __init__(
        self, connection: sqlite3.Connection, path: str, *, has_nodes: bool = True
    ) -> None:
        self._connection = connection
        self._path = path
        self._has_nodes = has_nodes
        self.origin = self._meta("origin")
        self._made: dict[tuple[int, int], bytes] = {}
        self._seen: dict[tuple[int, int], bytes] = {}

    def _meta(self, name: str) -> str:
        found = self._connection.execute(
            "select value from meta where name = ?", (name,)
        ).fetchone()
        if found is None or type(found[0]) is not str:
            raise StoreError(self._path, f"is a store without its {name}")
        return found[0]

    def without_nodes(self) -> "LogTables":
        """Return the same tables, but for the subtrees that are kept: all are made of leaf hashes."""
        return LogTables(self._connection, self._path, has_nodes=False)

    def inline_bytes(self) -> int:
        """Return up to how many bytes of content stand in a receipt of this store itself."""
        found = self._connection.execute("select value from meta where name = 'inline'").fetchone()
        value = INLINE_BYTES if found is None or type(found[0]) is not int else found[0]
        return min(max(value, 0), MOST_INLINE_BYTES)

    def signer(self) -> str | None:
        """Return the public key (vkey) that this store says signs its heads; believe it nowhere."""
        found = self._connection.execute("select value from meta where name = 'signer'").fetchone()
        return found[0] if found is not None and type(found[0]) is str else None

    def is_unscrubbed(self) -> bool:
        """Whether an erasure was not finished: old pages may still hold what was erased."""
        query = "select 1 from meta where name = 'unscrubbed'"
        return self._connection.execute(query).fetchone() is not None

    def size(self) -> int:
        """Return how many leaves there are."""
        query = "select coalesce(max(idx) + 1, 0) from leaf"
        size = self._connection.execute(query).fetchone()[0]
        if type(size) is not int:
            raise StoreError(self._path, "is damaged: its leaves have no numbers")
        return size

    def root(self, size: int) -> bytes:
        """Return the root of the first `size` leaves, by the subtrees that are kept."""
        return root_at(size, self.node)

    def node(self, level: int, index: int) -> bytes:
        """Return a complete subtree's hash; one that is not kept is made of what is below it."""
        kept = self._seen.get((level, index))
        if kept is None:
            kept = self._node(level, index)
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            self._seen[level, index] = kept  # a subtree that is complete never changes
        return kept

    def forget_nodes(self) -> None:
        """Read subtrees again: the table was written to."""
        self._seen.clear()
        self._made.clear()

    def _node(self, level: int, index: int) -> bytes:
        found = None
        if level == 0:
            query = "select hash from leaf where idx = ?"
            found = self._connection.execute(query, (index,)).fetchone()
        elif self._has_nodes:
            query = "select hash from node where level = ? and idx = ?"
            found = self._connection.execute(query, (level, index)).fetchone()
        if found is not None:
            return _bytes(found[0], self._path)
        if level == 0:
            raise StoreError(self._path, f"leaf {index} is missing")
        made = self._made.get((level, index))
        if made is None:
            below = self.node(level - 1, 2 * index), self.node(level - 1, 2 * index + 1)
            made = node_hash(*below)
            if level >= _LOWEST_KEPT:
                self._made[level, index] = made
        return made

    def nodes(self, level: int, first: int, end: int) -> Iterator[tuple[int, bytes]]:
        """Yield index and hash of the subtrees of a level that are kept, from `first` to `end`."""
        query = "select idx, hash from node where level = ? and idx >= ? and idx < ?"
        yield from self._connection.execute(query, (level, first, end))

    def leaves(self, first: int, end: int) -> Iterator[tuple[int, bytes, bytes]]:
        """Yield (index, leaf, hash as stored) in order."""
        query = "select idx, bytes, hash from leaf where idx >= ? and idx < ? order by idx"
        for index, data, hashed in self._connection.execute(query, (first, end)):
            yield index, _bytes(data, self._path), _bytes(hashed, self._path)

    def newest_checkpoint(self, at_most: int | None = None) -> tuple[int, bytes] | None:
        """Return size and note of the newest head that was signed, up to a size."""
        query = "select size, note from checkpoint where size <= ? order by size desc limit 1"
        most = 2**62 if at_most is None else at_most
        found = self._connection.execute(query, (most,)).fetchone()
        return None if found is None else (found[0], _bytes(found[1], self._path))

    def checkpoints(self) -> Iterator[tuple[int, bytes]]:
        """Yield size and note of every head that was signed, in order of size."""
        query = "select size, note from checkpoint order by size"
        for size, note in self._connection.execute(query):
            yield size, _bytes(note, self._path)

    def has_checkpoint(self, size: int) -> bool:
        """Whether a head of that size was signed."""
        query = "select 1 from checkpoint where size = ?"
        return self._connection.execute(query, (size,)).fetchone() is not None

    def payload(self, commit: bytes) -> tuple[bytes, bytes] | None:
        """Return payload and salt of a commitment, None where they are not here."""
        query = (
            "select case when length(bytes) <= ? then bytes end, salt, length(bytes) "
            "from payload where commit_hash = ?"
        )
        most = DEFAULT.line_bytes
        found = self._connection.execute(query, (most, commit)).fetchone()
        if found is None:
            return None
        if found[0] is None and type(found[2]) is int and found[2] > most:
            raise StoreError(
                self._path, f"holds a payload of {found[2]:,} bytes (at most {most:,})"
            )
        payload = _bytes(found[0], self._path)
        if has_many_values(payload):
            raise StoreError(self._path, "holds a payload of more values than any entry has")
        return payload, _bytes(found[1], self._path)

    def erased_step(self, commit: bytes) -> str | None:
        """Return the workflow step of a receipt that was erased, None where there is none."""
        query = "select step from erased_step where commit_hash = ?"
        found = self._connection.execute(query, (commit,)).fetchone()
        return None if found is None else found[0]

    def entries(self, run: str) -> Iterator[StoredEntry]:
        """Yield the entries of a run in order, as the tables for finding have them."""
        query = (
            "select e.entry, e.idx, l.bytes from entry e join run r on r.id = e.run "
            "join leaf l on l.idx = e.idx where r.run = ? order by e.entry"
        )
        for number, index, leaf in self._connection.execute(query, (run,)):
            yield StoredEntry(number, index, leaf)

    def piece(self, digest: bytes) -> tuple[bytes, bytes | None] | None:
        """Return content and key of a piece, None where it is not here."""
        query = "select bytes, key from piece where digest = ?"
        found = self._connection.execute(query, (digest,)).fetchone()
        if found is None:
            return None
        content, key = found
        return _bytes(content, self._path), None if key is None else _bytes(key, self._path)

    def pieces(self) -> Iterator[tuple[bytes, bytes | None, bytes]]:
        """Yield digest, key and content of every piece that is here."""
        for digest, key, content in self._connection.execute(
            "select digest, key, bytes from piece"
        ):
            kept = None if key is None else _bytes(key, self._path)
            yield _bytes(digest, self._path), kept, _bytes(content, self._path)

    def runs(self) -> Iterator[RunFound]:
        """Yield the runs in the order they were opened."""
        query = (
            "select r.run, r.name, r.agent, r.model, r.opened_at, r.closed_at, r.run_by, "
            "r.entries, "
            "(select coalesce(sum(calls), 0) from run_tool t where t.run = r.id), "
            "(select count(*) from open_call o where o.run = r.id) from run r order by r.id"
        )
        for found in self._connection.execute(query):
            yield RunFound(*found)

    def name_of(self, run: str, index: int | None = None) -> str | None:
        """Return the name that a run's own opening gives it; None without one."""
        name = (self.opening_of(run, index) or {}).get("name")
        return name if type(name) is str else None

    def opening_of(self, run: str, index: int | None = None) -> JsonObject | None:
        """Return the payload of a run's opening, by its first leaf; None where it is none.

        `index` is where that leaf stands, if that is known better than from the tables.
        """
        if index is None:
            first = next(self.entries(run), None)
            if first is None:
                return None
            index = first.index
        with readable(self._path):
            for _, data, _ in self.leaves(index, index + 1):
                leaf = parse_leaf(data)
                found = self.payload(leaf.commit)
                if leaf.run == run and found is not None and commit_of(*found[::-1]) == leaf.commit:
                    payload: Json = json.loads(found[0])
                    return payload if type(payload) is dict else None
        return None

    def run_number(self, run: str) -> int | None:
        """Return the number that the tables for finding have for a run, None where it is not here."""
        found = self._connection.execute("select id from run where run = ?", (run,)).fetchone()
        return None if found is None else found[0]

    def open_positions(self, run: str) -> list[int]:
        """Return the positions of a run's intents that have no outcome yet, in order."""
        query = (
            "select o.position from open_call o join run r on r.id = o.run "
            "where r.run = ? order by o.position"
        )
        return [position for (position,) in self._connection.execute(query, (run,))]


def _bytes(value: object, path: str) -> bytes:
    """Return a value that must be bytes: a damaged file can hold anything in any column."""
    if type(value) is not bytes:
        raise StoreError(path, "is damaged: a row does not hold bytes where it must")
    return value
