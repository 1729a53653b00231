"""Runs whose writer has left stay open for a while: the next server of the same agent may come yet."""

import threading
import time
from collections import deque
from contextlib import suppress

from toolreplay.capture.observed import Answer
from toolreplay.capture.recorder import Recorder
from toolreplay.errors import ToolReplayError

__all__ = ["Lingering"]

_TRY_AGAIN_SECONDS = 5.0
_MOST_KEPT = 4096
"""Recorders that wait at once; the oldest goes before its time where there are more."""


class Lingering:
    """Has recorders leave their runs some seconds after they were added, all of them at the end."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._changed = threading.Condition()
        self._waiting: deque[tuple[float, Recorder, Answer | None]] = deque()
        self._is_ending = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin to look for what is due."""
        self._thread.start()

    def add(self, recorder: Recorder, answer: Answer | None) -> None:
        """Have a recorder leave its run in a while, or soon where the end is near."""
        with self._changed:
            self._waiting.append((time.monotonic() + self._seconds, recorder, answer))
            self._changed.notify()

    def stop(self) -> None:
        """Have all leave now."""
        with self._changed:
            self._is_ending = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                due = self._due()
                if due is None:
                    return
            recorder, answer = due
            by = "recorder" if self._is_ending else "last writer"
            with suppress(ToolReplayError):  # its run is closed at the next start
                recorder.finish(answer, by)
            if recorder.failure and not self._is_ending:
                # What it missed is to be written yet.
                with self._changed:
                    later = time.monotonic() + max(self._seconds, _TRY_AGAIN_SECONDS)
                    self._waiting.append((later, recorder, answer))

    def _due(self) -> tuple[Recorder, Answer | None] | None:
        """Wait for the next that is due, and take it; None at the end. The lock is held."""
        while True:
            if self._is_ending and not self._waiting:
                return None
            if self._waiting:
                at, recorder, answer = self._waiting[0]
                left = at - time.monotonic()
                if self._is_ending or left <= 0 or len(self._waiting) > _MOST_KEPT:
                    self._waiting.popleft()
                    return recorder, answer
                self._changed.wait(left)
            else:
                self._changed.wait()
