"""Judge a store after a fault: is all there that was acknowledged, and is nothing half?

First as an auditor who comes before anybody has opened the store again, then as its own recorder,
who opens it with the same key and goes on recording; then as the auditor once more.
"""

import hashlib
import os
import sqlite3
from contextlib import closing

from tests.faults.golden import Golden, Told
from tests.faults.outcome import LOST, REPAIR, WRONG, Problem
from tests.faults.scenario import SECRET, STORE
from tests.faults.verifying import verified
from tests.faults.writer import ORIGIN, RunWriter, Ticks, key_in, signer
from toolreplay.errors import StoreError
from toolreplay.evidence.profile.entry import commit_of
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.evidence.tlog.merkle import leaf_hash, root_of
from toolreplay.stores.head_file import read_head
from toolreplay.stores.sqlite.connection import open_reader
from toolreplay.stores.sqlite.opening import create_store, open_store
from toolreplay.stores.sqlite.publishing import signed_head
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.repair import DERIVED, rebuild
from toolreplay.stores.sqlite.schema import create_tables
from toolreplay.stores.sqlite.state import failure_of

_SECRET_DIGEST = hashlib.sha256(SECRET).digest()


def judged(
    folder: str, golden: Golden, told: Told, required: int, *, may_have_failed: bool = False
) -> list[Problem]:
    """Return what is wrong with what a fault left in a folder.

    `required` entries were acknowledged and must be there. A store whose recording failed may say
    so, and begins with a gap.
    """
    path = os.path.join(folder, STORE)
    if not os.path.exists(path):
        if told.is_made:
            return [Problem(LOST, "the store is not there, and was made")]
        return _made_again(path, golden)
    try:
        return _as_found(path, golden, told, required) or _goes_on(
            folder, golden, told, required, may_have_failed=may_have_failed
        )
    except (StoreError, sqlite3.Error) as error:
        return [Problem(WRONG if told.is_made else REPAIR, f"{type(error).__name__}: {error}")]


def _made_again(path: str, golden: Golden) -> list[Problem]:
    """Make a store where an attempt to make one was ended."""
    try:
        create_store(path, ORIGIN, signer().key if golden.plan.is_signed else None)
    except StoreError as error:
        return [Problem(REPAIR, f"cannot be made again: {error}")]
    return []


def _as_found(
    path: str, golden: Golden, told: Told, required: int, recorded: int | None = None
) -> list[Problem]:
    with closing(open_reader(path)) as connection:
        connection.execute("begin")
        problems = checked(connection, path, golden, told, required, recorded)
        head = read_head(key_in(os.path.dirname(path)).head_path)
        size = LogTables(connection, path).size()
        if head is not None and signed_head(head, signer().key, path).size > size:
            problems.append(
                Problem(LOST, f"a head was signed, and its log has only {size} entries")
            )
    # Heads are remembered that were let out; once all is healed, that beside the key is one.
    seen = golden.heads.get(told.head) if recorded is None else head
    return problems or _verified(path, golden, seen)


def checked(
    connection: sqlite3.Connection,
    path: str,
    golden: Golden,
    told: Told,
    required: int,
    recorded: int | None = None,
) -> list[Problem]:
    """Hold the tables against the golden log; only what no fault can excuse is returned.

    `recorded` entries are the scenario's, all of them where nobody has gone on since.
    """
    tables = LogTables(connection, path)
    size = tables.size()
    leaves = [data for _, data, _ in tables.leaves(0, size)]
    if size < required:
        return [Problem(LOST, f"{size} entries, {required} were acknowledged")]
    shared = size if recorded is None else recorded
    if leaves[:shared] != list(golden.leaves[:shared]):
        return [Problem(WRONG, f"the {size} entries are not the first of those recorded")]
    problems = [
        Problem(LOST, f"entry {index} is another than the one acknowledged")
        for index, hashed in told.entries.items()
        if index < shared and leaf_hash(leaves[index]) != hashed
    ]
    keys = [key for (key,) in connection.execute("select key from run_key")]
    # An erasure takes the key along: without it nobody can compare what was sealed.
    was_erased = any(b'"kind":"erase"' in leaf for leaf in leaves)
    if told.key and told.key not in keys and not was_erased:
        problems.append(Problem(LOST, "the key of the run is another, or gone"))
    problems += _whole(connection, tables, leaves)
    problems += _derived(connection, path)
    hashes = [leaf_hash(leaf) for leaf in leaves]
    for at, note in tables.checkpoints():
        head = signed_head(note, signer().key, path)
        if head.size != at or at > size or head.root != root_of(hashes[:at]):
            problems.append(Problem(WRONG, f"the head of {at} is not that of the leaves"))
    return problems


def _whole(connection: sqlite3.Connection, tables: LogTables, leaves: list[bytes]) -> list[Problem]:
    """Each leaf with its payload, each payload with its pieces, and nothing without a leaf."""
    problems = []
    commits = [parse_leaf(leaf).commit for leaf in leaves]
    is_erased = any(parse_leaf(leaf).kind == "erase" for leaf in leaves)
    for index, commit in enumerate(commits):
        found = tables.payload(commit)
        if found is None or commit_of(found[1], found[0]) != commit:
            problems.append(Problem(LOST, f"entry {index} has no payload, or half of it"))
    count = connection.execute("select count(*) from payload").fetchone()[0]
    if count != len(commits):
        problems.append(Problem(WRONG, f"{count} payloads for {len(commits)} entries"))
    used = {digest for (digest,) in connection.execute("select digest from piece_use")}
    kept = dict(connection.execute("select digest, bytes from piece"))
    used -= {_SECRET_DIGEST} if is_erased else set()
    if used != set(kept):
        problems.append(Problem(WRONG, f"{len(used)} pieces are referred to, {len(kept)} are kept"))
    problems += [
        Problem(WRONG, f"piece {digest.hex()} has other bytes")
        for digest, content in kept.items()
        if hashlib.sha256(content).digest() != digest
    ]
    return problems


def _derived(connection: sqlite3.Connection, path: str) -> list[Problem]:
    """Whether a repair would change anything: subtrees may lag behind, all else may not."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        create_tables(fresh)
        fresh.execute("insert into meta (name, value) values ('origin', ?)", (ORIGIN,))
        rebuild(connection, fresh, path)
        differing = []
        for table in DERIVED:
            query = f"select * from {table}"
            old, new = (set(one.execute(query).fetchall()) for one in (connection, fresh))
            if not old <= new if table == "node" else old != new:
                differing.append(table)
    return [Problem(REPAIR, f"table {name} is not that of the leaves") for name in differing]


def _verified(path: str, golden: Golden, seen: bytes | None) -> list[Problem]:
    """Have the store verified as an auditor does: a run that is open is no finding."""
    verdict = verified(path, seen=seen, with_key=golden.plan.is_signed)
    if verdict.status == 2 or verdict.kinds:
        said = ", ".join(verdict.kinds) or verdict.error.decode()
        return [Problem(WRONG, f"verify ends with {verdict.status}: {said}")]
    return []


def _goes_on(
    folder: str, golden: Golden, told: Told, required: int, *, may_have_failed: bool
) -> list[Problem]:
    """Open the store as its recorder does, end what was left open, record a new run, and look."""
    path = os.path.join(folder, STORE)
    key = key_in(folder) if golden.plan.is_signed else None
    failure = failure_of(path)
    if failure is not None and not may_have_failed:
        return [Problem(WRONG, f"says that it does not record: {failure}")]
    count = 0

    def added(*_: object) -> None:
        nonlocal count
        count += 1

    with closing(open_reader(path)) as connection:
        before = LogTables(connection, path).size()
    with open_store(path, key, clock=Ticks()) as store:
        first = list(store.tables.leaves(before, store.tables.size()))
        gaps, kinds = len(first), {parse_leaf(leaf).kind for _, leaf, _ in first}
        # A gap of each run that was open, or a run of its own.
        expected = [set()] if failure is None else [{"gap"}, {"open", "gap", "close"}]
        if kinds not in expected:
            return [Problem(WRONG, f"began with {sorted(kinds)}, and the failure was: {failure}")]
        if failure_of(path) is not None:
            return [Problem(REPAIR, "the failure is still noted after the gap was written")]
        for found in list(store.tables.runs()):
            if found.closed_at is None:
                RunWriter(store, "after", added, run=found.run).gap("killed").close("recorder")
        RunWriter(store, "afterwards", added).open().both("again").close()
        size = store.tables.size()
    if size != before + gaps + count:
        return [Problem(WRONG, f"{size} entries after {before}, {gaps} and {count} more")]
    problems = _as_found(path, golden, told, required, before)
    if golden.plan.is_signed:
        problems += _head(path, key_in(folder).head_path, size)
    return problems + scrubbed(folder, told)


def _head(path: str, name: str, size: int) -> list[Problem]:
    """The head beside the key and the newest one of the store are one, of all entries."""
    with open(name, "rb") as file:
        note = file.read()
    with closing(open_reader(path)) as connection:
        newest = LogTables(connection, path).newest_checkpoint()
    if newest != (size, note) or signed_head(note, signer().key, name).size != size:
        return [Problem(WRONG, "store and key remember different heads")]
    return []


def scrubbed(folder: str, told: Told) -> list[Problem]:
    """What was said to be erased is in no file."""
    if not told.is_erased:
        return []
    problems = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            if SECRET[:200] in file.read():
                problems.append(Problem(WRONG, f"what was erased stands in {name}"))
    return problems
