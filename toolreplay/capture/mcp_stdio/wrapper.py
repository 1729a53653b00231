"""Run a server between a client and a record, to its end or the client's.

When the client closes its side, the server gets the end of its input, and some time to end by itself:
less than the two seconds after which the official clients signal whom they started. What a server
still prints is waited for. When the server ends, so do we, at once.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from toolreplay.capture.mcp_stdio.child import Child, start
from toolreplay.capture.signals import Held, next_signal, sent_to_group_of

TYPE_CHECKING = False
if TYPE_CHECKING:  # the server is on its way before these are loaded
    from toolreplay.capture.mcp_stdio.pumps import FromClient, FromServer
    from toolreplay.capture.mcp_stdio.tap import Tap

__all__ = ["run_server"]

_TERM_SECONDS, _KILL_SECONDS = 1.2, 1.7
"""Seconds without output after the end of the client's input, and what the server then gets."""

_LOOK_SECONDS = 0.05


def run_server(
    argv: Sequence[str],
    held: Held,
    make_tap: Callable[[], "Tap"],
    when_open: Callable[[], object],
) -> int:
    """Run a server on our standard input and output; call it in the main thread, as the only one.

    Returns its exit status, or minus the number of the signal that killed it. Raises OSError where
    it cannot be started. `make_tap` is called when it is on its way, `when_open` as soon as bytes pass.
    """
    child = start(argv, held.before)
    tap = make_tap()
    from toolreplay.capture.mcp_stdio.pumps import FromClient, FromServer

    answers = FromServer(child.stdout, 1, tap)
    requests = FromClient(0, child.stdin, tap, answers)
    life = _Life(child, requests, answers)
    for thread in (answers, requests, life):
        thread.start()
    when_open()
    status = life.waited(held)
    answers.end_soon()
    _drain(answers, held)
    tap.finish()
    return status


class _Life(threading.Thread):
    """Ends a server that outlives its client's input; tells when it ended."""

    def __init__(self, child: Child, requests: "FromClient", answers: "FromServer") -> None:
        super().__init__(name="life", daemon=True)
        self._pid, self._requests, self._answers = child.pid, requests, answers
        self._mutex = threading.Lock()
        self._has_ended = threading.Event()

    def run(self) -> None:
        """Wait for the end of the client's input, and see that the server's follows."""
        self._requests.is_at_end.wait()
        closed = time.monotonic()
        for seconds, number in ((_TERM_SECONDS, signal.SIGTERM), (_KILL_SECONDS, signal.SIGKILL)):
            while not self._has_ended.wait(_LOOK_SECONDS):
                idle = min(self._answers.idle_seconds(), time.monotonic() - closed)
                if idle >= seconds:
                    break
            self._signal(number)

    def waited(self, held: Held) -> int:
        """Wait for the server and pass signals on; returns its status, or minus a signal's number."""
        while True:
            number, is_from_kernel = next_signal(held)
            if number == signal.SIGCHLD:
                with self._mutex:
                    found, status = os.waitpid(self._pid, os.WNOHANG)
                    if found:
                        self._has_ended.set()
                        return os.waitstatus_to_exitcode(status)
            elif not sent_to_group_of(self._pid, is_from_kernel=is_from_kernel):
                self._signal(number)

    def _signal(self, number: int) -> None:
        with self._mutex, suppress(ProcessLookupError):
            if not self._has_ended.is_set():  # else the number may be another's by now
                os.kill(self._pid, number)


def _drain(answers: "FromServer", held: Held) -> None:
    """Wait until all that the server printed is handed on; a signal ends the wait."""
    asked = held.signals - {signal.SIGCHLD}
    while answers.is_alive():
        answers.join(_LOOK_SECONDS)
        if asked & signal.sigpending():
            return
