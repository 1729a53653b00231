"""store status: what is in a store, who signs it, does it record?"""

import json
import os
import sqlite3
import unittest

from tests.stores.recording import ORIGIN, Recorded
from tests.stores.stored import ENTRIES, SIGNED, UNSIGNED, VKEY, Stores
from tests.stores.test_store_sign import vkey_of
from toolreplay.reports.lines import WIDTH
from toolreplay.stores.sqlite.state import note_failure


class WhatItSays(Stores):
    """Decided by us."""

    def rows(self, status: int = 0, name: str = SIGNED) -> dict[str, str]:
        text = self.says(status, "store", "status", name)
        return {line[:11].strip(): line[11:] for line in text.splitlines()}

    def test_a_signed_store(self) -> None:
        rows = self.rows()
        self.assertEqual(rows.pop("bytes")[:5], "file ")
        self.assertEqual(
            rows,
            {
                "store": f"{SIGNED} (format 1)",
                "origin": ORIGIN,
                "signed by": VKEY,
                "entries": f"{ENTRIES} of 3 runs, 1 of them open",
                "root": f"{self.root()} (size {ENTRIES})",
                "last head": f"size {ENTRIES}, of 3 that are kept",
                "recording": "works",
            },
        )

    def test_the_signature_of_the_last_head_by_a_key_from_outside(self) -> None:
        other = vkey_of(ORIGIN, bytes([1]) * 32)
        hashes = f"{VKEY.split('+')[1]}, and the key given is {other.split('+')[1]}"
        for name, key, status, fact in (
            (SIGNED, VKEY, 0, f"holds ({ORIGIN})"),
            (SIGNED, other, 1, f"unknown-signer: signed by {ORIGIN} with the key {hashes}"),
            (UNSIGNED, VKEY, 1, "there is no signed head"),
        ):
            with self.subTest(fact):
                text = self.says(status, "store", "status", name, "--key", key)
                self.assertIn(f"\nsignature  {fact}\n", text)
                text = self.says(status, "store", "status", name, "--key", key, "--format", "json")
                self.assertIs(json.loads(text)["signature"], not status)

    def test_an_unsigned_store(self) -> None:
        rows = self.rows(name=UNSIGNED)
        self.assertEqual(rows["signed by"], "nobody (toolreplay store sign gives it a key)")
        self.assertNotIn("last head", rows)

    def test_entries_that_no_head_covers(self) -> None:
        with self.place().open() as store:  # whoever has no key signs nothing
            Recorded(store, "r-1").open()
        rows = self.rows()
        self.assertEqual(rows["behind it"], "1 entry (no head covers them)")

    def test_a_store_that_does_not_record_ends_with_1(self) -> None:
        note_failure(self.path(SIGNED), "2026-11-30T09:00:00.000Z", "disk full")
        self.assertEqual(self.rows(1)["recording"], "not since 2026-11-30T09:00:00.000Z: disk full")

    def test_a_store_that_was_cut_ends_with_1(self) -> None:
        self.place().sql("delete from leaf where idx = 13", checked=False)
        self.assertEqual(self.rows(1)["cut"], "1 entries that were signed are not here")

    def test_a_torn_tail(self) -> None:
        with open(self.path(SIGNED) + "-wal", "wb") as file:
            file.write(b"\0" * 20)
        self.assertRegex(self.rows()["torn tail"], r"\A20 bytes at the end of the write-ahead log")

    def test_what_is_composed_fits_80_columns(self) -> None:
        for line in self.says(0, "store", "status", UNSIGNED).splitlines():
            if not line.startswith("root"):
                self.assertLessEqual(len(line), WIDTH, line)

    def test_as_json(self) -> None:
        document = json.loads(self.says(0, "store", "status", SIGNED, "--format", "json"))
        self.assertEqual(document.pop("files")[0]["suffix"], "")
        self.assertEqual(
            document,
            {
                "format": "toolreplay-store/1", "store": SIGNED, "version": 1, "origin": ORIGIN,
                "signer": VKEY, "entries": ENTRIES, "root": self.root(), "runs": 3, "open_runs": 1,
                "heads": 3, "last_head": {"size": ENTRIES, "root": self.root()}, "signature": None, "behind": 0,
                "not_recording": None, "torn_bytes": 0,
            },
        )  # fmt: skip


class WhatIsNoStore(Stores):
    """Decided by us: one line, and what to do."""

    def test_each_is_refused_by_every_command_in_one_line(self) -> None:
        with open(self.path("text"), "w", encoding="ascii") as file:
            file.write("no database, however long it may be " * 20)
        sqlite3.connect(self.path("other.db")).execute("create table t (x)").connection.close()
        os.mkdir(self.path("folder"))
        table = {
            "gone.db": "gone.db: is not there",
            "folder": "folder: is no file",
            "text": "text: cannot be read: file is not a database",
            "other.db": "other.db: is a database, and no store of toolreplay",
        }
        for name, fact in table.items():
            for command in (
                ["store", "status", name], ["store", "check", name], ["store", "repair", name],
                ["store", "prove", name, "--index", "0"], ["store", "erase", name, "--finish"],
                ["store", "export", name, "--db", "new.db"], ["runs", "list", "--store", name],
            ):  # fmt: skip
                with self.subTest(command):
                    self.assertEqual(self.says(2, *command), fact)

    def test_a_store_of_another_version_and_one_without_its_triggers(self) -> None:
        self.place().sql("pragma user_version = 7")
        self.assertIn("another version (7)", self.says(2, "store", "status", SIGNED))
        self.place(UNSIGNED).sql("drop trigger leaf_update")
        self.assertIn("triggers", self.says(2, "store", "status", UNSIGNED))


if __name__ == "__main__":
    unittest.main()
