"""Make a store, or open one: what must hold before a first entry is added, and is mended if it does not.

Nothing is ever repaired here that anybody has to know of: SQLite opens to the last transaction
that was committed, whatever a crash left behind it; a head that was signed and not kept is copied
from beside the key; that recording had failed is written into the runs it hit, as a gap.
"""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress

from toolreplay.errors import StoreError, StoreFailedError
from toolreplay.evidence.bundle.line_members import is_origin
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.piece import INLINE_BYTES
from toolreplay.evidence.tlog.note import VerifierKey, vkey_text
from toolreplay.records.times import utc_of
from toolreplay.stores.head_file import sync_folder
from toolreplay.stores.sqlite.connection import NEW_SUFFIX, open_writer, told, transaction
from toolreplay.stores.sqlite.gaps import note_gap
from toolreplay.stores.sqlite.publishing import SigningKey, refuse_other_key
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.schema import (
    APPLICATION_ID,
    FORMAT,
    create_tables,
    refuse_other_schema,
)
from toolreplay.stores.sqlite.state import (
    STATE_SUFFIX,
    failure_of,
    is_noted,
    note_failure,
    note_recording,
)
from toolreplay.stores.sqlite.store import SqliteStore

__all__ = ["create_store", "microseconds", "new_origin", "open_store", "set_signer"]

_PAGE_BYTES = 4096
_IS_THERE = "is there already, and is not replaced"


def microseconds() -> int:
    """Return the microseconds since 1970 by this machine's clock."""
    return time.time_ns() // 1000


def new_origin() -> str:
    """Return an origin that nobody else has."""
    return f"toolreplay.invalid/{os.urandom(16).hex()}"


def create_store(
    path: str, origin: str, key: VerifierKey | None, *, inline_bytes: int = INLINE_BYTES
) -> None:
    """Make an empty store; no file of that name may be there. Raises StoreError.

    With a key, the origin must be the key's name. Who records into it lets up to `inline_bytes` of
    content stand in a receipt itself; what does not can be erased by itself.
    """
    if key is not None and key.name != origin:
        raise StoreError(path, f"the key is that of {key.name}, not of {origin}")
    if not is_origin(origin) or '"' in origin or "\\" in origin:
        fact = "an origin is 1 to 255 printable bytes without blank, + or quotes"
        raise StoreError(path, f"{fact}; the key's name is none (toolreplay key new --name NAME)")
    if os.path.lexists(path):
        raise StoreError(path, _IS_THERE)
    for suffix in ("-wal", "-journal", "-shm"):
        if os.path.lexists(path + suffix):
            what = f"{path + suffix} of another store is there, and would be taken for its own"
            raise StoreError(path, what)
    partial = f"{path}.{os.urandom(8).hex()}{NEW_SUFFIX}"
    made = [partial + suffix for suffix in ("", "-wal", "-shm", "-journal")]
    is_whole = False
    try:
        os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
        with told(path):
            _fill(partial, origin, key, inline_bytes)
        os.link(partial, path)  # it gets its name when it is whole, and takes nobody else's
        made += [path, path + STATE_SUFFIX]
        note_recording(path)
        sync_folder(path)
        is_whole = True
    except FileExistsError:
        raise StoreError(path, _IS_THERE) from None
    except (OSError, ValueError) as error:
        raise StoreError(path, getattr(error, "strerror", None) or str(error)) from None
    finally:
        for name in made[:1] if is_whole else made:
            with suppress(OSError, ValueError):
                os.unlink(name)


def _fill(path: str, origin: str, key: VerifierKey | None, inline_bytes: int) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute(f"pragma page_size={_PAGE_BYTES}")
        connection.execute("pragma journal_mode=wal")
        with transaction(connection):
            create_tables(connection)
            connection.execute(f"pragma application_id={APPLICATION_ID}")
            connection.execute(f"pragma user_version={FORMAT}")
            rows: list[tuple[str, str | int]] = [("origin", origin), ("nodes", 0)]
            if inline_bytes != INLINE_BYTES:
                rows.append(("inline", inline_bytes))
            if key is not None:
                rows.append(("signer", vkey_text(key.name, key.kind, key.public)))
            connection.executemany("insert into meta (name, value) values (?, ?)", rows)
        connection.execute("pragma wal_checkpoint(truncate)")
    finally:
        connection.close()


def open_store(
    path: str,
    key: SigningKey | None = None,
    *,
    clock: Callable[[], int] = microseconds,
    durable_intents: bool = False,
) -> SqliteStore:
    """Open a store for writing, healed.

    Raises StoreDamagedError where its bytes contradict a head that was signed, StoreError for
    whatever else keeps it from being used. Where that is a write that failed, nobody records from
    now on, and it is noted.
    """
    try:
        return _opened(path, key, clock, durable_intents=durable_intents)
    except StoreFailedError as error:
        note_failure(path, utc_of(clock()), error.what)
        raise


def _opened(
    path: str, key: SigningKey | None, clock: Callable[[], int], *, durable_intents: bool
) -> SqliteStore:
    with ExitStack() as kept:
        connection = kept.enter_context(closing(open_writer(path)))
        failure = failure_of(path)
        with told(path):
            refuse_other_schema(connection, path)
            tables = LogTables(connection, path)
            if key is not None:
                refuse_other_key(path, tables, key.signer.key)
        other = kept.enter_context(closing(open_writer(path)))
        store = SqliteStore(connection, other, path, key, clock, durable_intents=durable_intents)
        store.heal()
        if failure is not None:
            note_gap(store, f"not recording {failure}", Ids(os.urandom), clock())
        if failure is not None or not is_noted(path):
            try:
                note_recording(path)
            except OSError as error:
                raise StoreError(path, error.strerror or str(error)) from None
        kept.pop_all()  # whoever has the store closes them
    return store


def set_signer(path: str, key: VerifierKey) -> None:
    """Give an unsigned store the key that signs its heads from now on. Raises StoreError."""
    connection = open_writer(path)
    try:
        with told(path):
            refuse_other_schema(connection, path)
            tables = LogTables(connection, path)
            if tables.signer() is None and key.name == tables.origin:
                with transaction(connection):
                    connection.execute(
                        "insert into meta (name, value) values ('signer', ?)",
                        (vkey_text(key.name, key.kind, key.public),),
                    )
            refuse_other_key(path, tables, key)
    finally:
        connection.close()
