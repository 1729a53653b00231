"""Make the store of the case `store-changed`: `python3 -m tests.stores.case_store FOLDER`.

Its bytes depend on the version of SQLite that wrote it, so it is kept as it was made once.
"""

import os
import sqlite3
import sys
import tempfile

from tests.stores.recording import Place, Recorded, drop_triggers, restore_triggers


def make(folder: str) -> None:
    """Write store.db: a log of which the end was cut, and a subtree exchanged."""
    with tempfile.TemporaryDirectory() as own:
        there = Place(own, is_signed=True)
        with there.open() as store:
            Recorded(store).open().gap().close()
        connection = sqlite3.connect(there.path, isolation_level=None)
        drop_triggers(connection)
        connection.execute("delete from payload where rowid = 3")
        connection.execute("delete from leaf where idx = 2")
        connection.execute("update node set hash = zeroblob(32) where level = 1 and idx = 0")
        restore_triggers(connection)
        connection.execute("pragma journal_mode=delete")
        connection.execute("pragma page_size=512")
        connection.execute("vacuum")
        connection.close()
        os.replace(there.path, os.path.join(folder, "store.db"))


if __name__ == "__main__":
    make(sys.argv[1])
