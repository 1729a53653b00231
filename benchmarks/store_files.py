"""Stores and entries for the benchmarks of stores.

    python3 -m benchmarks.store_files signed|unsigned COUNT RUNS PATH

writes the rows of a store straight into its tables, in so many runs, and publishes its head. What
is in them is what appending would have written.
"""

import os
import sqlite3
import sys
from collections.abc import Iterator
from itertools import islice

from toolreplay.evidence.profile.entry import Entry, commit_of
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.making import (
    FIRST_PREV,
    ObservedCall,
    RunHead,
    gap_entry,
    open_entry,
    tool_of,
)
from toolreplay.evidence.profile.piece import piece_of
from toolreplay.evidence.signatures.keys import PrivateKey
from toolreplay.evidence.signatures.sign import key_signer, public_of, verifier_key
from toolreplay.evidence.tlog.leaf import Leaf, leaf_bytes
from toolreplay.evidence.tlog.merkle import leaf_hash
from toolreplay.records.call import JsonObject
from toolreplay.stores.sqlite.connection import open_writer, transaction
from toolreplay.stores.sqlite.opening import create_store
from toolreplay.stores.sqlite.publishing import Publisher, SigningKey

NAME = "example.invalid/benchmark"
SEED = b"b" * 32
NOW = "2026-11-30T09:00:00.000Z"
AT = 1_796_029_200_000_000
CAPTURE: JsonObject = {"layer": "decorator", "adapter": "benchmark"}
OPENING: JsonObject = {"agent": {}, "capture": CAPTURE, "run_by": "benchmark", "started_at": NOW}
GAP: JsonObject = {"reason": "benchmark", "count": 1, "since": NOW, "until": NOW}
RESULT = b"a line of what a tool gave back\n" * 10
BLOCK = 20_000
"""Entries that are written in one transaction."""


def signing_key(path: str) -> SigningKey:
    """Return the key of a signed store; it protects nothing."""
    key = verifier_key(NAME, public_of(SEED))
    return SigningKey(key_signer(PrivateKey(NAME, SEED, key.key_id)), path + ".head")


def observed(position: int) -> ObservedCall:
    """Return a call as its layer saw it."""
    nobody = dict.fromkeys(("uid", "pid", "same_uid_as_agent", "same_process"))
    args = piece_of(b'{"path":"src/%d.py"}' % position, "application/json")
    return ObservedCall(
        tool=tool_of("read_file"),
        inputs={"args": args.described},
        outputs={"result": piece_of(RESULT, "text/plain").described, "status": "ok", "flags": []},
        timing={"started_at": NOW, "ended_at": NOW},
        capture={
            **CAPTURE, "args_fidelity": "exact", "result_fidelity": "exact",
            "tool_definition": "absent", "writer": nobody,
        },
        agent={},
        position=position,
        created_at=NOW,
    )  # fmt: skip


def _entries(run: str, ids: Ids) -> Iterator[Entry]:
    """Yield the entries of a run that never ends: small ones behind the first."""
    head = RunHead(run, 0, 0, 0, FIRST_PREV, None)
    yield open_entry(head, OPENING, ids.salt())[0]
    entry, _ = gap_entry(head, GAP, ids.salt())
    while True:
        yield entry._replace(salt=ids.salt())


def fill(path: str, count: int, runs: int, *, signed: bool) -> None:
    """Make a store of `count` entries, the same in each of its runs."""
    key = signing_key(path) if signed else None
    create_store(path, NAME, key.signer.key if key is not None else None)
    connection = open_writer(path)
    connection.execute("pragma wal_autocheckpoint=0")
    each = count // runs
    for number in range(runs):
        _fill_run(connection, number, number * each, each)
    connection.execute("pragma wal_checkpoint(truncate)")
    Publisher(connection, path, key).publish()
    connection.execute("pragma wal_checkpoint(truncate)")
    connection.close()


def _fill_run(connection: sqlite3.Connection, number: int, first: int, count: int) -> None:
    ids = Ids(os.urandom)
    run, last = ids.run_id(AT // 1000), bytes(32)
    entries = enumerate(islice(_entries(run, ids), count))
    while block := list(islice(entries, BLOCK)):
        leaves, payloads, found = [], [], []
        for place, entry in block:
            commit = commit_of(entry.salt, entry.payload)
            data = leaf_bytes(
                Leaf(NAME, run, place, entry.kind, AT + place, commit, last, len(entry.payload))
            )
            last = leaf_hash(data)
            leaves.append((first + place, data, last))
            payloads.append((commit, entry.salt, entry.payload))
            found.append((number + 1, place, first + place, entry.kind))
        with transaction(connection, synchronous="off"):
            connection.executemany("insert into leaf values (?, ?, ?)", leaves)
            connection.executemany("insert into payload values (?, ?, ?)", payloads)
            connection.executemany("insert into entry values (?, ?, ?, ?)", found)
    with transaction(connection, synchronous="off"):
        connection.execute(
            "insert into run values (?, ?, null, null, null, ?, null, ?, 0, 0, ?, ?)",
            (number + 1, run, NOW, count, FIRST_PREV, last),
        )


def main(arguments: list[str]) -> int:
    """Write the store that was asked for."""
    kind, count, runs, path = arguments
    fill(path, int(count), int(runs), signed=kind == "signed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
