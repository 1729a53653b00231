"""Two threads that move bytes, one for each direction; neither ever waits for the other.

What is moved is what came, byte for byte. A line is held until it is whole and its tap lets it pass;
one that is too long streams through. Nothing is queued: a reader that is slow stops its writer as the
pipe would. Only the thread of a direction writes to its pipe, so our own answers to the client go
through the thread that writes to it, between two lines.
"""

import os
import select
import threading
import time
from collections import deque
from contextlib import suppress

from toolreplay.capture.mcp_stdio.lines import LINE, LONG_END, Lines
from toolreplay.capture.mcp_stdio.tap import Tap
from toolreplay.records.limits import DEFAULT

__all__ = ["FromClient", "FromServer"]

_READ_BYTES = 1 << 16


class FromServer(threading.Thread):
    """Moves what the server prints to the client, and our own answers with it."""

    def __init__(self, source: int, target: int, tap: Tap) -> None:
        super().__init__(name="from server", daemon=True)
        self._source, self._target, self._tap = source, target, tap
        self._lines = Lines(DEFAULT.line_bytes)
        self._answers: deque[bytes] = deque()
        self._woken, self._waker = os.pipe()
        self._is_last = False
        self._waits_since: float | None = None

    def answer(self, data: bytes) -> None:
        """Send the client a line of our own, as soon as none of the server's is under way."""
        self._answers.append(data)
        self._wake()

    def end_soon(self) -> None:
        """Move what is there already and end: nobody writes to the source any more."""
        self._is_last = True
        self._wake()

    def idle_seconds(self) -> float:
        """Return for how long there has been nothing to move; 0 while something is moved."""
        since = self._waits_since
        return 0.0 if since is None else time.monotonic() - since

    def run(self) -> None:
        """Move bytes until the server closes its output, or the client does."""
        with suppress(OSError):  # the client is gone, and the server is told by its own pipe
            self._move()
        _release(self._source)
        _release(self._target)
        self._waits_since = time.monotonic()

    def _move(self) -> None:
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        while True:
            self._waits_since = time.monotonic()
            ready = {descriptor for descriptor, _ in poll.poll(0 if self._is_last else None)}
            self._waits_since = None
            if self._woken in ready:
                os.read(self._woken, _READ_BYTES)
            if self._source in ready:
                data = _read_some(self._source)
                if not data:
                    break
                self._pass_on(data)
            elif self._is_last and not ready:
                break
            self._send_answers()
        self._pass_rest()
        self._send_answers()

    def _pass_on(self, data: bytes) -> None:
        was_long = self._lines.in_long
        for kind, piece in self._lines.feed(data):
            passed = piece
            if kind == LINE:
                passed = self._tap.from_server(piece)
            elif not was_long:
                self._tap.too_long(from_client=False)
            was_long = kind not in (LINE, LONG_END)
            _write_all(self._target, passed)
            if not was_long:
                self._send_answers()

    def _pass_rest(self) -> None:
        rest = self._lines.rest()
        if rest:
            _write_all(self._target, self._tap.from_server(rest))

    def _send_answers(self) -> None:
        while self._answers and not self._lines.in_long:
            _write_all(self._target, self._answers.popleft())

    def _wake(self) -> None:
        os.write(self._waker, b"!")


class FromClient(threading.Thread):
    """Moves what the client sends to the server; `answers` takes what we answer ourselves."""

    def __init__(self, source: int, target: int, tap: Tap, answers: FromServer) -> None:
        super().__init__(name="from client", daemon=True)
        self._source, self._target, self._tap, self._answers = source, target, tap, answers
        self._lines = Lines(DEFAULT.line_bytes)
        self._is_refused = False
        self.is_at_end = threading.Event()

    def run(self) -> None:
        """Move bytes until the client closes its output, or the server its input."""
        try:
            while data := _read_some(self._source):
                self._pass_on(data)
            rest = self._lines.rest()
            if rest:
                self._pass_line(rest)
        except OSError:
            pass  # the server reads no more, and the client is told by its own pipe
        _release(self._source)
        _release(self._target)
        self.is_at_end.set()

    def _pass_on(self, data: bytes) -> None:
        was_long = self._lines.in_long
        for kind, piece in self._lines.feed(data):
            if kind == LINE:
                self._pass_line(piece)
            else:
                if not was_long:
                    self._begin_long()
                if not self._is_refused:
                    _write_all(self._target, piece)
            was_long = kind not in (LINE, LONG_END)

    def _pass_line(self, line: bytes) -> None:
        passed, answer = self._tap.from_client(line)
        if passed:
            _write_all(self._target, passed)
        if answer:
            self._answers.answer(answer)

    def _begin_long(self) -> None:
        refused = self._tap.too_long(from_client=True)
        self._is_refused = refused is not None
        if refused is not None:
            self._answers.answer(refused[1])


def _read_some(source: int) -> bytes:
    """Return what comes next, nothing at the end; waits for it."""
    while True:
        try:
            return os.read(source, _READ_BYTES)
        except BlockingIOError:  # whoever started us may have set it so, for all who share the pipe
            _wait(source, select.POLLIN)
        except ConnectionResetError:
            return b""


def _write_all(target: int, data: bytes) -> None:
    """Write everything; waits as long as the reader does. Raises OSError where there is none."""
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(target, left) :]
        except BlockingIOError:
            _wait(target, select.POLLOUT)


def _release(descriptor: int) -> None:
    """Let go of a pipe, so that its other end is told; the number stays taken.

    A number that is free would be given to the next file, and be written to by mistake.
    """
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(null, descriptor, inheritable=False)
    os.close(null)


def _wait(descriptor: int, what: int) -> None:
    poll = select.poll()
    poll.register(descriptor, what)
    poll.poll()
