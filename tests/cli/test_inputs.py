"""What X means in every command that takes one: a path that is there, or a run of a store."""

import os
import pathlib
import shutil
import unittest
from unittest import mock

from tests.cli import ways
from tests.stores.recording import OTHER_RUN, RUN, record
from tests.stores.stored import OPEN_RUN, SIGNED, UNSIGNED, Stores


class ARunOfAStore(Stores):
    """Decided by us."""

    def shown(self, *arguments: str) -> str:
        """Return the heading of the run that `show` shows."""
        return self.says(0, "show", *arguments).splitlines()[0].removeprefix("run ").split(" · ")[0]

    def test_by_all_of_its_names(self) -> None:
        table = {
            "@last": OPEN_RUN,
            "@last-0": OPEN_RUN,
            "@last-1": "erase-me",
            "@last-2": "refund-42",
            "refund-42": "refund-42",
            RUN: "refund-42",
            OTHER_RUN: "erase-me",
            "01a22bae-c": OPEN_RUN,
            f"{UNSIGNED}#refund-42": "refund-42",
            f"{UNSIGNED}#@last-1": "erase-me",
            f"sqlite:{UNSIGNED}#01a22bae-c": OPEN_RUN,
        }
        with self.usual_store():
            for name, run in table.items():
                with self.subTest(name):
                    self.assertEqual(self.shown(name), run)

    def test_in_every_command_that_takes_one(self) -> None:
        with self.usual_store() as path:
            for command in ("show", "audit", "verify"):
                with self.subTest(command):
                    self.assertIn("run refund-42 ", self.says(0, command, "refund-42"))
            text = self.says(1, "diff", "@last-2", "erase-me")
            self.assertIn(f"A: {path}#{RUN}\n", text)
            self.assertIn(f"B: {path}#{OTHER_RUN}\n", text)

    def test_a_whole_store_is_all_of_its_runs(self) -> None:
        for name in (UNSIGNED, f"sqlite:{UNSIGNED}"):
            self.assertEqual(self.says(0, "show", name).count("\nrun ") + 1, 3)
        refused = self.says(2, "diff", UNSIGNED, f"{UNSIGNED}#erase-me")
        self.assertIn("holds 3 runs; name one with --run", refused)
        text = self.says(1, "diff", UNSIGNED, f"{UNSIGNED}#erase-me", "--run", "01a22bae-c111")
        self.assertIn(f"   run {OPEN_RUN} ", text)

    def test_a_path_that_is_there_always_wins(self) -> None:
        names = ("@last", "refund-42", RUN, f"{UNSIGNED}#refund-42")
        for name in names:
            shutil.copy(ways.SAMPLES / "session-clean.jsonl", self.path(name))
        with self.usual_store():
            for name in names:
                with self.subTest(name):
                    self.assertIn("LOGGED BY AGENT", self.says(0, "show", name))

    def test_where_several_are_meant_they_are_named(self) -> None:
        with self.place(UNSIGNED).open() as store:
            record(store, "r-1", calls=0, name="refund-42")
        with self.usual_store() as path:
            table = {
                "refund-42": f"means several runs of {path}: {RUN}, r-1",
                "01a22bae-b680": f"means several runs of {path}: {RUN}, {OTHER_RUN}",
            }
            for name, fact in table.items():
                for command in ("show", "audit", "verify"):
                    with self.subTest(name=name, command=command):
                        self.assertEqual(self.says(2, command, name), f"{name}: {fact}")

    def test_what_is_nothing(self) -> None:
        with self.usual_store() as path:
            nowhere = f"is no file here, and no run of {path} (see: toolreplay runs list)"
            for name in ("nope", "01a22", "gone/file.jsonl", "n" * 300):
                self.assertEqual(self.says(2, "show", name), f"{name}: {nowhere}")
            self.assertEqual(
                self.says(2, "show", "@last-3"), f"{path}: has no run @last-3: it holds fewer"
            )
            self.assertEqual(self.says(2, "show", "gone.db#x"), "gone.db: is not there")
            self.assertIn("has no run 'x'", self.says(2, "show", f"{UNSIGNED}#x"))
        self.assertEqual(self.says(2, "show", "nope"), "nope: No such file or directory")

    def test_a_name_that_is_not_unicode(self) -> None:
        with self.usual_store() as path:
            refused = self.says(2, "show", "\udcff")
        self.assertEqual(
            refused,
            f"\\u{{dcff}}: is no file here, and no run of {path} (see: toolreplay runs list)",
        )
        self.assertIn("has no run", self.says(2, "export", f"{UNSIGNED}#\udcff", "-o", "x"))
        self.says(2, "export", f"{UNSIGNED}#refund-42", "-o", "x", "--since", "\udcff")
        self.says(2, "store", "init", "\udcff", "--restored-from", "\udcff")

    def test_one_of_several_that_is_nothing_is_counted(self) -> None:
        with self.usual_store():
            ran = self.ran("audit", "refund-42", "nope")
        self.assertEqual(ran.status, 2)
        self.assertIn("2 (1 read, 0 not recognised, 1 unreadable)", ran.text)
        self.assertEqual(ran.error, "error: nope: No such file or directory\n")

    def test_what_a_recorder_wrote_of_itself_is_not_the_last_run(self) -> None:
        self.says(0, "store", "init", "after.db", "--restored-from", SIGNED)
        refused = self.says(2, "show", "@last", "--store", "after.db")
        self.assertEqual(refused, "after.db: has no run @last: it holds fewer")


class TheDefaultStore(Stores):
    """Decided by us: --store, else the project file, else below the user's data."""

    def shown(self, *options: str) -> str:
        return self.ran("show", "refund-42", *options).error

    def test_each_in_its_turn(self) -> None:
        os.mkdir(self.path("empty"))
        for name in ("of-project", "of-option"):
            self.says(0, "store", "init", f"empty/{name}.db")
        with self.usual_store():
            self.assertEqual(self.shown(), "")
            pathlib.Path(self.path("toolreplay.toml")).write_text('store = "empty/of-project.db"\n')
            self.assertIn("no run of empty/of-project.db ", self.shown())
            self.assertIn(
                "no run of empty/of-option.db ", self.shown("--store", "empty/of-option.db")
            )
            self.assertIn(
                "no run of empty/of-option.db ", self.shown("--store", "sqlite:empty/of-option.db")
            )
            self.assertIn(
                "empty/of-project.db",
                self.ran("audit", "refund-42", "--config", "toolreplay.toml").error,
            )
            self.assertEqual(self.ran("audit", "refund-42", "--config", "none").status, 0)

    def test_without_a_home_there_is_none(self) -> None:
        with mock.patch.dict(os.environ, {"XDG_DATA_HOME": "relative", "HOME": ""}):
            self.assertEqual(
                self.says(2, "show", "@last"),
                "@last is a run of a store, and no store is known (--store STORE)",
            )
            self.assertEqual(self.says(2, "runs", "list"), "no store is known (--store STORE)")
        with mock.patch.dict(os.environ, {"XDG_DATA_HOME": "", "HOME": "/nonexistent"}):
            where = "/nonexistent/.local/share/toolreplay/store.db is not there"
            self.assertIn(where, self.says(2, "show", "@last"))


if __name__ == "__main__":
    unittest.main()
