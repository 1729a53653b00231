"""Record runs into a store as a recorder does, with ids, salts and times that are always the same."""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from typing import Any

from tests.evidence.bundle.made import Maker
from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.making import RunHead
from toolreplay.evidence.profile.sink import Sink
from toolreplay.evidence.record import Asked
from toolreplay.evidence.signatures.throwaway import throwaway_signer
from toolreplay.evidence.tlog.standing import Trust
from toolreplay.stores.sqlite.opening import create_store, open_store
from toolreplay.stores.sqlite.publishing import SigningKey
from toolreplay.stores.sqlite.store import SqliteStore

ORIGIN = "example.invalid/log"
RUN = "01a22bae-b680-76a8-ba7c-e542dbcacce8"
OTHER_RUN = "01a22bae-b680-76a8-ba7c-e542dbcacce9"
_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""What tests of the order of things write to: a sync there costs nothing. Whether it is asked for at
the right time is what the fault scenarios are for."""

SECRET = b"correct horse battery staple 4711"


class Recorded(Maker):
    """Makes one run like its parent, and appends each entry to a sink as it is made."""

    def __init__(self, sink: Sink, run: str = RUN, *, layer: str = "decorator") -> None:
        super().__init__(layer, seed=run, run=run)
        self.sink = sink
        self.indexes: list[int] = []

    def _take(self, made: tuple[Entry, RunHead]) -> "Recorded":
        entry, following = made
        appended = self.sink.append(self.head.run, entry.kind, lambda _: made)
        assert appended.head == following._replace(totals=None)
        self.indexes.append(appended.index)
        super()._take(made)
        return self


def record(sink: Sink, run: str = RUN, calls: int = 2, **more: Any) -> Recorded:
    """Record a run of some calls, each with its intent, and close it."""
    recorded = Recorded(sink, run)
    recorded.open(**more)
    for position in range(1, calls + 1):
        recorded.both(position, "read_file", {"n": position, "of": run}, {"ok": position})
    recorded.close()
    return recorded


class Place:
    """A folder with a store in it. `key` signs its heads; None where it is unsigned."""

    def __init__(self, folder: str, *, is_signed: bool, origin: str = ORIGIN) -> None:
        self.folder = folder
        self.path = os.path.join(folder, "store.db")
        self.signer = throwaway_signer(origin, bytes(32))
        self.head_path = os.path.join(folder, "log.key.head")
        self.key = SigningKey(self.signer, self.head_path) if is_signed else None
        create_store(self.path, origin, self.signer.key if is_signed else None)
        self.ticks = 1_790_000_000_000_000

    def clock(self) -> int:
        """Return the next millisecond."""
        self.ticks += 1000
        return self.ticks

    def open(self, **more: Any) -> SqliteStore:
        """Open the store for writing."""
        return open_store(self.path, self.key, clock=self.clock, **more)

    def asked(self) -> Asked:
        """Return what somebody hands in who has the public key and remembers nothing."""
        return Asked(trust=Trust((self.signer.key,), None, None))

    def sql(self, *statements: str, checked: bool = True) -> list[Any]:
        """Change the file by hand; `checked` keeps the triggers, as who obeys them would."""
        connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            if not checked:
                drop_triggers(connection)
            found: list[Any] = []
            for statement in statements:
                found = connection.execute(statement).fetchall()
            if not checked:
                restore_triggers(connection)
            return found
        finally:
            connection.close()


_TRIGGERS = "select name, sql from sqlite_master where type = 'trigger'"
_dropped: dict[str, str] = {}


def drop_triggers(connection: sqlite3.Connection) -> None:
    """Take the triggers away: who can write the file can."""
    for name, sql in connection.execute(_TRIGGERS).fetchall():
        _dropped[name] = sql
        connection.execute(f"drop trigger {name}")


def restore_triggers(connection: sqlite3.Connection) -> None:
    """Put them back as they were."""
    for sql in _dropped.values():
        connection.execute(sql)


@contextlib.contextmanager
def place(*, is_signed: bool = True, origin: str = ORIGIN) -> Iterator[Place]:
    """Make an empty store in a folder of its own."""
    with tempfile.TemporaryDirectory(dir=_MEMORY) as folder:
        yield Place(folder, is_signed=is_signed, origin=origin)
