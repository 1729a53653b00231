"""`sessions` walks folders that agent programs filled: whatever stands there, it lists the rest."""

import errno
import gc
import json
import os
import tempfile
import unittest
from unittest import mock

from tests.hostile.pieces import BAD_VALUES, GOOD_SESSION, session_with
from tests.hostile.running import IN_MEMORY, Ran, offences, run_here

FAR = 2**62
"""Seconds: a time that no calendar has; not every file system takes it."""


class HostileSessionFolders(unittest.TestCase):
    """Decided by us: a folder of sessions is somebody else's, and so are the names in it."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(dir=IN_MEMORY)
        self.addCleanup(folder.cleanup)
        self.addCleanup(gc.enable)
        self.projects = os.path.join(folder.name, "projects")
        os.makedirs(os.path.join(self.projects, "-\x1b[31m\u202e\n", "below"))
        self.enterContext(
            mock.patch.dict(os.environ, {"CLAUDE_CONFIG_DIR": folder.name, "HOME": ""})
        )

    def put(self, name: str, data: bytes = GOOD_SESSION, changed: float | None = 1e9) -> None:
        path = os.path.join(self.projects, name)
        with open(path, "wb") as file:
            file.write(data)
        if changed is not None:
            os.utime(path, (changed, changed))

    def run_all(self) -> Ran:
        """Run the command in its ways; return what came of the last."""
        for options in ("", "--count", "--format json", "--last 2", "--format json --count"):
            arguments = ["sessions", *options.split()]
            with self.subTest(options):
                ran = run_here(arguments)
                self.assertEqual(offences(ran, arguments), [])
                self.assertEqual((ran.status, ran.err), (0, b""))
        return ran

    def files(self) -> list[str]:
        """Return the names that `sessions` lists."""
        return [
            os.path.basename(item["file"]) for item in json.loads(self.run_all().out)["sessions"]
        ]

    def test_odd_names(self) -> None:
        for name in (
            "\x1b]0;x\x07.jsonl",
            os.fsdecode(b"caf\xe9.jsonl"),
            "a\u202eb.jsonl",
            "-\x1b[31m\u202e\n/c",
        ):
            self.put(name)
        self.assertEqual(len(self.files()), 4)

    def test_what_is_no_session_is_passed_over(self) -> None:
        self.put("sound.jsonl")
        self.put("packed.jsonl", b"\x28\xb5\x2f\xfd" + bytes(40))
        self.put("cut.jsonl.gz", b"\x1f\x8b\x08")
        self.put("other.txt", b"\x1b[31m")
        self.put("empty.jsonl", b"")
        self.put("long.jsonl", b" " * 17_000_000)
        os.mkfifo(os.path.join(self.projects, "fifo.jsonl"))
        os.symlink("sound.jsonl", os.path.join(self.projects, "link.jsonl"))
        os.symlink("..", os.path.join(self.projects, "up"))
        self.assertEqual(self.files(), ["sound.jsonl"])

    def test_sessions_with_broken_lines_are_listed_and_counted(self) -> None:
        for name in ("deep-lists", "digits-5000", "raw-escape", "latin-1"):
            self.put(f"{name}.jsonl", session_with(BAD_VALUES[name]))
        self.put(
            "export.jsonl", b'{"loglines": [' + GOOD_SESSION.strip().replace(b"\n", b",") + b"]"
        )
        found = {os.path.basename(item["file"]): item["calls"]
                 for item in json.loads(self.run_all().out)["sessions"]}  # fmt: skip
        for name in ("deep-lists", "digits-5000", "raw-escape", "latin-1"):
            self.assertEqual(found[f"{name}.jsonl"], 1)

    def test_times_that_no_calendar_has(self) -> None:
        for number, seconds in enumerate((-1e9, 0, 253_402_300_800, FAR)):
            self.put(f"{number}.jsonl", changed=None)
            path = os.path.join(self.projects, f"{number}.jsonl")
            try:
                os.utime(path, (seconds, seconds))
            except OSError:
                continue  # the file system has a calendar too
        self.assertEqual(len(self.files()), 4)

    def test_a_folder_that_cannot_be_listed(self) -> None:
        self.put("sound.jsonl")
        closed = os.path.join(self.projects, "closed\x1b")
        os.mkdir(closed)
        scandir = os.scandir

        def refused(path: str) -> object:
            if path == closed:  # mode 0 would stop nobody who is root
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return scandir(path)

        with mock.patch.object(os, "scandir", refused):
            ran = run_here(["sessions"])
        self.assertEqual(offences(ran, ["sessions"]), [])
        self.assertEqual(ran.status, 0)
        self.assertIn(b"sound.jsonl\n", ran.out)
        self.assertTrue(ran.err.endswith(b"/closed\\u{1b}: Permission denied\n"), ran.err)


if __name__ == "__main__":
    unittest.main()
