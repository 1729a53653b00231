"""Which processes feed which run: notes for those who record, derived from nothing.

No entry depends on them. They are lost with the file, and no proof speaks of them.
"""

import sqlite3

__all__ = ["join_run", "leave_run", "writers_of_runs"]


def join_run(connection: sqlite3.Connection, key: str, new_run: str, writer: str) -> str:
    """Return the run of a key, `new_run` where none is open, and note the writer (see RunSink).

    In the caller's transaction.
    """
    found = connection.execute(
        "select j.run from run_join j left join run r on r.run = j.run "
        "where j.key = ? and r.closed_at is null",
        (key,),
    ).fetchone()
    run: str = new_run if found is None else found[0]
    if found is None:
        connection.execute(
            "insert or replace into run_join (key, run) values (?, ?)", (key, new_run)
        )
    connection.execute(
        "insert or ignore into run_writer (run, writer) values (?, ?)", (run, writer)
    )
    return run


def leave_run(connection: sqlite3.Connection, run: str, writer: str) -> list[str]:
    """Note that a writer is done, and return those left; the last takes the key with it."""
    connection.execute("delete from run_writer where run = ? and writer = ?", (run, writer))
    query = "select writer from run_writer where run = ? order by writer"
    left = [word for (word,) in connection.execute(query, (run,))]
    if not left:
        connection.execute("delete from run_join where run = ?", (run,))
    return left


def writers_of_runs(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return each run that is fed with each writer."""
    query = "select run, writer from run_writer order by run, writer"
    return list(connection.execute(query))
