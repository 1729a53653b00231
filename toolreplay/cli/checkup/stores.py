"""What a store says of itself without being opened for writing, and who could tamper with it."""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from toolreplay.capture.closing import lives
from toolreplay.errors import StoreError
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check
from toolreplay.reports.lines import plural
from toolreplay.stores.sqlite.connection import beside, open_copy, told
from toolreplay.stores.sqlite.overview import Overview, overview_of
from toolreplay.stores.sqlite.schema import refuse_other_schema
from toolreplay.stores.sqlite.state import STATE_SUFFIX
from toolreplay.stores.sqlite.writers import writers_of_runs

__all__ = ["store_checks"]

_MOST_BYTES = 1 << 30
"""What is copied to be looked at: reading a store where it stands may leave files beside it."""

_LEAST_FREE = 16 << 20
_SIGN = "toolreplay store sign {} --key FILE"


class _Look(NamedTuple):
    """A store at a glance, its open runs, and how many of them nobody feeds any more."""

    overview: Overview
    abandoned: int


def store_checks(path: str, keys: Sequence[str]) -> Iterator[Check]:
    """Yield what there is to say of a store; `keys` are files that sign it, as far as known."""
    if not os.path.lexists(path):
        yield _absent(path)
        return
    if all(os.access(name, os.R_OK) for name in _files(path)):
        try:
            with _looked_at(path) as found:
                yield _recording(path, found.overview)
                yield _open_runs(found)
                yield _signer(path, found.overview)
        except StoreError as error:
            yield Check("store", FAILED, str(error))
    else:
        yield _unseen(path)
    yield _tampering(path)
    for key in keys:
        yield _key(key)


def _files(path: str) -> list[str]:
    found = (beside(path, suffix) for suffix in ("", "-wal", STATE_SUFFIX))
    return [name for name in found if os.path.lexists(name)]


def _unseen(path: str) -> Check:
    return Check(
        "store", NOT_CHECKED, reason=f"{path} cannot be read by this user",
        remedy="ask as the user who records",
    )  # fmt: skip


@contextmanager
def _looked_at(path: str) -> Iterator[_Look]:
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    if size > _MOST_BYTES:
        raise StoreError(path, f"has {size:,} bytes, too many to copy (toolreplay store status)")
    connection, folder = open_copy(path)
    try:
        with told(path):
            refuse_other_schema(connection, path)
            runs: dict[str, list[str]] = {}
            for run, writer in writers_of_runs(connection):
                runs.setdefault(run, []).append(writer)
            left = sum(not any(map(lives, writers)) for writers in runs.values())
            yield _Look(overview_of(connection, path), left)
    finally:
        connection.close()
        shutil.rmtree(folder, ignore_errors=True)


def _absent(path: str) -> Check:
    folder = os.path.dirname(os.path.abspath(path))
    while not os.path.lexists(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    if os.path.isdir(folder) and not os.access(folder, os.X_OK):
        return _unseen(path)
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        return Check("store", FAILED, f"{path} is not there, and {folder} cannot be written to")
    return Check("store", PASSED, f"{path} is made by the first call")


def _recording(path: str, found: Overview) -> Check:
    if found.failure is not None:
        remedy = f"mend that; the next recording goes on (toolreplay store status {path})"
        return Check("store", FAILED, f"{path}: not recording {found.failure}", remedy=remedy)
    if found.behind < 0:
        return Check(
            "store", FAILED, f"{path}: {-found.behind:,} entries that were signed are gone"
        )
    real = os.path.realpath(path)
    for name in (real, os.path.dirname(real)):
        if not os.access(name, os.W_OK):
            return Check("store", FAILED, f"{name} cannot be written to by this user")
    free = _free_bytes(real)
    if free is not None and free < _LEAST_FREE:
        return Check("store", FAILED, f"{path}: the disk has {free:,} bytes left")
    return Check("store", PASSED, f"{path}, {plural(found.entries, 'entry', 'entries')}")


def _free_bytes(path: str) -> int | None:
    try:
        found = os.statvfs(path)
    except (AttributeError, OSError):
        return None
    return found.f_bavail * found.f_frsize


def _open_runs(found: _Look) -> Check:
    if found.abandoned:
        what = f"of {plural(found.abandoned, 'run')} every writer died before the close"
        return Check("open runs", FAILED, what, remedy="the next recording closes them")
    return Check("open runs", PASSED, f"{found.overview.open_runs:,}, none abandoned")


def _tampering(path: str) -> Check:
    """Say who could change the store, measured by the user this runs as: that of the agent."""
    line = "tampering"
    if not hasattr(os, "getuid"):
        return Check(line, NOT_CHECKED, reason="this system does not say whose files are")
    real, me = os.path.realpath(path), os.getuid()
    try:
        status = os.stat(real)
    except OSError as error:
        return Check(line, NOT_CHECKED, reason=error.strerror or str(error))
    mode = f"{stat.S_IMODE(status.st_mode):04o}"
    if me == 0:
        return Check(
            line, NOT_CHECKED,
            reason="this user is root, who can change everything here",
            remedy="keep signed heads elsewhere",
        )  # fmt: skip
    if status.st_uid == me:
        return Check(
            line, NOT_CHECKED,
            reason="the store is this user's own: only mistakes are defended against",
            remedy="let a user of its own record",
        )  # fmt: skip
    for name in (real, os.path.dirname(real)):
        if os.access(name, os.W_OK):
            return Check(line, FAILED, f"{name} is another user's, and this one can write it")
    return Check(line, PASSED, f"user {status.st_uid} has the store, mode {mode}")


def _signer(path: str, found: Overview) -> Check:
    if found.signer is None:
        return Check(
            "signer", NOT_CHECKED,
            reason="nobody signs: whoever can write the store can change it, unseen",
            remedy=_SIGN.format(path),
        )  # fmt: skip
    name = found.signer.partition("+")[0]
    if found.behind > 0:
        return Check(
            "signer", NOT_CHECKED,
            reason=f"{name} signs; {plural(found.behind, 'entry is', 'entries are')} not signed yet",
            remedy=_SIGN.format(path),
        )  # fmt: skip
    return Check("signer", PASSED, f"{name}, all entries")


def _key(path: str) -> Check:
    if not os.path.exists(path):
        return Check("key", FAILED, f"{path} is not there, so nothing is signed with it")
    if os.access(path, os.R_OK):
        return Check(
            "key", NOT_CHECKED,
            reason=f"this user can read {path}, and so could an agent",
            remedy="keep it with another user or machine",
        )  # fmt: skip
    return Check("key", PASSED, f"{path} cannot be read by this user")
