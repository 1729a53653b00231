"""Write one run of a store as a bundle: with leaves, salts, paths and the head they lead to.

The size of the tree is fixed before the first line is written, in a read transaction that lasts to
the last. Whether what is written holds is for whoever reads it: an entry whose payload is not what
its leaf commits to is written as it is if it can be, and else as one whose payload is gone.
"""

import json
import sqlite3
from base64 import b64decode
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from toolreplay.errors import StoreError
from toolreplay.evidence.bundle.closing import workflow_of
from toolreplay.evidence.bundle.lines import Logged, line_of, step_of, step_text
from toolreplay.evidence.bundle.receipts import pieces_of, seen_in
from toolreplay.evidence.bundle.writing import BundleWriter
from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.making import chain_digest
from toolreplay.evidence.profile.piece import kind_of_piece
from toolreplay.evidence.tlog.checkpoint import Checkpoint
from toolreplay.evidence.tlog.leaf import LeafError, parse_leaf
from toolreplay.evidence.tlog.merkle import inclusion_path, seeded_path
from toolreplay.records.call import JsonObject
from toolreplay.records.canonical import aer1_text_of_parsed
from toolreplay.stores.sqlite.links import links_of
from toolreplay.stores.sqlite.reading import LogTables, StoredEntry
from toolreplay.stores.sqlite.unreadable import NO_ENTRY

__all__ = ["Covering", "Export", "export_run"]


class Covering(NamedTuple):
    """The head that an export leads to: a signed note, or without a key only size and root."""

    size: int
    note: bytes | None


class Export(NamedTuple):
    """What was written: entries of the run, and the size and root that they lead to.

    `unwritable` are the numbers of the entries whose payload could not be written as it is.
    """

    entries: int
    size: int
    root: bytes
    unwritable: tuple[int, ...]


def export_run(
    connection: sqlite3.Connection,
    path: str,
    run: str,
    write: Callable[[bytes], object],
    covering: Covering,
    *,
    entries: Iterable[StoredEntry] | None = None,
    since: Sequence[int] | None = (),
    with_sealed: bool = False,
    with_nodes: bool = True,
) -> Export:
    """Write the bundle of a run.

    `since` are older sizes that it shall prove to have grown out of, beside those that every bundle
    proves; None where nobody will ask. `entries` are those of the run where the caller knows them from the leaves themselves, else the
    tables for finding are asked; without `with_nodes` the subtrees that are kept are not believed
    either. Raises StoreError.
    """
    tables = LogTables(connection, path, has_nodes=with_nodes)
    size, root = covering.size, tables.root(covering.size)

    def stored(digest: str) -> tuple[bytes, bytes | None] | None:
        return tables.piece(bytes.fromhex(digest))

    writer = BundleWriter(write, run, tables.origin, size, with_sealed=with_sealed, stored=stored)
    count, closed_at, unwritable = 0, "", []
    for found in tables.entries(run) if entries is None else entries:
        if found.index >= size:
            raise StoreError(
                path, f"run {run} has entries that no head covers yet (--key signs one)"
            )
        logged = Logged(found.leaf, found.index, inclusion_path(found.index, size, tables.node))
        try:
            leaf = parse_leaf(found.leaf)
        except LeafError as error:
            raise StoreError(path, f"leaf {found.index:,} {error}") from None
        writer.number(found.entry)
        kept = tables.payload(leaf.commit)
        entry = None if kept is None else _writable(Entry(leaf.kind, kept[0], kept[1]))
        if entry is None:
            if kept is not None:
                unwritable.append(found.entry)
            writer.add_erased(leaf.commit, logged, _step_kept(tables, leaf.commit))
        else:
            writer.add(entry, logged)
            if leaf.kind == "close" and entry.receipt is not None:
                closed_at = entry.receipt["created_at"]
        count += 1
    older = [] if since is None else _older(tables, size, since)
    consistency = [(old, seeded_path(old, size, tables.node)) for old in older]
    head = Checkpoint(tables.origin, size, root)
    writer.finish(
        None, closed_at, links=links_of(connection, run), consistency=consistency,
        checkpoint=covering.note, log_head=None if covering.note is not None else head,
    )  # fmt: skip
    return Export(count, size, root, tuple(unwritable))


def _writable(entry: Entry) -> Entry | None:
    """Return an entry with what its lines are made of, None where its payload was edited too far.

    What can be written is: whether it is what the leaf commits to is for whoever reads it.
    """
    try:
        value = json.loads(entry.payload)
        if type(value) is not dict or aer1_text_of_parsed(value).encode() != entry.payload:
            return None
        described = []
        if entry.kind in ("call", "close"):
            committed: JsonObject = json.loads(b64decode(value["canonical_bytes"]))
            described = [piece for _, piece in pieces_of(committed)]
            for _, digest in seen_in(committed):
                bytes.fromhex(digest)
            output = value["output_hash"].removeprefix("sha256:")
            if entry.kind == "call":
                step_text(step_of(committed["binding"]["seq"], output, committed))
            else:
                line_of({"workflow": workflow_of(value["id"], committed)})
                chain_digest(committed, output)
                line_of({"at": [value["created_at"], committed["binding"]["seq"]]})
            entry = entry._replace(receipt=value, committed=committed)
        elif entry.kind in ("start", "observe"):
            described = [value["args" if entry.kind == "start" else "piece"]]
        for piece in described:
            if piece is not None:
                kind_of_piece(piece)
                bytes.fromhex(piece["digest"])
    except NO_ENTRY:
        return None
    return entry


def _step_kept(tables: LogTables, commit: bytes) -> JsonObject | None:
    """Return the workflow step of a receipt that was erased, None where there is none."""
    text = tables.erased_step(commit)
    try:
        step: JsonObject | None = None if text is None else json.loads(text)["step"]
        line_of({"step": step})
    except NO_ENTRY:
        return None
    return step


def _older(tables: LogTables, size: int, since: Sequence[int]) -> list[int]:
    """Return the older sizes to be proven, the smallest first.

    They are those asked for, and at doubling distances the newest head that was signed by then.
    """
    older = {old for old in since if 0 < old < size}
    distance = 1
    while distance < size:
        if tables.signer() is None:
            older.add(size - distance)
        else:
            found = tables.newest_checkpoint(size - distance)
            if found is not None:
                older.add(found[0])
        distance *= 2
    return sorted(older)
