"""Hand on what a command prints, byte for byte and at once, and keep the beginning of it."""

import errno
import os
import threading
from typing import NamedTuple

__all__ = ["KEPT_BYTES", "Printed", "Tee"]

KEPT_BYTES = 1 << 20
"""Bytes of each stream that are kept at most. Both streams, every byte of them spelt as six
characters of JSON, still make a result that fits into one line of a transcript (16 MiB)."""

_LONGEST_WORD = 1 << 16
"""A longer stream is cut behind a blank, so far back at most: half a credential is not recognised as
one, and would be kept."""

_CHUNK = 1 << 16


class Printed(NamedTuple):
    """What a command printed to one stream: the first bytes, and how much there was in all.

    There is no digest of all of it: who knows the rest could guess from it what was hidden.
    `is_whole` is False where the stream was left before its end.
    """

    kept: bytes
    length: int
    is_whole: bool

    @property
    def is_cut(self) -> bool:
        """Whether there was, or may have been, more than what is kept."""
        return not self.is_whole or self.length > len(self.kept)


class Tee(threading.Thread):
    """Copies a pipe to a descriptor until the pipe ends or nobody takes the bytes any more.

    In the second case the pipe is closed, so that the command is told as it would have been.
    """

    def __init__(self, source: int, target: int) -> None:
        super().__init__(daemon=True)
        self._source, self._target = source, target
        self._lock = threading.Lock()
        self._kept = bytearray()
        self._length = 0
        self._is_whole = False

    def run(self) -> None:
        """Copy; the thread's own work."""
        try:
            while chunk := os.read(self._source, _CHUNK):
                self._keep(chunk)
                _write_all(self._target, chunk)
            with self._lock:
                self._is_whole = True
        except OSError:
            pass  # whoever reads went away, or the disk is full
        finally:
            os.close(self._source)

    def printed(self) -> Printed:
        """Return what came so far."""
        with self._lock:
            kept = bytes(self._kept)
            if self._length > len(kept) or not self._is_whole:
                kept = _up_to_a_blank(kept)
            return Printed(kept, self._length, self._is_whole)

    def _keep(self, chunk: bytes) -> None:
        with self._lock:
            self._length += len(chunk)
            self._kept += chunk[: KEPT_BYTES - len(self._kept)]


def _up_to_a_blank(data: bytes) -> bytes:
    tail = data[-_LONGEST_WORD:]
    return data[: len(data) - len(tail) + max(map(tail.rfind, (b" ", b"\t", b"\n"))) + 1]


def _write_all(target: int, chunk: bytes) -> None:
    left = memoryview(chunk)
    while left:
        try:
            left = left[os.write(target, left) :]
        except OSError as error:
            if error.errno != errno.EAGAIN:
                raise
            _wait_for(target)


def _wait_for(target: int) -> None:
    """Wait until a descriptor that somebody made non-blocking takes bytes again."""
    import select

    poll = select.poll()
    poll.register(target, select.POLLOUT)
    poll.poll()
