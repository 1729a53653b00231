"""Whether a store records: a small file beside it that outlives the process that failed.

A write that failed must be known to the next process, and a full disk takes no new file. So the
file is made with the store, always has one size, and is overwritten in place.
"""

import os
import stat

from toolreplay.errors import StoreError
from toolreplay.stores.sqlite.connection import beside

__all__ = ["STATE_SUFFIX", "failure_of", "is_noted", "note_failure", "note_recording"]

STATE_SUFFIX = "-state"

_BYTES = 512
_RECORDING = "recording"
_FAILED = "not recording since "


def note_recording(path: str) -> None:
    """Say that the store records. Raises OSError."""
    _write(path, _RECORDING)


def note_failure(path: str, at: str, what: str) -> bool:
    """Say since when (RFC 3339) and why the store does not record; return whether it could be.

    What was said first stands: it is when recording ended.
    """
    try:
        if failure_of(path) is None:
            _write(path, f"{_FAILED}{at}: {what}")
    except (OSError, StoreError):
        return False
    return True


def is_noted(path: str) -> bool:
    """Whether there is anything beside a store that says so; a copy of a store has nothing."""
    return os.path.exists(beside(path, STATE_SUFFIX))


def failure_of(path: str) -> str | None:
    """Return since when and why the store does not record, None where it does.

    Raises StoreError where that cannot be known.
    """
    name = beside(path, STATE_SUFFIX)
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):
            raise StoreError(name, "is no file")
        with open(name, "rb") as file:
            data = file.read(_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(name, error.strerror or str(error)) from None
    text = data.decode("utf-8", "replace").rstrip(" \n\0")
    if text in (_RECORDING, ""):
        return None  # an empty one was made, and power was lost before anything could fail
    if not text.startswith(_FAILED) or len(data) != _BYTES:
        return "at a time that nobody can tell: what was noted beside the store is damaged"
    return text.removeprefix("not recording ")


def _write(path: str, text: str) -> None:
    data = text.replace("\n", " ").encode("utf-8", "replace")[: _BYTES - 1]
    descriptor = os.open(
        beside(path, STATE_SUFFIX), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600
    )
    try:
        os.pwrite(descriptor, data.ljust(_BYTES - 1) + b"\n", 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
