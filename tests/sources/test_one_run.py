"""One run of one input, chosen by name where there are several, and read more than once."""

import gzip
import os
import unittest

from tests.cli import ways
from tests.sources.test_source import DIRTY, SESSION, Sources
from toolreplay.errors import InputError, UsageError
from toolreplay.records.limits import DEFAULT
from toolreplay.records.run import RunInfo
from toolreplay.sources.naming import is_named
from toolreplay.sources.one_run import OneRun

CASES = ways.ROOT / "toolreplay" / "importers" / "claude_code" / "cases"
TWO = str(CASES / "two-sessions" / "session.jsonl")
NAMES = ("5e550000-0000-4000-8000-000000000001", "5e550000-0000-4000-8000-000000000002")


class Chosen(Sources):
    def one(self, name: str, wanted: str | None = None) -> OneRun:
        chosen = OneRun(name, DEFAULT, None, wanted)
        self.addCleanup(chosen.close)
        return chosen

    def read(self, chosen: OneRun) -> tuple[str, list[object]]:
        ((name, calls),) = ((run.info.name, list(run.calls)) for run in chosen.run())
        return name, calls

    def refused(self, name: str, wanted: str | None = None) -> str:
        with self.assertRaises(InputError) as caught:
            self.one(name, wanted)
        self.assertEqual(caught.exception.where, name)
        return caught.exception.what


class TheOnlyRun(Chosen):
    """Decided by us."""

    def test_it_is_taken_whatever_name_was_asked_for(self) -> None:
        for wanted in (None, "session-dirty", "another"):
            name, calls = self.read(self.one(DIRTY, wanted))
            self.assertEqual((name, len(calls)), ("session-dirty", 6))

    def test_it_can_be_read_again_and_again(self) -> None:
        with open(DIRTY, "rb") as file:
            packed = self.put("x.gz", gzip.compress(file.read()))
        for name in (DIRTY, packed, SESSION):
            chosen = self.one(name)
            self.assertEqual(self.read(chosen), self.read(chosen))

    def test_the_account_is_that_of_one_reading(self) -> None:
        chosen = self.one(SESSION)
        assert chosen.account is not None
        before = chosen.account.counts()
        self.read(chosen)
        self.read(chosen)
        self.assertEqual((chosen.account.counts(), before["seen"]), (before, 25))
        self.assertIsNone(self.one(DIRTY).account)


class OneOfSeveral(Chosen):
    """Decided by us: by its name, or by six characters that no other name begins with."""

    def test_without_a_name_it_is_said_how_many_there_are(self) -> None:
        self.assertEqual(
            self.refused(TWO), "holds 2 runs; name one with --run (see: toolreplay show)"
        )

    def test_by_name(self) -> None:
        for number, name in enumerate(NAMES):
            found, calls = self.read(self.one(TWO, name))
            self.assertEqual((found, len(calls)), (name, 1))
            self.assertIn("ab"[number], str(calls[0].response))  # type: ignore[attr-defined]

    def test_by_the_beginning_of_a_name(self) -> None:
        with open(TWO, "rb") as file:
            text = file.read().replace(NAMES[1].encode(), b"abcdefghi")
        path = self.put("x.jsonl", text)
        self.assertEqual(self.read(self.one(path, "abcdef"))[0], "abcdefghi")
        self.assertEqual(self.read(self.one(path, "5e5500"))[0], NAMES[0])
        for short in ("abcde", "b", "abcdefghij"):
            self.assertEqual(
                self.refused(path, short), f"holds 2 runs, none of them named '{short}'"
            )

    def test_a_whole_name_goes_before_the_beginning_of_another(self) -> None:
        with open(TWO, "rb") as file:
            text = file.read().replace(NAMES[0].encode(), b"abcdef")
        path = self.put("x.jsonl", text.replace(NAMES[1].encode(), b"abcdefghi"))
        self.assertEqual(self.read(self.one(path, "abcdef"))[0], "abcdef")

    def test_a_beginning_of_several(self) -> None:
        self.assertEqual(
            self.refused(TWO, "5e5500"), "holds 2 runs, more than one of them named '5e5500'"
        )

    def test_is_named(self) -> None:
        info = RunInfo("abcdefg", "f", "transcript")
        for wanted, found in (("abcdefg", True), ("abcdef", True), ("abcde", False), ("x", False)):
            self.assertEqual(is_named(info, wanted), found)
        self.assertTrue(is_named(RunInfo("a", "f", "transcript"), "a"))


class WhatIsNoRun(Chosen):
    """Decided by us."""

    def test_a_folder(self) -> None:
        self.assertEqual(self.refused(self.folder), "is a folder, not one run")

    def test_what_can_be_no_input(self) -> None:
        with self.assertRaises(UsageError):
            OneRun("http://example.org/x", DEFAULT, None, None)
        self.refused("@last")

    def test_what_is_not_there_or_not_recognised(self) -> None:
        self.refused(os.path.join(self.folder, "gone"))
        self.refused(self.put("notes.txt", b"hello\n"))

    def test_a_line_that_cannot_be_read_of_a_run_that_was_not_chosen(self) -> None:
        """An import counts it in the account; the chosen run is read all the same."""
        with open(TWO, "rb") as file:
            path = self.put("x.jsonl", file.read() + b"nonsense\n")
        chosen = self.one(path, NAMES[0])
        assert chosen.account is not None
        self.assertEqual(chosen.account.unreadable, 1)
        self.assertEqual(len(self.read(chosen)[1]), 1)


if __name__ == "__main__":
    unittest.main()
