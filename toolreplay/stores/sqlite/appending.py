"""Append entries: many threads and processes, one order, one transaction a group.

Whoever comes first writes for all who wait: it takes what is queued, begins an immediate
transaction (other processes wait for it), calls each maker with the head its run has by then, adds
leaves, payloads and pieces, commits, and only then lets the others know. A group of intents alone
is written without a sync and survives the death of every process; any other group is synced, and
with it all that was written before.

When a write fails nothing more is acknowledged: nobody knows what the disk holds, and asking it to
sync again could answer for pages that are gone. The store is opened anew, and reads what is there.
"""

import sqlite3
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Lock

from toolreplay.errors import RunStateError, StoreError, StoreFailedError
from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.making import RunHead
from toolreplay.evidence.profile.sink import Appended, Maker
from toolreplay.stores.sqlite.connection import translated
from toolreplay.stores.sqlite.entries import EntryWriter
from toolreplay.stores.sqlite.runs import RunRow, RunRows

__all__ = ["Appender"]

_MOST_IN_GROUP = 512
"""Requests of one transaction: what waits longer would not gain from a larger one."""


class _Request:
    """What one caller waits for. `wake` is let go when there is an answer, or it is to lead."""

    __slots__ = ("appended", "error", "kind", "make", "run", "wake")

    def __init__(self, run: str, kind: str, make: Maker) -> None:
        self.run, self.kind, self.make = run, kind, make
        self.appended: Appended | None = None
        self.error: Exception | None = None
        self.wake = Lock()
        self.wake.acquire()

    @property
    def is_answered(self) -> bool:
        """Whether it was carried out or refused."""
        return self.appended is not None or self.error is not None


class Appender:
    """Appends to one database; one per process.

    `clock` returns microseconds since 1970. `writing` is held while a transaction is open: the
    database would have a second writer of this process sleep for milliseconds. `added` is told of
    each group how many entries it added; `failed` is told why recording ended, then and each time
    an entry is refused for it. With `durable_intents` intents are synced too.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: str,
        origin: str,
        clock: Callable[[], int],
        *,
        writing: Lock,
        added: Callable[[int], object],
        failed: Callable[[str], object],
        durable_intents: bool = False,
    ) -> None:
        self._connection = connection
        self._path = path
        self._clock = clock
        self._writing = writing
        self._added = added
        self._failed = failed
        self._durable_intents = durable_intents
        self._runs = RunRows(connection)
        self._writer = EntryWriter(connection, origin, self._runs)
        self._mutex = Lock()
        self._waiting: deque[_Request] = deque()
        self._is_led = False
        self._failure: str | None = None
        self._synchronous = ""

    def append(self, run: str, kind: str, make: Maker) -> Appended:
        """Append one entry (see Sink); returns when it is committed."""
        request = _Request(run, kind, make)
        with self._mutex:
            self._waiting.append(request)
            leads, self._is_led = not self._is_led, True
        if not leads:
            request.wake.acquire()
        if not request.is_answered:
            self._lead()
        if request.error is not None:
            raise request.error
        assert request.appended is not None
        return request.appended

    def stop(self, what: str) -> None:
        """Acknowledge nothing more: a write to this store failed, here or where heads are made."""
        if self._failure is None:
            self._failure = what
            self._failed(what)

    def _lead(self) -> None:
        """Write one group, hand the lead to whoever waits longest, and answer the group."""
        group = self._taken(_MOST_IN_GROUP)
        try:
            self._write(group)
        finally:
            with self._mutex:
                # Unanswered only after an interrupt: who waits tries again, and one of them leads.
                self._waiting.extendleft(
                    request for request in reversed(group[1:]) if not request.is_answered
                )
                following = self._waiting[0] if self._waiting else None
                self._is_led = following is not None
            if following is not None:
                following.wake.release()
            for request in group[1:]:
                if request.is_answered:
                    request.wake.release()

    def _taken(self, most: int, *, only_intents: bool = False) -> list[_Request]:
        """Take up to so many of those who wait, in order."""
        taken: list[_Request] = []
        with self._mutex:
            while self._waiting and len(taken) < most:
                if only_intents and self._waiting[0].kind != "start":
                    break
                taken.append(self._waiting.popleft())
        return taken

    def _write(self, group: list[_Request]) -> None:
        """Write a group, and whoever came to wait before its rows are written."""
        if self._failure is not None:
            # Said each time: another process may have written the gap, and cleared the note.
            self._failed(self._failure)
            text = f"stopped recording: {self._failure}"
            _refuse(group, StoreFailedError(self._path, text))
            return
        with self._writing:
            try:
                self._commit(group)
            except sqlite3.Error as error:
                found = translated(self._path, error)
                if isinstance(found, StoreFailedError):
                    self.stop(found.what)
                _refuse(group, found)
        count = sum(request.appended is not None for request in group)
        if count:
            self._added(count)

    def _commit(self, group: list[_Request]) -> None:
        is_whole = is_refused = False
        try:
            with_sync = self._durable_intents or any(r.kind != "start" for r in group)
            self._begin(with_sync=with_sync)
            more = group
            while more:
                self._add(more)
                more = self._taken(_MOST_IN_GROUP - len(group), only_intents=not with_sync)
                group += more
            self._writer.write()
            self._connection.execute("commit")
            is_whole = True
            self._runs.committed()
        except sqlite3.Error:
            is_refused = True
            raise
        finally:
            if not is_whole:
                self._writer.forget()
                # Interrupted behind the commit: what was added stands, and is answered so.
                if is_refused or self._connection.in_transaction:
                    for request in group:
                        request.appended = None
                    with suppress(sqlite3.Error):
                        self._connection.execute("rollback")

    def _begin(self, *, with_sync: bool) -> None:
        wanted = "full" if with_sync else "normal"
        if wanted != self._synchronous:  # it can only be set outside of a transaction
            self._connection.execute(f"pragma synchronous={wanted}")
            self._synchronous = wanted
        self._connection.execute("begin immediate")
        self._writer.begin()

    def _add(self, requests: list[_Request]) -> None:
        for request in requests:
            try:
                row, entry, head = self._made(request)
                index, leaf_hash = self._writer.add(row, entry, head, self._clock())
            except sqlite3.Error:
                raise
            # A maker with a defect must not take along what the others wait for.
            except Exception as error:  # noqa: BLE001
                request.error = error
                continue
            request.appended = Appended(index, leaf_hash, head)

    def _made(self, request: _Request) -> tuple[RunRow, Entry, RunHead]:
        row = self._runs.of(request.run)
        head = row.head
        if (request.kind == "open") != (head.entries == 0):
            fact = "is there already" if head.entries else "was not opened"
            raise RunStateError(self._path, f"run {request.run} {fact}")
        if row.is_closed and request.kind != "erase":
            raise RunStateError(self._path, f"run {request.run} is closed")
        if request.kind == "close":
            self._writer.write()  # of a run that this process did not open, they are read back
            head = head._replace(totals=self._runs.totals(row))
        entry, following = request.make(head)
        if entry.kind != request.kind or following.run != request.run:
            raise ValueError("the maker made another entry than it was to make")
        if following.totals is not None:
            following = following._replace(totals=None)
        return row, entry, following


def _refuse(group: list[_Request], error: StoreError) -> None:
    for request in group:
        if request.error is None:
            request.error = error
