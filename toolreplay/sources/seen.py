"""The heads of logs that were seen before: a file for each log, which only grows.

It holds the note of the last head that was verified. Read and written only for heads that a key has
signed which somebody gave; whoever compares asks for both (evidence/tlog/standing.py). A new head
replaces the file at once: a name beside it, brought to the disk, renamed, and the folder brought to
the disk too. Two that do so wait for each other at `FILE.lock`, which is never removed.
"""

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256

from toolreplay.errors import InputError, OutputError
from toolreplay.evidence.tlog.note import NOTE_BYTES
from toolreplay.evidence.tlog.standing import Learned, Remembered
from toolreplay.sources.opening import shown_name

__all__ = ["SeenHeads", "seen_folder"]

_MOST_PROOFS = 1000


def seen_folder(environment: Mapping[str, str]) -> str | None:
    """Return where heads are remembered where nobody says (XDG Base Directory, state).

    None where no absolute folder is known.
    """
    state = environment.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):
        home = environment.get("HOME", "")
        if not os.path.isabs(home):
            return None
        state = os.path.join(home, ".local", "state")
    return os.path.join(state, "toolreplay", "seen")


class SeenHeads:
    """A memory of heads (see Memory): in one file, else in a file for each log below a folder.

    A file that was named must be writable; where the folder is not, nothing is remembered and a
    line says so.
    """

    def __init__(self, file: str | None, folder: str | None) -> None:
        self._file = file
        self._folder = folder
        self._lock: int | None = None
        self._failure = "" if file or folder else "neither XDG_STATE_HOME nor HOME is a folder"

    def name_of(self, origin: str) -> str | None:
        """Return the file of a log."""
        if self._file is not None or self._folder is None:
            return self._file
        return os.path.join(self._folder, sha256(origin.encode("utf-8")).hexdigest())

    def recall(self, origin: str) -> Remembered | None:
        """Return what is remembered of a log. Raises InputError for what cannot be read."""
        self.release()
        return self._read(origin)

    def _read(self, origin: str) -> Remembered | None:
        name = self.name_of(origin)
        if name is None:
            return None
        try:
            if not stat.S_ISREG(os.stat(name).st_mode):
                raise InputError(name, "is no file in which a head can be remembered")
            with open(name, "rb") as file:
                data = file.read(NOTE_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise InputError(name, error.strerror or str(error)) from None
        except ValueError:
            raise InputError(name, "is not a name a file can have") from None
        return Remembered(data, shown_name(name))

    def hold(self, origin: str) -> Remembered | None:
        """Return the same while nobody else can replace it, until `learn` or `release`."""
        name = self.name_of(origin)
        if name is not None:
            try:
                if self._file is None:
                    os.makedirs(os.path.dirname(name), mode=0o700, exist_ok=True)
                self._lock = os.open(f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                _wait_for(self._lock)
            except OSError as error:
                self._failure = error.strerror or str(error)
        return self._read(origin)

    def learn(self, learned: Learned) -> str:
        """Remember a head that was held for, and return the line that says so.

        Raises OutputError for a file that was named and cannot be written.
        """
        origin, size = learned.head.origin, learned.head.size
        name = self.name_of(origin)
        try:
            if not self._failure and name is not None:
                _replace(name, learned.note)
        except OSError as error:
            self._failure = error.strerror or str(error)
        finally:
            self.release()
        if not self._failure:
            return f"remembered: {origin}, size {size}, in {shown_name(name or '')}"
        if self._file is not None:
            raise OutputError(shown_name(self._file), self._failure)
        where = f" in {shown_name(name)}" if name is not None else ""
        return f"not remembered{where}: {self._failure} (--seen FILE, or --seen none)"

    def release(self) -> None:
        """Let others go on."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def keep_proof(self, origin: str, data: bytes, file: str | None) -> str:
        """Write a proof to a file that is not there yet, and return its name.

        Without a file it stands beside the memory; one that stands there already is written once.
        Raises OutputError.
        """
        base = self.name_of(origin)
        names = [file] if file is not None else []
        if file is None and base is not None:
            names = [f"{base}.two-histories-{number}" for number in range(1, _MOST_PROOFS)]
        for name in names:
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
                with os.fdopen(os.open(name, flags, 0o644), "wb") as target:
                    target.write(data)
                    target.flush()
                    os.fsync(target.fileno())
            except FileExistsError:
                if _holds(name, data):
                    return shown_name(name)
            except (OSError, ValueError) as error:
                what = getattr(error, "strerror", None) or str(error)
                raise OutputError(shown_name(name), what) from None
            else:
                return shown_name(name)
        raise OutputError(
            shown_name(names[0] if names else "--proof"), "is there already, with other bytes"
        )


def _replace(name: str, data: bytes) -> None:
    """Put bytes in the place of a file, so that a crash leaves the old or the new ones."""
    folder = os.path.dirname(name) or "."
    partial = f"{name}.{os.getpid()}.partial"
    with suppress(FileNotFoundError):
        os.unlink(partial)  # left behind by a process of the same number: the lock is ours
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, name)
    except OSError:
        with suppress(OSError):
            os.unlink(partial)
        raise
    opened = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _wait_for(descriptor: int) -> None:
    """Wait until no other process holds the lock; where there are no such locks, go on."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)


def _holds(name: str, data: bytes) -> bool:
    try:
        with open(name, "rb") as file:
            return file.read(len(data) + 1) == data
    except OSError:
        return False
