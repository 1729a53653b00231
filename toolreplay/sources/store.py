"""The runs of a store: its log as a whole first, then each run as the bundle it would be.

Everything is read in one transaction, so that what others append meanwhile is not seen. A run is
written to an unnamed temporary file and read from there, by the reader of bundles.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from toolreplay.errors import InputError, StoreError
from toolreplay.evidence.record import counted
from toolreplay.records.limits import Limits
from toolreplay.records.run import LOG, Run, RunInfo
from toolreplay.sources.bundle import bundle_run
from toolreplay.sources.naming import FEWEST_CHARACTERS
from toolreplay.sources.opening import Opened, raw_of
from toolreplay.sources.store_evidence import LogEvidence, RunEvidence
from toolreplay.stores.sqlite.checking import LogCheck
from toolreplay.stores.sqlite.connection import open_copy, open_reader, told
from toolreplay.stores.sqlite.exporting import Covering, export_run
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.schema import refuse_other_schema

__all__ = ["reading_of_store", "store_runs"]


@contextmanager
def reading_of_store(path: str) -> Iterator[tuple[sqlite3.Connection, bool]]:
    """Read a store in one transaction: its connection, and whether it is that of a private copy.

    Raises StoreError.
    """
    folder = None
    try:
        if os.access(os.path.dirname(os.path.abspath(path)), os.W_OK):
            connection = open_reader(path)
        else:
            connection, folder = open_copy(path)
        try:
            with told(path):
                connection.execute("begin")
                refuse_other_schema(connection, path)
                yield connection, folder is not None
        finally:
            connection.close()
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def store_runs(
    path: str, wanted: str | None, shown: str, limits: Limits, *, with_log: bool
) -> Iterator[Run]:
    """Yield the log of a store, if it is asked for, and its runs, or the one that is wanted.

    Whoever does not ask for the log judges nothing: its runs are then found by the tables.

    Raises InputError where the store cannot be read, or the run is not there.
    """
    try:
        with reading_of_store(path) as (connection, is_copy):
            if not with_log:
                yield from _unjudged(connection, path, wanted, shown, limits)
                return
            check = LogCheck(connection, path)
            checked = check.run()
            log = LogEvidence(path, check, is_copy=is_copy)
            names = _wanted(check.tables, check.runs, path, wanted)
            entries = f"{checked.size:,} {'entry' if checked.size == 1 else 'entries'}"
            what = f"{entries} · {counted(len(check.runs), 'run')}"
            info = RunInfo(check.tables.origin, shown, LOG, provenance=what, evidence=log)
            yield Run(info, iter(()))
            for name in names if checked.root is not None else ():
                with tempfile.TemporaryFile() as file:
                    yield _run(
                        connection, path, name, check, log, cast("BinaryIO", file), shown, limits
                    )
    except StoreError as error:
        raise InputError(error.where, error.what) from None


def _unjudged(
    connection: sqlite3.Connection, path: str, wanted: str | None, shown: str, limits: Limits
) -> Iterator[Run]:
    tables = LogTables(connection, path)
    covering = Covering(tables.size(), None)
    for name in _wanted(tables, [found.run for found in tables.runs()], path, wanted):
        with tempfile.TemporaryFile() as file:
            export_run(connection, path, name, file.write, covering, since=None)
            file.seek(0)
            yield bundle_run(Opened(shown, file, raw_of(file)), shown, limits)


def _run(
    connection: sqlite3.Connection,
    path: str,
    name: str,
    check: LogCheck,
    log: LogEvidence,
    file: BinaryIO,
    shown: str,
    limits: Limits,
) -> Run:
    covering = Covering(check.checked.size, None)
    newest = check.tables.newest_checkpoint()
    if newest is not None and not check.faults and check.runs[name][-1] < newest[0]:
        covering = Covering(*newest)
    export = export_run(
        connection, path, name, file.write, covering,
        entries=check.entries(name), since=None, with_nodes=not check.faults,
    )  # fmt: skip
    file.seek(0)
    run = bundle_run(Opened(shown, file, raw_of(file)), shown, limits)
    behind = ""
    if newest is not None:
        uncovered = sum(index >= newest[0] for index in check.runs[name])
        if uncovered:
            behind = f"{uncovered:,} of {export.entries:,} entries stand behind the last head"
    evidence = RunEvidence(run.info.evidence, log, export.unwritable, behind)
    return run._replace(info=run.info._replace(evidence=evidence))


def _wanted(tables: LogTables, runs: Collection[str], path: str, wanted: str | None) -> list[str]:
    """Return the ids of the runs that are meant, in the order in which they were opened."""
    if wanted is None:
        return list(runs)
    if wanted in runs:
        return [wanted]
    found = [run for run in runs if run.startswith(wanted)]
    if len(wanted) < FEWEST_CHARACTERS or not found:
        found = [found.run for found in tables.runs() if found.name == wanted]
    if not found:
        raise InputError(path, f"has no run '{wanted[:100]}' (see: toolreplay runs list)")
    if len(found) > 1:
        several = ", ".join(found[:5])
        raise InputError(path, f"has {len(found):,} runs of the name '{wanted[:100]}': {several}")
    return found
