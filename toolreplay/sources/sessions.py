"""Find the sessions that agent programs keep on this machine, where each importer says."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records.limits import DEFAULT
from toolreplay.sources.folder import files_of
from toolreplay.sources.source import FileSource

__all__ = ["SessionFile", "count_calls", "session_files", "session_folders"]


class SessionFile(NamedTuple):
    """A session on disk: when it was last written (seconds since 1970), and its bytes."""

    form: str
    file: str
    changed: float
    size: int


def session_folders(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (format, folder) for each place where a host keeps sessions, existing or not."""
    folders = []
    for name in extensions_of("importers"):
        for variable, below in getattr(load_extension("importers", name), "SESSION_FOLDERS", ()):
            if environment.get(variable):
                folders.append((name, os.path.join(environment[variable], *below.split("/"))))
    return folders


def session_files(
    folders: list[tuple[str, str]], closed: Callable[[InputError], None] | None = None
) -> Iterator[SessionFile]:
    """Yield what is recognised as a session below the folders; each file is opened for that.

    A folder that cannot be listed is told to `closed`, and raised without it.
    """
    seen: set[str] = set()
    for form, folder in folders:
        if not os.path.isdir(folder):
            continue
        for file, _ in files_of([folder], closed):
            if file in seen:
                continue
            seen.add(file)
            try:
                source = FileSource(file, DEFAULT)
            except InputError:
                continue
            source.close()
            if source.form == form:
                status = os.stat(file)
                yield SessionFile(form, file, status.st_mtime, status.st_size)


def count_calls(file: str) -> int | None:
    """Return the number of calls in a session, or None when it cannot be read."""
    try:
        with closing(FileSource(file, DEFAULT)) as source:
            return sum(1 for run in source.runs() for _ in run.calls)
    except InputError:
        return None
