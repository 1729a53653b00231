"""A client's configuration as a file: read with a limit, replaced whole or not at all."""

import os
import stat
from typing import NamedTuple

from toolreplay.cli.whole_file import WholeFile
from toolreplay.errors import InputError, OutputError
from toolreplay.records.jsonl import bytes_up_to

__all__ = ["ConfigFile", "read_config", "replace_config"]

_MOST_BYTES = 16 << 20
"""A client that keeps its history there too reaches megabytes."""


class ConfigFile(NamedTuple):
    """A file as it was read: its name, its bytes, and what the system said of it then."""

    name: str
    data: bytes
    status: os.stat_result


def read_config(name: str) -> ConfigFile:
    """Read a configuration; never waits. Raises InputError."""
    try:
        # A pipe that nobody writes to would be waited for without end.
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise InputError(name, "is no file")
            data = bytes_up_to(file, _MOST_BYTES)
    except IsADirectoryError:
        raise InputError(name, "is a folder") from None
    except OSError as error:
        raise InputError(name, error.strerror or str(error)) from None
    except ValueError:
        raise InputError(name, "is not a name a file can have") from None
    if data is None:
        raise InputError(name, f"longer than {_MOST_BYTES} bytes")
    return ConfigFile(name, data, status)


def replace_config(before: ConfigFile, data: bytes) -> None:
    """Put new bytes in place of a file, under its mode and owner; a link stays one.

    Raises OutputError, and changes nothing, where the file is not what was read any more.
    """
    name = os.path.realpath(before.name)
    if before.status.st_nlink > 1:
        raise OutputError(
            name, "has several names (hard links), of which only one would be changed"
        )
    mask = os.umask(0o077)  # what is written may hold credentials: from the start for nobody else
    try:
        file = WholeFile(name)
        with file:
            os.umask(mask)
            _take_over(name, file, before.status)
            file.write(data)
            file.settle()
            _refuse_changed(name, before)
            file.keep()
    finally:
        os.umask(mask)


def _take_over(name: str, file: WholeFile, status: os.stat_result) -> None:
    """Give the new file the mode and the owner of the old one."""
    descriptor = file.file.fileno()
    try:
        made = os.fstat(descriptor)
        if (made.st_uid, made.st_gid) != (status.st_uid, status.st_gid):
            os.fchown(descriptor, status.st_uid, status.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
    except OSError as error:
        what = f"its owner and mode cannot be kept ({error.strerror or error})"
        raise OutputError(name, what) from None


def _refuse_changed(name: str, before: ConfigFile) -> None:
    try:
        now = os.stat(name)
    except OSError as error:
        raise OutputError(name, error.strerror or str(error)) from None
    stamps = [(each.st_ino, each.st_size, each.st_mtime_ns) for each in (now, before.status)]
    if stamps[0] != stamps[1]:
        raise OutputError(name, "was changed meanwhile by another program: try again")
