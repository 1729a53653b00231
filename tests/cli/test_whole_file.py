"""A file is written whole or not at all."""

import os
import stat
import tempfile
import unittest

from toolreplay.cli.whole_file import WholeFile, is_same_file
from toolreplay.errors import OutputError


def write_whole(name: str, data: bytes) -> None:
    with WholeFile(name) as target:
        target.write(data)
        target.keep()


class WrittenWhole(unittest.TestCase):
    """Decided by us."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name
        self.name = os.path.join(self.folder, "out.jsonl")

    def content(self) -> bytes:
        with open(self.name, "rb") as file:
            return file.read()

    def test_it_takes_its_name_when_it_is_kept(self) -> None:
        with WholeFile(self.name) as target:
            target.file.write(b"new")
            self.assertFalse(os.path.exists(self.name))
            target.keep()
        self.assertEqual((self.content(), os.listdir(self.folder)), (b"new", ["out.jsonl"]))

    def test_what_is_not_kept_leaves_nothing_and_changes_nothing(self) -> None:
        write_whole(self.name, b"old")
        with WholeFile(self.name) as target:
            target.file.write(b"new")
        with self.assertRaises(ZeroDivisionError), WholeFile(self.name) as target:
            target.file.write(b"new")
            1 / 0  # noqa: B018
        self.assertEqual((self.content(), os.listdir(self.folder)), (b"old", ["out.jsonl"]))

    def test_a_longer_file_is_replaced_whole(self) -> None:
        write_whole(self.name, b"old" * 100_000)
        write_whole(self.name, b"new")
        self.assertEqual(self.content(), b"new")

    def test_it_has_the_permissions_that_any_program_gives(self) -> None:
        before = os.umask(0o027)
        try:
            write_whole(self.name, b"x")
        finally:
            os.umask(before)
        self.assertEqual(stat.S_IMODE(os.stat(self.name).st_mode), 0o640)

    def test_one_that_was_left_behind_is_no_obstacle(self) -> None:
        """A process that was killed may have had the same number, as in a container."""
        for attempt in range(3):
            left = os.path.join(self.folder, f".toolreplay.{os.getpid()}.{attempt}.partial")
            with open(left, "wb") as file:
                file.write(b"left")
        write_whole(self.name, b"new")
        self.assertEqual((self.content(), len(os.listdir(self.folder))), (b"new", 4))

    def test_two_long_names_of_one_beginning_can_be_written_at_once(self) -> None:
        names = [os.path.join(self.folder, "x" * 200 + end) for end in ("a", "b")]
        with WholeFile(names[0]) as one, WholeFile(names[1]) as two:
            one.file.write(b"1")
            two.file.write(b"2")
            one.keep()
            two.keep()
        self.assertEqual(len(os.listdir(self.folder)), 2)

    def test_a_device_is_written_directly(self) -> None:
        write_whole(os.devnull, b"x")
        self.assertTrue(os.path.exists(os.devnull))

    def test_what_the_system_says_is_the_error(self) -> None:
        for name, what in (
            (os.path.join(self.folder, "gone", "x"), "No such file or directory"),
            (self.folder, "Is a directory"),
            ("a\0b", "is not a name a file can have"),
        ):
            with self.subTest(what), self.assertRaises(OutputError) as caught:
                write_whole(name, b"x")
            self.assertEqual((caught.exception.where, caught.exception.what), (name, what))

    def test_a_file_is_the_same_under_another_name(self) -> None:
        write_whole(self.name, b"x")
        link, hard = os.path.join(self.folder, "link"), os.path.join(self.folder, "hard")
        os.symlink(self.name, link)
        os.link(self.name, hard)
        for other in (self.name, link, hard, os.path.join(self.folder, ".", "out.jsonl")):
            self.assertTrue(is_same_file(self.name, other))
        write_whole(os.path.join(self.folder, "twin"), b"x")
        for other in (os.path.join(self.folder, "twin"), "gone", "a\0b", "-"):
            self.assertFalse(is_same_file(self.name, other))
        self.assertFalse(is_same_file("-", self.name))
