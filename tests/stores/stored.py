"""Stores for the tests of commands: made once, copied for each test.

`signed/` and `unsigned/` each hold a store of three runs: `refund-42` (two calls), `erase-me` (a
detached secret, and a call that failed) and one that is open, without a name, whose only call nobody
answered. The key protects nothing: a script of a few lines signs with it.
"""

import atexit
import functools
import hashlib
import os
import pathlib
import shutil
import sys
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from unittest import mock

from tests.cli import ways
from tests.stores.recording import ORIGIN, OTHER_RUN, RUN, SECRET, Place, Recorded, record
from toolreplay.evidence.profile.piece import piece_of
from toolreplay.evidence.signatures.throwaway import throwaway_signer
from toolreplay.evidence.tlog.note import vkey_text
from toolreplay.stores.sqlite.connection import open_reader

OPEN_RUN = "01a22bae-c111-76a8-ba7c-e542dbcacce9"
ENTRIES = 14
"""Leaves in each store: six and six of the closed runs, two of the open one."""

KEY = throwaway_signer(ORIGIN, bytes(32)).key
VKEY = vkey_text(KEY.name, KEY.kind, KEY.public)

SIGNED, UNSIGNED = "signed/store.db", "unsigned/store.db"
HEAD = "signed/log.key.head"

IN_MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""Where nothing waits for a disk: what a sync keeps is tested elsewhere."""

_SCRIPT = f"""\
import sys
sys.path.insert(0, {str(ways.ROOT)!r})
from toolreplay.evidence.signatures.throwaway import throwaway_signer
sys.stdout.buffer.write(throwaway_signer("any", bytes(32)).sign(sys.stdin.buffer.read()))
"""


def tree_hash(leaves: list[bytes]) -> bytes:
    """Return the root of leaves by the definition (RFC 6962 section 2.1)."""
    if len(leaves) < 2:
        return hashlib.sha256(b"".join(b"\0" + leaf for leaf in leaves)).digest()
    half = 1
    while 2 * half < len(leaves):
        half *= 2
    below = tree_hash(leaves[:half]) + tree_hash(leaves[half:])
    return hashlib.sha256(b"\1" + below).digest()


def signing(head: str = HEAD, vkey: str = VKEY) -> list[str]:
    """Return the options that sign with the throwaway key."""
    command = f"{sys.executable} -S sign.py"
    return ["--sign-command", command, "--vkey", vkey, "--head", head]


@functools.cache
def made_stores() -> str:
    """Return the folder that every test has a copy of."""
    folder = tempfile.mkdtemp(dir=IN_MEMORY)
    atexit.register(shutil.rmtree, folder, True)
    pathlib.Path(folder, "sign.py").write_text(_SCRIPT, encoding="utf-8")
    for name in ("signed", "unsigned"):
        os.mkdir(os.path.join(folder, name))
        there = Place(os.path.join(folder, name), is_signed=name == "signed")
        with there.open() as store:
            record(store, RUN, name="refund-42")
            other = Recorded(store, OTHER_RUN)
            other.open(name="erase-me", agent={"name": "cleaner"})
            other.both(1, "read_file", {"n": 1}, piece_of(SECRET, "text/plain", 16))
            other.both(2, "send", {"text": "hi"}, {"ok": False}, status="tool_error").close()
            Recorded(store, OPEN_RUN).open(agent={}).start(1, "read_file", {})
    return folder


class Stores(unittest.TestCase):
    """A folder with both stores, in which the commands run."""

    maxDiff = None

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory(dir=IN_MEMORY)
        self.addCleanup(made.cleanup)
        self.folder = os.path.join(made.name, "here")
        shutil.copytree(made_stores(), self.folder)

    def path(self, name: str) -> str:
        """Return the path of a file in the folder."""
        return os.path.join(self.folder, name)

    def ran(self, *arguments: str) -> ways.Ran:
        """Run a command in the folder."""
        return ways.in_process(*arguments, folder=self.folder)

    def says(self, status: int, *arguments: str) -> str:
        """Run a command that ends with a status; return what it printed, or its error line."""
        found = self.ran(*arguments)
        self.assertEqual(found.status, status, found.text + found.error)
        if status == 2 or not found.out:
            self.assertEqual(found.err.count(b"\n"), 1, found.error)
            return found.error.removeprefix("error: ").rstrip("\n")
        return found.text

    def sql(self, name: str, query: str) -> list[tuple[Any, ...]]:
        """Ask a store."""
        with closing(open_reader(self.path(name))) as connection:
            return connection.execute(query).fetchall()

    def root(self, name: str = SIGNED) -> str:
        """Return the root of a store, as hex, from its leaves alone."""
        leaves = [data for (data,) in self.sql(name, "select bytes from leaf order by idx")]
        return tree_hash(leaves).hex()

    def place(self, name: str = SIGNED) -> Place:
        """Return a store as whoever records has it."""
        there = Place.__new__(Place)
        there.folder, there.path = self.folder, self.path(name)
        there.signer = throwaway_signer(ORIGIN, bytes(32))
        there.head_path = self.path(HEAD)
        there.key = None
        there.ticks = 1_790_000_500_000_000
        return there

    @contextmanager
    def usual_store(self, name: str = UNSIGNED) -> Iterator[str]:
        """Let a store be that of whoever names none."""
        data = self.path("data")
        os.makedirs(os.path.join(data, "toolreplay"))
        path = os.path.join(data, "toolreplay", "store.db")
        shutil.copy(self.path(name), path)
        with mock.patch.dict(os.environ, {"XDG_DATA_HOME": data}):
            yield path
