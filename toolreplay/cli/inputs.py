"""What X on a command line means: a path that is there, or a run of a store.

    -  a path        as it stands; whatever is there always wins
    STORE#RUN        a run of a store, by id, name, or the beginning of its id
    @last, @last-3   the run that was opened last in the default store, or three before it
    NAME             a run of the default store by its name, or six characters of its id or more

The default store is that of --store, else of the project file, else
$XDG_DATA_HOME/toolreplay/store.db. Nothing of it is loaded where every X is a path.
"""

import argparse
import os
import re
from collections.abc import Sequence

from toolreplay.errors import InputError, UsageError
from toolreplay.sources.naming import FEWEST_CHARACTERS, split_run

TYPE_CHECKING = False
if TYPE_CHECKING:  # most commands open no store
    import sqlite3

__all__ = [
    "STORE_HELP",
    "add_store",
    "default_store",
    "place_of_run",
    "resolved",
    "resolved_all",
    "run_of",
    "store_and_run",
    "store_path",
]

STORE_HELP = "a store: its file, or sqlite: and its file"

_SCHEME = "sqlite:"
_MOST_CANDIDATES = 5
_LAST = re.compile(r"@last(?:-([0-9]{1,9}))?")


def add_store(parser: argparse._ActionsContainer) -> None:
    """Add `--store`, the store in which a name that is no file is looked for."""
    parser.add_argument(
        "--store",
        metavar="STORE",
        help="the store whose runs may be named in place of a file "
        "(default: $XDG_DATA_HOME/toolreplay/store.db)",
    )


def resolved_all(names: Sequence[str], arguments: argparse.Namespace) -> list[str]:
    """Return each X as a source takes it: a path, or STORE#RUN. Raises InputError, UsageError.

    Of several, a name that is neither is left as it is: whoever reads it counts it.
    """
    return [resolved(name, arguments, is_alone=len(names) == 1) for name in names]


def resolved(name: str, arguments: argparse.Namespace, *, is_alone: bool = True) -> str:
    """Return one X as a source takes it."""
    if name == "-" or os.path.lexists(name) or name.startswith(("http://", "https://")):
        return name
    name = name.removeprefix(_SCHEME)
    path, run = split_run(name)
    is_last = _LAST.fullmatch(run or name) is not None
    if run is not None:
        return f"{path}#{_looked_up(path, run)}" if is_last and os.path.lexists(path) else name
    store = default_store(arguments)
    if store is None or not os.path.lexists(store):
        if not is_last:
            return name
        where = f"{store} is not there" if store else "no store is known"
        raise UsageError(f"{name} is a run of a store, and {where} (--store STORE)")
    try:
        return f"{store}#{_looked_up(store, name)}"
    except _NoSuchRunError:
        if is_last:
            raise
        if not is_alone:
            return name
        raise InputError(
            name, f"is no file here, and no run of {store} (see: toolreplay runs list)"
        ) from None


def default_store(arguments: argparse.Namespace) -> str | None:
    """Return the store that is meant where none is named, whether it is there or not."""
    if arguments.store is not None:
        return store_path(arguments.store)
    from toolreplay.sources.project import store_of_project
    from toolreplay.stores.usual import usual_store

    named = store_of_project(getattr(arguments, "config", None))
    return store_path(named) if named is not None else usual_store(os.environ)


def store_path(text: str) -> str:
    """Return the file of a store that is named. Raises UsageError for what no store can be."""
    if re.match(r"(?:postgres(?:ql)?|https?):", text):
        raise UsageError(f"{text}: a store is a file")
    return text.removeprefix(_SCHEME)


def store_and_run(text: str) -> tuple[str, str | None]:
    """Return the file of a store, and the run that is named behind `#`."""
    path, run = split_run(text.removeprefix(_SCHEME))
    return store_path(path), run


def run_of(connection: "sqlite3.Connection", path: str, wanted: str) -> str:
    """Return the id of the one run of a store that a word means. Raises InputError."""
    from toolreplay.sources.store import refuse_renamed
    from toolreplay.stores.sqlite.finding import last_run, named_runs
    from toolreplay.stores.sqlite.reading import LogTables

    last = _LAST.fullmatch(wanted)
    if last is not None:
        found = last_run(connection, int(last[1] or 0))
        if found is None:
            raise _NoSuchRunError(path, f"has no run {wanted}: it holds fewer")
        return found
    runs = named_runs(connection, wanted, FEWEST_CHARACTERS, _MOST_CANDIDATES + 1)
    if not runs:
        raise _NoSuchRunError(path, f"has no run '{wanted[:100]}' (see: toolreplay runs list)")
    if len(runs) > 1:
        listed = ", ".join(runs[:_MOST_CANDIDATES])
        more = " and more" if len(runs) > _MOST_CANDIDATES else ""
        raise InputError(wanted[:100], f"means several runs of {path}: {listed}{more}")
    if not runs[0].startswith(wanted):
        refuse_renamed(LogTables(connection, path), path, runs, wanted)
    return runs[0]


def place_of_run(wanted: str, arguments: argparse.Namespace, command: str) -> tuple[str, str]:
    """Return the store and the id of the run that X of a command means.

    Raises InputError, UsageError.
    """
    from toolreplay.sources.store import reading_of_store

    name = resolved(wanted, arguments)
    path, run = split_run(name)
    if run is None:
        store = default_store(arguments) if name == wanted else None
        hint = "" if store is None else f", and {store} is not there"
        what = "STORE#RUN, or a run of the default store"
        raise UsageError(f"{name}: {command} takes {what}{hint}")
    with reading_of_store(path) as (connection, _):
        return path, run_of(connection, path, run)


class _NoSuchRunError(InputError):
    """A store has no run of that name."""


def _looked_up(path: str, wanted: str) -> str:
    from toolreplay.sources.store import reading_of_store

    with reading_of_store(path) as (connection, _):
        return run_of(connection, path, wanted)
