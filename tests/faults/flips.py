"""flips: each byte of a store of twenty entries changed, and one bit of it, one at a time.

A change is found, or makes the store unusable, or touches nothing that is read: then every leaf,
payload, piece and head reads as before, and the report is the same. In a write-ahead log a change
cuts the log where it stands, as a cut does. Where a whole byte is changed `verify` judges, where
a bit is, `store check` first and `verify` of what it passes.
"""

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from random import Random
from typing import NamedTuple

from tests.faults.cut_log import Recorded, recorded_store
from tests.faults.golden import IN_MEMORY
from tests.faults.outcome import WRONG, Outcome, Problem
from tests.faults.scenario import STORE, Plan
from tests.faults.verifying import Verdict, verified
from tests.faults.workers import folders, in_two
from tests.faults.writer import ORIGIN, RunWriter, Ticks, detached, key_in
from toolreplay.errors import StoreError
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.stores.sqlite.checking import LogCheck
from toolreplay.stores.sqlite.connection import open_reader
from toolreplay.stores.sqlite.opening import create_store, open_store
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.schema import refuse_other_schema

_QUICK = 797
_ASKED = 64
"""Of the changes that nothing reads, every so many-th is verified all the same."""

_DERIVED = ("meta", "node", "run", "entry", "open_call", "run_tool", "piece_use", "erased_step")

_PIECES = (detached(b"a result kept beside one"), detached(b"a result kept beside two"))

Flip = tuple[int, int]
"""An offset, and what is changed of the byte there."""


class Reads(NamedTuple):
    """What a verification may read: `evidence` by the look-ups it makes, and what is derived.

    A digest stands in the table and in its index; by which one a row is found is SQLite's to know.
    """

    evidence: tuple[object, ...]
    derived: tuple[object, ...]


class Whole(NamedTuple):
    """A store as it was, what it reads as, and what its verification came to.

    `known` are verdicts by what was read: a log that is cut in one place reads the same for each
    byte that was changed there.
    """

    files: dict[str, bytes]
    note: bytes
    reads: Reads
    verdict: Verdict
    known: dict[object, Verdict]


class Seen(NamedTuple):
    """What came of one change."""

    came: str
    problems: list[Problem]


def run(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Change each byte of the file of a closed store, and of the log of an open one."""
    random = Random(seed)
    step = _QUICK if is_quick else 1
    first = random.randrange(step)
    for name, suffix, whole in (("file", "", _closed_store()), ("log", "-wal", _open_store())):
        flips: list[Flip] = []
        for offset in range(first, len(whole.files[suffix]), step):
            flips += [(offset, 0xFF), (offset, 1 << random.randrange(8))]
        flips = [flip for flip in flips if outcome.wants(_name(name, flip))]
        counts: dict[str, int] = {}
        for flip, seen in zip(flips, _each(whole, suffix, flips), strict=True):
            counts[seen.came] = counts.get(seen.came, 0) + 1
            outcome.add(_name(name, flip), seen.problems)
        said = ", ".join(f"{count:,} {came}" for came, count in sorted(counts.items()))
        outcome.notes.append(f"{name} of {len(whole.files[suffix]):,} bytes: {said}")


def _name(name: str, flip: Flip) -> str:
    offset, mask = flip
    return f"{name} byte {offset} ^ {mask:#04x}"


def _each(whole: Whole, suffix: str, flips: list[Flip]) -> list[Seen]:
    with folders() as mine:
        for folder in mine.all:
            _write_all(folder, whole)
        return in_two(flips, lambda flip: flipped(mine(), suffix, whole, flip))


def _closed_store() -> Whole:
    """A store of twenty entries: two runs, with two pieces and two heads."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        path, key = os.path.join(folder, STORE), key_in(folder)
        create_store(path, ORIGIN, key.signer.key)
        with open_store(path, key, clock=Ticks()) as store:
            for name, piece in zip(("one", "two"), _PIECES, strict=True):
                run = RunWriter(store, name, lambda *_: None).open()
                run.both("read", b'{"n":1}', piece)
                run.both("write").gap().observe().both("third").close()
            assert store.tables.size() == 20
        return _whole(path, {"": _read(path)}, _read(key.head_path))


def _open_store() -> Whole:
    recorded: Recorded = recorded_store(Plan())
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        path = os.path.join(folder, STORE)
        files = {"": recorded.database, "-wal": recorded.log}
        for suffix, content in files.items():
            _write(path + suffix, content)
        return _whole(path, files, recorded.note)


def _whole(path: str, files: dict[str, bytes], note: bytes) -> Whole:
    reads = reads_of(path)
    assert not isinstance(reads, str), reads
    verdict = verified(path, seen=note, with_key=True)
    assert verdict.status != 2, verdict
    return Whole(files, note, reads, verdict, {})


def _write_all(folder: str, whole: Whole) -> None:
    for suffix, content in whole.files.items():
        _write(os.path.join(folder, STORE + suffix), content)


def flipped(folder: str, suffix: str, whole: Whole, flip: Flip) -> Seen:
    """Change one byte, look, and change it back. Whoever looks only reads."""
    path = os.path.join(folder, STORE)
    offset, mask = flip
    byte = whole.files[suffix][offset]
    _forget_index(path)
    _put(path + suffix, offset, byte ^ mask)
    try:
        is_asked = offset % _ASKED == 0
        return _seen(path, whole, is_log=bool(suffix), is_asked=is_asked, is_checked=mask != 0xFF)
    finally:
        _put(path + suffix, offset, byte)


def _seen(
    path: str, whole: Whole, *, is_log: bool, is_asked: bool, is_checked: bool = False
) -> Seen:
    reads = reads_of(path)
    if reads == whole.reads:
        if is_asked and verified(path, seen=whole.note, with_key=True) != whole.verdict:
            return Seen(
                "unread", [Problem(WRONG, "all reads as before, and the verdict is another")]
            )
        return Seen("unread", [])
    if is_checked and not is_asked and not is_log and isinstance(reads, Reads) and _checked(path):
        return Seen("found", [])
    verdict = whole.known.get(reads) if is_log and not is_asked else None
    if verdict is None:
        verdict = whole.known[reads] = verified(path, seen=whole.note, with_key=True)
    if verdict.status == 2:
        return Seen("unusable", [])
    added = [kind for kind in verdict.kinds if kind not in whole.verdict.kinds]
    if verdict.status == 1 and added:
        return Seen("found", [])
    if isinstance(reads, str):
        return Seen(
            "missed", [Problem(WRONG, f"not all can be read ({reads}), and nothing is found")]
        )
    if is_log and _is_shorter(reads, whole.reads):
        return Seen("shorter without a word", [])
    if reads.evidence == whole.reads.evidence and verdict == whole.verdict:
        return Seen("in derived tables alone, same report", [])
    return Seen("missed", [Problem(WRONG, "another content is read, and nothing is found")])


def _checked(path: str) -> bool:
    """Whether `store check`, which is ten times as fast as `verify`, finds something."""
    try:
        with closing(open_reader(path)) as connection:
            connection.execute("begin")
            check = LogCheck(connection, path)
            check.run(with_contents=True)
            return bool(check.faults)
    except (StoreError, sqlite3.Error):
        return False  # what that means is for `verify` to say


def _is_shorter(reads: Reads, before: Reads) -> bool:
    """Whether it is what it was, without its last entries: those that no head covers."""
    return all(
        new == old[: len(new)]
        for new, old in zip(reads.evidence, before.evidence, strict=True)
        if isinstance(new, tuple) and isinstance(old, tuple)
    )


def reads_of(path: str) -> Reads | str:
    """Read all that a verification may read, by the same look-ups; or why it cannot be read."""
    try:
        with closing(open_reader(path)) as connection:
            connection.execute("begin")
            refuse_other_schema(connection, path)
            return _reads(connection, path)
    except (StoreError, sqlite3.Error, ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


def _reads(connection: sqlite3.Connection, path: str) -> Reads:
    tables = LogTables(connection, path)
    leaves = tuple(tables.leaves(0, tables.size()))
    payloads = []
    for _, leaf, _ in leaves:
        payloads.append(tables.payload(parse_leaf(leaf).commit))
    pieces = tuple(tables.piece(bytes.fromhex(piece.described["digest"])) for piece in _PIECES)
    evidence = (tables.origin, leaves, tuple(payloads), pieces, tuple(tables.checkpoints()))
    return Reads(evidence, (*map(_read_table, (connection,) * len(_DERIVED), _DERIVED),))


def _read_table(connection: sqlite3.Connection, name: str) -> object:
    try:
        return tuple(connection.execute(f"select * from {name} order by 1, 2"))
    except sqlite3.Error as error:
        return str(error)


def _forget_index(path: str) -> None:
    for suffix in ("-shm", "-journal"):
        with suppress(FileNotFoundError):
            os.unlink(path + suffix)


def _put(path: str, offset: int, byte: int) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.pwrite(descriptor, bytes([byte]), offset)
    finally:
        os.close(descriptor)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
