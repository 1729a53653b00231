"""Spools: findings and lines, however many there are.

An audit may remember digests; the findings of a hostile run, and the lines about ten thousand
inputs, can be many times that. Beyond a few megabytes they wait in an unnamed temporary file.
"""

from array import array
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import BinaryIO

from toolreplay.errors import OutputError
from toolreplay.findings.finding import Finding, in_order, place_in_order

__all__ = ["FindingSpool", "LineSpool"]

_CHUNK = 4096
"""Findings kept in memory, some four megabytes; a real run has fewer than this."""

_MOST_CHARACTERS = 256 * 1024
"""Characters of lines kept in memory."""

_BLOCK = 64
"""Findings read at once from each chunk: a million findings make 245 chunks."""


class FindingSpool(Collection[Finding]):
    """Findings, taken as they come and given back by index, then kind.

    They are sorted in chunks, which are merged when they are read.

    `kinds` are those of which one is kept.
    """

    def __init__(self) -> None:
        self._kept: list[Finding] = []
        self._file: BinaryIO | None = None
        self._chunks: list[array[int]] = []
        self._count = 0
        self.kinds: set[str] = set()

    def add(self, finding: Finding) -> None:
        """Keep one finding."""
        self._kept.append(finding)
        self._count += 1
        self.kinds.add(finding.kind)
        if len(self._kept) > _CHUNK:
            self._spill()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Finding]:
        if not self._chunks:
            return iter(in_order(self._kept))
        from heapq import merge

        chunks = [self._read(starts) for starts in self._chunks]
        return merge(*chunks, in_order(self._kept), key=place_in_order)

    def __contains__(self, item: object) -> bool:
        return any(finding == item for finding in self)

    def __del__(self) -> None:
        if self._file is not None:
            with suppress(OSError):  # closing writes what is left, and the disk may be full
                self._file.close()

    def in_order(self) -> Collection[Finding]:
        """Return the findings in order: a list while they are few, else this spool."""
        return self if self._chunks else in_order(self._kept)

    def _spill(self) -> None:
        # Loaded by the one run in a thousand that needs them.
        import pickle

        if self._file is None:
            from tempfile import TemporaryFile

            self._file = TemporaryFile("w+b")  # noqa: SIM115 - closed in __del__
        ordered = in_order(self._kept)
        starts = array("Q", [self._file.seek(0, 2)])
        for at in range(0, len(ordered), _BLOCK):
            self._file.write(pickle.dumps(ordered[at : at + _BLOCK], pickle.HIGHEST_PROTOCOL))
            starts.append(self._file.tell())
        self._chunks.append(starts)
        self._kept.clear()

    def _read(self, starts: "array[int]") -> Iterator[Finding]:
        import pickle

        assert self._file is not None
        for at in range(len(starts) - 1):
            self._file.seek(starts[at])
            # Nobody else can have written to a file that has no name.
            yield from pickle.loads(self._file.read(starts[at + 1] - starts[at]))  # noqa: S301


class LineSpool:
    """Lines, kept in memory while they are few and in an unnamed temporary file after that."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._size = 0
        self._file: BinaryIO | None = None

    def __del__(self) -> None:
        if self._file is not None:
            with suppress(OSError):  # closing writes what is left, and the disk may be full
                self._file.close()

    def add(self, line: str) -> None:
        """Keep one line; it is safe to print already."""
        self._lines.append(line)
        self._size += len(line)
        if self._size > _MOST_CHARACTERS:
            self._spill()

    def take(self, other: "LineSpool", separator: str = "") -> None:
        """Append the lines of another spool, each but the last with a separator behind it."""
        waiting: str | None = None
        for line in other.lines():
            if waiting is not None:
                self.add(waiting + separator)
            waiting = line
        if waiting is not None:
            self.add(waiting)

    def lines(self) -> Iterator[str]:
        """Yield all lines in the order they came, without line ending."""
        if self._file is not None:
            self._file.seek(0)
            for line in self._file:
                yield line[:-1].decode("utf-8")
            self._file.seek(0, 2)
        yield from self._lines

    def _spill(self) -> None:
        if self._file is None:
            from tempfile import TemporaryFile

            self._file = TemporaryFile("w+b")  # noqa: SIM115 - closed in __del__
        try:
            self._file.write("".join(f"{line}\n" for line in self._lines).encode("utf-8"))
        except OSError as error:
            place = "a temporary file (TMPDIR chooses its folder)"
            raise OutputError(place, error.strerror or str(error)) from None
        self._lines.clear()
        self._size = 0
