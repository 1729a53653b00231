"""Write a store's log as files for static serving (C2SP tlog-tiles): tiles, entries, checkpoint.

A tile never changes, so none is ever replaced: one that is there must have the same bytes, and
whatever does not ends the export. The checkpoint goes last, and only forward. Tiles that were
partial at an earlier size may stay where they are.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from toolreplay.errors import InputError, OutputError, StoreError
from toolreplay.evidence.tlog.checkpoint import Checkpoint, parse_checkpoint
from toolreplay.evidence.tlog.note import NOTE_BYTES, parse_note
from toolreplay.evidence.tlog.tiles import (
    ENTRIES,
    FULL_WIDTH,
    TilePlace,
    entry_bundle,
    tile_bytes,
    tile_path,
    tiles_of,
)
from toolreplay.stores.head_file import sync_folder
from toolreplay.stores.sqlite.proving import signed_checkpoint
from toolreplay.stores.sqlite.reading import LogTables

__all__ = ["CHECKPOINT", "Tiles", "write_tiles"]

CHECKPOINT = "checkpoint"


class Tiles(NamedTuple):
    """What was written: files that are new, files that were there, and the head they belong to."""

    written: int
    present: int
    head: Checkpoint


def write_tiles(tables: LogTables, path: str, folder: str) -> Tiles:
    """Write the log up to the last head that was signed. Raises StoreError and OutputError."""
    head, note = signed_checkpoint(tables, path)
    target = os.path.join(folder, CHECKPOINT)
    _refuse_other_log(tables, head, target)
    written = present = 0
    for place, data in _tiles(tables, head.size):
        if _put(os.path.join(folder, *tile_path(place).split("/")), data):
            written += 1
        else:
            present += 1
    try:
        _replace(target, note)
    except OSError as error:
        raise OutputError(target, error.strerror or str(error)) from None
    return Tiles(written, present, head)


def _tiles(tables: LogTables, size: int) -> Iterator[tuple[TilePlace, bytes]]:
    for place in tiles_of(size):
        if place.level == ENTRIES:
            first = place.index * FULL_WIDTH
            leaves = tables.leaves(first, first + place.width)
            yield place, entry_bundle(leaf for _, leaf, _ in leaves)
        else:
            yield place, tile_bytes(place, tables.node)


def _refuse_other_log(tables: LogTables, head: Checkpoint, target: str) -> None:
    """Raise where the folder has the checkpoint of another log, or a later one of this."""
    try:
        with open(target, "rb") as file:
            data = file.read(NOTE_BYTES + 1)
        there = parse_checkpoint(parse_note(data, target).text, target)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise OutputError(target, getattr(error, "strerror", None) or str(error)) from None
    except InputError as error:
        raise OutputError(target, f"is no checkpoint ({error.what}), and is not replaced") from None
    if there.origin != head.origin:
        raise OutputError(target, f"is that of another log ({there.origin}), and is not replaced")
    if there.size > head.size:
        raise OutputError(target, f"is newer (size {there.size:,}) than the store ({head.size:,})")
    if there.root != tables.root(there.size):
        raise StoreError(
            target, f"is of another history: the store's first {there.size:,} have another root"
        )


def _put(name: str, data: bytes) -> bool:
    """Write a file that is not there, and say so; one that is must be equal. Raises OutputError."""
    try:
        try:
            with open(name, "rb") as file:
                found = file.read(len(data) + 1)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(name), exist_ok=True)
            _replace(name, data)
            return True
    except OSError as error:
        raise OutputError(name, error.strerror or str(error)) from None
    if found != data:
        raise OutputError(name, "is there with other bytes: a tile is never replaced")
    return False


def _replace(name: str, data: bytes) -> None:
    """Write a file whole or not at all. Raises OSError."""
    partial = f"{name}.{os.getpid()}.partial"
    try:
        with open(partial, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, name)
        sync_folder(name)
    except OSError:
        with suppress(OSError):
            os.unlink(partial)
        raise
