"""Copy a store as it is at one moment, while others append to it (SQLite's backup interface).

The copy is one file: it is left in the mode of a rollback journal, so nothing of it stands in a
write-ahead log. Whoever first opens it to append sets that again.
"""

import os
import sqlite3
from contextlib import closing, suppress

from toolreplay.errors import OutputError
from toolreplay.stores.head_file import sync_folder
from toolreplay.stores.sqlite.connection import told
from toolreplay.stores.sqlite.reading import LogTables

__all__ = ["copy_store"]


def copy_store(connection: sqlite3.Connection, target: str) -> int:
    """Copy a store into a new file, on the disk when this returns; return how many entries it has.

    The file must not be there. Raises OutputError, and StoreError where the copy cannot be read.
    """
    partial = f"{target}.{os.getpid()}.partial"
    try:
        _refuse_to_replace(target)
        os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    except (OSError, ValueError) as error:
        raise OutputError(target, getattr(error, "strerror", None) or str(error)) from None
    try:
        with told(target), closing(sqlite3.connect(partial, isolation_level=None)) as copy:
            connection.backup(copy)
            copy.execute("pragma journal_mode=delete")
            size = LogTables(copy, target).size()
        with open(partial, "rb") as file:
            os.fsync(file.fileno())
        _refuse_to_replace(target)  # what somebody else wrote there meanwhile
        os.rename(partial, target)
        sync_folder(target)
    except OSError as error:
        raise OutputError(target, error.strerror or str(error)) from None
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            with suppress(OSError):
                os.unlink(partial + suffix)
    return size


def _refuse_to_replace(target: str) -> None:
    for suffix in ("", "-wal", "-journal"):
        if os.path.lexists(target + suffix):
            raise OutputError(target + suffix, "is there already, and is not replaced")
