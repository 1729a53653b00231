"""End as a child of ours ended: with its status, or by the signal that killed it."""

import os
import signal

from toolreplay.cli.console import Console

__all__ = ["ended_as"]


def ended_as(status: int, console: Console) -> int:
    """Return an exit status; where it is minus a signal's number, die by that signal instead."""
    if status >= 0:
        return status
    import resource

    number = -status
    console.close()
    # The child's own memory may be wanted for a look at it; ours would only take its place.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)
    return 128 + number
