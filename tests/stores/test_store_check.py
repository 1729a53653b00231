"""store check and store repair: a store against its own leaves, and the tables built again."""

import unittest

from tests.stores.recording import ORIGIN, RUN, Recorded
from tests.stores.stored import ENTRIES, SIGNED, UNSIGNED, Stores
from toolreplay.evidence.profile.entry import commit_of
from toolreplay.evidence.tlog.leaf import Leaf, leaf_bytes
from toolreplay.evidence.tlog.merkle import leaf_hash
from toolreplay.stores.sqlite.repair import DERIVED

KEPT = ("leaf", "payload", "piece", "checkpoint", "erased_step")
"""Tables that a repair never touches."""


class Checked(Stores):
    """Changes a store by hand and asks."""

    def changed(self, *statements: str, name: str = SIGNED) -> None:
        self.place(name).sql(*statements, checked=False)

    def tables(self, names: tuple[str, ...], name: str = SIGNED) -> dict[str, list[object]]:
        return {one: list(self.sql(name, f"select * from {one} order by 1, 2")) for one in names}

    def repaired(self, name: str = SIGNED) -> str:
        """Repair a store; look that only derived tables have changed."""
        before = self.tables(KEPT, name)
        text = self.says(0, "store", "repair", name)
        self.assertEqual(self.tables(KEPT, name), before)
        return text


class Check(Checked):
    """Decided by us: counts of what was compared, a line for each fault, and no verdict word."""

    def test_a_store_as_it_was_recorded(self) -> None:
        self.assertEqual(
            self.says(0, "store", "check", SIGNED).splitlines(),
            [
                f"leaves     {ENTRIES} of 3 runs",
                f"root       {self.root()}",
                "heads      3 compared",
                f"payloads   {ENTRIES} compared",
                "pieces     1 compared",
                "tables     agree",
                f"receipts, signatures and time: toolreplay verify {SIGNED} --key VKEY",
            ],
        )
        self.assertIn("heads      0 compared\n", self.says(0, "store", "check", UNSIGNED))

    def test_a_change_of_what_is_kept_is_found(self) -> None:
        """Every kind of change is tried in tests/stores/test_sqlite_checking.py."""
        table = {
            "broken-inclusion: leaf 3 is another": "update leaf set bytes = x'00' where idx = 3",
            "missing-entry: leaf 5 is missing": "delete from leaf where idx = 5",
            "broken-commitment: the content kept of": "update piece set bytes = x'00'",
        }
        for fact, statement in table.items():
            with self.subTest(fact):
                self.setUp()  # a store as it was
                self.changed(statement)
                text = self.says(1, "store", "check", SIGNED)
                self.assertRegex(text, f"(?m)^{fact}")
                self.assertNotIn("\nreceipts, signatures", text)

    def test_each_change_of_a_derived_table_is_found_and_mended(self) -> None:
        derived = self.tables(DERIVED)
        for table in (
            {
                "node: rows: 1 wrong": "update node set hash = x'00' where level = 2 and idx = 0",
                "run: rows: 1 wrong": "update run set name = 'another' where id = 1",
                "entry: rows: 1 wrong": "update entry set kind = 'gap' where run = 1 and entry = 1",
                "open_call: rows: 1 missing": "delete from open_call",
                "run_tool: rows: 1 wrong": "update run_tool set calls = 7 where run = 1",
                "piece_use: rows: 1 too many": "insert into piece_use values (x'00', 1, 1)",
            },
            {
                "node: rows: 1 missing, 1 too many": "delete from node where level = 1 and idx = 0;"
                "insert into node values (9, 9, x'00')",
                "run: rows: 1 missing": "delete from run where id = 2",
                "entry: rows: 2 missing, 1 too many": "delete from entry where run = 1 and entry > 3;"
                "insert into entry values (9, 0, 0, x'00')",
            },
        ):
            self.changed(*";".join(table.values()).split(";"))
            found, mended = self.says(1, "store", "check", SIGNED), self.repaired()
            self.assertEqual(self.tables(DERIVED), derived)
            for fact in table:
                with self.subTest(fact):
                    self.assertIn(f"derived-table: {fact}\n", found)
                    self.assertIn(f"mended: {fact}\n", mended)
        self.says(0, "store", "check", SIGNED)

    def test_tables_are_not_compared_with_leaves_that_were_changed(self) -> None:
        self.changed("update leaf set bytes = x'00' where idx = 3")
        text = self.says(1, "store", "check", SIGNED)
        self.assertIn("tables     not compared: the leaves do not hold\n", text)
        self.assertNotIn("derived-table", text)
        self.assertNotIn("repair", text)

    def test_subtrees_that_nobody_has_computed_yet_are_not_missing(self) -> None:
        with self.place().open() as store:
            Recorded(store, "r-1").open()
        self.changed("delete from node where level = 3")
        self.changed("update meta set value = 8 where name = 'nodes'")
        self.assertIn("node: rows: 1 missing\n", self.says(1, "store", "check", SIGNED))
        self.changed("update meta set value = 7 where name = 'nodes'")
        self.says(0, "store", "check", SIGNED)


class Repair(Checked):
    """Decided by us: needed after no crash, and never more than the leaves say."""

    def test_where_there_is_nothing_to_mend(self) -> None:
        self.assertTrue(self.repaired().startswith("nothing to mend: "))

    def test_all_that_is_derived_may_be_lost(self) -> None:
        derived = self.tables(DERIVED)
        self.changed(*(f"delete from {name}" for name in DERIVED))
        self.assertEqual(self.repaired().count("mended: "), len(DERIVED))
        self.assertEqual(self.tables(DERIVED), derived)

    def test_what_was_erased_stays_found_as_it_was(self) -> None:
        for target in (f"{SIGNED}#refund-42", f"{SIGNED}#erase-me"):
            self.says(0, "store", "erase", target, "--all", "--payload", "--reason", "asked for")
        before = self.tables(("run",))
        self.says(0, "store", "check", SIGNED)
        self.assertTrue(self.repaired().startswith("nothing to mend: "))
        self.changed("delete from entry")
        self.repaired()
        self.says(0, "store", "check", SIGNED)
        columns = [(row[1], row[6] is None) for row in before["run"]]
        self.assertEqual(
            [(row[1], row[6] is None) for row in self.tables(("run",))["run"]], columns
        )

    def test_a_run_whose_close_was_erased_stays_closed(self) -> None:
        commit = self.sql(UNSIGNED, "select commit_hash from payload where rowid = 6")[0][0].hex()
        self.changed(
            f"delete from payload where commit_hash = x'{commit}'", "delete from run", name=UNSIGNED
        )
        self.repaired(UNSIGNED)
        ((closed,),) = self.sql(UNSIGNED, f"select closed_at from run where run = '{RUN}'")
        self.assertRegex(closed, r"\A20..-")

    def test_an_entry_that_no_recorder_makes_is_named_and_nothing_is_changed(self) -> None:
        for kind, payload in (
            ("start", b"{}"),
            ("start", b'{"position":{},"args":{"b64":""}}'),
            ("start", b'{"position":%d,"args":{"b64":""}}' % 2**70),
            ("start", b"[" * 100_000),
            ("call", b'{"id":1}'),
            ("call", b"[]"),
            ("open", b"x"),
        ):
            with self.subTest(kind=kind, payload=payload):
                self.setUp()  # a store as it was
                self.put_behind(kind, payload)
                before = self.tables(DERIVED, UNSIGNED)
                fact = "leaf 14, or one before it, is no entry that a recorder makes"
                self.assertIn(f"derived-table: {fact}\n", self.says(1, "store", "check", UNSIGNED))
                self.assertEqual(self.says(1, "store", "repair", UNSIGNED), f"{UNSIGNED}: {fact}")
                self.assertEqual(self.tables(DERIVED, UNSIGNED), before)

    def test_an_erasure_that_no_recorder_writes_down(self) -> None:
        for payload in (b"{}", b"x", b'{"digests":[1]}', b'{"digests":["no"]}', b"[" * 100_000):
            with self.subTest(payload[:20]):
                self.setUp()  # a store as it was
                self.put_behind("erase", payload)
                found = self.says(1, "store", "check", UNSIGNED)
                self.assertRegex(
                    found, r"broken-commitment: .*\(leaf 14\) is none that a recorder makes"
                )

    def put_behind(self, kind: str, payload: bytes) -> None:
        """Put an entry behind the last, as who can write the file can; leaf and payload agree."""
        commit = commit_of(bytes(32), payload)
        leaf = leaf_bytes(Leaf(ORIGIN, RUN, 6, kind, 1, commit, bytes(32), len(payload)))
        self.changed(
            f"insert into leaf values (14, x'{leaf.hex()}', x'{leaf_hash(leaf).hex()}')",
            f"insert into payload values (x'{commit.hex()}', zeroblob(32), x'{payload.hex()}')",
            name=UNSIGNED,
        )


if __name__ == "__main__":
    unittest.main()
