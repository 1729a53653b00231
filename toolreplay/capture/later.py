"""A recording that is made in a thread of its own: whoever starts quickly does not wait for it.

The first call waits. Where none can be made, it is as where nothing can be written: calls go on, or
are refused.
"""

import threading
from collections.abc import Callable

from toolreplay.capture.observed import NOT_RECORDED, Answer, Intent, Outcome, Recording
from toolreplay.errors import RecordingError, ToolReplayError

__all__ = ["LaterRecording"]


class LaterRecording:
    """Stands for the recording that `make` returns, or cannot (see Recording)."""

    def __init__(self, make: Callable[[], Recording], *, denies: bool) -> None:
        self._make = make
        self._denies = denies
        self._is_used = False
        self.made: Recording | None = None
        self._why = ""
        self._thread = threading.Thread(target=self._run, name="recording", daemon=True)
        self._mutex = threading.Lock()
        self._is_started = False

    @property
    def run(self) -> str | None:
        """The run that is recorded (see Recording)."""
        return None if self.made is None else self.made.run

    @property
    def failure(self) -> str:
        """Why nothing is recorded at the moment (see Recording)."""
        return self._why if self.made is None else self.made.failure

    def prepare(self) -> None:
        """Begin to make it, if nobody did yet."""
        with self._mutex:
            if not self._is_started:
                self._is_started = True
                self._thread.start()

    def begin(self, intent: Intent) -> int:
        """Record that a call leaves (see Recording)."""
        made = self._used()
        return NOT_RECORDED if made is None else made.begin(intent)

    def end(self, call: int, outcome: Outcome) -> None:
        """Record how a call ended (see Recording)."""
        if self.made is not None and call != NOT_RECORDED:
            self.made.end(call, outcome)

    def gap(self, reason: str, count: int | None = None) -> None:
        """Record that something was not recorded (see Recording)."""
        made = self._used()
        if made is not None:
            made.gap(reason, count)

    def finish(self, answer: Answer | None = None) -> None:
        """No more calls come from here (see Recording); nothing is made for none."""
        if self._is_used and self.made is not None:
            self.made.finish(answer)

    def _used(self) -> Recording | None:
        self._is_used = True
        self.prepare()
        self._thread.join()
        if self.made is None and self._denies:
            raise RecordingError(f"not recorded: {self._why}")
        return self.made

    def _run(self) -> None:
        try:
            self.made = self._make()
        except (ToolReplayError, ImportError, OSError) as error:
            self._why = str(error)
