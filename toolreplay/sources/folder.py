"""Which files a command line means: several inputs and folders, in one fixed order."""

import os
import re
from collections.abc import Callable, Iterator, Sequence

from toolreplay.errors import InputError, UsageError
from toolreplay.sources.head import begins_as_database
from toolreplay.sources.naming import split_run
from toolreplay.sources.recognise import NotRecognisedError

BESIDE = ("-wal", "-shm", "-journal", "-state", ".lock")
"""How the names of files end that SQLite, a store and whoever remembers heads keep beside a file."""

__all__ = ["BESIDE", "files_of", "is_many", "refuse_other_inputs", "refuse_unfinished"]


def is_many(names: Sequence[str]) -> bool:
    """Whether the inputs are more than one file: totals are reported then."""
    return len(names) > 1 or any(name != "-" and os.path.isdir(name) for name in names)


def files_of(
    names: Sequence[str], closed: Callable[[InputError], None] | None = None
) -> Iterator[tuple[str, bool]]:
    """Yield (file, whether it was found in a folder), in byte order of the paths.

    Folders are walked all the way down, links in them are not followed. A folder that cannot be
    listed is told to `closed`, and raised without it. Raises InputError for a name that no file
    can have and UsageError for what cannot be an input.
    """
    for name in names:
        refuse_other_inputs(name)
    walked: list[str] = []
    for name in sorted(set(names), key=_named_bytes):
        # What a folder before it holds has been yielded: a file is judged once.
        path = os.path.realpath(name)
        if name != "-" and any(f"{path}{os.sep}".startswith(folder) for folder in walked):
            continue
        if name != "-" and os.path.isdir(name):
            walked.append(os.path.join(path, ""))
            for file in _walk(name, closed):
                yield file, True
        else:
            yield name, False


def refuse_other_inputs(name: str) -> None:
    """Raise for a name that can be no input, as a URL; whether it is there is seen later."""
    if name.startswith(("http://", "https://")):
        raise UsageError(f"{name}: a URL is never fetched; give a file")
    if not _can_be_a_name(name):
        raise InputError(name, "is not a name a file can have")
    path, run = split_run(name)
    if run is not None and not os.path.lexists(path):
        raise InputError(path, "is not there")


def _can_be_a_name(name: str) -> bool:
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False


def _walk(folder: str, closed: Callable[[InputError], None] | None) -> Iterator[str]:
    """Yield the regular files below a folder by byte order of their path."""
    # No recursion: a path may have more levels than the interpreter's stack.
    waiting = [(folder, True)]
    while waiting:
        path, is_folder = waiting.pop()
        if not is_folder:
            yield path
            continue
        try:
            with os.scandir(path) as found:
                entries = list(found)
        except OSError as error:
            refusal = InputError(path, error.strerror or str(error))
            if closed is None:
                raise refusal from None
            closed(refusal)
            continue
        # A folder sorts as its path with the separator, as all paths below it begin.
        for entry in sorted(entries, key=_path_bytes, reverse=True):
            if entry.is_symlink() or not (entry.is_dir() or entry.is_file()):
                continue
            if entry.is_dir() or not _stands_beside(entry):
                waiting.append((entry.path, entry.is_dir()))


def _stands_beside(entry: "os.DirEntry[str]") -> bool:
    """Whether a file belongs to a store or a head file beside it, and is no input of its own."""
    for suffix in BESIDE:
        owner = entry.path.removesuffix(suffix)
        if owner != entry.path:
            if suffix == ".lock":
                return entry.stat().st_size == 0 and os.path.isfile(owner)
            return begins_as_database(owner)
    return False


def refuse_unfinished(name: str) -> None:
    """Raise NotRecognisedError for what a writer that was killed has left in a folder.

    It is counted like any file that cannot be read: no name may hide a run.
    """
    if re.fullmatch(r"\.toolreplay\.[0-9]+\.[0-9]+\.partial", os.path.basename(name)):
        raise NotRecognisedError(name, "is what an interrupted toolreplay has left unfinished")


def _named_bytes(name: str) -> bytes:
    """Sort a folder as the paths below it begin, so that its files stand where they belong."""
    return os.fsencode(os.path.join(name, "") if name != "-" and os.path.isdir(name) else name)


def _path_bytes(entry: os.DirEntry[str]) -> bytes:
    return os.fsencode(entry.path + os.sep if entry.is_dir(follow_symlinks=False) else entry.path)
