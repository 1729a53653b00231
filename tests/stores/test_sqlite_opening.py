"""toolreplay.stores.sqlite.opening, schema, state, gaps, connection: what must hold at the start."""

import json
import os
import sqlite3
import stat
import unittest

from tests.stores.recording import ORIGIN, OTHER_RUN, RUN, Recorded, place, record
from tests.stores.verifying import findings_of, results_of
from toolreplay.errors import StoreError, StoreFailedError
from toolreplay.stores.sqlite.connection import open_reader, translated
from toolreplay.stores.sqlite.opening import create_store, new_origin, open_store
from toolreplay.stores.sqlite.state import failure_of, note_failure, note_recording


class Made(unittest.TestCase):
    """Decided by us: a store is made once, on purpose, and for its owner alone."""

    def test_a_new_store_is_empty_private_and_records(self) -> None:
        with place() as there:
            self.assertEqual(stat.S_IMODE(os.stat(there.path).st_mode), 0o600)
            self.assertIsNone(failure_of(there.path))
            with there.open() as store:
                self.assertEqual((store.tables.size(), store.origin), (0, ORIGIN))
                self.assertIsNone(store.publish())
            self.assertEqual(findings_of(there), [])

    def test_nothing_is_replaced(self) -> None:
        with place() as there:
            with there.open() as store:
                record(store)
            with self.assertRaisesRegex(StoreError, "is there already"):
                create_store(there.path, ORIGIN, None)
            self.assertEqual([one.calls for one in results_of(there.path)], [0, 2])

    def test_the_origin_of_a_signed_store_is_the_name_of_its_key(self) -> None:
        with place() as there:
            path = there.path + ".other"
            with self.assertRaisesRegex(StoreError, "is that of example.invalid/log"):
                create_store(path, "example.invalid/another", there.signer.key)
            self.assertFalse(os.path.exists(path))

    def test_an_origin_that_nobody_chose_is_a_new_one_each_time(self) -> None:
        one, other = new_origin(), new_origin()
        self.assertRegex(one, r"^toolreplay\.invalid/[0-9a-f]{32}$")
        self.assertNotEqual(one, other)


class RunKeys(unittest.TestCase):
    """Decided by us: the key is the run's alone, and known before the first value under it is."""

    def test_each_run_has_one_of_its_own_which_stays(self) -> None:
        with place() as there:
            with there.open() as store:
                key = store.run_key(RUN)
                self.assertEqual((len(key), store.run_key(RUN)), (32, key))
                self.assertNotEqual(store.run_key(OTHER_RUN), key)
                record(store, RUN)
            with there.open() as store:
                self.assertEqual(store.run_key(RUN), key)
            self.assertEqual(findings_of(there), [])


class Refused(unittest.TestCase):
    """Decided by us: what is no store, or another version of one, is named and left as it is."""

    def test_what_is_no_store(self) -> None:
        with place() as there:
            other = there.path + ".db"
            sqlite3.connect(other).execute("create table t (a)").connection.close()
            cases = {
                there.path + ".gone": "is not there",
                there.folder: "is no file",
                other: "is a database, and no store",
                there.path + "\0": "not a name",
                "\udcff": "not a name",
            }
            for path, what in cases.items():
                with self.subTest(what), self.assertRaisesRegex(StoreError, what):
                    open_store(path)
            with open(other, "wb") as file:
                file.write(b"nonsense" * 1000)
            with self.assertRaisesRegex(StoreError, "not a database"):
                open_store(other)

    def test_another_version(self) -> None:
        with place() as there:
            there.sql("pragma user_version = 2")
            with self.assertRaisesRegex(StoreError, r"another version \(2\)"):
                there.open()

    def test_a_trigger_that_is_gone_or_weaker(self) -> None:
        with place() as there:
            there.sql("drop trigger leaf_update")
            with self.assertRaisesRegex(StoreError, "triggers"):
                there.open()

    def test_a_reader_cannot_write(self) -> None:
        with place() as there:
            connection = open_reader(there.path)
            with self.assertRaises(sqlite3.OperationalError):
                connection.execute("delete from payload")
            connection.close()


class AfterAFailure(unittest.TestCase):
    """Decided by us: the process that failed may be gone, and what it knew is not."""

    def test_the_state_outlives_the_process_and_its_first_word_stands(self) -> None:
        with place() as there:
            size = os.path.getsize(there.path + "-state")
            self.assertTrue(note_failure(there.path, "2026-11-30T09:00:00.000Z", "disk\nfull"))
            self.assertTrue(note_failure(there.path, "2026-11-30T10:00:00.000Z", "later"))
            self.assertEqual(failure_of(there.path), "since 2026-11-30T09:00:00.000Z: disk full")
            self.assertEqual(os.path.getsize(there.path + "-state"), size)
            note_recording(there.path)
            self.assertIsNone(failure_of(there.path))

    def test_a_state_that_is_damaged_is_a_failure(self) -> None:
        with place() as there:
            with open(there.path + "-state", "wb") as file:
                file.write(b"recordin")
            self.assertIn("damaged", failure_of(there.path) or "")

    def test_a_failure_that_cannot_be_noted_says_so(self) -> None:
        with place() as there:
            os.unlink(there.path + "-state")
            os.mkdir(there.path + "-state")
            self.assertFalse(note_failure(there.path, "2026-11-30T09:00:00.000Z", "x"))

    def test_the_runs_it_hit_have_a_gap_before_anything_else(self) -> None:
        with place() as there:
            with there.open() as store:
                recorded = Recorded(store)
                recorded.open().both(1, "read_file")
                record(store, OTHER_RUN)
            note_failure(there.path, "2026-11-30T09:00:00.000Z", "database or disk is full")
            with there.open() as store:
                self.assertEqual(
                    there.sql("select run, kind from entry where kind = 'gap'"), [(1, "gap")]
                )
                self.assertIsNone(failure_of(there.path))
                recorded.sink = store
                payload = there.sql(
                    "select bytes from payload where instr(bytes, cast('gap/1' as blob))"
                )[0][0]
                reason = json.loads(payload)["reason"]
                self.assertEqual(
                    reason, "not recording since 2026-11-30T09:00:00.000Z: database or disk is full"
                )

    def test_where_it_hit_no_run_the_gap_is_one_of_its_own(self) -> None:
        with place() as there:
            with there.open() as store:
                record(store)
            note_failure(there.path, "2026-11-30T09:00:00.000Z", "x")
            there.open().close()
            *_, last = results_of(there.path)
            self.assertEqual((last.run.name, last.calls, last.found), ("recorder", 0, 0))
            self.assertEqual(findings_of(there), [])

    def test_after_a_write_that_failed_nothing_is_acknowledged(self) -> None:
        with place() as there:
            store = there.open()
            recorded = Recorded(store)
            recorded.open()
            store._connection.execute("pragma max_page_count = 1")  # the disk is full
            for _ in range(2):
                with self.assertRaises(StoreFailedError):
                    recorded.observe(b"x" * 100_000)
            self.assertIn("full", failure_of(there.path) or "")
            store.close()
            with there.open() as store:
                self.assertEqual(store.tables.size(), 2)
            self.assertEqual(
                there.sql("select kind from entry order by idx"), [("open",), ("gap",)]
            )


class Told(unittest.TestCase):
    """Decided by us: one line that says what to do, and no word of SQLite's without its place."""

    def test_each_kind_of_error_has_its_own_name(self) -> None:
        for text, name in (
            ("database is locked", "StoreBusyError"),
            ("weird\nthing", "StoreError"),
            ("", "StoreError"),
        ):
            with self.subTest(text):
                error = translated("s.db", sqlite3.OperationalError(text))
                self.assertEqual(type(error).__name__, name)
                self.assertNotIn("\n", str(error))

    def test_a_run_is_named_where_it_is_not_there(self) -> None:
        with place() as there:
            with there.open() as store:
                record(store, RUN)
            from toolreplay.errors import InputError

            for name in ("nobody", "01a2"):
                with self.subTest(name), self.assertRaisesRegex(InputError, f"has no run '{name}'"):
                    results_of(f"{there.path}#{name}")
            self.assertEqual([one.calls for one in results_of(f"{there.path}#{RUN[:8]}")], [0, 2])


if __name__ == "__main__":
    unittest.main()
