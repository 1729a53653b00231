"""demo: what it prints is what the commands print."""

import os
import pathlib
import re
import shlex
import tempfile
import unittest
from unittest import mock

from tests.cli import ways
from tests.cli.tutorial import CHANGED_HITS, DIRTY_REPLAY


class TheDemonstration(unittest.TestCase):
    """Decided by us: real commands on the shipped samples, in a folder of their own."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def demo(self, *arguments: str) -> ways.Ran:
        return ways.in_process("demo", *arguments, folder=self.folder)

    def test_it_shows_the_tutorials_lines_and_ends_with_0(self) -> None:
        ran = self.demo()
        self.assertEqual(ran.status, 0)
        self.assertIn(f"$ toolreplay replay session-dirty.jsonl\n{DIRTY_REPLAY}\n", ran.text)
        self.assertIn("$ toolreplay verify sealed.jsonl\nchain: intact\n\n3. ", ran.text)
        self.assertIn(f"$ toolreplay verify changed.jsonl\n{CHANGED_HITS}\n", ran.text)
        self.assertIn("\nWhat this cannot show: who wrote these files, ", ran.text)

    def test_each_command_it_shows_prints_the_same_when_it_is_typed(self) -> None:
        text = self.demo("--into", "kept").text
        parts = re.split(r"^\$ toolreplay (.+)\n", text, flags=re.MULTILINE)[1:]
        self.assertEqual(len(parts) // 2, 6)
        for line, printed in zip(parts[::2], parts[1::2], strict=True):
            ran = ways.in_process(*shlex.split(line), folder=self.folder / "kept")
            with self.subTest(line):
                self.assertTrue(printed.startswith(ran.text), printed)
                self.assertIn(ran.status, (0, 1))

    def test_a_temporary_folder_is_gone_afterwards_and_nothing_else_is_made(self) -> None:
        with mock.patch.object(tempfile, "tempdir", str(self.folder)):
            before = os.getcwd()
            self.assertIn("\nThe files are gone; ", self.demo().text)
            self.assertEqual(os.getcwd(), before)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_failed_one_leaves_the_folder_for_another_try(self) -> None:
        os.mkdir(self.folder / "kept")
        with mock.patch("toolreplay.cli.main.run_command", return_value=2):
            self.assertEqual(self.demo("--into", "kept").status, 2)
        self.assertEqual(os.listdir(self.folder / "kept"), [])
        self.assertEqual(self.demo("--into", "kept").status, 0)

    def test_into_keeps_the_files(self) -> None:
        ran = self.demo("--into", "a/b")
        self.assertEqual(ran.lines[-1], "The files are in a/b.")
        self.assertEqual(
            sorted(os.listdir(self.folder / "a" / "b")),
            ["changed.jsonl", "claude-session.jsonl", "head.txt", "scope.json", "sealed.jsonl",
             "session-clean.jsonl", "session-dirty.jsonl"],
        )  # fmt: skip
        for name in ("session-dirty.jsonl", "scope.json"):
            self.assertEqual(
                (self.folder / "a" / "b" / name).read_bytes(), (ways.SAMPLES / name).read_bytes()
            )

    def test_an_empty_folder_that_is_there_will_do(self) -> None:
        (self.folder / "empty").mkdir()
        self.assertEqual(self.demo("--into", "empty").status, 0)

    def test_a_folder_that_holds_something_is_left_alone(self) -> None:
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "scope.json").write_text("mine")
        self.assertEqual(self.demo("--into", "mine"), (2, b"", b"error: mine: is not empty\n"))
        self.assertEqual(os.listdir(self.folder / "mine"), ["scope.json"])
        self.assertEqual((self.folder / "mine" / "scope.json").read_text(), "mine")

    def test_a_place_that_is_no_folder(self) -> None:
        (self.folder / "file").write_text("")
        for place in ("file", "file/below"):
            ran = self.demo("--into", place)
            self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))

    def test_it_fails_when_a_command_does_not_do_what_it_shows(self) -> None:
        with mock.patch("toolreplay.cli.verify.run", return_value=0):
            ran = self.demo()
        self.assertEqual(ran.status, 2)
        self.assertEqual(
            ran.error.splitlines()[-1],
            "error: the demonstration failed: `verify changed.jsonl` ended with 0",
        )

    def test_it_says_that_the_session_is_made_up(self) -> None:
        self.assertIn("(made up by us: it never ran)", self.demo().text)

    def test_its_own_lines_fit_80_columns(self) -> None:
        for line in self.demo().lines:
            if not line.startswith(("index ", "run ")):
                self.assertLessEqual(len(line), 80, line)
