"""Signals held back while a command of ours runs, and taken one by one.

Held signals are taken by whoever waits, never in the midst of something; threads that are started
meanwhile hold them too.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

__all__ = ["Held", "holding_signals", "next_signal", "sent_to_group_of"]

_PASSED_ON = (
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2,
)  # fmt: skip


class Held(NamedTuple):
    """Signals that wait to be taken (SIGCHLD is one), and the mask before."""

    signals: frozenset[signal.Signals]
    before: frozenset[int]


@contextmanager
def holding_signals() -> Iterator[Held]:
    """Hold back the signals that are passed on to a child; one that is ignored stays ignored."""
    # Where it is ignored, which is inherited, nothing is left to be waited for.
    child_handler = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    asked = [each for each in _PASSED_ON if signal.getsignal(each) is not signal.SIG_IGN]
    held = frozenset({*asked, signal.SIGCHLD})
    before = signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        yield Held(held, frozenset(int(each) for each in before))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGCHLD, child_handler)


def next_signal(held: Held) -> tuple[int, bool]:
    """Wait for a signal that is held; returns it, and whether the kernel sent it (a terminal did)."""
    if not hasattr(signal, "sigwaitinfo"):  # macOS: who sent it cannot be told
        return signal.sigwait(held.signals), False
    found = signal.sigwaitinfo(held.signals)
    return found.si_signo, found.si_code > 0


def sent_to_group_of(child: int, *, is_from_kernel: bool) -> bool:
    """Whether a signal went to our whole group, the child with it: passed on, it would come twice."""
    try:
        return is_from_kernel and os.getpgid(child) == os.getpgrp()
    except OSError:
        return False
