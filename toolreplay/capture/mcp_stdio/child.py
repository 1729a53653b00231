"""Start the server as if we were not there: same group, same environment, same standard error.

Only its standard input and output are pipes of ours. On Linux it is killed when we are (prctl(2),
PR_SET_PDEATHSIG); elsewhere it is told by the end of its input.
"""

import errno
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from toolreplay.capture.starting import CANNOT_EXECUTE, private_pipe

__all__ = ["Child", "start"]

_SET_DEATH_SIGNAL = 1
_OUR_LOCALE = b"LC_CTYPE"


class Child(NamedTuple):
    """A process that was started, and the ends of ours of its pipes."""

    pid: int
    stdin: int
    stdout: int


def start(argv: Sequence[str], mask: frozenset[int]) -> Child:
    """Start a command with the signal mask given; call it in the main thread, before any other.

    Raises OSError where it cannot be started.
    """
    child_in, to_child = private_pipe()
    from_child, child_out = private_pipe()
    failed, failing = private_pipe()
    set_death_signal = _death_signal()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(child_in, 0)
            os.dup2(child_out, 1)
            set_death_signal()
            if os.getppid() == parent:  # else we were killed before the kernel knew
                _execute(argv, mask)
        except OSError as error:
            os.write(failing, str(error.errno or errno.EINVAL).encode())
        finally:
            os._exit(CANNOT_EXECUTE)
    for end in (child_in, child_out, failing):
        os.close(end)
    number = os.read(failed, 16)  # nothing, as soon as the command is on its way
    os.close(failed)
    if number:
        os.waitpid(pid, 0)
        os.close(to_child)
        os.close(from_child)
        raise OSError(int(number), os.strerror(int(number)))
    return Child(pid, to_child, from_child)


def _execute(argv: Sequence[str], mask: frozenset[int]) -> None:
    for each in (signal.SIGPIPE, signal.SIGXFSZ):  # the interpreter ignores these two
        signal.signal(each, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    _restore_environment()
    os.execvp(argv[0], list(argv))  # noqa: S606 - there is to be no shell


def _restore_environment() -> None:
    """Take back the locale that the interpreter sets for itself and its children (PEP 538)."""
    with suppress(OSError), open("/proc/self/environ", "rb") as file:
        before = dict(each.partition(b"=")[::2] for each in file.read().split(b"\0"))
        if _OUR_LOCALE in before:
            os.putenv(_OUR_LOCALE, before[_OUR_LOCALE])
        else:
            os.unsetenv(_OUR_LOCALE)


def _death_signal() -> Callable[[], object]:
    """Return what is to be called in the child, so that the kernel kills it when we end."""
    if sys.platform != "linux":
        return lambda: None
    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return lambda: None
    return lambda: prctl(_SET_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
