"""Between the pumps and the record: says of each line what may pass, once it is recorded.

An intent is written before its line leaves, an outcome before its answer is released. Nothing is
written to a pipe here, and the session is locked only while a line is looked at, so that no
direction waits for the other.

Where calls that are not recorded must not be made (strict), a request that cannot be recorded is
answered by us with -32603, one that cannot be parsed with -32600, and neither is forwarded; an answer
that cannot be recorded is replaced by -32603.
"""

import threading
from collections.abc import Callable

from toolreplay.capture.mcp_stdio.messages import error_answer, refusal_of, withheld
from toolreplay.capture.mcp_stdio.session import UNPARSED, Begin, Call, End, Event, Gap, Session
from toolreplay.capture.observed import NOT_RECORDED, Outcome, Recording
from toolreplay.errors import RecordingError

__all__ = ["Passed", "Tap"]

_INVALID_REQUEST, _INTERNAL_ERROR = -32600, -32603
_NOT_FORWARDED = "toolreplay: the call could not be recorded and was not forwarded"
_NOT_RELEASED = "toolreplay: the call was made, but its result could not be recorded"
_NOT_PARSED = "toolreplay: the line could not be parsed and was not forwarded"

Passed = tuple[bytes, bytes]
"""The bytes to be forwarded, and those of our own answer to the client; either may be none."""


class Tap:
    """Looks at one session for one recording; each direction is used by one thread.

    `say` prints one line for a person. `is_strict`: nothing passes that is not recorded.
    """

    def __init__(
        self, session: Session, recording: Recording, say: Callable[[str], None], *, is_strict: bool
    ) -> None:
        self._session = session
        self._recording = recording
        self._say = say
        self._is_strict = is_strict
        self._mutex = threading.Lock()
        self._has_said = False
        # Held while a direction records, so that the end can wait for both.
        self._up, self._down = threading.Lock(), threading.Lock()
        self._is_over = False

    def from_client(self, line: bytes) -> Passed:
        """Record what a line of the client begins; returns what is to be done with it."""
        what = "a line of the client"
        passed = self._guarded(self._up, lambda: self._begun(line), what)
        if passed is None and self._is_strict:

            def refuse() -> Passed:
                return b"", refusal_of(line, _INTERNAL_ERROR, _NOT_FORWARDED)

            return self._guarded(self._up, refuse, what) or (b"", b"")
        return passed or (line, b"")

    def from_server(self, line: bytes) -> bytes:
        """Record what a line of the server ends; returns what is to be released in its place."""
        what = "a line of the server"
        passed = self._guarded(self._down, lambda: self._ended(line), what)
        if passed is None and self._is_strict:

            def withhold() -> Passed:
                return withheld(line, _INTERNAL_ERROR, _NOT_RELEASED), b""

            passed = self._guarded(self._down, withhold, what) or (b"", b"")
        return line if passed is None else passed[0]

    def too_long(self, *, from_client: bool) -> Passed | None:
        """Note a line that is too long to be looked at.

        Returns None where it may pass, else what the client is answered: then it must not.
        """
        self._gap(UNPARSED if from_client else f"{UNPARSED} of the server")
        if from_client and self._is_strict:
            return b"", error_answer(b"null", _INVALID_REQUEST, _NOT_PARSED) + b"\n"
        return None

    def finish(self) -> None:
        """Record what the end of the session ends; nothing is recorded after that."""
        with self._up:
            self._guarded(self._down, self._finished, "the end of the session")
            self._is_over = True

    def _begun(self, line: bytes) -> Passed:
        with self._mutex:
            events = self._session.from_client(line)
        if self._is_strict and any(isinstance(event, Gap) for event in events):
            self._gap(UNPARSED)
            return b"", refusal_of(line, _INVALID_REQUEST, _NOT_PARSED)
        begun: list[Call] = []
        for event in events:
            if isinstance(event, Gap):
                self._gap(event.reason)
            elif isinstance(event, Begin) and not self._begin(event.call):
                return b"", self._refuse(line, [*begun, event.call], events)
            elif isinstance(event, Begin):
                begun.append(event.call)
        return line, b""

    def _begin(self, call: Call) -> bool:
        """Record that a call leaves; returns whether it may."""
        try:
            number = self._recording.begin(call.intent)
        except RecordingError as error:
            self._say_once(str(error))
            return False
        if number == NOT_RECORDED:
            self._say_once("calls pass without being recorded")
        call.number = number
        return True

    def _refuse(self, line: bytes, begun: list[Call], events: list[Event]) -> bytes:
        """Take back the calls of a line that is not forwarded; returns our answer."""
        with self._mutex:
            for event in events:
                if isinstance(event, Begin):
                    self._session.withdraw(event.call)
        answer = refusal_of(line, _INTERNAL_ERROR, _NOT_FORWARDED)
        for call in begun:
            if call.number is not None:
                self._end(End(call, Outcome("protocol_error", answer.rstrip(b"\n"))))
        return answer

    def _ended(self, line: bytes) -> Passed:
        with self._mutex:
            events = self._session.from_server(line)
        out, done = [], 0
        for event in events:
            if isinstance(event, Gap):
                self._gap(event.reason)
            elif isinstance(event, End) and not self._end(event):
                error = error_answer(event.request_id, _INTERNAL_ERROR, _NOT_RELEASED)
                out += [line[done : event.start], error]
                done = event.end
        return b"".join([*out, line[done:]]) if out else line, b""

    def _end(self, event: End) -> bool:
        """Record how a call ended; returns whether its answer may be released."""
        number = event.call.number
        if number is None:
            return True
        try:
            self._recording.end(number, event.outcome)
        except RecordingError as error:
            self._say_once(str(error))
            return False
        return True

    def _finished(self) -> Passed:
        with self._mutex:
            events = self._session.finish()
        for event in events:
            if isinstance(event, End):
                self._end(event)
        return b"", b""

    def _gap(self, reason: str) -> None:
        try:
            self._recording.gap(reason)
        except RecordingError as error:
            self._say_once(str(error))

    def _guarded(
        self, turn: threading.Lock, work: Callable[[], Passed], what: str
    ) -> Passed | None:
        """Do some work; a defect of ours is a gap and returns None, it must not end the session.

        Returns None too when the session is over, and nobody is there whom a line could reach.
        """

        def note() -> None:
            self._recording.gap(f"not looked at: {what}")

        with turn:
            for step in (work, note):
                if self._is_over:
                    break
                try:
                    return step()
                except Exception as error:  # noqa: BLE001 - the client's pipe must live on
                    self._say_once(f"{what}: {type(error).__name__}: {error}")
        return None

    def _say_once(self, text: str) -> None:
        if not self._has_said:
            self._has_said = True
            self._say(text)
