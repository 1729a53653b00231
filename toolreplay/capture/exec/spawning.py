"""Start a command as if we were not there, pass signals on, and wait for its end.

It stays in our process group, its standard input and every other open descriptor are our own, and
its signal mask is the one we were started with. Only standard output and standard error are pipes
(`isatty` says so), copied on by two threads: the order of the bytes holds within each stream.
"""

import fcntl
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from toolreplay.capture.exec.teeing import Printed, Tee

__all__ = ["CANNOT_EXECUTE", "NOT_FOUND", "Ended", "holding_signals", "run_command"]

NOT_FOUND, CANNOT_EXECUTE = 127, 126
"""Exit statuses of a command that could not be started (POSIX.1-2017, Shell, section 2.8.2)."""

_PASSED_ON = (
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2,
)  # fmt: skip
_LEAST_DESCRIPTOR = 10
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


class _Held(NamedTuple):
    """Signals that wait to be taken, and the mask before."""

    signals: frozenset[signal.Signals]
    before: set[signal.Signals]


@contextmanager
def holding_signals() -> Iterator[_Held]:
    """Hold back the signals that are passed on; threads started below hold them too.

    One that we were started to ignore stays ignored, for the command as well.
    """
    child_handler = signal.signal(
        signal.SIGCHLD, signal.SIG_DFL
    )  # else nothing is to be waited for
    asked = [each for each in _PASSED_ON if signal.getsignal(each) is not signal.SIG_IGN]
    held = frozenset({*asked, signal.SIGCHLD})
    before = signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        yield _Held(held, {signal.Signals(each) for each in before})
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGCHLD, child_handler)


def run_command(argv: Sequence[str], streams: Sequence[int], held: _Held) -> Ended:
    """Run a command to its end and return how it ended; call it in the main thread.

    `streams` are those of 1 and 2 that were open at the start. Another may be a file of ours by
    now; the command finds it closed.
    """
    tees: dict[int, Tee] = {}
    ends: dict[int, int] = {}
    for target in streams:
        source, ends[target] = _pipe()
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


def _pipe() -> tuple[int, int]:
    """Return a pipe whose ends are not taken for standard streams, and that no command inherits."""
    ends = os.pipe()
    try:
        source, end = (fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, _LEAST_DESCRIPTOR) for each in ends)
        return source, end
    finally:
        for each in ends:
            os.close(each)


def _waited(child: int, held: _Held) -> int:
    """Wait for a child and pass signals on; returns its exit status, or minus the signal's number."""
    while True:
        number, is_from_kernel = _next_signal(held.signals)
        if number == signal.SIGCHLD:
            found, status = os.waitpid(child, os.WNOHANG)
            if found:
                return os.waitstatus_to_exitcode(status)
        elif not (is_from_kernel and _has_our_group(child)):
            # What a terminal sends goes to the whole group: passed on, it would come twice.
            with suppress(ProcessLookupError):
                os.kill(child, number)


def _next_signal(signals: frozenset[signal.Signals]) -> tuple[int, bool]:
    """Return the next signal that was held back, and whether the kernel sent it (a terminal did)."""
    if not hasattr(signal, "sigwaitinfo"):  # macOS: who sent it cannot be told
        return signal.sigwait(signals), False
    found = signal.sigwaitinfo(signals)
    return found.si_signo, found.si_code > 0


def _has_our_group(child: int) -> bool:
    try:
        return os.getpgid(child) == os.getpgrp()
    except OSError:
        return False


def _drain(tees: list[Tee], held: _Held) -> None:
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
