"""The scenario that is killed, cut and starved: twelve entries in one thread of one process.

It makes a store, records a run with everything a run can hold, publishes heads as the scenario
steps the clock, closes, erases a piece, and opens the store once more. What it was told is kept, it
writes down at once and without a buffer into FOLDER/told; the next line is written after that.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from tests.faults.writer import ORIGIN, RunWriter, Ticks, detached, key_in
from toolreplay.errors import StoreError, StoreFailedError
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.sink import Appended
from toolreplay.stores.sqlite.erasing import erase
from toolreplay.stores.sqlite.opening import create_store, open_store
from toolreplay.stores.sqlite.publishing import SigningKey
from toolreplay.stores.sqlite.store import SqliteStore

SECRET = b"a secret that is to be erased " * 8
LARGE = b"a large result " * 400
STORE, TOLD = "store.db", "told"
ENDED_BY_FAILURE = 5


class Plan(NamedTuple):
    """How the scenario is played.

    After `log_pages` pages the write-ahead log is moved into the file (0: SQLite's thousand). With
    `erases_early` the piece is erased while the recorder has the store open.
    """

    is_signed: bool = True
    durable_intents: bool = False
    log_pages: int = 0
    erases_early: bool = False


class Diary:
    """Writes down what was acknowledged, a line each, with one unbuffered write."""

    def __init__(self, folder: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._file = os.open(os.path.join(folder, TOLD), flags, 0o600)

    def write(self, *words: object) -> None:
        # By another call than the store's own, so that those can be made to fail alone.
        os.writev(self._file, [" ".join(map(str, words)).encode() + b"\n"])

    def entry(self, run: str, kind: str, kept: Appended) -> None:
        """Write down an entry that is kept."""
        self.write("entry", kept.index, kept.leaf_hash.hex(), kind, run)


def play(folder: str, plan: Plan, told_in: str = "") -> None:
    """Play the whole scenario. Raises StoreError where the store cannot be used.

    `told_in` is the folder of the diary, where that is another one.
    """
    path, diary = os.path.join(folder, STORE), Diary(told_in or folder)
    key = key_in(folder) if plan.is_signed else None
    clock = Ticks()
    diary.write("begin")
    create_store(path, ORIGIN, key.signer.key if key is not None else None)
    diary.write("made")
    with _recording(path, key, clock, plan, diary) as store:
        record(store, diary, plan)
        if plan.erases_early:
            _erase(path, diary, clock)
    diary.write("closed")
    if not plan.erases_early:
        _erase(path, diary, clock)
    with _recording(path, key, clock, plan, diary) as store:
        head(store, diary, plan)
    diary.write("end")


@contextmanager
def _recording(
    path: str, key: SigningKey | None, clock: Ticks, plan: Plan, diary: Diary
) -> Iterator[SqliteStore]:
    """Open the store, and write down that a write failed; from there on nothing may be kept."""
    try:
        with opened(path, key, clock, plan) as store:
            try:
                yield store
            except StoreFailedError:
                diary.write("failed")
                with suppress(StoreError):
                    RunWriter(store, "once more", diary.entry).open()
                raise
    except StoreFailedError:
        diary.write("failed")
        raise


def _erase(path: str, diary: Diary, clock: Ticks) -> None:
    piece = bytes.fromhex(detached(SECRET).described["digest"])
    erase(path, [piece], [], "asked for", Ids(os.urandom, bytes(32)), clock())
    diary.write("erased", piece.hex())


def record(store: SqliteStore, diary: Diary, plan: Plan) -> None:
    """Record the run: eleven entries, and two heads."""
    run = RunWriter(store, "scenario", diary.entry).open()
    diary.write("key", store.run_key(run.run).hex(), run.run)
    run.both("first", b'{"n":1}', detached(LARGE))
    position = run.start("second", detached(SECRET))
    store.tick(time.monotonic() + 2)
    _told_head(run, diary, plan)
    run.call(position, "second", detached(SECRET)).gap().observe(detached(LARGE[:5000]))
    run.both("third", b'{"n":3}').start("lost")
    run.close()
    if store.publish_error is None:  # else the entries are kept, and no head was let out
        _told_head(run, diary, plan)


def head(store: SqliteStore, diary: Diary, plan: Plan) -> None:
    """Publish a head and write down that it was let out."""
    store.publish()
    if plan.is_signed:
        diary.write("head", store.tables.size())


def _told_head(run: RunWriter, diary: Diary, plan: Plan) -> None:
    if plan.is_signed:
        diary.write("head", run.last.index + 1)


def opened(path: str, key: SigningKey | None, clock: Ticks, plan: Plan) -> SqliteStore:
    """Open the store as the plan says."""
    store = open_store(path, key, clock=clock, durable_intents=plan.durable_intents)
    if plan.log_pages:
        # A checkpoint is due after a thousand pages: here after so few that the scenario has some.
        for connection in (store._connection, store._other):
            connection.execute(f"pragma wal_autocheckpoint={plan.log_pages}")
    return store


def main(folder: str, plan: Plan, told_in: str = "") -> int:
    """Play it as a process: 0, or with a last word in the diary the status of one that could not go on."""
    try:
        play(folder, plan, told_in)
    except StoreError as error:
        Diary(told_in or folder).write("ended", type(error).__name__, error)
        return ENDED_BY_FAILURE
    return 0
