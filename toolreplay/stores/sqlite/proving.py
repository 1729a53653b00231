"""Proofs of a store's log that stand alone: one entry in it, and that it grew out of an older head.

A proof of an entry is a file of C2SP tlog-proof; one that the log has grown is the body that C2SP
tlog-witness sends (`old <size>`, hashes, an empty line, the checkpoint), so that a witness takes it
as it is. Both end in a head that was signed: without one they would prove nothing.
"""

import sqlite3
from typing import NamedTuple

from toolreplay.errors import InputError, StoreError
from toolreplay.evidence.aer1.base64_text import base64_of
from toolreplay.evidence.tlog.checkpoint import Checkpoint, parse_checkpoint
from toolreplay.evidence.tlog.merkle import consistency_path, inclusion_path
from toolreplay.evidence.tlog.note import parse_note
from toolreplay.evidence.tlog.proof import TlogProof, proof_bytes
from toolreplay.stores.sqlite.reading import LogTables

__all__ = ["EntryProof", "growth_proof", "index_of_entry", "prove_entry", "signed_checkpoint"]


class EntryProof(NamedTuple):
    """The proof of one entry: the file, the leaf it is about, and the head it leads to."""

    data: bytes
    leaf: bytes
    head: Checkpoint


def signed_checkpoint(tables: LogTables, path: str) -> tuple[Checkpoint, bytes]:
    """Return what the last head that was signed says, and its note. Raises StoreError."""
    newest = tables.newest_checkpoint()
    if newest is None:
        what = "has no signed head yet (toolreplay store sign STORE --key FILE signs one)"
        if tables.signer() is None:
            what = "is unsigned, and a proof ends in a signed head (toolreplay store sign)"
        raise StoreError(path, what)
    try:
        return parse_checkpoint(parse_note(newest[1], path).text, path), newest[1]
    except InputError as error:
        raise StoreError(path, f"the head kept for size {newest[0]:,} is {error.what}") from None


def index_of_entry(connection: sqlite3.Connection, path: str, run: str, entry: int) -> int:
    """Return the place in the log of one entry of a run. Raises StoreError."""
    found = connection.execute(
        "select e.idx from entry e join run r on r.id = e.run where r.run = ? and e.entry = ?",
        (run, entry),
    ).fetchone()
    if found is None:
        raise StoreError(path, f"run {run} has no entry {entry:,}")
    index: int = found[0]
    return index


def prove_entry(tables: LogTables, path: str, index: int) -> EntryProof:
    """Return the proof that the leaf at an index is in the log. Raises StoreError."""
    head, note = signed_checkpoint(tables, path)
    if index >= tables.size():
        raise StoreError(path, f"has no entry {index:,} (there are {tables.size():,})")
    if index >= head.size:
        raise StoreError(
            path,
            f"entry {index:,} stands behind the last head that was signed (size {head.size:,}; "
            "--key signs one now)",
        )
    leaf = next((data for _, data, _ in tables.leaves(index, index + 1)), None)
    if leaf is None:
        raise StoreError(path, f"leaf {index:,} is missing from it (toolreplay store check)")
    proof = TlogProof(index, tuple(inclusion_path(index, head.size, tables.node)), note)
    return EntryProof(proof_bytes(proof), leaf, head)


def growth_proof(tables: LogTables, path: str, old: int) -> tuple[bytes, Checkpoint]:
    """Return the proof that the log grew out of its first `old` entries, and its head."""
    head, note = signed_checkpoint(tables, path)
    if not 0 < old <= head.size:
        raise StoreError(
            path,
            f"no head of size {old:,} lies before the last one that was signed ({head.size:,})",
        )
    hashes = consistency_path(old, head.size, tables.node)
    lines = [f"old {old}", *map(base64_of, hashes), "", ""]
    return "\n".join(lines).encode("ascii") + note, head
