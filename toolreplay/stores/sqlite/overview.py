"""What a store says of itself at a glance; none of it is checked here."""

import os
import sqlite3
from contextlib import suppress
from typing import NamedTuple

from toolreplay.errors import InputError, StoreError
from toolreplay.evidence.tlog.checkpoint import Checkpoint, parse_checkpoint
from toolreplay.evidence.tlog.note import Note, parse_note
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.schema import FORMAT
from toolreplay.stores.sqlite.state import STATE_SUFFIX, failure_of
from toolreplay.stores.sqlite.wal import torn_bytes

__all__ = ["Overview", "overview_of"]

_SUFFIXES = ("", "-wal", "-shm", STATE_SUFFIX)


class Overview(NamedTuple):
    """A store at a glance.

    `signer` is the public key that it says signs its heads, `head` the last one that was signed,
    `note` that as it was signed; `root` is that of all entries by the subtrees that are kept. `failure` says since when and why
    it does not record. `files` are the suffixes of its files with their bytes.
    """

    origin: str
    format: int
    signer: str | None
    entries: int
    root: bytes
    runs: int
    open_runs: int
    heads: int
    head: Checkpoint | None
    note: Note | None
    failure: str | None
    torn_bytes: int
    files: tuple[tuple[str, int], ...]

    @property
    def behind(self) -> int:
        """Return how many entries stand behind the last head that was signed."""
        return self.entries - (self.head.size if self.head is not None else 0)


def overview_of(connection: sqlite3.Connection, path: str) -> Overview:
    """Look at a store. Raises StoreError."""
    tables = LogTables(connection, path)
    size = tables.size()
    newest = tables.newest_checkpoint()
    head = note = None
    if newest is not None:
        try:
            note = parse_note(newest[1], path)
            head = parse_checkpoint(note.text, path)
        except InputError as error:
            raise StoreError(
                path, f"the head kept for size {newest[0]:,} is {error.what}"
            ) from None
    runs, open_runs = connection.execute(
        "select count(*), count(*) filter (where closed_at is null) from run"
    ).fetchone()
    heads = connection.execute("select count(*) from checkpoint").fetchone()[0]
    try:
        torn = torn_bytes(path)
    except OSError as error:
        raise StoreError(path, error.strerror or str(error)) from None
    return Overview(
        origin=tables.origin,
        format=FORMAT,
        signer=tables.signer(),
        entries=size,
        root=tables.root(size),
        runs=runs,
        open_runs=open_runs,
        heads=heads,
        head=head,
        note=note,
        failure=failure_of(path),
        torn_bytes=torn,
        files=_files(path),
    )


def _files(path: str) -> tuple[tuple[str, int], ...]:
    found = []
    for suffix in _SUFFIXES:
        with suppress(FileNotFoundError):
            found.append((suffix, os.stat(path + suffix).st_size))
    return tuple(found)
