"""What a process could not tell the service outlives it: a small file, until somebody tells it.

The files stand below the user's state (XDG Base Directory), a folder for each socket, a name for each
process. Whoever next reaches that socket as this user tells what the dead have left.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress

from toolreplay.capture.processes import Process, is_alive, this_process
from toolreplay.capture.service.wire import Gap

__all__ = ["Owed"]

_MOST_BYTES = 8192
_MOST_FILES = 1000


class Owed:
    """The notes of one process about one socket. What cannot be noted is not: nobody else can help.

    `environment` says where the user's state is.
    """

    def __init__(self, socket_path: str, environment: Mapping[str, str]) -> None:
        name = hashlib.sha256(os.fsencode(os.path.abspath(socket_path))).hexdigest()[:32]
        state = environment.get("XDG_STATE_HOME", "")
        if not os.path.isabs(state):
            state = os.path.join(environment.get("HOME", ""), ".local", "state")
        self.folder = os.path.join(state, "toolreplay", "not-recorded", name)
        self._mine = f"{this_process().key()}:{os.urandom(4).hex()}"
        self._is_noted = False

    def note(self, gap: Gap) -> None:
        """Note what is not told yet, in place of what was noted before."""
        if not os.path.isabs(self.folder):
            return
        path = os.path.join(self.folder, self._mine)
        with suppress(OSError):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            with open(f"{path}.new", "w", encoding="ascii") as file:
                json.dump(gap._asdict(), file)
            os.replace(f"{path}.new", path)
            self._is_noted = True

    def settle(self) -> None:
        """Take the note away: it was told."""
        if self._is_noted:
            self._is_noted = False
            with suppress(OSError):
                os.unlink(os.path.join(self.folder, self._mine))

    def left(self) -> Iterator[Gap]:
        """Yield what the dead have left; it is gone when the next is asked for.

        Whoever stops in between keeps what was yielded last among the notes.
        """
        try:
            names = sorted(os.listdir(self.folder))[:_MOST_FILES]
        except OSError:
            return
        for name in names:
            if _is_orphan(name):
                taken = os.path.join(self.folder, f"{self._mine}.{os.urandom(4).hex()}")
                with suppress(OSError):
                    os.rename(os.path.join(self.folder, name), taken)  # nobody else tells it
                    gap = _read(taken)
                    if gap is not None:
                        yield gap
                    os.unlink(taken)


def _is_orphan(name: str) -> bool:
    try:
        boot, pid, started, _ = name.split(":")
        return not is_alive(Process(int(pid), int(started), boot))
    except ValueError:
        return False


def _read(path: str) -> Gap | None:
    with open(path, "rb") as file:
        data = file.read(_MOST_BYTES)
    try:
        found = json.loads(data)
        reason, calls, since_us = found["reason"], found["calls"], found["since_us"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    is_gap = type(reason) is str and type(calls) in (int, type(None)) and type(since_us) is int
    return Gap(reason, calls, since_us) if is_gap else None
