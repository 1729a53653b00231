"""Run a function in a process of its own under strace: to kill it, to fail its calls, to see them.

The process is forked from this one, so that it has everything loaded, stops itself, and goes on
when strace has it: strace counts the calls from there, by name.
"""

import contextlib
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

CALLS = (
    "write", "writev", "pwrite64", "fdatasync", "fsync", "rename", "renameat", "renameat2", "link", "linkat",
    "openat", "ftruncate", "unlink", "unlinkat", "fcntl", "flock", "close",
)  # fmt: skip
"""The boundaries: calls that change files, their names or their locks."""

_CALL = re.compile(r"^(\w+)\(")
_SET_PTRACER, _ANYBODY = 0x59616D61, -1


class Ended(NamedTuple):
    """How the process ended: its exit status, or minus the signal; its trace."""

    status: int
    trace: str

    def calls(self) -> list[str]:
        """Return the names of the calls in order."""
        return [found[1] for found in map(_CALL.match, self.trace.splitlines()) if found]


class Point(NamedTuple):
    """The k-th call of a name, from 1."""

    call: str
    k: int

    def __str__(self) -> str:
        return f"{self.call}:{self.k}"


def why_not() -> str:
    """Return why nothing can be traced here, or nothing."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        if traced(lambda: 0, ("-e", "trace=write")).status == 0:
            return ""
    return "strace may not attach to processes here"


def traced(body: Callable[[], int], options: Sequence[str]) -> Ended:
    """Run a body in a forked process under `strace OPTIONS`."""
    child = os.fork()
    if not child:
        _run(body)
    os.waitpid(child, os.WUNTRACED)
    reading, writing = os.pipe()
    try:
        tracer = subprocess.Popen(
            ["strace", "-p", str(child), "-o", f"/proc/self/fd/{writing}", *options],
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, pass_fds=[writing],
        )  # fmt: skip
        os.close(writing)
        assert tracer.stderr is not None
        attached = tracer.stderr.readline()
        os.kill(child, signal.SIGCONT)
        if b"attached" not in attached:
            raise OSError(attached.decode("utf-8", "replace"))
        with open(reading, "rb", closefd=False) as stream:
            trace = stream.read()
        tracer.communicate()
    finally:
        os.close(reading)
        status = _status_of(child)
    return Ended(status, trace.decode("ascii", "replace"))


def points_of(calls: Sequence[str]) -> list[Point]:
    """Return every boundary of a trace, in order."""
    counts: Counter[str] = Counter()
    points = []
    for call in calls:
        if call in CALLS:
            counts[call] += 1
            points.append(Point(call, counts[call]))
    return points


def _run(body: Callable[[], int]) -> None:
    status = 70
    try:
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SET_PTRACER, _ANYBODY, 0, 0, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        status = body()
    except BaseException as error:  # noqa: BLE001 - whatever it is, the parent is told
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        os._exit(status)


def _status_of(child: int) -> int:
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)
