"""Close a run by hand: its record ends, with a receipt that says how much of it there is.

Whoever records closes its runs itself, when the last process that feeds one is done. What stays open
is a run whose processes died, until somebody records again, or closes it here. A run that a living
process feeds is not closed, unless --force: what comes later opens another run.

--abandoned closes every open run of the store that no living process is noted to feed.

The receipt says that an operator closed it, and which of its calls never ended. --goal and --answer are
what the run was for and came to, as you say; they are redacted as everything that is recorded.
"""

import argparse
import os

from toolreplay.capture.choosing import Chooser
from toolreplay.capture.clock import now
from toolreplay.capture.closing import Closer, close_run, lives, process_of
from toolreplay.capture.modes import MODES
from toolreplay.capture.observed import Answer
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import add_store, default_store, place_of_run
from toolreplay.cli.signing_key import add_signing_key, signing_key_of
from toolreplay.errors import InputError, StoreError, UsageError
from toolreplay.evidence.profile.ids import Ids
from toolreplay.findings.gate import CLEAN
from toolreplay.recording import redactor_here, writer_of
from toolreplay.records.limits import DEFAULT
from toolreplay.reports.lines import escaped, plural
from toolreplay.stores.sqlite.connection import told
from toolreplay.stores.sqlite.opening import open_store
from toolreplay.stores.sqlite.reading import RunFound
from toolreplay.stores.sqlite.store import SqliteStore
from toolreplay.stores.sqlite.unreadable import readable

__all__ = ["add_arguments", "run"]

_OPERATOR = "operator"
_MOST_BYTES = DEFAULT.line_bytes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `runs close`."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "run", nargs="?", metavar="RUN",
        help="the run: STORE#RUN, or its name in the default store, or @last",
    )  # fmt: skip
    which.add_argument(
        "--abandoned", action="store_true", help="every open run that no living process feeds"
    )
    add_store(parser)
    parser.add_argument("--force", action="store_true", help="even while a living process feeds it")
    parser.add_argument("--goal", metavar="TEXT", help="what the run was for")
    parser.add_argument("--answer", metavar="FILE", help="what it came to: a text in a file")
    parser.add_argument(
        "--redact", choices=MODES, default="redacted",
        help="how goal and answer are kept: whole, but for what the rules find (default), or as "
        "digests only",
    )  # fmt: skip
    add_signing_key(parser.add_argument_group("who signs the head behind it"))


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Close what is meant, and say what was closed."""
    if arguments.abandoned and (arguments.goal or arguments.answer or arguments.force):
        raise UsageError("--goal, --answer and --force speak of one run: name it")
    answer = _answer_of(arguments)
    wanted = None
    if arguments.abandoned:
        path = default_store(arguments)
        if path is None:
            raise UsageError("no store is known (--store STORE)")
    else:
        path, wanted = place_of_run(arguments.run, arguments, "runs close")
    key = signing_key_of(arguments)
    lines: list[str] = []
    fed = 0
    with open_store(path, key) as store, told(path), readable(path):
        for found in _meant(store, path, wanted):
            writers = [writer for run, writer in store.writers() if run == found.run]
            living = [writer for writer in writers if lives(writer)]
            if living and wanted is None:
                fed += 1
                continue
            if living and not arguments.force:
                raise StoreError(path, f"run {found.run} is fed by {_named(living)}{_HINT}")
            lines += _closed(store, path, found, writers, answer, arguments.redact)
    console.write_lines(map(escaped, lines or [_nothing(fed)]))
    return CLEAN


_HINT = ": end what it serves, or --force (what comes later opens another run)"


def _nothing(fed: int) -> str:
    if not fed:
        return "nothing to close: no run is open"
    return f"nothing to close: {plural(fed, 'open run')}, fed by living processes"


def _answer_of(arguments: argparse.Namespace) -> Answer:
    if arguments.answer is None:
        return Answer(arguments.goal)
    try:
        with open(arguments.answer, "rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(arguments.answer, getattr(error, "strerror", None) or str(error)) from None
    if len(content) > _MOST_BYTES:
        raise InputError(arguments.answer, f"has more than {_MOST_BYTES:,} bytes: it is no answer")
    return Answer(arguments.goal, content)


def _meant(store: SqliteStore, path: str, wanted: str | None) -> list[RunFound]:
    """Return the open runs, or the one that is wanted."""
    if wanted is None:
        return [found for found in store.tables.runs() if found.closed_at is None]
    (found,) = [found for found in store.tables.runs() if found.run == wanted]
    if found.closed_at is not None:
        raise StoreError(path, f"run {wanted} is closed already")
    return [found]


def _named(writers: list[str]) -> str:
    pids = sorted({process.pid for process in map(process_of, writers) if process is not None})
    listed = ", ".join(map(str, pids[:5])) + (" and more" if len(pids) > 5 else "")
    return f"{'process' if len(pids) == 1 else 'processes'} {listed}"


def _closed(
    store: SqliteStore, path: str, found: RunFound, writers: list[str], answer: Answer, mode: str
) -> list[str]:
    """Close one run, and return the lines that say so."""
    opened = store.tables.opening_of(found.run)
    if opened is None:
        raise StoreError(path, f"run {found.run} has no opening (see: toolreplay store check)")
    capture = {
        "layer": opened["capture"]["layer"], "adapter": opened["capture"]["adapter"],
        "args_fidelity": "exact", "result_fidelity": "exact", "tool_definition": "absent",
        "writer": writer_of(same_process=False) | {"same_uid_as_agent": None},
    }  # fmt: skip
    chooser = Chooser(
        mode, redactor_here(), lambda: store.run_key(found.run), lambda: store.inline_bytes
    )
    closer = Closer(capture, opened["agent"], chooser, now, Ids(os.urandom))
    if not close_run(store, found.run, _OPERATOR, closer, answer):
        raise StoreError(path, f"run {found.run} is closed already")
    for writer in [*writers, ""]:
        store.leave(found.run, writer)  # the last one takes the key along, by which others join
    name = f" ({found.name})" if found.name else ""
    open_calls = f", {found.open_calls:,} without an answer" if found.open_calls else ""
    return [
        f"closed: run {found.run}{name}: {plural(found.calls + found.open_calls, 'call')}{open_calls}",
        f"next: toolreplay verify {path}#{found.run}",
    ]
