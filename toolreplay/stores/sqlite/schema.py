"""The tables of a store: made once, and compared with the text they were made from at each opening."""

import sqlite3

from toolreplay.errors import StoreError
from toolreplay.packaged import data_file

__all__ = ["APPLICATION_ID", "FORMAT", "create_tables", "refuse_other_schema"]

APPLICATION_ID = 0x746F6F6C
"""In the header of the file ("tool"): says what it is, whatever its name."""

FORMAT = 1
"""The version of the tables, the header's user_version."""


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables and triggers of an empty database, in the caller's transaction."""
    for statement in _statements():
        connection.execute(statement)


def refuse_other_schema(connection: sqlite3.Connection, name: str) -> None:
    """Raise StoreError unless the database is a store, of this version, with all its triggers."""
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise StoreError(name, "is a database, and no store of toolreplay")
    found = _pragma(connection, "user_version")
    if found != FORMAT:
        raise StoreError(name, f"is a store of another version ({found}), not read here")
    query = "select sql from sqlite_master where sql is not null order by sql"
    if [text for (text,) in connection.execute(query)] != sorted(_statements()):
        raise StoreError(
            name, "its tables or triggers are not those of a store: nothing is believed"
        )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"pragma {name}").fetchone()[0]
    return value


def _statements() -> list[str]:
    """Return the statements as SQLite keeps them: its first two words are in capitals there."""
    lines = data_file("stores/sqlite/schema.sql").decode("ascii").splitlines()
    kept = []
    for line in lines:
        if line.startswith("--"):
            continue
        verb, kind, rest = line.removesuffix(";").split(" ", 2)
        if kind == "trigger":
            rest = line.partition(" trigger ")[2].removesuffix(";")
        kept.append(f"{verb.upper()} {kind.upper()} {rest}")
    return kept
