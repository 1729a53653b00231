"""The two streams: bytes out in UTF-8 whatever the locale, errors as one escaped line."""

import errno
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import BinaryIO

from toolreplay.errors import OutputError

TYPE_CHECKING = False  # most commands show no progress
if TYPE_CHECKING:
    from toolreplay.cli.progress import Progress

__all__ = ["Console", "KeptConsole"]


class Console:
    """Standard output and standard error of one command.

    A reader that goes away ends the output quietly: the exit status stays the one the command
    earned.
    """

    def __init__(self) -> None:
        self._broken = False
        self._progress: Progress | None = None

    def show_progress(self, *, asked: bool = False) -> bool:
        """Show progress from now on, if a person at a terminal sees it or it was asked for."""
        if sys.stderr is None or not (asked or sys.stderr.isatty()):
            return False
        from toolreplay.cli.progress import Progress

        self._progress = Progress(sys.stderr)
        return True

    def progress(self, text: str) -> None:
        """Say how far it is; without `show_progress` nobody hears it."""
        if self._progress is not None:
            self._progress.say(text)

    def _clear_progress(self) -> None:
        if self._progress is not None:
            self._progress.clear()

    def write(self, text: str) -> None:
        """Print text that is safe already (see reports/lines.py)."""
        self.write_bytes(text.encode("utf-8"))

    def write_lines(self, lines: Iterable[str]) -> None:
        """Print lines, each with its line ending."""
        from toolreplay.reports.lines import encoded

        for piece in encoded(lines):
            self.write_bytes(piece)

    def write_bytes(self, data: bytes) -> None:
        """Print bytes. Raises OutputError when standard output cannot take them (a full disk)."""
        if self._broken or not data:
            return
        self._clear_progress()
        if sys.stdout is None:  # the interpreter's own sign: it was closed before the start
            raise OutputError("standard output", "is closed")
        try:
            _write_all(sys.stdout.buffer, data)
        except BrokenPipeError:
            self._let_go()
        except OSError as error:
            raise OutputError("standard output", error.strerror or str(error)) from None

    def note(self, text: str) -> None:
        """Print one line to standard error, after what was printed before it."""
        from toolreplay.reports.lines import escaped

        self._clear_progress()
        with suppress(OutputError):  # what cannot be written waits, and the last flush says so
            self.flush()
        try:
            _write_all(sys.stderr.buffer, f"{escaped(text)}\n".encode())
            sys.stderr.buffer.flush()
        except AttributeError:
            pass  # it was closed before the start: nobody is there to read it
        except OSError:
            _discard(sys.stderr.fileno())

    def fail(self, text: str) -> int:
        """Print one line that says why the command could not run; return its status, 2."""
        if len(text) > 2000:
            text = text[:2000] + "…"
        self.note(f"error: {text}")
        return 2

    def flush(self) -> None:
        """Hand on what was printed. Raises OutputError as `write_bytes` does."""
        if self._broken or sys.stdout is None:
            return
        try:
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            self._let_go()
        except OSError as error:
            raise OutputError("standard output", error.strerror or str(error)) from None

    def close(self) -> None:
        """Leave nothing for the interpreter to flush, which would complain and exit with 120."""
        self._clear_progress()
        try:
            self.flush()
        except OutputError:
            self._let_go()

    def _let_go(self) -> None:
        self._broken = True
        _discard(sys.stdout.fileno())


class KeptConsole(Console):
    """Keeps what a command prints, for a command that runs others and looks at what they print."""

    def __init__(self) -> None:
        super().__init__()
        self.out = bytearray()
        self.err = bytearray()

    def write_bytes(self, data: bytes) -> None:
        """Keep bytes of standard output."""
        self.out += data

    def note(self, text: str) -> None:
        """Keep one line of standard error."""
        from toolreplay.reports.lines import escaped

        self.err += f"{escaped(text)}\n".encode()

    def flush(self) -> None:
        """Nothing waits to be handed on."""


def _write_all(stream: BinaryIO, data: bytes) -> None:
    """Write everything: a stream without a buffer (PYTHONUNBUFFERED) may take a part only."""
    left = memoryview(data)
    while left:
        taken = stream.write(left)
        if not taken:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        left = left[taken:]


def _discard(descriptor: int) -> None:
    """Lead what is still waiting for a stream to nowhere."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    os.close(null)
