"""The embedded store as whoever records sees it: a sink, and the heads it publishes meanwhile.

A head is due one second after the oldest entry that none covers, after 256 such entries, when a
run closes, and at the end. `tick` publishes one that is due; `start_publishing` has a thread call
it.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from toolreplay.errors import (
    StoreDamagedError,
    StoreFailedError,
    ToolReplayError,
    UnsignedError,
)
from toolreplay.evidence.profile.sink import Appended, Maker
from toolreplay.records.times import utc_of
from toolreplay.stores.sqlite.appending import Appender
from toolreplay.stores.sqlite.connection import told, transaction
from toolreplay.stores.sqlite.publishing import Publisher, SigningKey, refuse_other_key
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.state import note_failure
from toolreplay.stores.sqlite.writers import join_run, leave_run, writers_of_runs

__all__ = ["SqliteStore"]

_DUE_ENTRIES = 256
_DUE_SECONDS = 1.0


class SqliteStore:
    """An open store (see Sink). Append from as many threads as there are.

    `connection` appends, `other` publishes. `clock` returns microseconds since 1970.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        other: sqlite3.Connection,
        path: str,
        key: SigningKey | None,
        clock: Callable[[], int],
        *,
        durable_intents: bool = False,
    ) -> None:
        self.path = path
        self.tables = LogTables(other, path)
        self.origin = self.tables.origin
        self.inline_bytes = self.tables.inline_bytes()
        self.is_signed = key is not None
        self._connection, self._other = connection, other
        self._clock = clock
        self._lock = threading.Lock()
        self._appender = Appender(
            connection,
            path,
            self.origin,
            clock,
            writing=self._lock,
            added=self._added,
            failed=self._failed,
            durable_intents=durable_intents,
        )
        self._publisher = Publisher(other, path, key, self._lock)
        self._publishing = threading.Lock()
        self._due = threading.Condition()
        self._uncovered, self._oldest = 0, 0.0
        self._is_closing = False
        self._thread: threading.Thread | None = None
        self.publish_error: ToolReplayError | None = None
        self.unsigned: ToolReplayError | None = None  # why the key that was named does not sign
        self.signing: threading.Thread | None = None
        """Loads what signs, where that takes its time; whoever closes waits for it."""

    def append(self, run: str, kind: str, make: Maker) -> Appended:
        """Keep the next entry of a run (see Sink)."""
        appended = self._appender.append(run, kind, make)
        if kind == "close":
            try:
                self.publish()
            except (StoreDamagedError, StoreFailedError):
                raise
            except ToolReplayError as error:
                self.publish_error = error  # the entry is kept; the head is tried again
        return appended

    def _added(self, count: int) -> None:
        with self._due:
            before = self._uncovered
            self._uncovered += count
            if not before:
                self._oldest = time.monotonic()
            if not before or before < _DUE_ENTRIES <= self._uncovered:
                self._due.notify()

    def open_positions(self, run: str) -> list[int]:
        """Return the positions of the intents that have no outcome yet, in order."""
        with self._publishing, told(self.path):
            return self.tables.open_positions(run)

    def run_key(self, run: str) -> bytes:
        """Return the key under which a run's sealed values are compared: 32 secret bytes.

        It is on the disk before it is returned for the first time, and leaves the store in no export.
        """
        with self._writing(), transaction(self._other):
            self._other.execute(
                "insert or ignore into run_key (run, key) values (?, ?)", (run, os.urandom(32))
            )
            query = "select key from run_key where run = ?"
            key: bytes = self._other.execute(query, (run,)).fetchone()[0]
        return key

    def join(self, key: str, new_run: str, writer: str) -> str:
        """Return the run that a writer feeds from now on (see RunSink)."""
        with self._writing(), transaction(self._other, synchronous="normal"):
            return join_run(self._other, key, new_run, writer)

    def leave(self, run: str, writer: str) -> list[str]:
        """Note that a writer is done, and return those left (see RunSink)."""
        with self._writing(), transaction(self._other, synchronous="normal"):
            return leave_run(self._other, run, writer)

    def writers(self) -> list[tuple[str, str]]:
        """Return the runs that are fed, each with a writer."""
        with self._publishing, told(self.path):
            return writers_of_runs(self._other)

    def heal(self) -> None:
        """Bring store and last head together after a crash. Raises StoreDamagedError."""
        self._publisher.heal()

    def sign_with(self, key: SigningKey) -> None:
        """Have heads signed from now on, of a store that was opened without its key.

        So that whoever must be quick may load what signs later. Raises as `open_store` does.
        """
        with self._publishing, told(self.path):
            refuse_other_key(self.path, self.tables, key.signer.key)
            publisher = Publisher(self._other, self.path, key, self._lock)
            publisher.heal()
            self._publisher, self.is_signed = publisher, True

    def publish(self) -> bytes | None:
        """Publish the head as it is now; return its note, None without a key or without leaves."""
        with self._due:
            self._uncovered = 0
        with self._writing():
            return self._publisher.publish()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Let nobody else use `other`; where a write fails here, nobody appends any more either."""
        try:
            with self._publishing, told(self.path):
                yield
        except StoreFailedError as error:
            self._appender.stop(error.what)
            raise

    def tick(self, now: float) -> None:
        """Publish a head if one is due at a moment of the monotonic clock, in seconds."""
        with self._due:
            is_due = self._uncovered >= _DUE_ENTRIES or (
                self._uncovered > 0 and now - self._oldest >= _DUE_SECONDS
            )
        if is_due:
            self.publish()

    def start_publishing(self) -> None:
        """Have a thread publish heads as they fall due, until the store is closed."""
        self._thread = threading.Thread(target=self._publish_when_due, daemon=True)
        self._thread.start()

    def _publish_when_due(self) -> None:
        while True:
            with self._due:
                if self._is_closing:
                    return
                left = None
                if self._uncovered:
                    left = self._oldest + _DUE_SECONDS - time.monotonic()
                if left is None or (left > 0 and self._uncovered < _DUE_ENTRIES):
                    self._due.wait(left)
                    continue
            try:
                self.tick(time.monotonic())
                self.publish_error = None
            except ToolReplayError as error:
                # Entries are kept all the same. It is tried again; whoever closes the store is told.
                self.publish_error = error
                with self._due:
                    self._uncovered, self._oldest = max(1, self._uncovered), time.monotonic()
                    if not self._is_closing:
                        self._due.wait(_DUE_SECONDS)

    def _failed(self, what: str) -> None:
        note_failure(self.path, utc_of(self._clock()), what)

    def close(self) -> None:
        """Publish what is left, move the write-ahead log into the file, and close.

        Raises StoreError where the head could not be published, UnsignedError where its key could
        not be loaded; what was appended stands.
        """
        if self.signing is not None:
            self.signing.join()
        with self._due:
            self._is_closing = True
            self._due.notify_all()
        if self._thread is not None:
            self._thread.join()
        try:
            self.publish()
        finally:
            with suppress(sqlite3.Error):  # who reads keeps it as it is, and need not be waited for
                self._connection.execute("pragma busy_timeout=0")
                self._connection.execute("pragma wal_checkpoint(truncate)")
            self._connection.close()
            self._other.close()
        if self.unsigned is not None:
            raise UnsignedError("", f"not signed: {self.unsigned}")

    def __enter__(self) -> "SqliteStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
