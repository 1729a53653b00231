"""Which files a command line means, and in which order."""

import os
import pathlib
import random
import sys
import tempfile
import unittest
from unittest import mock

from tests.cli.ways import inside
from toolreplay.errors import InputError, UsageError
from toolreplay.sources.folder import files_of, is_many


class Files(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def put(self, *names: str) -> None:
        for name in names:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"")

    def files(self, *names: str) -> list[tuple[str, bool]]:
        with inside(self.folder):
            return list(files_of(names))


class TheOrder(Files):
    """Decided by us: byte order of the paths."""

    def test_whatever_the_file_system_says(self) -> None:
        chance = random.Random(7)
        letters = ["a", "b", "A", "-", ".", "é", "中", "_", "0", "~", " "]
        names = {
            "/".join(
                "".join(chance.choice(letters) for _ in range(chance.randint(1, 2))) + "x"
                for _ in range(chance.randint(1, 3))
            )
            for _ in range(60)
        }
        for name in names:
            if not any(other.startswith(f"{name}/") for other in names):
                self.put(f"f/{name}")
        found = [name for name, _ in self.files("f")]
        self.assertGreater(len(found), 30)
        self.assertEqual(found, sorted(found, key=os.fsencode))

    def test_names_that_are_no_text(self) -> None:
        names = [b"f/\xff", b"f/a", b"f/\xc3\xa9", b"f/\x80x"]
        (self.folder / "f").mkdir()
        with inside(self.folder):
            try:
                for name in names:
                    with open(name, "wb"):
                        pass
            except OSError:
                self.skipTest("this file system takes text only")
        found = [os.fsencode(name) for name, _ in self.files("f")]
        self.assertEqual(found, sorted(names))

    def test_several_names_are_sorted_and_taken_once(self) -> None:
        self.put("b", "a/z", "a-1", "c")
        self.assertEqual(
            self.files("b", "a", "c", "a-1", "b"),
            [("a-1", False), ("a/z", True), ("b", False), ("c", False)],
        )

    def test_a_folder_is_named_as_it_was_typed(self) -> None:
        self.put("a/z")
        for typed, path in (("a", "a/z"), ("a/", "a/z"), ("./a", "./a/z")):
            self.assertEqual(self.files(typed), [(path, True)])

    def test_a_folder_deeper_than_the_stack(self) -> None:
        self.put("/".join(["f", *["d"] * 150, "x"]))
        before, depth = sys.getrecursionlimit(), 0
        frame = sys._getframe()
        while frame is not None:
            frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
        sys.setrecursionlimit(depth + 100)
        try:
            found = self.files("f")
        finally:
            sys.setrecursionlimit(before)
        self.assertEqual(len(found), 1)


class WhatIsLeftOut(Files):
    """Decided by us."""

    def test_links_and_what_is_no_file(self) -> None:
        self.put("f/a", "f/sub/b", "other/c")
        os.symlink("../other", self.folder / "f" / "link")
        os.symlink("a", self.folder / "f" / "twin")
        os.symlink("gone", self.folder / "f" / "dangling")
        os.symlink(".", self.folder / "f" / "sub" / "loop")
        os.mkfifo(self.folder / "f" / "pipe")
        self.assertEqual([name for name, _ in self.files("f")], ["f/a", "f/sub/b"])

    def test_a_name_that_is_not_there_is_still_yielded(self) -> None:
        """Whoever opens it says why it cannot be read."""
        self.assertEqual(self.files("gone", "-"), [("-", False), ("gone", False)])


class WhatBelongsToAnotherFile(Files):
    """Decided by us: what a store or a memory keeps beside its file is no input of its own."""

    def test_files_beside_a_store_and_a_head_are_not_read(self) -> None:
        beside = ["-wal", "-shm", "-journal", "-state"]
        self.put("f/s.db", *(f"f/s.db{end}" for end in beside), "f/seen", "f/seen.lock")
        (self.folder / "f/s.db").write_bytes(b"SQLite format 3\0")
        self.assertEqual(self.files("f"), [("f/s.db", True), ("f/seen", True)])

    def test_a_name_alone_hides_nothing(self) -> None:
        self.put("f/plain", "f/plain-wal", "f/gone-wal", "f/gone.lock", "f/seen", "f/seen.lock")
        (self.folder / "f/seen.lock").write_bytes(b"{}")
        names = ["gone-wal", "gone.lock", "plain", "plain-wal", "seen", "seen.lock"]
        self.assertEqual(self.files("f"), [(f"f/{name}", True) for name in names])


class WhatIsRefused(Files):
    """Decided by us, before the first file is yielded."""

    def test_addresses_and_runs_of_a_store_that_is_not_there(self) -> None:
        self.put("a")
        for name, error in (
            ("https://toolreplay.invalid/x", UsageError),
            ("http://toolreplay.invalid/x", UsageError),
            ("store.db#run", InputError),
        ):
            with self.subTest(name), inside(self.folder), self.assertRaises(error):
                next(files_of(["a", name]))

    def test_a_file_of_such_a_name_is_a_file(self) -> None:
        self.put("@last", "a#b")
        self.assertEqual(self.files("@last", "a#b"), [("@last", False), ("a#b", False)])

    def test_a_name_that_no_file_can_have(self) -> None:
        with self.assertRaises(InputError):
            self.files("a\0b")

    def test_a_folder_that_cannot_be_listed(self) -> None:
        self.put("f/a", "f/closed/x", "f/z")
        listed = os.scandir

        def scandir(path: str) -> object:
            if str(path).endswith("closed"):
                raise PermissionError(13, "Permission denied")
            return listed(path)

        told: list[InputError] = []
        with mock.patch("os.scandir", scandir), inside(self.folder):
            with self.assertRaisesRegex(InputError, r"\Af/closed: Permission denied\Z"):
                list(files_of(["f"]))
            found = list(files_of(["f"], told.append))
        self.assertEqual([name for name, _ in found], ["f/a", "f/z"])
        self.assertEqual([str(error) for error in told], ["f/closed: Permission denied"])


class OneOrMany(Files):
    """Decided by us: totals are printed of more than one."""

    def test_a_folder_is_many(self) -> None:
        self.put("a", "f/b")
        with inside(self.folder):
            self.assertFalse(is_many(["a"]))
            self.assertFalse(is_many(["-"]))
            self.assertTrue(is_many(["a", "b"]))
            self.assertTrue(is_many(["f"]))
