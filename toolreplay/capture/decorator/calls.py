"""One call of a function, from the intent to its outcome.

    returned                                    ok
    TimeoutError                                timeout
    CancelledError of asyncio, GeneratorExit,
    KeyboardInterrupt                           cancelled
    any other exception                         tool_error

Of an exception type and message are the result, and it goes on as it was.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from types import TracebackType
from typing import NamedTuple

from toolreplay.capture.decorator.values import Spelt, spelling_of, type_name
from toolreplay.capture.observed import Outcome
from toolreplay.errors import RecordingError

__all__ = ["PARENT", "Begun", "RecordedCall", "outcome_of", "outcome_of_error"]

PARENT: ContextVar[str | None] = ContextVar("toolreplay_parent", default=None)
"""The call within which others are made: Recorder.place_of."""

_MESSAGE_CHARACTERS = 1 << 16


class Begun(NamedTuple):
    """A call that left: whom to tell of its end, how others name it as parent, and by what process.

    A fork returns twice out of one call, and it ended where it began.
    """

    ended: Callable[[Outcome], None]
    place: str | None
    pid: int

    def end(self, outcome: Outcome) -> None:
        """Record how it ended, but in the process in which it began."""
        if os.getpid() == self.pid:
            self.ended(outcome)

    def failed(self, error: BaseException) -> None:
        """Record that an exception ended it; no other takes its place."""
        with suppress(RecordingError):  # the next call is refused
            self.end(outcome_of_error(error))

    @contextmanager
    def within(self) -> Iterator[None]:
        """Make this call the parent of those that are made meanwhile."""
        token = PARENT.set(self.place or PARENT.get())
        try:
            yield
        finally:
            PARENT.reset(token)


class RecordedCall:
    """A call that is made by hand, in a `with`: what it came to is told with `result`.

    An exception that leaves the block is its outcome, and goes on.
    """

    def __init__(self, begun: Begun) -> None:
        self._begun = begun
        self._outcome = Outcome("ok", None)
        self._token: Token[str | None] | None = None

    def result(self, value: object, *, outcome: str = "ok") -> None:
        """Say what came back, and what it is counted as (`tool_error` where it tells of one)."""
        self._outcome = outcome_of(outcome, spelling_of(value))

    def __enter__(self) -> "RecordedCall":
        self._token = PARENT.set(self._begun.place or PARENT.get())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._token is not None:
            with suppress(ValueError):  # left in another context than it was entered in
                PARENT.reset(self._token)
        if error is None:
            self._begun.end(self._outcome)
        else:
            self._begun.failed(error)


def outcome_of(status: str, spelt: Spelt) -> Outcome:
    """Return the outcome of a call that gave back a value."""
    flags = ("truncated",) if spelt.is_cut else ()
    return Outcome(status, spelt.content, fidelity=spelt.fidelity, flags=flags)


def outcome_of_error(error: BaseException) -> Outcome:
    """Return the outcome of a call that an exception ended."""
    if isinstance(error, (GeneratorExit, KeyboardInterrupt, *_cancellations())):
        return Outcome("cancelled", None)
    status = "timeout" if isinstance(error, TimeoutError) else "tool_error"
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - the message is the program's own code, and may fail
        message = ""
    told: dict[str, object] = {"type": type_name(error), "message": message[:_MESSAGE_CHARACTERS]}
    flags = ("truncated",) if len(message) > _MESSAGE_CHARACTERS else ()
    return Outcome(status, spelling_of(told).content, fidelity="rendered", flags=flags)


def _cancellations() -> tuple[type[BaseException], ...]:
    """Return asyncio's own, where the program has loaded it: nobody else raises it."""
    module = sys.modules.get("asyncio.exceptions")
    return () if module is None else (module.CancelledError,)
