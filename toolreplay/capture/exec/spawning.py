"""Start a command as if we were not there, pass signals on, and wait for its end.

It stays in our process group, its standard input and every other open descriptor are our own, and
its signal mask is the one we were started with. Only standard output and standard error are pipes
(`isatty` says so), copied on by two threads: the order of the bytes holds within each stream.
"""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from toolreplay.capture.exec.teeing import Printed, Tee
from toolreplay.capture.signals import Held, next_signal, sent_to_group_of
from toolreplay.capture.starting import CANNOT_EXECUTE, NOT_FOUND, private_pipe

__all__ = ["Ended", "run_command"]

_LOOK_SECONDS = 0.05


class Ended(NamedTuple):
    """How a command ended: its exit status, or the signal that killed it, and what it printed.

    `error` says why it could not be started. A stream is None where there was none to print to.
    """

    exit_code: int | None
    signal: int | None = None
    stdout: Printed | None = None
    stderr: Printed | None = None
    error: str = ""


def run_command(argv: Sequence[str], streams: Sequence[int], held: Held) -> Ended:
    """Run a command to its end and return how it ended; call it in the main thread.

    `streams` are those of 1 and 2 that were open at the start. Another may be a file of ours by
    now; the command finds it closed.
    """
    tees: dict[int, Tee] = {}
    ends: dict[int, int] = {}
    for target in streams:
        source, ends[target] = private_pipe()
        tees[target] = Tee(source, target)
    try:
        child = os.posix_spawnp(
            argv[0],
            list(argv),
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, end, target) for target, end in ends.items()],
            setsigmask=held.before,
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],  # the interpreter ignores these two
        )
    except OSError as error:
        status = NOT_FOUND if isinstance(error, FileNotFoundError) else CANNOT_EXECUTE
        return Ended(status, error=error.strerror or str(error))
    finally:
        for end in ends.values():
            os.close(end)
    for tee in tees.values():
        tee.start()
    status = _waited(child, held)
    _drain(list(tees.values()), held)
    printed = {target: tee.printed() for target, tee in tees.items()}
    code, number = (None, -status) if status < 0 else (status, None)
    return Ended(code, number, printed.get(1), printed.get(2))


def _waited(child: int, held: Held) -> int:
    """Wait for a child and pass signals on; returns its exit status, or minus the signal's number."""
    while True:
        number, is_from_kernel = next_signal(held)
        if number == signal.SIGCHLD:
            found, status = os.waitpid(child, os.WNOHANG)
            if found:
                return os.waitstatus_to_exitcode(status)
        elif not sent_to_group_of(child, is_from_kernel=is_from_kernel):
            with suppress(ProcessLookupError):
                os.kill(child, number)


def _drain(tees: list[Tee], held: Held) -> None:
    """Wait until all that was printed is handed on.

    What the command left running may hold its output open; a signal ends the wait.
    """
    asked = held.signals - {signal.SIGCHLD}
    for tee in tees:
        while tee.is_alive():
            tee.join(_LOOK_SECONDS)
            if asked & signal.sigpending():
                signal.sigwait(asked)
                return
