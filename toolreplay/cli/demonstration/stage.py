"""The folder of the demonstration: a shop with one order, a log with its key, and their names."""

import os
import sqlite3
import sys

from toolreplay.evidence.signatures.keys import private_key_text
from toolreplay.evidence.signatures.throwaway import throwaway_signer
from toolreplay.evidence.tlog.note import vkey_text
from toolreplay.packaged import data_file
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.finding import last_run
from toolreplay.stores.sqlite.opening import create_store, new_origin, open_store
from toolreplay.stores.sqlite.publishing import SigningKey

__all__ = ["Stage"]

_SHOP = "shop.py"


class Stage:
    """Everything stands in `folder`; the key protects nothing, and is made anew each time."""

    def __init__(self, folder: str, order: str, amount: str) -> None:
        self.folder, self.amount = folder, amount
        self.run = f"refund-{order}"
        self.store, self.forged = self._path("store.db"), self._path("forged.db")
        origin, seed = new_origin(), os.urandom(32)
        self._signer = throwaway_signer(origin, seed)
        key = self._signer.key
        self._write("log.key", private_key_text(origin, seed, key.public).encode())
        self._write("log.vkey", f"{vkey_text(key.name, key.kind, key.public)}\n".encode())
        self._write(_SHOP, data_file("cli/demonstration/shop.py"))
        create_store(self.store, origin, key)
        with sqlite3.connect(self._path("shop.db")) as database:
            database.execute(
                "create table orders (id text primary key, amount text, closed integer default 0)"
            )
            database.execute("insert into orders (id, amount) values (?, ?)", (order, amount))
        database.close()

    def recording(self) -> list[str]:
        """Return the options under which the agent's calls are recorded."""
        return [
            "--store", self.store, "--run", self.run, "--server", "shop", "--agent", "support-bot",
        ]  # fmt: skip

    def shop(self) -> list[str]:
        """Return the words that start the shop."""
        return [sys.executable, "-I", "-S", self._path(_SHOP), self.folder]

    def sign(self) -> None:
        """Sign the log's head, as whoever holds its key does."""
        open_store(self.store, SigningKey(self._signer, self._path("log.key.head"))).close()

    def run_id(self) -> str:
        """Return the id of the run."""
        with reading_of_store(self.store) as (connection, _):
            found = last_run(connection, 0)
        assert found is not None
        return found

    def forging_key(self) -> SigningKey:
        """Return the same key, that has forgotten what it signed."""
        return SigningKey(self._signer, self._path("forged.head"))

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _write(self, name: str, data: bytes) -> None:
        descriptor = os.open(self._path(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:
            file.write(data)
