"""What the scenario leaves behind when nothing goes wrong, and what it was told on the way."""

import os
import tempfile
from typing import NamedTuple

from tests.faults import scenario
from tests.faults.scenario import STORE, Plan
from toolreplay.stores.sqlite.connection import open_reader
from toolreplay.stores.sqlite.reading import LogTables

IN_MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""Where folders are made whose contents are lost by design."""


class Golden(NamedTuple):
    """The log that every run of the scenario writes, or a prefix of it, and its heads by size."""

    plan: Plan
    leaves: tuple[bytes, ...]
    heads: dict[int, bytes]


class Told(NamedTuple):
    """What the scenario had been told when it ended.

    `entries` are leaf hashes by index, `head` is the size of the last head that was let out,
    `key` is that of the run, `after_failure` counts entries that were acknowledged when a write had failed.
    """

    is_made: bool
    entries: dict[int, bytes]
    head: int
    is_erased: bool
    is_ended: bool
    durable: int
    has_failed: bool
    after_failure: int
    key: bytes

    @classmethod
    def read(cls, text: str, plan: Plan) -> "Told":
        """Read the scenario's diary. `durable` entries were acknowledged with a sync behind them."""
        entries: dict[int, bytes] = {}
        is_made = is_erased = is_ended = has_failed = False
        head = durable = after_failure = 0
        key = b""
        for line in text.splitlines(keepends=True):
            if not line.endswith("\n"):
                break
            what, *words = line.split()
            if what == "entry":
                after_failure += has_failed
                entries[int(words[0])] = bytes.fromhex(words[1])
                if words[2] != "start" or plan.durable_intents:
                    durable = int(words[0]) + 1
            elif what == "head":
                head = int(words[0])
                durable = max(durable, head)
            elif what == "erased":
                is_erased = True
                durable = max(entries) + 2
            elif what == "key":
                key = bytes.fromhex(words[0])
            is_made = is_made or what == "made"
            is_ended = is_ended or what == "end"
            has_failed = has_failed or what == "failed"
        seen = (durable, has_failed, after_failure, key)
        return cls(is_made, entries, head, is_erased, is_ended, *seen)

    @classmethod
    def of_folder(cls, folder: str, plan: Plan) -> "Told":
        """Read the diary in a folder; there may be none."""
        try:
            with open(os.path.join(folder, scenario.TOLD), encoding="utf-8") as file:
                return cls.read(file.read(), plan)
        except FileNotFoundError:
            return cls.read("", plan)


def golden_of(plan: Plan) -> Golden:
    """Play the scenario once without a fault, and read what it left."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        scenario.play(folder, plan)
        path = os.path.join(folder, STORE)
        connection = open_reader(path)
        try:
            tables = LogTables(connection, path)
            leaves = tuple(data for _, data, _ in tables.leaves(0, tables.size()))
            heads = dict(tables.checkpoints())
        finally:
            connection.close()
    return Golden(plan, leaves, heads)
