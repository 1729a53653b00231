"""Links from runs to sessions of other programs: notes that no proof speaks of.

A link is an object with the members `session` and what was read from that session. It travels in
the bundle of its run, and is delivered there as what nothing binds.
"""

import json
import sqlite3
from contextlib import closing

from toolreplay.errors import StoreError
from toolreplay.evidence.bundle.lines import line_of
from toolreplay.records.call import JsonObject
from toolreplay.stores.sqlite.connection import open_writer, told, transaction
from toolreplay.stores.sqlite.schema import refuse_other_schema
from toolreplay.stores.sqlite.unreadable import NO_ENTRY

__all__ = ["link_run", "links_of"]

_MOST_LINKS = 100
_MOST_BYTES = 65_536


def link_run(path: str, run: str, link: JsonObject) -> None:
    """Keep a link of a run that is there, in place of an earlier one to the same session.

    Raises StoreError.
    """
    text = line_of(link)
    if len(text) > _MOST_BYTES:
        raise StoreError(path, f"a link has at most {_MOST_BYTES:,} bytes")
    with closing(open_writer(path)) as connection, told(path):
        refuse_other_schema(connection, path)
        with transaction(connection):
            connection.execute(
                "insert or replace into run_link (run, session, link) values (?, ?, ?)",
                (run, link["session"], text.decode("utf-8")),
            )
            query = "select count(*) from run_link where run = ?"
            if connection.execute(query, (run,)).fetchone()[0] > _MOST_LINKS:
                raise StoreError(path, f"run {run} has {_MOST_LINKS} links, the most there may be")


def links_of(connection: sqlite3.Connection, run: str) -> list[JsonObject]:
    """Return the links of a run by session; what somebody put there and is none is left out."""
    query = (
        "select link from run_link where run = ? and length(cast(link as blob)) <= ? "
        "order by session limit ?"
    )
    links = []
    for (text,) in connection.execute(query, (run, _MOST_BYTES, _MOST_LINKS)):
        try:
            link = json.loads(text)
            line_of(link)
        except NO_ENTRY:
            continue
        if type(link) is dict:
            links.append(link)
    return links
