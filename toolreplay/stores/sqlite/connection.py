"""Open the database of a store: for writing, or read-only where that is all one may do.

A reader never asks SQLite to take the file as immutable: that would leave out what stands in the
write-ahead log. Where the folder cannot be written to, file and log are copied to a private folder
first, and whoever reports says so.
"""

import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from toolreplay.errors import (
    RunStateError,
    StoreBusyError,
    StoreError,
    StoreFailedError,
    ToolReplayError,
)
from toolreplay.stores.sqlite.schema import APPLICATION_ID

__all__ = [
    "BUSY_SECONDS",
    "NEW_SUFFIX",
    "beside",
    "is_database",
    "open_copy",
    "open_reader",
    "open_writer",
    "told",
    "transaction",
    "translated",
]

BUSY_SECONDS = 60.0
"""How long to wait for other writers. A group takes milliseconds; a minute is a writer that hangs."""

_MAGIC = b"SQLite format 3\0"
_TRIES = 20
_HEADER_BYTES = 100

NEW_SUFFIX = "-new"
"""How the name ends that a store has until it is whole."""


def is_database(start: bytes) -> bool:
    """Whether a file that begins so is a database."""
    return start.startswith(_MAGIC)


def open_writer(path: str) -> sqlite3.Connection:
    """Open for writing, with the settings every writer of a store needs.

    Raises StoreError for what is no store of ours, which is left as it is.
    """
    with told(path):
        _refuse_other_database(path)
        connection = _connect(path, "rw")
        connection.execute("pragma journal_mode=wal")
        connection.execute("pragma secure_delete=on")
        connection.execute("pragma synchronous=full")
        connection.execute("pragma foreign_keys=off")
    return connection


def _refuse_other_database(path: str) -> None:
    """Look at the header before SQLite is let near: opening for writing changes a database."""
    _refuse_no_file(path)
    try:
        header = _header_of(path)
    except OSError as error:
        raise StoreError(path, error.strerror or str(error)) from None
    if not is_database(header):
        raise StoreError(path, "cannot be read: file is not a database")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise StoreError(path, "is a database, and no store of toolreplay")


_descriptors: dict[tuple[int, int], int] = {}
"""Of each database that was looked at, by device and inode, one descriptor that stays open. To close
any would take from this process every lock that SQLite holds on the file (POSIX.1-2017, fcntl; How
To Corrupt An SQLite Database File, section 2.2), and other processes would delete a log in use."""
_descriptors_lock = threading.Lock()


def _header_of(path: str) -> bytes:
    with _descriptors_lock:
        found = os.stat(path)
        descriptor = _descriptors.get((found.st_dev, found.st_ino))
        if descriptor is None:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            found = os.fstat(descriptor)
            _descriptors[found.st_dev, found.st_ino] = descriptor
        return os.pread(descriptor, _HEADER_BYTES, 0)


def beside(path: str, suffix: str) -> str:
    """Return the name of a file that belongs to a store, whatever link the store is named by."""
    return os.path.realpath(path) + suffix


def open_reader(path: str) -> sqlite3.Connection:
    """Open for reading alone. Raises StoreError where the folder would have to be written to."""
    with told(path):
        connection = _connect(path, "ro")
        connection.execute("pragma query_only=1")
        connection.execute("select count(*) from sqlite_master").fetchone()
    return connection


def open_copy(path: str) -> tuple[sqlite3.Connection, str]:
    """Copy file and write-ahead log to a private folder; return a reader and that folder.

    The copy is made again where sizes or times changed meanwhile. The caller removes the folder.
    """
    _refuse_no_file(path)
    folder, is_read = tempfile.mkdtemp(prefix="toolreplay."), False
    try:
        target = os.path.join(folder, "store.db")
        for _ in range(_TRIES):
            before = _stamps(path)
            for suffix in ("", "-wal"):
                if os.path.exists(beside(path, suffix)):
                    shutil.copyfile(beside(path, suffix), target + suffix)
                elif os.path.exists(target + suffix):
                    os.unlink(target + suffix)
            if _stamps(path) == before:
                connection = open_reader(target)
                is_read = True
                return connection, folder
        raise StoreBusyError(path, "changes while it is copied: copy it with store export --db")
    except OSError as error:
        raise StoreError(path, error.strerror or str(error)) from None
    except StoreError as error:  # it may be about the copy, of which nobody has heard
        raise type(error)(path, error.what) from None
    finally:
        if not is_read:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turn the errors of SQLite into ours. A failed write is not told from a failed read here."""
    try:
        yield
    except ToolReplayError:
        raise
    except sqlite3.Error as error:
        raise translated(path, error) from None
    except UnicodeDecodeError:  # in what SQLite itself says of a damaged file
        raise StoreError(path, "cannot be read: a text in it is not UTF-8") from None


@contextmanager
def transaction(connection: sqlite3.Connection, *, synchronous: str = "full") -> Iterator[None]:
    """Commit what is done inside, with a sync unless told otherwise, or leave nothing of it."""
    connection.execute(f"pragma synchronous={synchronous}")  # it can only be set outside of one
    connection.execute("begin immediate")
    is_whole = False
    try:
        yield
        connection.execute("commit")
        is_whole = True
    finally:
        if not is_whole:
            with suppress(sqlite3.Error):
                connection.execute("rollback")


def translated(path: str, error: sqlite3.Error) -> StoreError:
    """Return our error for one of SQLite's."""
    text = str(error)
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or "locked" in text:
        return StoreBusyError(path, "is held by another program for too long (try again)")
    if name.startswith(("SQLITE_IOERR", "SQLITE_FULL", "SQLITE_READONLY")):
        return StoreFailedError(path, _plain(text))
    if name.startswith("SQLITE_CONSTRAINT"):
        return RunStateError(path, _plain(text))
    return StoreError(path, f"cannot be read: {_plain(text)}")


def _plain(text: str) -> str:
    return text.splitlines()[0][:200] if text else "the database says nothing more"


def _is_text(name: str) -> bool:
    try:
        return bool(name.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def _is_unfinished_name(real: str) -> bool:
    """Take away the name a store had while it was made, if a crash left it; whether that was all."""
    folder, base = os.path.split(real)
    for name in os.listdir(folder):
        if name.startswith(f"{base}.") and name.endswith(NEW_SUFFIX):
            other = os.path.join(folder, name)
            with suppress(OSError):
                if os.path.samefile(other, real):
                    os.unlink(other)
    return os.stat(real).st_nlink == 1


def _stamps(path: str) -> list[tuple[int, int, int] | None]:
    stamps: list[tuple[int, int, int] | None] = []
    for suffix in ("", "-wal"):
        try:
            status = os.stat(beside(path, suffix))
        except FileNotFoundError:
            stamps.append(None)
        else:
            stamps.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return stamps


def _refuse_no_file(path: str) -> None:
    if "\0" in path or not _is_text(path):
        raise StoreError(path, "is not a name a store can have")
    if not os.path.isfile(path):
        raise StoreError(path, "is not there" if not os.path.exists(path) else "is no file")


def _connect(path: str, mode: str) -> sqlite3.Connection:
    _refuse_no_file(path)
    # The file itself: its write-ahead log stands beside it, and not beside a link to it.
    real = os.path.realpath(path)
    if not _is_text(real):
        raise StoreError(path, "stands in a folder whose name is not Unicode")
    if mode == "rw" and os.stat(real).st_nlink > 1 and not _is_unfinished_name(real):
        raise StoreError(
            path,
            "has a second name (a hard link), and a write-ahead log for each would lose entries",
        )
    quoted = real.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = sqlite3.connect(
        f"file://{quoted}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute("pragma mmap_size=0")
    connection.execute("pragma trusted_schema=off")
    return connection
