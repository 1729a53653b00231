"""Output that must wait: until its count is known, or until its input has been read to the end.

Where a command ends with 2, nothing of it has been printed.
"""

from collections.abc import Iterator
from typing import BinaryIO

from toolreplay.cli.console import Console

__all__ = ["LineSpool"]

_KEPT_CHARACTERS = 4 * 1024 * 1024


class LineSpool:
    """Lines, kept in memory while they are few and in an unnamed temporary file after that."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._size = 0
        self._file: BinaryIO | None = None

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, line: str) -> None:
        """Keep one line; it is safe to print already."""
        self._lines.append(line)
        self._size += len(line)
        if self._size > _KEPT_CHARACTERS:
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

    def write_to(self, console: Console) -> None:
        """Print all lines in the order they came."""
        if self._file is not None:
            self._file.seek(0)
            while piece := self._file.read(1 << 20):
                console.write_bytes(piece)
        console.write_lines(self._lines)

    def _spill(self) -> None:
        if self._file is None:
            from tempfile import TemporaryFile

            self._file = TemporaryFile("w+b")  # noqa: SIM115 - closed in __del__
        self._file.write("".join(f"{line}\n" for line in self._lines).encode("utf-8"))
        self._lines.clear()
        self._size = 0
