"""clock: back by an hour, forward by ten years, frozen, jumping, another zone: the same run.

What is recorded under such a clock has the same entries in the same order, and is judged the same;
a report is the same, byte by byte, whatever the clock and the zone of whoever verifies.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from tests.faults.golden import IN_MEMORY
from tests.faults.outcome import WRONG, Outcome, Problem
from tests.faults.scenario import STORE
from tests.faults.verifying import Verdict, verified
from tests.faults.writer import ORIGIN, RunWriter, Ticks, detached, key_in
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.stores.sqlite.connection import open_reader
from toolreplay.stores.sqlite.opening import create_store, open_store
from toolreplay.stores.sqlite.reading import LogTables

_START = 1_800_000_000_000_000
_SECOND, _HOUR, _YEAR = 10**6, 3600 * 10**6, 31_557_600 * 10**6

Clock = Callable[[], int]


def _clocks() -> dict[str, Clock]:
    """Return clocks in microseconds since 1970; the change comes in the middle of the run."""

    def moved(by: int) -> Clock:
        steps = count()
        return lambda: _START + next(steps) * _SECOND + (by if next(steps) > 8 else 0)

    def jumping() -> Clock:
        steps = count()
        return lambda: _START + (-1) ** next(steps) * _HOUR

    return {
        "ticking": Ticks(),
        "back 1 h": moved(-_HOUR),
        "forward 10 y": moved(10 * _YEAR),
        "frozen": lambda: _START,
        "jumping": jumping(),
        "stopped at 1970": lambda: 0,
        "zone": Ticks(),
    }


def run(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Record under each clock, and verify under each."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        recorded = {}
        for name, clock in _clocks().items():
            inside = os.path.join(folder, name.replace(" ", "-"))
            os.mkdir(inside)
            with _zone("Pacific/Kiritimati" if name == "zone" else "UTC"):
                recorded[name] = _recorded(inside, clock)
        first = recorded["ticking"]
        for name, (entries, verdict) in recorded.items():
            problems = []
            if entries != first[0]:
                problems.append(Problem(WRONG, "other entries, or in another order"))
            if verdict != first[1]:
                problems.append(Problem(WRONG, "another report"))
            outcome.add(f"recorded: {name}", problems)
        path = os.path.join(folder, "ticking", STORE)
        for name, now, zone in (
            ("1970", 0.0, "UTC"), ("back 1 h", time.time() - 3600, "UTC"),
            ("forward 10 y", time.time() + 10 * 31_557_600, "UTC"),
            ("frozen, another zone", 1.0, "Pacific/Kiritimati"), ("2262", 9.2e9, "Asia/Kathmandu"),
        ):  # fmt: skip
            with _zone(zone), _time(now):
                same = _verified(path) == first[1]
            problems = [] if same else [Problem(WRONG, "another report")]
            outcome.add(f"verified: {name}", problems)


def _recorded(folder: str, clock: Clock) -> tuple[list[tuple[str, int, str, bytes]], Verdict]:
    """Record a run under a clock; return its entries without their times, and the verdict."""
    path, key = os.path.join(folder, STORE), key_in(folder)
    create_store(path, ORIGIN, key.signer.key)
    with open_store(path, key, clock=clock) as store:
        run = RunWriter(store, "clock", lambda *_: None).open()
        for number in range(4):
            run.both(f"tool-{number}", b'{"n":1}', detached(b"result %d" % number))
            store.publish()
        run.gap().close()
    connection = open_reader(path)
    tables = LogTables(connection, path)
    leaves = [parse_leaf(data) for _, data, _ in tables.leaves(0, tables.size())]
    connection.close()
    return [(leaf.run, leaf.entry, leaf.kind, leaf.commit) for leaf in leaves], _verified(path)


def _verified(path: str) -> Verdict:
    with open(key_in(os.path.dirname(path)).head_path, "rb") as file:
        return verified(path, seen=file.read(), with_key=True, form="text")


@contextmanager
def _zone(name: str) -> Iterator[None]:
    kept = os.environ.get("TZ")
    os.environ["TZ"] = name
    time.tzset()
    try:
        yield
    finally:
        os.environ.pop("TZ")
        if kept is not None:
            os.environ["TZ"] = kept
        time.tzset()


@contextmanager
def _time(now: float) -> Iterator[None]:
    """Have the clock of this process show a moment, and stand still."""
    kept = time.time, time.time_ns
    time.time, time.time_ns = lambda: now, lambda: int(now * 10**9)
    try:
        yield
    finally:
        time.time, time.time_ns = kept
