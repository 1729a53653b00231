"""The scenario that is killed, cut and starved: twelve entries in one thread of one process.

    python3 -S -m tests.faults.scenario FOLDER [--unsigned] [--durable] [--small-log PAGES]

It makes a store, records a run with everything a run can hold, publishes heads as the scenario
steps the clock, closes, erases a piece, and opens the store once more. What it was told is kept, it
writes down at once and without a buffer into FOLDER/told; the next line is written after that.
"""

import argparse
import os
import sys
import time
from typing import NamedTuple

from toolreplay.errors import StoreError, StoreFailedError
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.sink import Appended
from toolreplay.stores.sqlite.erasing import erase
from toolreplay.stores.sqlite.opening import create_store, open_store
from toolreplay.stores.sqlite.publishing import SigningKey
from toolreplay.stores.sqlite.store import SqliteStore

from tests.faults.writer import ORIGIN, RunWriter, Ticks, detached, key_in, signer

SECRET = b"a secret that is to be erased " * 8
LARGE = b"a large result " * 400
STORE, TOLD = "store.db", "told"
ENDED_BY_FAILURE = 5


class Plan(NamedTuple):
    """How the scenario is played."""

    is_signed: bool = True
    durable_intents: bool = False
    log_pages: int = 0

    def options(self) -> list[str]:
        """Return the command line for it."""
        named = {"--unsigned": not self.is_signed, "--durable": self.durable_intents}
        size = ["--small-log", str(self.log_pages)] if self.log_pages else []
        return [name for name, is_on in named.items() if is_on] + size


class Diary:
    """Writes down what was acknowledged, a line each, with one unbuffered write."""

    def __init__(self, folder: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._file = os.open(os.path.join(folder, TOLD), flags, 0o600)

    def write(self, *words: object) -> None:
        os.write(self._file, " ".join(map(str, words)).encode() + b"\n")

    def entry(self, run: str, kind: str, kept: Appended) -> None:
        """Write down an entry that is kept."""
        self.write("entry", kept.index, kept.leaf_hash.hex(), kind, run)


def play(folder: str, plan: Plan) -> None:
    """Play the whole scenario. Raises StoreError where the store cannot be used."""
    path, diary = os.path.join(folder, STORE), Diary(folder)
    key = key_in(folder) if plan.is_signed else None
    clock = Ticks()
    diary.write("begin")
    create_store(path, ORIGIN, key.signer.key if key is not None else None)
    diary.write("made")
    with _opened(path, key, clock, plan) as store:
        run = _record(store, diary, plan)
    diary.write("closed")
    piece = bytes.fromhex(detached(SECRET).described["digest"])
    erase(path, [piece], [], "asked for", Ids(os.urandom, bytes(32)), clock())
    diary.write("erased", piece.hex(), run.run)
    with _opened(path, key, clock, plan) as store:
        head(store, diary, plan)
    diary.write("end")


def _record(store: SqliteStore, diary: Diary, plan: Plan) -> RunWriter:
    run = RunWriter(store, "scenario", diary.entry).open()
    run.both("first", b'{"n":1}', detached(LARGE))
    position = run.start("second", detached(SECRET))
    store.tick(time.monotonic() + 2)
    _told_head(run, diary, plan)
    run.call(position, "second", detached(SECRET)).gap().observe(detached(LARGE[:5000]))
    run.both("third", b'{"n":3}').start("lost")
    run.close()
    _told_head(run, diary, plan)
    return run


def head(store: SqliteStore, diary: Diary, plan: Plan) -> None:
    """Publish a head and write down that it was let out."""
    store.publish()
    if plan.is_signed:
        diary.write("head", store.tables.size())


def _told_head(run: RunWriter, diary: Diary, plan: Plan) -> None:
    if plan.is_signed:
        diary.write("head", run.last.index + 1)


def _opened(path: str, key: SigningKey | None, clock: Ticks, plan: Plan) -> SqliteStore:
    store = open_store(path, key, clock=clock, durable_intents=plan.durable_intents)
    if plan.log_pages:
        # A checkpoint is due after a thousand pages: here after so few that the scenario has some.
        for connection in (store._connection, store._other):
            connection.execute(f"pragma wal_autocheckpoint={plan.log_pages}")
    return store


def main(arguments: list[str]) -> int:
    """Play it; with a failure of the store try once more to record, and write down what came."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--unsigned", action="store_true")
    parser.add_argument("--durable", action="store_true")
    parser.add_argument("--small-log", type=int, default=0)
    given = parser.parse_args(arguments)
    try:
        play(given.folder, Plan(not given.unsigned, given.durable, given.small_log))
    except StoreError as error:
        name = "failed" if isinstance(error, StoreFailedError) else "refused"
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        return ENDED_BY_FAILURE
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
