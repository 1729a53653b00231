"""The last head that a key signed, kept beside the key and not in the store.

A store that was put back to an older state looks right in itself; the key's own memory shows it.
Whoever signs holds the lock beside the file from before it reads it until the new head stands: the
lock file is never replaced or removed, or two could hold one of that name.
"""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from toolreplay.errors import StoreError
from toolreplay.evidence.tlog.note import NOTE_BYTES

__all__ = ["locked_head", "read_head", "replace_head", "sync_folder"]


@contextmanager
def locked_head(path: str) -> Iterator[None]:
    """Hold the lock of a head file; other signers wait. Raises StoreError."""
    name = path + ".lock"
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(name, error.strerror or str(error)) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def read_head(path: str) -> bytes | None:
    """Return the note in a head file, None where there is none yet. Raises StoreError."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise StoreError(path, "is no file")
        with open(path, "rb") as file:
            data = file.read(NOTE_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(path, error.strerror or str(error)) from None
    if len(data) > NOTE_BYTES or not data:
        raise StoreError(
            path, "is not the head of a log (put back the file, or ask who holds the key)"
        )
    return data


def replace_head(path: str, note: bytes) -> None:
    """Put a note in the place of the last one, on disk before its name. Raises StoreError."""
    partial = path + ".partial"  # one name: whoever writes it holds the lock
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "wb") as file:
            file.write(note)
            file.flush()
            os.fsync(descriptor)
        os.replace(partial, path)
        sync_folder(path)
    except OSError as error:
        raise StoreError(path, error.strerror or str(error)) from None


def sync_folder(path: str) -> None:
    """Bring the names in a file's folder to the disk. Raises OSError."""
    folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
