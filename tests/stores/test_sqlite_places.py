"""Where a store stands: links, second names, odd folders, and what lies beside it already."""

import os
import shutil
import unittest

from tests.cli.ways import inside
from tests.stores.recording import OTHER_RUN, RUN, place, record
from tests.stores.verifying import findings_in, findings_of, results_of
from toolreplay.errors import InputError, StoreError
from toolreplay.stores.sqlite.opening import create_store, open_store
from toolreplay.stores.sqlite.state import failure_of, note_failure


class Names(unittest.TestCase):
    """Decided by us: a store is its file, by whatever name."""

    def test_a_folder_may_have_any_name(self) -> None:
        for name in ("a%41", "C#", "what?", "a b", "é"):
            with self.subTest(name), place() as there:
                folder = os.path.join(there.folder, name)
                os.mkdir(folder)
                before = sorted(os.listdir(there.folder))
                with inside(folder):
                    create_store("own.db", "example.invalid/own", None)
                    with open_store("own.db") as store:
                        record(store)
                    self.assertEqual(results_of("own.db")[1].calls, 2)
                self.assertEqual(sorted(os.listdir(there.folder)), before)

    def test_a_way_through_a_link_is_not_shortened(self) -> None:
        with place() as there, place() as other:
            with there.open() as store:
                record(store, calls=1)
            with other.open() as store:
                record(store, calls=3)
            os.symlink(there.folder, os.path.join(other.folder, "link"))
            os.mkdir(os.path.join(there.folder, "below"))
            os.symlink(os.path.join(there.folder, "below"), os.path.join(other.folder, "deep"))
            name = os.path.join(other.folder, "deep", "..", "store.db")
            self.assertEqual(results_of(name)[1].calls, 1)

    def test_a_link_leads_to_the_log_and_the_state_of_its_store(self) -> None:
        with place() as there, place() as other:
            link = os.path.join(other.folder, "link.db")
            os.symlink(there.path, link)
            store = there.open()
            record(store)
            self.assertEqual(results_of(link)[0].run.provenance, "6 entries · 1 run")
            store.close()
            note_failure(link, "2026-11-30T09:00:00.000Z", "x")
            self.assertIn("x", failure_of(there.path) or "")

    def test_a_second_name_is_refused(self) -> None:
        with place() as there:
            os.link(there.path, there.path + ".second")
            for name in (there.path, there.path + ".second"):
                with self.subTest(name), self.assertRaisesRegex(StoreError, "hard link"):
                    open_store(name, there.key)

    def test_what_another_store_left_beside_is_not_taken_over(self) -> None:
        with place() as there:
            store = there.open()
            record(store)
            other = os.path.join(there.folder, "other.db")
            shutil.copy(there.path + "-wal", other + "-wal")
            store.close()
            with self.assertRaisesRegex(StoreError, "other.db-wal of another store is there"):
                create_store(other, "example.invalid/own", None)

    def test_an_origin_that_no_leaf_can_say(self) -> None:
        with place() as there:
            for origin in ("é" * 200, 'a"b', "a b", "a+b", "", "a\nb"):
                with self.subTest(origin), self.assertRaisesRegex(StoreError, "an origin is"):
                    create_store(there.path + ".new", origin, None)
            self.assertFalse(os.path.exists(there.path + ".new"))

    def test_a_pipe_beside_it_is_no_file(self) -> None:
        with place() as there:
            os.unlink(there.path + "-state")
            os.mkfifo(there.path + "-state")
            with self.assertRaisesRegex(StoreError, "is no file"):
                there.open()


class Derived(unittest.TestCase):
    """Decided by us: no table for finding decides what is judged."""

    def test_a_run_renamed_in_the_table_is_not_judged_for_another(self) -> None:
        with place() as there:
            with there.open() as store:
                record(store, RUN, name="n")
                record(store, OTHER_RUN, name="m")
            there.sql("update run set name = case name when 'n' then 'm' else 'n' end")
            with self.assertRaisesRegex(InputError, "its opening does not"):
                results_of(f"{there.path}#n")

    def test_a_hole_at_the_end_of_a_chunk_is_a_hole(self) -> None:
        from toolreplay.stores.sqlite import checking

        with place(is_signed=False) as there:
            with there.open() as store:
                record(store, calls=8)
            kept, checking._CHUNK = checking._CHUNK, 8
            try:
                there.sql("delete from leaf where idx between 6 and 9", checked=False)
                self.assertIn(
                    ("missing-entry", "leaf 6 is missing from the log"), findings_of(there)
                )
            finally:
                checking._CHUNK = kept

    def test_a_far_away_leaf_is_a_hole_at_once(self) -> None:
        with place(is_signed=False) as there:
            with there.open() as store:
                record(store)
            there.sql(
                f"insert into leaf select {2**60}, bytes, hash from leaf where idx = 0",
                checked=False,
            )
            self.assertIn("missing-entry", {kind for kind, _ in findings_of(there)})

    def test_damage_is_no_fork(self) -> None:
        from tests.stores.test_forgery import Auditor

        with place() as there:
            with there.open() as store:
                record(store)
            auditor = Auditor(there)
            auditor.look(there.path)
            there.sql(
                "update leaf set bytes = cast(bytes || x'20' as blob) where idx = 2", checked=False
            )
            kinds = {kind for kind, _ in findings_in(there.path, auditor.asked())}
            self.assertNotIn("forked-log", kinds)
            self.assertIn("broken-inclusion", kinds)

    def test_the_head_of_another_log_is_not_remembered(self) -> None:
        from tests.stores.test_forgery import Auditor

        with place() as there:
            with there.open() as store:
                record(store)
            there.sql("update meta set value = 'bystander.example/log' where name = 'origin'")
            auditor = Auditor(there)
            auditor.look(there.path)
            self.assertIsNone(auditor.note)


if __name__ == "__main__":
    unittest.main()
