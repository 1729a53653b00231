"""One open store for all who are served: each recorder believes that it has its own.

What one of them closes stays open for the others. Where a write failed, the next that asks for
the store opens it anew, and those who had it go on with that.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from toolreplay.errors import RunStateError, StoreBusyError, StoreError, ToolReplayError
from toolreplay.evidence.profile.sink import Appended, Maker, RunSink

__all__ = ["SharedSink"]

_TRY_AGAIN_SECONDS = 1.0


class SharedSink:
    """Opens a store when it is first asked for; safe to be used by several threads."""

    def __init__(self, open_store: Callable[[], RunSink]) -> None:
        self._open_store = open_store
        self._changed = threading.Condition()
        self._sink: RunSink | None = None
        self._users = 0
        self._is_broken = False
        self._failed: StoreError | None = None
        self._failed_at = 0.0

    @property
    def failure(self) -> str:
        """Why nothing can be kept at the moment; nothing where it can."""
        return "" if self._failed is None else str(self._failed)

    def open(self) -> RunSink:
        """Return the store, opened where it is not. Raises StoreError."""
        with self._changed:
            if self._is_broken:
                self._changed.wait_for(lambda: not self._users)
                self._let_go()
            if self._sink is None:
                self._sink = self._opened()
            return _Handle(self)

    def try_again(self) -> None:
        """Have the next that asks open it, however lately that failed."""
        self._failed_at = 0.0

    def close(self) -> None:
        """Close the store when nobody uses it any more. Raises as its own `close` does."""
        with self._changed:
            self._changed.wait_for(lambda: not self._users)
            sink, self._sink = self._sink, None
        if sink is not None:
            sink.close()

    @contextmanager
    def used(self) -> Iterator[RunSink]:
        """Use the store; an error that ended its recording is remembered."""
        with self._changed:
            if self._sink is None:
                raise StoreError("", self.failure or "the store is closed")
            self._users += 1
            sink = self._sink
        try:
            yield sink
        except (RunStateError, StoreBusyError):
            raise
        except StoreError as error:
            with self._changed:
                self._is_broken, self._failed = True, error
            raise
        finally:
            with self._changed:
                self._users -= 1
                self._changed.notify_all()

    def _opened(self) -> RunSink:
        if self._failed_at and time.monotonic() - self._failed_at < _TRY_AGAIN_SECONDS:
            raise StoreError("", self.failure)
        try:
            sink = self._open_store()
        except StoreError as error:
            self._failed, self._failed_at = error, time.monotonic()
            raise
        self._failed, self._failed_at = None, 0.0
        return sink

    def _let_go(self) -> None:
        sink, self._sink, self._is_broken = self._sink, None, False
        if sink is not None:
            with suppress(ToolReplayError):  # it failed already, and that was reported
                sink.close()


class _Handle:
    """The store as one recorder has it (see RunSink)."""

    def __init__(self, shared: SharedSink) -> None:
        self._shared = shared

    @property
    def inline_bytes(self) -> int:
        with self._shared.used() as sink:
            return sink.inline_bytes

    def append(self, run: str, kind: str, make: Maker) -> Appended:
        with self._shared.used() as sink:
            return sink.append(run, kind, make)

    def open_positions(self, run: str) -> list[int]:
        with self._shared.used() as sink:
            return sink.open_positions(run)

    def join(self, key: str, new_run: str, writer: str) -> str:
        with self._shared.used() as sink:
            return sink.join(key, new_run, writer)

    def leave(self, run: str, writer: str) -> list[str]:
        with self._shared.used() as sink:
            return sink.leave(run, writer)

    def writers(self) -> list[tuple[str, str]]:
        with self._shared.used() as sink:
            return sink.writers()

    def run_key(self, run: str) -> bytes:
        with self._shared.used() as sink:
            return sink.run_key(run)

    def close(self) -> None:
        """Leave it open: others use it."""
