"""A process never closes a store's file beside SQLite: it would let go of the locks it holds.

POSIX.1-2017, fcntl: all locks of a process on a file are released when any descriptor of the process
for that file is closed. SQLite knows and defers; whoever opens the file beside it does not.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

from tests.faults.tracing import why_not
from tests.stores.recording import RUN, Recorded, place

_OPENED = re.compile(r'openat\(\S+, "([^"]*)", (\S+?)[,)].* = (\d+)$')
_LOCKED = re.compile(
    r"fcntl\((\d+), F_SETLK\w*, \{l_type=F_(RD|WR|UN)LCK.*l_start=(\d+), l_len=(\d+)\}\) += 0"
)
_CLOSED = re.compile(r"close\((\d+)\) += 0")

_COMMANDS = (
    "store status {s}", "store check {s}", "store prove {s}#{r} --entry 1 -o {s}.proof",
    "store sign {s} --key {s}.none", "store erase {s} --finish", "store repair {s}",
    "store export {s} --db {s}.copy", "store export {s} --tiles {s}.tiles", "runs list --store {s}",
    "export {s}#{r} -o {s}.run", "verify {s}", "verify {s}#{r}", "audit {s}", "show {s}",
    "diff {s}#{r} {s}#{r}", "store erase {s}#{r} --all --payload --reason x",
)  # fmt: skip


def closed_beside_locks(trace: str, names: set[str]) -> list[str]:
    """Return each closing of one of the files while its process holds a lock on it."""
    files: dict[int, str] = {}
    locks: dict[tuple[str, int], set[int]] = {}
    found = []
    for line in trace.splitlines():
        if (opened := _OPENED.search(line)) and opened[1] in names:
            files[int(opened[3])] = opened[1]
        elif (locked := _LOCKED.search(line)) and int(locked[1]) in files:
            held = locks.setdefault((files[int(locked[1])], int(locked[1])), set())
            start, length = int(locked[3]), int(locked[4])
            places = set(range(start, start + length)) if length else set(held)
            if locked[2] == "UN":
                held -= places
            else:
                held |= places
        elif (closed := _CLOSED.search(line)) and int(closed[1]) in files:
            descriptor = int(closed[1])
            name = files.pop(descriptor)
            locks.pop((name, descriptor), None)  # SQLite closes what it locked itself
            found += [
                f"{name} closed beside a lock"
                for (other, _), held in locks.items()
                if other == name and held
            ]
    return found


class NoLockIsLetGo(unittest.TestCase):
    """Decided by us after a store lost entries to it."""

    def setUp(self) -> None:
        if reason := why_not():
            self.skipTest(reason)

    def traced(self, folder: str, *command: str) -> str:
        name = os.path.join(folder, "trace")
        subprocess.run(
            ["strace", "-qq", "-o", name, "-e", "trace=openat,close,fcntl", *command],
            env={"HOME": folder, "PATH": os.environ["PATH"], "PYTHONPATH": os.getcwd()},
            capture_output=True,
            check=False,
        )
        with open(name, encoding="utf-8", errors="replace") as file:
            return file.read()

    def test_no_command_closes_a_store_beside_sqlite(self) -> None:
        """Each command on a store that another process left as it is while recording."""
        with place() as there:
            with there.open() as store:
                Recorded(store).open().both(1, "pay", {"sum": "1"}, {"ok": True}).close()
            for words in _COMMANDS:
                with self.subTest(words):
                    copy = os.path.join(there.folder, "copy.db")
                    shutil.copyfile(there.path, copy)
                    with open(f"{copy}-shm", "wb"):
                        pass  # as if somebody had it open
                    line = [word.format(s=copy, r=RUN) for word in words.split()]
                    trace = self.traced(
                        there.folder, sys.executable, "-S", "-m", "toolreplay", *line
                    )
                    self.assertIn("copy.db", trace)
                    names = {copy, f"{copy}-shm"}
                    self.assertEqual(closed_beside_locks(trace, names), [])
                for name in os.listdir(there.folder):
                    if name.startswith("copy.db"):
                        path = os.path.join(there.folder, name)
                        (shutil.rmtree if os.path.isdir(path) else os.unlink)(path)

    def test_no_recorder_does_when_it_opens_a_store_that_is_open(self) -> None:
        """It has two connections, and looks at the file before each."""
        code = (
            "import sys\n"
            "from toolreplay.stores.sqlite.opening import open_store\n"
            "with open_store(sys.argv[1]): pass\n"
        )
        with place() as there:
            trace = self.traced(there.folder, sys.executable, "-S", "-c", code, there.path)
            names = {there.path, f"{there.path}-shm"}
            self.assertEqual(closed_beside_locks(trace, names), [])

    def test_it_is_seen_where_somebody_does(self) -> None:
        """The sight of this test."""
        code = (
            "import sqlite3, sys\n"
            "a = sqlite3.connect(sys.argv[1]); a.execute('select * from meta').fetchone()\n"
            "open(sys.argv[1]).close()\n"
        )
        with place() as there:
            with there.open():
                pass
            trace = self.traced(there.folder, sys.executable, "-S", "-c", code, there.path)
            self.assertNotEqual(closed_beside_locks(trace, {there.path}), [])


if __name__ == "__main__":
    unittest.main()
