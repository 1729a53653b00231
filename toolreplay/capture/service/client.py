"""The recorder as those see it who tell a service: a Recording behind a socket.

Several threads tell over one connection, and none waits for another's answer: each message has a
number, and a thread hands the answers out. Where the service is not there, calls go on and are
counted, and the count is told as soon as it is there again; with `denies` they are refused instead.
"""

import os
import socket
import struct
import threading
import time
from contextlib import suppress

from toolreplay.capture.clock import Clock
from toolreplay.capture.observed import NOT_RECORDED, Answer, Intent, Moment, Outcome
from toolreplay.capture.service.owed import Owed
from toolreplay.capture.service.wire import (
    ANSWER_BYTES,
    MESSAGE_BYTES,
    Gap,
    Hello,
    WireError,
    answer_of,
    begin_message,
    end_message,
    finish_message,
    gap_message,
    hello_message,
    line_of,
)
from toolreplay.errors import RecordingError, ToolReplayError
from toolreplay.records.call import JsonObject

__all__ = ["ServiceRecording", "asked"]

_CONNECT_SECONDS = 5.0
"""How long the service may take to answer a first message, and to take any."""

_ANSWER_SECONDS = 30.0
"""How long it may take to record: a store may be busy, but the agent waits meanwhile."""

_TRY_AGAIN_SECONDS = 1.0


class _LostError(ToolReplayError):
    """What was told did not arrive, or nobody knows whether it did."""


class _RefusedError(ToolReplayError):
    """The service could not record it, and has counted that itself."""


class ServiceRecording:
    """Tells a service of the calls that one adapter sees (see Recording).

    `path` is the service's socket; it is not connected before the first call.
    """

    def __init__(self, path: str, hello: Hello, clock: Clock, *, denies: bool = False) -> None:
        self._path = path
        self._hello = hello
        self._clock = clock
        self._denies = denies
        self._mutex = threading.Lock()
        self._connecting = threading.Lock()
        self._link: _Link | None = None
        self._not_before = 0.0
        self._calls: dict[int, tuple[_Link, int]] = {}
        self._last = NOT_RECORDED
        self._missed = 0
        self._missed_since: Moment | None = None
        self._why = ""
        self._run: str | None = None
        self._owed = Owed(path, os.environ)

    @property
    def run(self) -> str | None:
        """The run that is recorded, None before its first call was."""
        return self._run

    @property
    def failure(self) -> str:
        """Why nothing is recorded at the moment; nothing where it is."""
        return self._why

    def begin(self, intent: Intent) -> int:
        """Record that a call leaves (see Recording)."""
        try:
            link = self._linked()
            answer = link.ask(begin_message(intent), _ANSWER_SECONDS)
            number = answer.get("call")
            if type(number) is not int:
                raise _LostError(f"{self._path}: the answer has no call")
        except (_LostError, _RefusedError, ValueError) as error:
            self._failed(error)
            return NOT_RECORDED
        with self._mutex:
            run = answer.get("run")
            self._run = run if type(run) is str else self._run
            self._last += 1
            self._calls[self._last] = link, number
            return self._last

    def end(self, call: int, outcome: Outcome) -> None:
        """Record how a call ended (see Recording)."""
        with self._mutex:
            link, number = self._calls.pop(call, (None, 0))
        if link is None:
            return
        try:
            link.ask(end_message(number, outcome), _ANSWER_SECONDS)
        except (_LostError, _RefusedError, ValueError) as error:
            self._failed(error)

    def gap(self, reason: str, count: int | None = None) -> None:
        """Record that something was not recorded (see Recording)."""
        try:
            self._linked().ask(gap_message(reason, count), _ANSWER_SECONDS)
        except (_LostError, _RefusedError, ValueError) as error:
            self._failed(error, calls=count or 0)

    def finish(self, answer: Answer | None = None) -> None:
        """Tell no more (see Recording); the service closes the run some seconds later.

        What was missed and could not be told by now is noted, and told by the next of this user.
        """
        if self._why:
            self._not_before = 0.0
        elif self._link is None:
            return
        try:
            link = self._linked()
            link.ask(finish_message(answer), _ANSWER_SECONDS)
        except (_LostError, _RefusedError, ValueError) as error:
            self._note(error, 0)
        finally:
            with self._mutex:
                link_, self._link = self._link, None
                missed, since, why = self._missed, self._missed_since, self._why
            if link_ is not None:
                link_.close("finished")
            if why and missed and since is not None:
                self._owed.note(Gap(f"not recorded: {why}", missed, since.wall_us))

    def _linked(self) -> "_Link":
        """Return the connection, made anew where it is lost. Raises _LostError."""
        link = self._link
        if link is not None and link.is_alive and not self._why:
            return link
        with self._connecting:
            link = self._link
            if link is not None and link.is_alive:
                self._say_missed(link)
                return link
            began = time.monotonic()
            if began < self._not_before:
                raise _LostError(self._why or "the recorder is not there")
            try:
                self._link = link = _Link(self._path)
                link.ask(hello_message(self._hello), _CONNECT_SECONDS)
                self._say_missed(link)
                for gap in self._owed.left():
                    link.ask(gap_message(*gap), _ANSWER_SECONDS)
            except (_LostError, _RefusedError):
                # One that hangs must not hold up every call: it is asked the less, the longer it takes.
                took = time.monotonic() - began
                self._not_before = time.monotonic() + max(_TRY_AGAIN_SECONDS, 10 * took)
                if link is not None:
                    link.close("not used")
                raise
            return link

    def _say_missed(self, link: "_Link") -> None:
        """Tell what was missed, now that it can be."""
        with self._mutex:
            missed, since, why = self._missed, self._missed_since, self._why
        if why:
            link.ask(
                gap_message(f"not recorded: {why}", missed, since and since.wall_us),
                _ANSWER_SECONDS,
            )
            with self._mutex:
                self._missed -= missed
                if not self._missed:
                    self._why, self._missed_since = "", None
                    self._owed.settle()

    def _failed(self, error: Exception, calls: int = 1) -> None:
        """Count what was not recorded, or refuse to go on."""
        if not isinstance(error, _RefusedError):
            self._note(error, calls)
        if self._denies:
            text = str(error).removeprefix("not recorded: ")
            raise RecordingError(f"not recorded: {text}") from None

    def _note(self, error: Exception, calls: int) -> None:
        with self._mutex:
            if calls and not self._missed:
                # How many they become, nobody knows yet; what is known at the end replaces this.
                reason = f"not recorded by a process that is gone: {error}"
                self._owed.note(Gap(reason, None, self._clock().wall_us))
            self._missed += calls
            self._why = self._why or str(error)
            self._missed_since = self._missed_since or self._clock()


class _Waiter:
    """Who waits for the answer to one message."""

    __slots__ = ("answer", "wake")

    def __init__(self) -> None:
        self.answer: JsonObject | None = None
        self.wake = threading.Lock()
        self.wake.acquire()


class _Link:
    """One connection: messages go out by whoever has one, a thread takes in the answers."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._pid = os.getpid()
        self._sending = threading.Lock()
        self._mutex = threading.Lock()
        self._waiting: dict[int, _Waiter] = {}
        self._last = 0
        self._why = ""
        self._socket = _connected(path)
        threading.Thread(target=self._receive, daemon=True).start()

    @property
    def is_alive(self) -> bool:
        """Whether it can be used: a process that was forked must not, it has no thread that reads."""
        return not self._why and self._pid == os.getpid()

    def ask(self, message: JsonObject, seconds: float) -> JsonObject:
        """Send a message and return its answer. Raises _LostError, _RefusedError."""
        waiter = _Waiter()
        with self._mutex:
            if not self.is_alive:
                raise _LostError(self._why or "the connection is another process's")
            self._last += 1
            number = self._last
            self._waiting[number] = waiter
        line = line_of({"id": number, **message})
        if len(line) > MESSAGE_BYTES:
            with self._mutex:
                del self._waiting[number]
            raise _LostError(f"a message of {len(line)} bytes is more than the recorder takes")
        try:
            with self._sending:
                self._socket.sendall(line)
        except OSError as error:
            self.close(f"{self._path}: {error.strerror or error}")
        if not waiter.wake.acquire(timeout=seconds):
            self.close(f"{self._path}: no answer in {seconds:.0f} seconds")
        answer = waiter.answer
        if answer is None:
            raise _LostError(self._why)
        if "error" in answer:
            if answer.get("counted") is True:
                raise _RefusedError(str(answer["error"]))
            self.close(f"{self._path}: {answer['error']}")
            raise _LostError(self._why)
        return answer

    def close(self, why: str) -> None:
        """Give it up, and let those know who wait for an answer."""
        with self._mutex:
            self._why = self._why or why
            waiting, self._waiting = self._waiting, {}
        for waiter in waiting.values():
            waiter.wake.release()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _receive(self) -> None:
        held = bytearray()
        why = f"{self._path}: the recorder went away"
        try:
            while piece := self._socket.recv(ANSWER_BYTES):
                held += piece
                *lines, rest = held.split(b"\n")
                held = bytearray(rest)
                for line in lines:
                    self._hand_out(answer_of(bytes(line)))
                if len(held) > ANSWER_BYTES:
                    raise WireError("an answer is too long")
        except OSError as error:
            why = f"{self._path}: {error.strerror or error}"
        except WireError as error:
            why = f"{self._path}: {error}"
        self.close(why)
        self._socket.close()

    def _hand_out(self, answer: JsonObject) -> None:
        number = answer.get("id")
        if number is None and "error" in answer:
            raise WireError(str(answer["error"]))
        with self._mutex:
            waiter = self._waiting.pop(number, None) if type(number) is int else None
        if waiter is not None:
            waiter.answer = answer
            waiter.wake.release()


def asked(path: str, message: JsonObject) -> JsonObject:
    """Ask a service one thing over a connection of its own. Raises RecordingError."""
    try:
        link = _Link(path)
        try:
            return link.ask(message, _CONNECT_SECONDS)
        finally:
            link.close("done")
    except (_LostError, _RefusedError) as error:
        raise RecordingError(str(error)) from None


def _connected(path: str) -> socket.socket:
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # Of the kernel: a timeout of Python's would be one for answers too, and where many connect at
        # once it would not be waited for.
        limit = struct.pack("ll", int(_CONNECT_SECONDS), 0)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        found.connect(path)
    except OSError as error:
        found.close()
        raise _LostError(f"{path}: {error.strerror or error}") from None
    return found
