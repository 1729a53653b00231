"""store export: a copy of a store while others append, and its log as tiles."""

import hashlib
import os
import shutil
import sqlite3
import unittest
from contextlib import closing

from tests.stores.recording import ORIGIN, Recorded
from tests.stores.stored import HEAD, SIGNED, UNSIGNED, VKEY, Stores, signing
from toolreplay.evidence.tlog.leaf import Leaf, leaf_bytes

TABLES = ("meta", "leaf", "payload", "piece", "checkpoint", "node", "run", "entry", "piece_use")


class Copy(Stores):
    """Decided by us: one file, whole and at one moment."""

    def test_it_holds_the_same_and_needs_nothing_beside_it(self) -> None:
        with self.place().open() as store:  # open, and with a write-ahead log
            Recorded(store, "r-1").open()
            self.assertGreater(os.path.getsize(self.path(SIGNED) + "-wal"), 0)
            self.assertEqual(
                self.says(0, "store", "export", SIGNED, "--db", "copy.db").splitlines(),
                ["copy.db: a copy of 15 entries", "next: toolreplay store check copy.db"],
            )
            before = {name: self.sql(SIGNED, f"select * from {name}") for name in TABLES}
        os.mkdir(self.path("alone"))
        os.rename(self.path("copy.db"), self.path("alone/copy.db"))
        for name, rows in before.items():
            self.assertEqual(self.sql("alone/copy.db", f"select * from {name}"), rows)
        self.assertEqual(os.listdir(self.path("alone")), ["copy.db"])
        self.says(0, "store", "check", "alone/copy.db")
        shutil.copy(self.path(HEAD), self.path("x.head"))
        self.says(0, "store", "sign", "alone/copy.db", *signing("x.head"))

    def test_nothing_is_replaced_and_nothing_is_left_half(self) -> None:
        refused = self.says(2, "store", "export", SIGNED, "--db", UNSIGNED)
        self.assertEqual(refused, f"{UNSIGNED}: is there already, and is not replaced")
        self.assertIn("No such file", self.says(2, "store", "export", SIGNED, "--db", "gone/x.db"))
        self.assertFalse([name for name in os.listdir(self.folder) if "partial" in name])

    def test_one_of_the_two(self) -> None:
        for options in ((), ("--db", "a", "--tiles", "b")):
            self.assertIn(
                "one of --db FILE and --tiles DIR",
                self.says(2, "store", "export", SIGNED, *options),
            )


class Tiles(Stores):
    """C2SP tlog-tiles."""

    def files(self) -> dict[str, bytes]:
        found = {}
        for place, _, names in os.walk(self.path("tiles")):
            for name in names:
                with open(os.path.join(place, name), "rb") as file:
                    found[os.path.relpath(file.name, self.path("tiles"))] = file.read()
        return found

    def leaves(self) -> list[bytes]:
        return [data for (data,) in self.sql(SIGNED, "select bytes from leaf order by idx")]

    def grown(self, size: int) -> None:
        """Let the log grow to a size, by hand: no tile shows more than the leaf."""
        rows = []
        for index in range(len(self.leaves()), size):
            leaf = leaf_bytes(Leaf(ORIGIN, "many", index, "gap", 1, bytes(32), bytes(32), 1))
            rows.append((index, leaf, hashlib.sha256(b"\0" + leaf).digest()))
        with closing(sqlite3.connect(self.path(SIGNED))) as connection, connection:
            connection.executemany("insert into leaf values (?, ?, ?)", rows)
        self.says(0, "store", "sign", SIGNED, *signing())

    def expected(self) -> dict[str, bytes]:
        """Return the files of a log of fewer than 512 leaves, in a test's own words."""
        leaves = self.leaves()
        hashes = [hashlib.sha256(b"\0" + leaf).digest() for leaf in leaves]
        wanted = {}
        for number, first in enumerate(range(0, len(leaves), 256)):
            part = leaves[first : first + 256]
            name = f"{number:03}" + ("" if len(part) == 256 else f".p/{len(part)}")
            bundle = b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in part)
            wanted[f"tile/entries/{name}"] = bundle
            wanted[f"tile/0/{name}"] = b"".join(hashes[first : first + 256])
        if len(leaves) >= 256:
            row = hashes[:256]
            while len(row) > 1:
                pairs = zip(row[::2], row[1::2], strict=True)
                row = [hashlib.sha256(b"\1" + left + right).digest() for left, right in pairs]
            wanted["tile/1/000.p/1"] = row[0]
        with open(self.path(HEAD), "rb") as file:
            wanted["checkpoint"] = file.read()
        return wanted

    def test_the_files_as_the_log_grows(self) -> None:
        text = self.says(0, "store", "export", SIGNED, "--tiles", "tiles")
        self.assertEqual(
            text.splitlines(),
            [
                "tiles: 2 new tiles, 0 there already",
                f"checkpoint: {ORIGIN}, size 14",
                f"root: {self.root()}",
            ],
        )
        first = self.expected()
        self.assertEqual(self.files(), first)
        text = self.says(0, "store", "export", SIGNED, "--tiles", "tiles")
        self.assertTrue(text.startswith("tiles: 0 new tiles, 2 there already\n"), text)
        self.grown(300)
        self.says(0, "store", "export", SIGNED, "--tiles", "tiles")
        del first["checkpoint"]
        self.assertEqual(self.files(), {**first, **self.expected()})

    def test_a_tile_that_is_there_is_never_replaced(self) -> None:
        self.says(0, "store", "export", SIGNED, "--tiles", "tiles")
        with open(self.path("tiles/tile/0/000.p/14"), "r+b") as file:
            file.write(b"\xff")
        before = self.files()
        refused = self.says(2, "store", "export", SIGNED, "--tiles", "tiles")
        self.assertEqual(
            refused, "tiles/tile/0/000.p/14: is there with other bytes: a tile is never replaced"
        )
        self.assertEqual(self.files(), before)

    def test_the_checkpoint_only_goes_forward_and_is_of_this_log(self) -> None:
        self.says(0, "store", "export", SIGNED, "--tiles", "tiles")
        with open(self.path("tiles/checkpoint"), encoding="utf-8") as file:
            text = file.read()
        root = text.splitlines()[2]
        for old, new, fact in (
            ("\n14\n", "\n15\n", "is newer (size 15) than the store (14)"),
            (ORIGIN, "example.invalid/other", "is that of another log (example.invalid/other)"),
            (root, "A" * 43 + "=", "is of another history: the store's first 14 have another root"),
            ("\n14\n", "\nmany\n", "is no checkpoint ("),
        ):
            with open(self.path("tiles/checkpoint"), "w", encoding="utf-8") as file:
                file.write(text.replace(old, new, 1))
            with self.subTest(fact):
                refused = self.says(2, "store", "export", SIGNED, "--tiles", "tiles")
                self.assertTrue(refused.startswith(f"tiles/checkpoint: {fact}"), refused)

    def test_an_unsigned_store_has_nothing_to_serve(self) -> None:
        refused = self.says(2, "store", "export", UNSIGNED, "--tiles", "tiles")
        self.assertIn("is unsigned", refused)
        self.assertFalse(os.path.exists(self.path("tiles")))


class ACopyOfASignedStore(Stores):
    """Decided by us: a copy is the same log, so an auditor takes it for the same."""

    def test_it_verifies_under_the_same_key(self) -> None:
        self.says(0, "store", "export", SIGNED, "--db", "copy.db")
        asked = ["--key", VKEY, "--seen", "none", "--require", "signer"]
        self.says(0, "verify", "copy.db#refund-42", *asked)


if __name__ == "__main__":
    unittest.main()
