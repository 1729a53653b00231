"""Open an input: a path or `-`, plain or compressed; the bytes decide, never the name.

`open_stream` reads once, from start to end. `open_seekable` gives a file that can be read again:
what cannot seek (standard input, a pipe, a compressed file) is copied to an unnamed temporary
file first, up to the limit on expanded bytes.
"""

import io
import os
import stat
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple

from toolreplay.errors import InputError, MissingExtraError
from toolreplay.records.jsonl import line_too_long
from toolreplay.records.limits import DEFAULT, Limits

__all__ = [
    "Opened",
    "open_seekable",
    "open_standard_input",
    "open_stream",
    "plain_name",
    "raw_of",
    "shown_name",
]

_GZIP = b"\x1f\x8b"
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_COPY_BYTES = 1 << 20
_FED_BYTES = 256
"""Compressed bytes handed on at once: four can expand to 128 KiB, so that these stay at 8 MiB."""


class Opened(NamedTuple):
    """An open input. `name` is as the user gave it; `raw` reads bytes again where it can seek."""

    name: str
    file: BinaryIO
    raw: Callable[[int, int], bytes] | None


def plain_name(name: str) -> str:
    """Return the base name without suffixes that only say how it is packed; `-` stays `-`."""
    base = os.path.basename(name.rstrip("/")) or name
    for suffix in (".gz", ".zst"):
        base = base.removesuffix(suffix)
    stem, dot, _ = base.rpartition(".")
    return stem if dot and stem else base


def shown_name(name: str) -> str:
    """Return a name as its bytes read in UTF-8, whatever the locale has made of them.

    A report must not differ from machine to machine; opening takes the name as it was given.
    """
    try:
        return os.fsencode(name).decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name


def open_stream(name: str, limits: Limits = DEFAULT) -> Opened:
    """Open an input to read it once. Raises InputError with the system's own words."""
    file = _open(name)
    start = _start_of(file, name)
    expanded = _expanded(start, file, name)
    if expanded is None:
        return Opened(name, file, raw_of(file))
    bounded = _BoundedReader(expanded[0], limits.expanded_bytes, name, expanded[1])
    return Opened(name, io.BufferedReader(bounded, _COPY_BYTES), None)


def open_seekable(name: str, limits: Limits = DEFAULT) -> Opened:
    """Open an input so that it can be read again. Raises InputError."""
    opened = open_stream(name, limits)
    # A shell may hand over a file half read: what was read before is not ours.
    if opened.raw is not None and not opened.file.tell():
        return opened
    from tempfile import TemporaryFile

    copy = TemporaryFile("w+b")  # noqa: SIM115 - lives as long as the input is read
    source = opened.file
    if not isinstance(getattr(source, "raw", None), _BoundedReader):
        source = io.BufferedReader(_BoundedReader(source, limits.expanded_bytes, name), _COPY_BYTES)
    line, line_bytes = 1, 0
    while piece := source.read(_COPY_BYTES):
        # Seen here, a small file that expands to one endless line costs no disk.
        first, end, _ = piece.partition(b"\n")
        if line_bytes + len(first) > limits.line_bytes + 1:
            raise line_too_long(line, limits)
        line += piece.count(b"\n")
        line_bytes = len(piece) - piece.rfind(b"\n") - 1 if end else line_bytes + len(piece)
        copy.write(piece)
    copy.seek(0)
    return Opened(name, copy, raw_of(copy))


def open_standard_input() -> BinaryIO:
    """Open standard input. Another process may have set it not to wait, and then "nothing yet"

    would read as its end.
    """
    if hasattr(os, "set_blocking"):
        os.set_blocking(0, True)
    return open(0, "rb", _COPY_BYTES, closefd=False)


def _open(name: str) -> BinaryIO:
    try:
        if name == "-":
            return open_standard_input()
        if os.path.isdir(name):
            raise InputError(name, "is a folder (see: toolreplay audit)")
        return open(name, "rb", _COPY_BYTES)
    except OSError as error:
        raise InputError(name, error.strerror or str(error)) from None
    except ValueError:
        raise InputError(name, "is not a name a file can have") from None


def _start_of(file: BinaryIO, name: str) -> bytes:
    assert isinstance(file, io.BufferedReader)
    try:
        return file.peek(len(_ZSTANDARD))[: len(_ZSTANDARD)]
    except OSError as error:
        raise InputError(name, error.strerror or str(error)) from None


def raw_of(file: BinaryIO) -> Callable[[int, int], bytes] | None:
    """Return what reads bytes of a regular file again, None where it cannot."""
    try:
        regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except OSError:
        return None
    if not regular or not hasattr(os, "pread"):
        return None
    # Places count from the start of what is read: a shell may hand over a file half read.
    origin = file.tell()

    def raw(start: int, end: int) -> bytes:
        # Through the file, which stays open as long as somebody may read it again.
        return os.pread(file.fileno(), end - start, origin + start)

    return raw


def _expanded(
    start: bytes, file: BinaryIO, name: str
) -> tuple[BinaryIO, tuple[type[Exception], ...]] | None:
    """Return a reader of the expanded bytes and what it raises on a broken file, or None."""
    if start.startswith(_GZIP):
        import gzip
        import zlib

        return gzip.GzipFile(fileobj=file, mode="rb"), (zlib.error,)  # type: ignore[return-value]
    if start == _ZSTANDARD:
        try:
            import zstandard
        except ImportError:
            # About this input: of several, the others can be read all the same.
            raise InputError(name, str(MissingExtraError("a Zstandard file", "zstd"))) from None
        frames = _ZstandardFrames(file, zstandard.ZstdDecompressor().decompressobj)
        return frames, (zstandard.ZstdError,)  # type: ignore[return-value]
    return None


class _ZstandardFrames:
    """Reads frame after frame; one that is cut off raises EOFError, as gzip does.

    The package's own stream reader takes a frame without its end for the end of the input.
    """

    def __init__(self, file: BinaryIO, new_frame: Callable[[], Any]) -> None:
        self._file = file
        self._new_frame = new_frame
        self._frame: Any = None
        self._unused = b""
        self._ready = b""

    def read(self, size: int) -> bytes:
        """Return up to that many expanded bytes; none at the end."""
        while not self._ready:
            piece = self._unused or self._file.read(_FED_BYTES)
            if not piece:
                if self._frame is not None:
                    raise EOFError
                return b""
            if self._frame is None:
                self._frame = self._new_frame()
            self._ready = self._frame.decompress(piece)
            self._unused = b""
            if self._frame.eof:
                self._unused = self._frame.unused_data
                self._frame = None
        piece, self._ready = self._ready[:size], self._ready[size:]
        return piece


class _BoundedReader(io.RawIOBase):
    """Reads from another file, up to a limit, and turns its failures into one line."""

    def __init__(
        self, source: BinaryIO, most: int, name: str, failures: tuple[type[Exception], ...] = ()
    ) -> None:
        self._source = source
        self._left = most
        self._most = most
        self._name = name
        self._failures: tuple[type[Exception], ...] = (OSError, *failures)

    def readable(self) -> bool:
        """Say that this can be read."""
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        """Fill the buffer with what comes next."""
        try:
            piece = self._source.read(len(buffer))
        except EOFError:
            raise InputError(self._name, "the compressed file ends too early") from None
        except self._failures as error:
            raise InputError(self._name, f"cannot be read: {error}") from None
        self._left -= len(piece)
        if self._left < 0:
            raise InputError(
                self._name,
                f"is larger than {self._most} bytes once read or expanded "
                "(--max-expanded-bytes raises the limit)",
            )
        buffer[: len(piece)] = piece
        return len(piece)
