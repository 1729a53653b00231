"""A disk that forgets: files as a loss of power may leave them, from a trace of what was written.

What was written to a file before its last sync is there. Of what was written since, each piece is
there or not, whole or by sectors, in whatever order; where a file was made longer, its new bytes
may be zeros or rubbish. The same holds for names until their folder was synced.
"""

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

__all__ = ["TRACED", "Operation", "operations_of", "rebuilt"]

TRACED = (
    "-a", "1", "-xx", "-s", "1048576",
    "-e", "trace=openat,pwrite64,write,writev,ftruncate,rename,link,unlink,fsync,fdatasync,close",
)  # fmt: skip

_SECTOR = 512
_FOLDER = -1
_TEXT = r'"((?:\\x[0-9a-f]{2})*)"'
_OPEN = re.compile(rf"openat\(AT_FDCWD, {_TEXT}, ([A-Z_|]+)(?:, 0\d+)?\) = (\d+)$")
_WRITE = re.compile(rf"(p?write)(?:64)?\((\d+), {_TEXT}, \d+(?:, (\d+))?\) = (\d+)$")
_TOLD = re.compile(rf"writev\((\d+), \[{{iov_base={_TEXT}, iov_len=\d+}}\], 1\) = \d+$")
_TRUNCATE = re.compile(r"ftruncate\((\d+), (\d+)\) = 0$")
_NAMES = re.compile(rf"(rename|link|unlink)\({_TEXT}(?:, {_TEXT})?\) = 0$")
_SYNC = re.compile(r"(?:fsync|fdatasync)\((\d+)\) = 0$")
_CLOSE = re.compile(r"close\((\d+)\) = 0$")
_CHANGING = ("pwrite", "write", "rename", "link(", "unlink", "ftrunc")

Names = tuple[tuple[str, int | None], ...]


class Operation(NamedTuple):
    """One thing done to the folder.

    `what` is write, truncate (to `offset` bytes), sync, names (what each name means from now on,
    at once) or told (what was acknowledged, on another disk). `file` numbers the files as they
    were made; the folder itself is -1.
    """

    what: str
    file: int = _FOLDER
    offset: int = 0
    data: bytes = b""
    names: Names = ()


def operations_of(trace: str, folder: str, told: str) -> list[Operation]:
    """Read a trace (made with TRACED) of what was done in a folder; `told` is the diary's name."""
    return list(_Reader(folder, told).read(trace))


class _Reader:
    """Follows names and descriptors. `mmap`ed index files (-shm) are made again after a crash."""

    def __init__(self, folder: str, told: str) -> None:
        self._prefix, self._told = folder + "/", told
        self._folder = folder
        self._names: dict[str, int] = {}
        self._sizes: list[int] = []
        self._open: dict[int, tuple[str, int]] = {}
        self._places: dict[int, int] = {}

    def read(self, trace: str) -> Iterator[Operation]:
        for line in trace.splitlines():
            if found := _OPEN.match(line):
                yield from self._opened(_text(found[1]), found[2].split("|"), int(found[3]))
            elif found := _CLOSE.match(line):
                self._open.pop(int(found[1]), None)
            elif found := _NAMES.match(line):
                yield from self._named(found[1], _text(found[2]), _text(found[3] or ""))
            elif found := _SYNC.match(line):
                if int(found[1]) in self._open:
                    yield Operation("sync", self._open[int(found[1])][1])
            elif found := _TRUNCATE.match(line):
                if self._is_kept(int(found[1])):
                    file = self._open[int(found[1])][1]
                    self._sizes[file] = int(found[2])
                    yield Operation("truncate", file, int(found[2]))
            elif found := _WRITE.match(line):
                yield from self._written(int(found[2]), _data(found[3]), found[4])
            elif found := _TOLD.match(line):
                yield Operation("told", data=_data(found[2]))
            elif line.startswith(_CHANGING) and ") = -1 " not in line:
                raise ValueError(f"a call that is not understood: {line[:200]}")

    def _is_kept(self, number: int) -> bool:
        return number in self._open and not self._open[number][0].endswith("-shm")

    def _opened(self, path: str, flags: Sequence[str], number: int) -> Iterator[Operation]:
        self._places[number] = 0
        if path == self._folder:
            self._open[number] = ("", _FOLDER)
        elif path.startswith(self._prefix):
            name = path.removeprefix(self._prefix)
            if name not in self._names:
                self._names[name] = len(self._sizes)
                self._sizes.append(0)
                if name != self._told and not name.endswith("-shm"):
                    yield Operation("names", names=((name, self._names[name]),))
            file = self._names[name]
            self._open[number] = (name, file)
            if "O_TRUNC" in flags and self._sizes[file]:
                self._sizes[file] = 0
                yield Operation("truncate", file, 0)

    def _named(self, call: str, path: str, other: str) -> Iterator[Operation]:
        if not path.startswith(self._prefix):
            return
        name, new = path.removeprefix(self._prefix), other.removeprefix(self._prefix)
        file = self._names[name] if call == "link" else self._names.pop(name)
        names: Names = ((name, None),) if call != "link" else ()
        if new:
            self._names[new] = file
            names = (*names, (new, file))
        if not name.endswith("-shm"):
            yield Operation("names", names=names)

    def _written(self, number: int, data: bytes, offset: str | None) -> Iterator[Operation]:
        if not self._is_kept(number):
            return
        file = self._open[number][1]
        place = int(offset) if offset is not None else self._places[number]
        if offset is None:
            self._places[number] += len(data)
        self._sizes[file] = max(self._sizes[file], place + len(data))
        yield Operation("write", file, place, data)


def rebuilt(operations: Sequence[Operation], random: Random) -> dict[str, bytes]:
    """Return the files, by name, that a loss of power after these operations may leave."""
    files: dict[int, bytearray] = {}
    pending: dict[int, list[Operation]] = {}
    names: dict[str, int] = {}
    unsynced: list[Operation] = []
    for operation in operations:
        if operation.what in ("write", "truncate"):
            pending.setdefault(operation.file, []).append(operation)
        elif operation.what == "names":
            unsynced.append(operation)
        elif operation.what == "sync" and operation.file == _FOLDER:
            for done in unsynced:
                _rename(names, done)
            unsynced = []
        elif operation.what == "sync":
            for done in pending.pop(operation.file, []):
                _apply(files, done, bytes)
    for done in _some(unsynced, random):
        _rename(names, done)
    for file, left in pending.items():
        _forget(files, file, left, random)
    return {name: bytes(files.get(file, b"")) for name, file in names.items()}


def _forget(
    files: dict[int, bytearray], file: int, left: Sequence[Operation], random: Random
) -> None:
    """Apply some of what was not synced."""
    fill = bytes if random.random() < 0.7 else random.randbytes
    by_sector = random.random() < 0.5
    end = max(operation.offset + len(operation.data) for operation in left)
    for operation in _some([piece for one in left for piece in _pieces(one, by_sector)], random):
        _apply(files, operation, fill)
    content = files.setdefault(file, bytearray())
    if len(content) < end and random.random() < 0.3:
        content += fill(end - len(content))


def _some(items: Sequence[Operation], random: Random) -> list[Operation]:
    """Return none, few, half, most or all of them, or the first of them; in order."""
    share = random.choice((0.0, 0.1, 0.5, 0.9, 1.0, -1.0))
    if share < 0:
        return list(items[: random.randint(0, len(items))])
    return [item for item in items if random.random() < share]


def _pieces(operation: Operation, by_sector: bool) -> Iterator[Operation]:
    if operation.what != "write" or not by_sector:
        yield operation
        return
    start, end = operation.offset, operation.offset + len(operation.data)
    for first in range(start - start % _SECTOR, end, _SECTOR):
        low, high = max(first, start), min(first + _SECTOR, end)
        yield operation._replace(offset=low, data=operation.data[low - start : high - start])


def _apply(files: dict[int, bytearray], operation: Operation, fill: object) -> None:
    content = files.setdefault(operation.file, bytearray())
    missing = operation.offset - len(content)
    if missing > 0:
        content += fill(missing)  # type: ignore[operator]
    if operation.what == "truncate":
        del content[operation.offset :]
    else:
        content[operation.offset : operation.offset + len(operation.data)] = operation.data


def _rename(names: dict[str, int], operation: Operation) -> None:
    for name, file in operation.names:
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file


def _data(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _text(text: str) -> str:
    return _data(text).decode()
