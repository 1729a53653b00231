"""writers: many processes and threads append to one store, and to one run, and publish its heads.

One order, nothing lost, one chain for each run, and no two heads that contradict each other.
"""

import os
import pickle
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple

from tests.faults.golden import IN_MEMORY
from tests.faults.outcome import LOST, WRONG, Outcome, Problem
from tests.faults.scenario import STORE
from tests.faults.verifying import verified
from tests.faults.workers import forked
from tests.faults.writer import ORIGIN, RunWriter, key_in, signer
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.evidence.tlog.merkle import Frontier, leaf_hash
from toolreplay.stores.sqlite.connection import open_reader
from toolreplay.stores.sqlite.opening import create_store, open_store
from toolreplay.stores.sqlite.publishing import signed_head
from toolreplay.stores.sqlite.reading import LogTables

_HEAD_EVERY = 40
"""Each writer publishes a head by itself after so many calls, beside those that fall due."""


class Size(NamedTuple):
    """How many processes record how many entries each, in a run of their own and in a shared one."""

    processes: int
    threads: int
    entries: int


class Acknowledged(NamedTuple):
    """What one process was told: leaf hashes by index, and the notes of heads that were let out."""

    entries: dict[int, bytes]
    notes: list[bytes]


def run(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Record with many processes, then with many threads of one."""
    sizes = (
        [Size(4, 1, 200), Size(1, 4, 200)] if is_quick else [Size(8, 1, 1000), Size(1, 16, 1000)]
    )
    for size in sizes:
        for is_shared in (False, True):
            name = f"{size.processes} processes x {size.threads} threads x {size.entries}"
            name += ", one run" if is_shared else ""
            with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
                problems, count, heads = recorded(folder, size, is_shared=is_shared)
            outcome.points += count - 1
            outcome.add(name, problems)
            outcome.notes.append(f"{name}: {count:,} entries, {heads:,} heads let out")


def recorded(folder: str, size: Size, *, is_shared: bool) -> tuple[list[Problem], int, int]:
    """Record and judge; return what is wrong, and how many entries and heads there were."""
    path, key = os.path.join(folder, STORE), key_in(folder)
    create_store(path, ORIGIN, key.signer.key)
    shared = ""
    told: list[Acknowledged] = []
    if is_shared:
        with open_store(path, key) as store:
            opened = RunWriter(store, "shared", lambda *_: None).open()
            shared = opened.run
            told.append(Acknowledged({opened.last.index: opened.last.leaf_hash}, []))
    waiting = [
        _forked(lambda at=number: _process(folder, size, at, shared))
        for number in range(size.processes)
    ]
    told += [wait() for wait in waiting]
    if is_shared:
        with open_store(path, key) as store:
            kept: dict[int, bytes] = {}
            run = RunWriter(
                store,
                "end",
                lambda _, __, last: kept.update({last.index: last.leaf_hash}),
                run=shared,
            )
            run.close("recorder")
            told.append(Acknowledged(kept, []))
    per_run = size.entries * size.processes * size.threads + 2 if is_shared else size.entries
    runs = 1 if is_shared else size.processes * size.threads
    problems = judged(path, told, runs, per_run)
    return problems, sum(len(one.entries) for one in told), sum(len(one.notes) for one in told)


def _forked(work: Callable[[], Acknowledged]) -> Callable[[], Acknowledged]:
    """Start work in a process of its own; return what waits for its result."""
    reading, writing = os.pipe()

    def write_result() -> None:
        os.close(reading)
        with open(writing, "wb") as file:
            pickle.dump(work(), file)

    child = forked(write_result)
    os.close(writing)

    def wait() -> Acknowledged:
        with open(reading, "rb") as file:
            data = file.read()
        _, status = os.waitpid(child, 0)
        if status:
            raise RuntimeError("a writer ended with an error")
        found: Acknowledged = pickle.loads(data)
        return found

    return wait


def _process(folder: str, size: Size, number: int, shared: str) -> Acknowledged:
    entries: dict[int, bytes] = {}
    notes: list[bytes] = []
    failures: list[BaseException] = []
    with open_store(os.path.join(folder, STORE), key_in(folder)) as store:
        store.start_publishing()

        def told(_: str, __: str, last: object) -> None:
            entries[last.index] = last.leaf_hash  # type: ignore[attr-defined]

        def write(thread: int) -> None:
            try:
                name = f"{number}/{thread}"
                run = RunWriter(store, name, told, run=shared)
                calls = size.entries // 2 if shared else (size.entries - 2) // 2
                if not shared:
                    run.open()
                for call in range(1, calls + 1):
                    run.both(f"tool-{call % 7}", b'{"n":%d}' % call)
                    if call % _HEAD_EVERY == 0:
                        note = store.publish()
                        assert note is not None
                        notes.append(note)
                if not shared:
                    run.close()
            except BaseException as error:  # noqa: BLE001 - a thread's error is its process's
                failures.append(error)

        threads = [threading.Thread(target=write, args=(at,)) for at in range(size.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]
    return Acknowledged(entries, notes)


def judged(path: str, told: list[Acknowledged], runs: int, per_run: int) -> list[Problem]:
    """Hold the log against what each writer was told."""
    with closing(open_reader(path)) as connection:
        tables = LogTables(connection, path)
        leaves = [data for _, data, _ in tables.leaves(0, tables.size())]
        notes = [note for _, note in tables.checkpoints()]
    problems = _order(leaves, told) + _chains(leaves, runs, per_run)
    problems += _heads(leaves, [*notes, *(note for one in told for note in one.notes)])
    with open(key_in(os.path.dirname(path)).head_path, "rb") as file:
        verdict = verified(path, seen=file.read(), with_key=True)
    if verdict.status or verdict.kinds:
        said = ", ".join(verdict.kinds[:5]) or verdict.error.decode()
        problems.append(Problem(WRONG, f"verify ends with {verdict.status}: {said}"))
    return problems


def _order(leaves: list[bytes], told: list[Acknowledged]) -> list[Problem]:
    """Every index was given out once, and holds what was acknowledged."""
    given = [index for one in told for index in one.entries]
    if sorted(given) != list(range(len(leaves))):
        return [
            Problem(LOST, f"{len(given)} places were given out, {len(leaves)} entries are there")
        ]
    return [
        Problem(LOST, f"entry {index} is another than the one acknowledged")
        for one in told
        for index, hashed in one.entries.items()
        if leaf_hash(leaves[index]) != hashed
    ]


def chained(leaves: list[bytes]) -> tuple[dict[str, int], list[Problem]]:
    """Return how many entries each run has, and where one does not follow the one before it."""
    last: dict[str, tuple[int, bytes]] = {}
    problems = []
    for index, data in enumerate(leaves):
        leaf = parse_leaf(data)
        number, prev = last.get(leaf.run, (-1, bytes(32)))
        if (leaf.entry, leaf.prev) != (number + 1, prev):
            problems.append(
                Problem(WRONG, f"leaf {index} does not follow leaf {number} of its run")
            )
        last[leaf.run] = leaf.entry, leaf_hash(data)
    return {run: number + 1 for run, (number, _) in last.items()}, problems


def _chains(leaves: list[bytes], runs: int, per_run: int) -> list[Problem]:
    """Each run is one chain of leaves, numbered from 0."""
    counts, problems = chained(leaves)
    if len(counts) != runs or set(counts.values()) != {per_run}:
        problems.append(Problem(LOST, f"{len(counts)} runs, or not {per_run} entries in each"))
    return problems


def _heads(leaves: list[bytes], notes: list[bytes]) -> list[Problem]:
    """Every head that was signed is that of the leaves there are."""
    key = signer().key
    tree, roots = Frontier(), {}
    for size, leaf in enumerate(leaves, 1):
        tree.append(leaf_hash(leaf))
        roots[size] = tree.root()
    problems = []
    for note in set(notes):
        head = signed_head(note, key, "a head")
        if roots.get(head.size) != head.root:
            problems.append(Problem(WRONG, f"a head of {head.size} contradicts the log"))
    return problems
