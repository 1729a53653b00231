"""A run that a program records itself: its functions, its calls, its answer."""

import atexit
import os
import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress
from types import TracebackType
from typing import Any, TypeVar, overload

from toolreplay.capture.decorator.calls import PARENT, Begun, RecordedCall
from toolreplay.capture.decorator.forking import ForkSafe
from toolreplay.capture.decorator.values import spelling_of
from toolreplay.capture.observed import Adapter, Answer, Intent, Outcome
from toolreplay.capture.recorder import Recorder
from toolreplay.errors import RecordingError, StoreError

__all__ = ["ADAPTER", "RecordedRun"]

ADAPTER = Adapter("decorator", "decorator")
_Tool = TypeVar("_Tool", bound=Callable[..., object])


class RecordedRun:
    """What `toolreplay.record` returns: a run of this program's own calls.

    In a `with` it is closed at the end of the block, else when `close` is called or the program
    ends. A call that is made later opens another run. Threads, tasks and forked processes feed one
    run; whoever leaves it last closes it. With `denies` calls that cannot be recorded are refused.
    """

    def __init__(self, make: Callable[[], Recorder], *, denies: bool = False) -> None:
        self._recorders = ForkSafe(make)
        self._denies = denies
        self._answer: Answer | None = None
        self._mutex = threading.Lock()
        self._closes_at_exit = False

    @property
    def id(self) -> str | None:
        """The run's id, None before its first call."""
        with self._recorders.using() as recorder:
            return recorder.run

    @property
    def failure(self) -> str:
        """Why nothing is recorded at the moment; nothing where it is."""
        with self._recorders.using() as recorder:
            return recorder.failure

    @overload
    def tool(self, function: _Tool, /) -> _Tool: ...

    @overload
    def tool(
        self, /, *, name: str | None = None, version: str = "unknown", scope: str | None = None
    ) -> Callable[[_Tool], _Tool]: ...

    def tool(
        self,
        function: Any = None,
        /,
        *,
        name: str | None = None,
        version: str = "unknown",
        scope: str | None = None,
    ) -> Any:
        """Record the calls of a function: `@run.tool`, or `@run.tool(name="pay", version="2")`.

        Plain and async functions, generators and async generators. The name is the function's, the
        scope `python:` and its module. Its arguments are committed to as one object by parameter
        name, defaults included, without `self`. One that is recorded already is returned as it is.
        """
        from toolreplay.capture.decorator.wrapping import Tool, recorded

        def decorate(function: Any) -> Any:
            return recorded(function, Tool(name, version, scope), self._begin)

        return decorate if function is None else decorate(function)

    def call(
        self,
        name: str,
        args: object = None,
        *,
        version: str = "unknown",
        scope: str = "unknown",
    ) -> RecordedCall:
        """Record a call that is made in a `with`: `with run.call("pay", args) as call`.

        It has left when this returns; `call.result(value)` says what came back.
        """
        spelt = spelling_of(args)
        return RecordedCall(
            self._begin(Intent(name, spelt.content, version, scope, fidelity=spelt.fidelity))
        )

    def answer(self, goal: str, text: str | bytes, *, media_type: str = "text/plain") -> None:
        """Say what the run was for and what it came to; its close receipt commits to both."""
        content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        self._answer = Answer(goal, content, media_type)

    def close(self) -> None:
        """No more calls come from this process. Raises StoreError where the end is not recorded."""
        with self._recorders.using() as recorder:
            answer, self._answer = self._answer, None
            recorder.finish(answer)
        with self._mutex:
            if self._closes_at_exit:
                self._closes_at_exit = False
                atexit.unregister(self._close_at_last)

    def __enter__(self) -> "RecordedRun":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with nullcontext() if self._denies and error is None else suppress(StoreError):
            self.close()

    def _begin(self, intent: Intent) -> Begun:
        """Record that a call leaves. Raises RecordingError where it must not."""
        if self._recorders.is_using:
            return self._missed()
        with self._recorders.using() as recorder:
            number = recorder.begin(intent._replace(parent=PARENT.get()))
            place = recorder.place_of(number)
        if not self._closes_at_exit:
            self._close_at_exit()
        return Begun(self._ended(recorder, number), place, os.getpid())

    def _missed(self) -> Begun:
        """Count a call that the collector makes in the midst of an entry, closing a generator."""
        why = "a call was made while another was being written"
        if self._denies:
            raise RecordingError(f"not recorded: {why}")
        self._recorders.do(lambda recorder: recorder.gap(why, 1))
        return Begun(lambda _: None, None, os.getpid())

    def _ended(self, recorder: Recorder, number: int) -> Callable[[Outcome], None]:
        return lambda outcome: self._recorders.do(lambda _: recorder.end(number, outcome))

    def _close_at_exit(self) -> None:
        with self._mutex:
            if not self._closes_at_exit:
                self._closes_at_exit = True
                atexit.register(self._close_at_last)

    def _close_at_last(self) -> None:
        """Close when the program ends; then there is nobody to be told, and no thread to be had."""
        with suppress(StoreError, RuntimeError):
            self.close()
