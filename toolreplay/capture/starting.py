"""What whoever starts a command for somebody else needs: its exit statuses, and pipes nobody sees."""

import fcntl
import os

__all__ = ["CANNOT_EXECUTE", "NOT_FOUND", "private_pipe"]

NOT_FOUND, CANNOT_EXECUTE = 127, 126
"""Exit statuses of a command that could not be started (POSIX.1-2017, Shell, section 2.8.2)."""

_LEAST_DESCRIPTOR = 10


def private_pipe() -> tuple[int, int]:
    """Return a pipe whose ends are not taken for standard streams, and that no command inherits."""
    ends = os.pipe()
    try:
        source, end = (fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, _LEAST_DESCRIPTOR) for each in ends)
        return source, end
    finally:
        for each in ends:
            os.close(each)
