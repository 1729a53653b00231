"""crowd: of several processes that append to one store, some are killed; the others notice nothing.

Where the kill strikes is left to chance: a seed chooses when and whom, not the boundary.
"""

import os
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from random import Random

from tests.faults.golden import IN_MEMORY
from tests.faults.outcome import LOST, WRONG, Outcome, Problem
from tests.faults.scenario import STORE
from tests.faults.verifying import verified
from tests.faults.workers import forked
from tests.faults.writer import ORIGIN, RunWriter, Told, key_in
from tests.faults.writers import chained
from toolreplay.evidence.profile.sink import Appended
from toolreplay.evidence.tlog.merkle import leaf_hash
from toolreplay.stores.sqlite.connection import open_reader
from toolreplay.stores.sqlite.opening import create_store, open_store
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.state import failure_of

_ROUNDS, _QUICK_ROUNDS = 40, 2
_PROCESSES, _KILLED = 4, 2
_CALLS = 200


def run(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Play rounds, a seed each, from `seed` on."""
    kept = played(outcome, range(seed, seed + (_QUICK_ROUNDS if is_quick else _ROUNDS)), _round)
    outcome.notes.append(f"{kept:,} entries acknowledged, to {_PROCESSES} processes at a time")


def played(
    outcome: Outcome, seeds: range, play: Callable[[str, Random], tuple[list[Problem], int]]
) -> int:
    """Play a round for each seed, in a folder of its own; return how many entries were acknowledged."""
    kept = 0
    for at in seeds:
        if not outcome.wants(f"seed {at}"):
            continue
        with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
            problems, count = play(folder, Random(at))
        outcome.add(f"seed {at}", problems)
        kept += count
    return kept


def _round(folder: str, random: Random) -> tuple[list[Problem], int]:
    path, key = os.path.join(folder, STORE), key_in(folder)
    create_store(path, ORIGIN, key.signer.key)
    with open_store(path, key) as store:
        shared = RunWriter(store, "shared", lambda *_: None).open().run
    children = [
        forked(lambda at=number: _record(folder, at, shared)) for number in range(_PROCESSES)
    ]
    for child in random.sample(children, _KILLED):
        time.sleep(random.uniform(0.02, 0.2))
        os.kill(child, signal.SIGKILL)
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    problems = [
        Problem(WRONG, f"a process that was not killed ended with {status}")
        for status in statuses
        if status not in (0, -signal.SIGKILL)
    ]
    told = told_in(folder, _PROCESSES)
    return problems + judged_crowd(folder, told), len(told)


def told_in(folder: str, processes: int) -> list[tuple[int, bytes]]:
    """Return each place that was acknowledged to one of the processes, with its leaf hash."""
    told = []
    for number in range(processes):
        with suppress(FileNotFoundError), open(_diary(folder, number), encoding="ascii") as file:
            for line in file:
                index, hashed = line.split()
                told.append((int(index), bytes.fromhex(hashed)))
    return told


def diarist(folder: str, number: int) -> Told:
    """Return what writes down, for one process, what is acknowledged to it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    diary = os.open(_diary(folder, number), flags, 0o600)

    def told(_: str, __: str, last: Appended) -> None:
        os.write(diary, f"{last.index} {last.leaf_hash.hex()}\n".encode())

    return told


def _diary(folder: str, number: int) -> str:
    return os.path.join(folder, f"told-{number}")


def _record(folder: str, number: int, shared: str) -> None:
    """Record a run, and as much into the shared one; write down what was acknowledged."""
    told = diarist(folder, number)
    with open_store(os.path.join(folder, STORE), key_in(folder)) as store:
        store.start_publishing()
        mine = RunWriter(store, f"mine {number}", told).open()
        ours = RunWriter(store, f"ours {number}", told, run=shared)
        for call in range(_CALLS):
            (mine if call % 2 else ours).both("tool")
            if call % 10 == 9:
                store.publish()
        mine.close()


def judged_crowd(folder: str, told: list[tuple[int, bytes]]) -> list[Problem]:
    """Hold the log against what was acknowledged, and record again."""
    path, key = os.path.join(folder, STORE), key_in(folder)
    if failure_of(path) is not None:
        return [Problem(WRONG, f"says that it does not record: {failure_of(path)}")]
    with closing(open_reader(path)) as connection:
        tables = LogTables(connection, path)
        leaves = [data for _, data, _ in tables.leaves(0, tables.size())]
    problems = [
        Problem(LOST, f"entry {index} is not there as it was acknowledged")
        for index, hashed in told
        if index >= len(leaves) or leaf_hash(leaves[index]) != hashed
    ]
    problems += chained(leaves)[1]
    with open_store(path, key) as store:
        RunWriter(store, "afterwards", lambda *_: None).open().both("again").close()
    with open(key.head_path, "rb") as file:
        verdict = verified(path, seen=file.read(), with_key=True)
    if verdict.status == 2 or verdict.kinds:
        said = ", ".join(verdict.kinds[:5]) or verdict.error.decode()
        problems.append(Problem(WRONG, f"verify ends with {verdict.status}: {said}"))
    return problems
