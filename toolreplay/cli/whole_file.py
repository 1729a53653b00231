"""Write a file whole or not at all: under a name beside it first, then renamed over it."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import BinaryIO

from toolreplay.errors import InputError, OutputError, UsageError
from toolreplay.records.meta import meta_name

__all__ = ["WholeFile", "is_device", "is_same_file", "refuse_to_replace"]

_START_BYTES = 4096
_SIGNATURE = "\n\n\u2014 ".encode()
"""What stands in every signed note (C2SP signed-note)."""

_PROOFS = (b"c2sp.org/tlog-proof@v1\n", b"old ")
"""How proofs begin that end in a head: they can be made again."""

_MOST_PARTIALS = 1000
"""Unfinished files in one folder; two are written at a time, more were left by killed processes."""


class WholeFile:
    """A file that takes its name only when `keep` is called; until then nothing has changed.

    with WholeFile("out.jsonl") as target:
        target.file.write(b"…")
        target.keep()

    A device or pipe is written directly. Raises OutputError with the system's own words.
    """

    file: BinaryIO
    partial: str | None
    """The name it has until then; None of a device."""

    is_device: bool
    """Whether it is a device or a pipe, which has no place beside it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.partial = None

    def __enter__(self) -> "WholeFile":
        try:
            self.is_device = self._is_device()
            if self.is_device:
                self.file = open(self._name, "wb")
                return self
            self.file = os.fdopen(self._open_partial(), "wb")
        except OSError as error:
            raise OutputError(self._name, error.strerror or str(error)) from None
        except ValueError:
            raise OutputError(self._name, "is not a name a file can have") from None
        return self

    def _is_device(self) -> bool:
        """Say whether it is there and no plain file. Raises for a name that no file can have."""
        try:
            found = os.stat(self._name)
        except FileNotFoundError:
            return False
        if not stat.S_ISREG(found.st_mode):
            return True
        # /dev/stdout of a redirected command is a link to the file: renaming would replace the
        # link, for every program of the machine.
        if any(os.path.samestat(found, stream) for stream in _standard_streams()):
            raise OutputError(self._name, "is standard output or standard error already (use -o -)")
        return False

    def _open_partial(self) -> int:
        """Make the file beside, under a short name of its own: the name itself may be long."""
        folder = os.path.dirname(self._name)
        for number in range(_MOST_PARTIALS):
            partial = os.path.join(folder, f".toolreplay.{os.getpid()}.{number}.partial")
            try:
                # Mode 0666 less the umask, as any program makes files; tempfile's is private.
                descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            except FileExistsError:
                continue  # another of ours, or one that a process of this number left behind
            self.partial = partial
            return descriptor
        raise FileExistsError(errno.EEXIST, "too many unfinished files of toolreplay are beside it")

    def write(self, data: bytes) -> None:
        """Write more. Raises OutputError."""
        try:
            self.file.write(data)
        except OSError as error:
            raise OutputError(self._name, error.strerror or str(error)) from None

    def settle(self) -> None:
        """Bring what was written to the disk, so that little can fail in `keep`."""
        try:
            self.file.flush()
            if self.partial is not None:
                os.fsync(self.file.fileno())
        except OSError as error:
            raise OutputError(self._name, error.strerror or str(error)) from None

    def keep(self) -> None:
        """Make what was written the file: on disk first, then under its name."""
        self.settle()
        try:
            if self.partial is not None:
                self.file.close()
                os.replace(self.partial, self._name)
                self.partial = None
        except OSError as error:
            raise OutputError(self._name, error.strerror or str(error)) from None
        except ValueError:
            raise OutputError(self._name, "is not a name a file can have") from None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.file.close()
        except OSError:
            pass  # what could not be written is not kept, and `keep` has said so
        finally:
            if self.partial is not None:
                os.unlink(self.partial)
        if isinstance(error, OSError):
            raise OutputError(self._name, error.strerror or str(error)) from None


def _standard_streams() -> Iterator[os.stat_result]:
    for descriptor in (1, 2):
        with suppress(OSError):
            yield os.fstat(descriptor)


def is_device(name: str) -> bool:
    """Whether a name is that of a device or a pipe, which is written directly."""
    try:
        return not stat.S_ISREG(os.stat(name).st_mode)
    except (OSError, ValueError):
        return False


def is_same_file(name: str, other: str) -> bool:
    """Whether an input is the file that an output would replace, under this or another name."""
    try:
        status = os.fstat(0) if name == "-" else os.stat(name)
        return os.path.samestat(status, os.stat(other))
    except (OSError, ValueError):
        return False


def refuse_to_replace(name: str, inputs: Iterable[str | None]) -> None:
    """Raise UsageError where a file to be written is an input, or a recording that stands there.

    A report of an earlier run is replaced like any file.
    """
    # An imported transcript is read together with its companion.
    read = [place for item in inputs if item is not None for place in (item, meta_name(item))]
    for place in read:
        if is_same_file(place, name):
            raise UsageError(f"{name}: is an input, and would be replaced")
    from toolreplay.sources.folder import BESIDE
    from toolreplay.sources.head import begins_as_database

    for suffix in BESIDE:
        owner = os.path.realpath(name).removesuffix(suffix) if "\0" not in name else ""
        if owner and name.endswith(suffix) and begins_as_database(owner):
            raise UsageError(f"{name}: belongs to the store beside it")
    try:
        if not stat.S_ISREG(os.stat(name).st_mode) or not os.path.getsize(name):
            return
        with open(name, "rb") as file:
            start = file.read(_START_BYTES)
    except (OSError, ValueError):
        return
    is_head = _SIGNATURE in start and not start.startswith(_PROOFS)
    if start.startswith(b"PRIVATE+KEY+") or is_head:
        raise UsageError(f"{name}: is a private key or a signed head, and would be replaced")
    from toolreplay.records.limits import DEFAULT
    from toolreplay.sources.source import FileSource

    try:
        source = FileSource(name, DEFAULT)
    except InputError:
        return  # nothing that anybody could judge
    source.close()
    raise UsageError(f"{name}: is a recording, and would be replaced")
