"""Who is at the other end of a socket, as the kernel tells it: nobody can say of itself what it likes.

Linux answers with SO_PEERCRED (unix(7)), macOS with LOCAL_PEERCRED and LOCAL_PEERPID; elsewhere
nothing is known, and nothing is guessed.
"""

import os
import socket
import struct
import sys
from typing import NamedTuple

from toolreplay.capture.processes import Process, parent_of, uid_of
from toolreplay.records.call import JsonObject

__all__ = ["NOBODY", "Peer", "peer_of", "peer_of_port"]

_PLATFORM: str = sys.platform
_LOCAL_LEVEL, _LOCAL_PEERCRED, _LOCAL_PEERPID = 0, 1, 2  # sys/un.h of macOS


class Peer(NamedTuple):
    """A process that connected: its user, its id, and the process that started it."""

    uid: int | None
    pid: int | None
    parent: Process | None

    def writer(self) -> JsonObject:
        """Return the member `writer` of receipts that this process feeds.

        The agent counts as the same user as the recorder where this process, or the one that
        started it, is: either could change what the recorder wrote.
        """
        agents = {self.uid}
        if self.parent is not None:
            agents.add(uid_of(self.parent.pid))
        same = None if self.uid is None else os.getuid() in agents
        return {"uid": self.uid, "pid": self.pid, "same_uid_as_agent": same, "same_process": False}


NOBODY = Peer(None, None, None)
"""Somebody of whom the kernel tells nothing."""


def peer_of(connection: socket.socket) -> Peer:
    """Return who connected a Unix socket."""
    try:
        pid, uid = _credentials(connection)
    except (OSError, struct.error):
        return NOBODY
    return Peer(uid, pid or None, parent_of(pid) if pid else None)


def peer_of_port(port: int, server_port: int) -> Peer:
    """Return the user at the other end of a loopback connection, by its port and ours.

    The kernel does not tell which of the user's processes it is.
    """
    ends = [f"0100007F:{each:04X}".encode() for each in (port, server_port)]
    try:
        with open("/proc/net/tcp", "rb") as file:
            for line in file:
                fields = line.split(None, 8)
                if fields[1:3] == ends:
                    return Peer(int(fields[7]), None, None)
    except (OSError, ValueError, IndexError):
        pass
    return NOBODY


def _credentials(connection: socket.socket) -> tuple[int, int]:
    if _PLATFORM == "linux":
        found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII"))
        pid, uid, _ = struct.unpack("iII", found)
        return pid, uid
    if _PLATFORM == "darwin":
        (pid,) = struct.unpack("i", connection.getsockopt(_LOCAL_LEVEL, _LOCAL_PEERPID, 4))
        found = connection.getsockopt(_LOCAL_LEVEL, _LOCAL_PEERCRED, 76)
        return pid, struct.unpack_from("II", found)[1]
    raise OSError("not known here")
