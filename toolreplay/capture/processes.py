"""Processes as the kernel knows them: a process id is used again, one with its start time is not.

Read from /proc, so on Linux; elsewhere nothing is known, and nothing is guessed.
"""

import os
from typing import NamedTuple

from toolreplay.capture.clock import boot_id

__all__ = ["Process", "is_alive", "parent_of", "parent_process", "this_process", "uid_of"]


class Process(NamedTuple):
    """A process: its id, when it started in clock ticks since the boot, and which boot."""

    pid: int
    started: int
    boot: str

    def key(self) -> str:
        """Return one word that no other process has."""
        return f"{self.boot}:{self.pid}:{self.started}"


def this_process() -> Process:
    """Return this process; `started` is 0 where the kernel does not say."""
    return Process(os.getpid(), _started(os.getpid()) or 0, boot_id())


def parent_process() -> Process | None:
    """Return the parent, None where the kernel does not say or it is gone already."""
    return parent_of(os.getpid())


def parent_of(child: int) -> Process | None:
    """Return the process that started another, None where that is not known or it is gone already."""
    pid = _parent(child)
    started = _started(pid)
    if pid <= 1 or started is None or _parent(child) != pid:
        return None
    return Process(pid, started, boot_id())


def is_alive(process: Process) -> bool:
    """Whether a process is there still; a zombie is not. Where the kernel does not say, by its id."""
    if process.boot != boot_id():
        return False
    if process.started:
        return _started(process.pid) == process.started
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def uid_of(pid: int) -> int | None:
    """Return the user a process acts as, None where that cannot be told."""
    try:
        # Not the owner of the folder: that is root where a process has changed its user.
        with open(f"/proc/{pid}/status", "rb") as file:
            uids = file.read(4096).partition(b"\nUid:")[2].split(None, 2)
        return int(uids[1])
    except (OSError, ValueError, IndexError):
        return None


def _parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if len(fields) > 1 else 0


def _started(pid: int) -> int | None:
    fields = _stat(pid)
    return None if len(fields) < 20 or fields[0] in (b"Z", b"X", b"x") else int(fields[19])


def _stat(pid: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat behind the name (proc(5)), none where there is no process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The second field is a name in brackets, and may hold anything.
            return file.read(4096).rpartition(b")")[2].split()
    except OSError:
        return []
