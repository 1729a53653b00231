"""The timed work of the benchmarks of stores, each kind a process of its own.

    python3 -m benchmarks.store_work append|made COUNT PRODUCERS FOLDER
    python3 -m benchmarks.store_work grown FEW MANY TURNS FOLDER
    python3 -m benchmarks.store_work open signed|unsigned PATH
    python3 -m benchmarks.store_work check log|contents PATH

`append` has receipts that were made before the clock starts; `made` makes an intent and a receipt
for each call. Both acknowledge what is durable and publish signed heads as they fall due. `grown`
appends to a store of FEW and to one of MANY entries by turns. Times are printed in seconds, as
JSON.
"""

import gc
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from hashlib import sha256

from benchmarks.store_files import GAP, NOW, OPENING, fill, observed, signing_key
from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.making import (
    FIRST_PREV,
    RunHead,
    call_entry,
    gap_entry,
    open_entry,
    start_entry,
)
from toolreplay.evidence.profile.sink import Maker
from toolreplay.stores.sqlite.checking import LogCheck
from toolreplay.stores.sqlite.connection import open_reader
from toolreplay.stores.sqlite.opening import create_store, open_store
from toolreplay.stores.sqlite.store import SqliteStore

Work = Callable[[Callable[[float], object]], object]
"""What one producer does; it tells how long each append took."""


def _opened(store: SqliteStore, ids: Ids) -> RunHead:
    """Open a run in a store, and return its head."""
    run, salt = ids.run_id(time.time_ns() // 10**6), ids.salt()
    head = store.append(run, "open", lambda head: open_entry(head, OPENING, salt)).head
    return head._replace(totals=None)


def ready(store: SqliteStore, count: int) -> Work:
    """Return the work of a producer whose receipts are made."""
    ids = Ids(os.urandom)
    head = _opened(store, ids)
    run = head.run
    makers: list[Maker] = []
    for position in range(1, count + 1):
        entry, head = call_entry(head, observed(position), ids.receipt_id(), ids.salt())
        makers.append(_returning(entry, head))

    def work(tell: Callable[[float], object]) -> None:
        for maker in makers:
            began = time.perf_counter()
            store.append(run, "call", maker)
            tell(time.perf_counter() - began)

    return work


def _returning(entry: Entry, following: RunHead) -> Maker:
    return lambda _: (entry, following)


def making(store: SqliteStore, count: int) -> Work:
    """Return the work of a producer that makes intent and receipt of each call."""
    ids = Ids(os.urandom)
    run = _opened(store, ids).run

    def call(position: int) -> None:
        observation, salt = observed(position), ids.salt()
        intent = {
            "position": position, "tool": observation.tool, "args": observation.inputs["args"],
            "started_at": NOW, "mono_ns": 1, "boot_id": "benchmark",
        }  # fmt: skip
        store.append(run, "start", lambda head: start_entry(head, intent, salt))
        receipt, other = ids.receipt_id(), ids.salt()
        store.append(run, "call", lambda head: call_entry(head, observation, receipt, other))

    def work(tell: Callable[[float], object]) -> None:
        for position in range(1, count + 1):
            began = time.perf_counter()
            call(position)
            tell(time.perf_counter() - began)

    return work


def timed(works: Sequence[Work]) -> dict[str, float]:
    """Let all producers work at once."""
    waits: list[float] = []
    start = threading.Barrier(len(works) + 1)

    def produce(work: Work) -> None:
        own: list[float] = []
        start.wait()
        work(own.append)
        waits.extend(own)

    threads = [threading.Thread(target=produce, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    gc.collect()
    gc.freeze()  # what was made before is no work of the collector's
    start.wait()
    began, worked = time.perf_counter(), time.process_time()
    for thread in threads:
        thread.join()
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    waits.sort()
    return {
        "seconds": seconds,
        "worked": worked,
        "count": len(waits),
        "middle": waits[len(waits) // 2],
        "slow": waits[len(waits) * 99 // 100],
    }


def append(what: str, count: int, producers: int, folder: str) -> dict[str, float]:
    """Append to a new store from so many threads."""
    path = os.path.join(folder, "append.db")
    key = signing_key(path)
    create_store(path, key.signer.name, key.signer.key)
    with open_store(path, key) as store:
        store.start_publishing()
        worker = ready if what == "append" else making
        figures = timed([worker(store, count // producers) for _ in range(producers)])
        figures["heads"] = sum(1 for _ in store.tables.checkpoints())
    return figures


def grown(few: int, many: int, turns: int, folder: str) -> dict[str, float]:
    """Append one by one to a run of `few` and to one of `many` entries, by turns."""
    stores = []
    for count in (few, many):
        path = os.path.join(folder, f"{count}.db")
        fill(path, count, 1, signed=True)
        stores.append(open_store(path, signing_key(path)))
        stores[-1].start_publishing()
    runs = [next(store.tables.runs()).run for store in stores]
    times: list[list[float]] = [[], []]
    ids = Ids(os.urandom)
    for _ in range(turns):
        for store, run, own in zip(stores, runs, times, strict=True):
            salt, call, name = ids.salt(), observed(1), ids.receipt_id()
            entry, _ = call_entry(RunHead(run, 0, 0, 0, FIRST_PREV, None), call, name, salt)
            maker = _following(entry)
            began = time.perf_counter()
            store.append(run, "call", maker)
            own.append(time.perf_counter() - began)
    for store in stores:
        store.close()
    few_, many_ = (sorted(own)[turns // 2] for own in times)
    return {"few": few_, "many": many_}


def _following(entry: Entry) -> Maker:
    return lambda head: (entry, head._replace(entries=head.entries + 1, seq=head.seq + 1))


def opened(path: str, *, signed: bool) -> dict[str, float]:
    """Open a store, append one entry, and close it."""
    began = time.perf_counter()
    store = open_store(path, signing_key(path) if signed else None)
    is_open = time.perf_counter()
    run = next(store.tables.runs()).run
    salt = os.urandom(32)
    store.append(run, "gap", lambda head: gap_entry(head, GAP, salt))
    appended = time.perf_counter()
    store.close()
    ended = time.perf_counter()
    return {"open": is_open - began, "first": appended - is_open, "close": ended - appended}


def checked(path: str, *, with_contents: bool) -> dict[str, float]:
    """Check a store, and read and hash its rows without checking anything: processor times."""
    connection = open_reader(path)
    began = time.process_time()
    check = LogCheck(connection, path)
    size = check.run(with_contents=with_contents).size
    between = time.process_time()
    assert not check.faults, check.faults
    query = "select idx, bytes from leaf order by idx"
    for _, data in connection.execute(query):
        sha256(data).digest()
    if with_contents:
        for data, salt in connection.execute("select bytes, salt from payload"):
            sha256(salt + data).digest()
    return {"count": size, "seconds": between - began, "bare": time.process_time() - between}


def main(arguments: list[str]) -> int:
    """Do what was asked for, and print what it took."""
    what, *rest = arguments
    if what == "open":
        figures = opened(rest[1], signed=rest[0] == "signed")
    elif what == "check":
        figures = checked(rest[1], with_contents=rest[0] == "contents")
    elif what == "grown":
        figures = grown(int(rest[0]), int(rest[1]), int(rest[2]), rest[3])
    else:
        figures = append(what, int(rest[0]), int(rest[1]), rest[2])
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
