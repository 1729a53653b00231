"""Recorders across a fork: an open database must not be in two processes at once.

SQLite, How To Corrupt An SQLite Database File, section 2.6. So before a fork each recorder lets go
of what is open, when the entries that are just being written are; and the child, which has other
clocks of its own and is another writer, makes a recorder of its own for the same run. Starting a
program (subprocess) is no fork in this sense.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from weakref import WeakSet

from toolreplay.capture.recorder import Recorder

__all__ = ["ForkSafe"]

_WAIT_SECONDS = 30.0
"""How long a fork waits for entries that are being written: longer than a store is waited for."""


class ForkSafe:
    """Hands out one recorder a process, which is made when it is first asked for."""

    def __init__(self, make: Callable[[], Recorder]) -> None:
        self._make = make
        self._recorder: Recorder | None = None
        self._quiet = threading.Condition()
        self._using, self._is_forking = 0, False
        self._mine = threading.local()
        self._waiting: deque[Callable[[Recorder], None]] = deque()
        _tell_of_forks(self)

    @contextmanager
    def using(self) -> Iterator[Recorder]:
        """Give the recorder for one entry, during which nobody forks."""
        quiet = self._quiet
        with quiet:
            while self._is_forking:
                quiet.wait()
            if self._recorder is None:
                self._recorder = self._make()
            recorder = self._recorder
            self._using += 1
        self._mine.is_using = True
        try:
            yield recorder
        finally:
            self._mine.is_using = False
            with quiet:
                self._using -= 1
                quiet.notify_all()
        if self._waiting:
            self.do(self._waiting.popleft())

    @property
    def is_using(self) -> bool:
        """Whether this thread is in the midst of writing an entry."""
        return getattr(self._mine, "is_using", False)

    def do(self, work: Callable[[Recorder], None]) -> None:
        """Do something with the recorder, or as soon as this thread's own entry is written.

        The collector may close a generator, and so end its call, in the midst of another entry.
        """
        if self.is_using:
            self._waiting.append(work)
        else:
            with self.using() as recorder:
                work(recorder)

    def before_fork(self) -> None:
        """Wait until nothing is being written, and let nothing be open."""
        with self._quiet:
            self._is_forking = True
            self._quiet.wait_for(lambda: not self._using, _WAIT_SECONDS)
            if self._recorder is not None:
                self._recorder.let_go()

    def after_fork(self) -> None:
        """Go on, in the process that forked."""
        with self._quiet:
            self._is_forking = False
            self._quiet.notify_all()

    def in_child(self) -> None:
        """Begin anew, in the child: the locks may be held by threads that are not there."""
        self._recorder = None
        self._quiet = threading.Condition()
        self._using, self._is_forking = 0, False
        self._mine = threading.local()
        self._waiting = deque()


_ALL: WeakSet[ForkSafe] = WeakSet()
_LOCK = threading.Lock()
_told: list[ForkSafe] = []
"""Those that the fork which is going on was told to."""


def _tell_of_forks(one: ForkSafe) -> None:
    with _LOCK:
        _ALL.add(one)


def _before() -> None:
    _LOCK.acquire()
    _told.extend(_ALL)
    for each in _told:
        each.before_fork()


def _after() -> None:
    _let_on(ForkSafe.after_fork)


def _in_child() -> None:
    _let_on(ForkSafe.in_child)


def _let_on(go_on: Callable[[ForkSafe], None]) -> None:
    for each in _told:
        go_on(each)
    _told.clear()
    _LOCK.release()


os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_in_child)
