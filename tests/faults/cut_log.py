"""cut-log: the write-ahead log cut at every byte, as a copy that was not whole, or an old disk.

What is left must be exactly the groups that are whole, and be refused whenever the head beside the
key knows of more. What no head covers is shorter without a word: those cuts are counted.
"""

import os
import struct
import tempfile
from contextlib import closing, suppress
from typing import NamedTuple

from tests.faults.golden import IN_MEMORY
from tests.faults.outcome import LOST, WRONG, Outcome, Problem
from tests.faults.scenario import STORE, Diary, Plan, opened, record
from tests.faults.workers import folders, in_two
from tests.faults.writer import ORIGIN, RunWriter, Ticks, key_in
from toolreplay.errors import StoreDamagedError, StoreError
from toolreplay.evidence.profile.entry import commit_of
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.stores.sqlite.connection import open_reader
from toolreplay.stores.sqlite.opening import create_store, open_store
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.wal import torn_bytes

_HEADER, _FRAME, _PAGE = 32, 24, 4096
_OPENED, _QUICK, _UNSIGNED = 8, 997, 16
"""Every so many-th byte the store is opened for writing too; is tried at all with --quick; is tried
with an unsigned store. The ends of frames and their headers are tried always."""


class Recorded(NamedTuple):
    """A store whose log was not moved into the file yet.

    `steps` are pairs: with so many bytes of log, so many entries. `head` is the size of the last
    head that was signed, 0 without a key.
    """

    database: bytes
    log: bytes
    note: bytes
    head: int
    steps: tuple[tuple[int, int], ...]
    leaves: tuple[bytes, ...]
    commits: tuple[bytes, ...]

    def entries(self, cut: int) -> int:
        """Return how many entries are left of so many bytes of log."""
        return max(entries for size, entries in self.steps if size <= cut)

    def group_end(self, cut: int) -> int:
        """Return where the last whole group ends, by the marks of the file format."""
        end = _HEADER if cut >= _HEADER else 0
        for at in range(_HEADER, cut - _FRAME - _PAGE + 1, _FRAME + _PAGE):
            if struct.unpack_from(">I", self.log, at + 4)[0]:
                end = at + _FRAME + _PAGE
        return end


class Case(NamedTuple):
    """One cut, and whether the recorder opens what is left."""

    cut: int
    is_opened: bool


def run(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Cut the log of a signed and of an unsigned store; `seed` chooses among the bytes."""
    for name, plan in (("signed", Plan()), ("unsigned", Plan(is_signed=False))):
        recorded = recorded_store(plan)
        cases = _cases(recorded, seed, is_quick=is_quick, is_signed=plan.is_signed)
        cases = [case for case in cases if outcome.wants(f"{name} at byte {case.cut}")]
        with folders() as mine:
            found = in_two(cases, lambda case, recorded=recorded: cut_at(recorded, case, mine()))
        for case, problems in zip(cases, found, strict=True):
            outcome.add(f"{name} at byte {case.cut}", problems)
        whole = len(recorded.leaves)
        shorter = sum(recorded.head <= recorded.entries(case.cut) < whole for case in cases)
        refused = sum(recorded.entries(case.cut) < recorded.head for case in cases)
        opened_too = sum(case.is_opened for case in cases)
        outcome.notes.append(
            f"{name}: {len(cases):,} cuts of {len(recorded.log):,} bytes ({opened_too:,} opened for "
            f"writing), {refused:,} behind the signed head, {shorter:,} shorter without a word"
        )


def recorded_store(plan: Plan) -> Recorded:
    """Record a run, move it into the file, and record four more entries into a log of its own."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        path, clock = os.path.join(folder, STORE), Ticks()
        key = key_in(folder) if plan.is_signed else None
        create_store(path, ORIGIN, key.signer.key if key is not None else None)
        with opened(path, key, clock, plan) as store:
            record(store, Diary(folder), plan)
            first = store.tables.size()
        steps = [(0, first)]

        def told(*_: object) -> None:
            steps.append((os.path.getsize(path + "-wal"), first + len(steps)))

        with opened(path, key, clock, plan) as store:
            run = RunWriter(store, "cut", told).open()
            position = run.start("late")
            store.publish()
            head = store.tables.size() if plan.is_signed else 0
            run.call(position, "late")
            leaves = tuple(data for _, data, _ in store.tables.leaves(0, store.tables.size()))
            note = _read(key.head_path) if key is not None else b""
            commits = tuple(parse_leaf(leaf).commit for leaf in leaves)
            files = _read(path), _read(path + "-wal")
            return Recorded(*files, note, head, tuple(steps), leaves, commits)


def _cases(recorded: Recorded, seed: int, *, is_quick: bool, is_signed: bool) -> list[Case]:
    size = len(recorded.log)
    beside = (-1, 0) if is_quick else (-1, 0, 1, _FRAME)
    ends = {at + near for at in range(_HEADER, size + 1, _FRAME + _PAGE) for near in beside}
    ends = {at for at in (*ends, 0, 1, _HEADER - 1) if at <= size}
    step = _QUICK if is_quick else 1 if is_signed else _UNSIGNED
    cuts = ends | set(range(seed % step, size + 1, step))
    every = 1 if is_quick else _OPENED
    return [Case(cut, cut in ends or cut % every == seed % every) for cut in sorted(cuts)]


def cut_at(recorded: Recorded, case: Case, folder: str) -> list[Problem]:
    """Cut the log and judge what is left. Whoever only reads leaves the files as they are."""
    path = os.path.join(folder, STORE)
    _write(path, recorded.database)
    _write(path + "-wal", recorded.log[: case.cut])
    with suppress(FileNotFoundError):
        os.unlink(path + "-shm")
    problems = _left(path, recorded, case.cut)
    if case.is_opened and not problems:
        if recorded.note:
            _write(key_in(folder).head_path, recorded.note)
        problems = _torn(path, recorded, case.cut)
        problems += _opened(path, folder, recorded, case.cut)
    return problems


def _left(path: str, recorded: Recorded, cut: int) -> list[Problem]:
    expected = recorded.entries(cut)
    with closing(open_reader(path)) as connection:
        tables = LogTables(connection, path)
        size = tables.size()
        leaves = tuple(data for _, data, _ in tables.leaves(0, size))
        if leaves != recorded.leaves[:expected]:
            kind = LOST if size < expected else WRONG
            return [Problem(kind, f"{size} entries are left, {expected} were whole")]
        kept = connection.execute("select commit_hash, salt, bytes from payload").fetchall()
    if {commit for commit, _, _ in kept} != set(recorded.commits[:expected]):
        return [Problem(WRONG, f"{len(kept)} payloads of {size} entries")]
    halves = [commit for commit, salt, payload in kept if commit_of(salt, payload) != commit]
    return (
        [Problem(LOST, f"{len(halves)} payloads are not what was committed to")] if halves else []
    )


def _torn(path: str, recorded: Recorded, cut: int) -> list[Problem]:
    """A reader can say how much of the log's end is a group that was never whole."""
    torn, expected = torn_bytes(path), cut - recorded.group_end(cut)
    return [] if torn == expected else [Problem(WRONG, f"{torn} torn bytes, not {expected}")]


def _opened(path: str, folder: str, recorded: Recorded, cut: int) -> list[Problem]:
    expected = recorded.entries(cut)
    store = None
    try:
        store = open_store(path, key_in(folder) if recorded.note else None, clock=Ticks())
        size = store.tables.size()
    except StoreDamagedError as error:
        sizes = f"has {expected} entries, and a head of {recorded.head} was signed"
        if expected < recorded.head and sizes in str(error):
            return []
        return [Problem(WRONG, f"{expected} entries are left, and are refused: {error}")]
    except StoreError as error:
        return [Problem(WRONG, f"{type(error).__name__}: {error}")]
    finally:
        if store is not None:
            with suppress(StoreError):
                store.close()
    if expected < recorded.head:
        return [Problem(WRONG, f"{size} entries are taken, and a head of {recorded.head} is there")]
    return [] if size == expected else [Problem(LOST, f"{size} entries, {expected} were whole")]


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
