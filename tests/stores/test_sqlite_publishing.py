"""toolreplay.stores.sqlite.publishing, store, head_file: heads that never contradict each other."""

import os
import threading
import unittest

from tests.stores.recording import ORIGIN, OTHER_RUN, Recorded, place, record
from toolreplay.errors import StoreDamagedError, StoreError
from toolreplay.evidence.signatures.throwaway import throwaway_signer
from toolreplay.evidence.tlog.checkpoint import parse_checkpoint
from toolreplay.evidence.tlog.merkle import consistency_path, is_consistent, root_of
from toolreplay.evidence.tlog.note import parse_note
from toolreplay.stores.head_file import read_head, replace_head
from toolreplay.stores.sqlite.opening import open_store, set_signer
from toolreplay.stores.sqlite.publishing import SigningKey


def sizes_of(store) -> list[int]:
    """Return the sizes of the heads a store has."""
    return [size for size, _ in store.tables.checkpoints()]


class Heads(unittest.TestCase):
    """Decided by us: a head is let out only when all below it is on the disk and remembered."""

    def test_a_head_is_due_at_a_close_after_a_second_and_at_the_end(self) -> None:
        with place() as there:
            with there.open() as store:
                recorded = Recorded(store)
                recorded.open()
                store.tick(0.0)
                self.assertEqual(sizes_of(store), [])
                store.tick(float("inf"))
                self.assertEqual(sizes_of(store), [1])
                store.tick(float("inf"))
                recorded.both(1, "read_file").close()
                self.assertEqual(sizes_of(store), [1, 4])
                Recorded(store, OTHER_RUN).open()
            with there.open() as store:
                self.assertEqual(sizes_of(store), [1, 4, 5])

    def test_a_head_is_due_after_256_entries(self) -> None:
        with place() as there, there.open() as store:
            recorded = Recorded(store)
            recorded.open()
            for _ in range(254):
                recorded.gap()
            store.tick(0.0)
            self.assertEqual(sizes_of(store), [])
            recorded.gap()
            store.tick(0.0)
            self.assertEqual(sizes_of(store), [256])

    def test_a_thread_publishes_what_falls_due(self) -> None:
        with place() as there, there.open() as store:
            store.start_publishing()
            recorded = Recorded(store)
            recorded.open()
            for _ in range(255):
                recorded.gap()
            for _ in range(500):
                if sizes_of_locked(store):
                    break
                threading.Event().wait(0.01)
            self.assertEqual(sizes_of_locked(store), [256])

    def test_each_head_grew_out_of_the_one_before_it(self) -> None:
        with place() as there, there.open() as store:
            record(store, calls=3)
            record(store, OTHER_RUN, calls=5)
            heads = [
                parse_checkpoint(parse_note(note, "").text, "")
                for _, note in store.tables.checkpoints()
            ]
            self.assertEqual([head.size for head in heads], [8, 20])
            one, other = heads
            path = consistency_path(one.size, other.size, store.tables.node)
            self.assertTrue(is_consistent(one.size, other.size, path, one.root, other.root))
            self.assertEqual(store.tables.root(20), other.root)
            self.assertEqual(read_head(there.head_path), list(store.tables.checkpoints())[-1][1])

    def test_without_a_key_there_are_no_heads(self) -> None:
        with place(is_signed=False) as there, there.open() as store:
            record(store)
            self.assertIsNone(store.publish())
            self.assertEqual(sizes_of(store), [])
            self.assertFalse(os.path.exists(there.head_path))

    def test_a_leaf_that_was_changed_is_not_signed(self) -> None:
        with place() as there:
            store = there.open()
            recorded = Recorded(store)
            recorded.open()
            there.sql("update leaf set bytes = x'00' where idx = 0", checked=False)
            with self.assertRaisesRegex(StoreDamagedError, "leaf 0 were changed"):
                recorded.close()
            with self.assertRaisesRegex(StoreDamagedError, "leaf 0 were changed"):
                store.close()
            self.assertIsNone(read_head(there.head_path))

    def test_a_head_that_could_not_be_kept_is_tried_again_and_costs_no_entry(self) -> None:
        with place() as there:
            store = there.open()
            os.mkdir(there.head_path)
            record(store)
            self.assertIsNotNone(store.publish_error)
            os.rmdir(there.head_path)
            store.close()
            with there.open() as store:
                self.assertEqual(sizes_of(store), [6])

    def test_no_table_is_believed_when_a_head_is_signed(self) -> None:
        """Whoever can write the file must not make the key contradict itself."""
        with place() as there:
            with there.open() as store:
                record(store)
            there.sql(
                "update meta set value = 99 where name = 'nodes'",
                "insert or replace into node (level, idx, hash) values (3, 0, zeroblob(32))",
                "insert or replace into node (level, idx, hash) values (1, 3, zeroblob(32))",
            )
            with there.open() as store:
                record(store, OTHER_RUN)
                _, note = store.tables.newest_checkpoint() or (0, b"")
                head = parse_checkpoint(parse_note(note, "").text, "")
                leaves = [hashed for _, _, hashed in store.tables.leaves(0, head.size)]
                self.assertEqual(head.root, root_of(leaves))


def sizes_of_locked(store) -> list[int]:
    """The same, while a thread publishes."""
    with store._publishing:
        return sizes_of(store)


class AfterACrash(unittest.TestCase):
    """Decided by us: what a crash left between two steps is made whole, and what it cannot have
    left is refused."""

    def test_a_head_that_is_not_in_the_store_is_copied_into_it(self) -> None:
        with place() as there:
            with there.open() as store:
                record(store)
            note = read_head(there.head_path)
            there.sql("delete from checkpoint", checked=False)
            with there.open() as store:
                self.assertEqual(list(store.tables.checkpoints()), [(6, note)])

    def test_a_head_file_that_is_lost_or_old_is_brought_up_to_the_store(self) -> None:
        with place() as there:
            with there.open() as store:
                record(store)
                old = read_head(there.head_path)
                record(store, OTHER_RUN)
            new = read_head(there.head_path)
            for step in ("lost", "old"):
                with self.subTest(step):
                    os.unlink(there.head_path)
                    if step == "old":
                        replace_head(there.head_path, old)
                    there.open().close()
                    self.assertEqual(read_head(there.head_path), new)

    def test_a_store_smaller_than_its_last_head_is_refused_with_both_sizes(self) -> None:
        with place() as there:
            with there.open() as store:
                record(store)
                there.sql(f"vacuum into '{there.path}.backup'")
                record(store, OTHER_RUN)
            os.replace(f"{there.path}.backup", there.path)
            with self.assertRaisesRegex(StoreDamagedError, r"has 6 entries, and a head of 12"):
                there.open()

    def test_a_store_that_was_written_anew_is_refused(self) -> None:
        with place() as there, place() as other:
            with there.open() as store:
                record(store)
            with other.open() as store:
                record(store, OTHER_RUN, calls=4)
            os.replace(other.path, there.path)
            there.sql("delete from checkpoint", checked=False)
            with self.assertRaisesRegex(StoreDamagedError, "first 6 entries are not those"):
                there.open()

    def test_a_head_that_somebody_else_signed_is_refused(self) -> None:
        with place() as there:
            with there.open() as store:
                record(store)
            note = read_head(there.head_path) or b""
            replace_head(there.head_path, note.replace(b"\n6\n", b"\n5\n"))
            with self.assertRaisesRegex(StoreError, "did not sign"):
                there.open()
            replace_head(there.head_path, b"nonsense")
            with self.assertRaisesRegex(StoreError, "note"):
                there.open()


class Keys(unittest.TestCase):
    """Decided by us: a log has the name of its key, and one key."""

    def test_another_key_is_refused_and_told_what_to_do(self) -> None:
        with place() as there:
            other = SigningKey(
                throwaway_signer("example.invalid/other", bytes(32)), there.head_path
            )
            with self.assertRaisesRegex(StoreError, f"its heads are signed by {ORIGIN}"):
                open_store(there.path, other)
            same = SigningKey(throwaway_signer(ORIGIN, bytes([1]) * 32), there.head_path)
            with self.assertRaisesRegex(StoreError, "another key of that name"):
                open_store(there.path, same)

    def test_an_unsigned_store_gets_a_key_and_its_first_head_covers_all(self) -> None:
        with place(is_signed=False) as there:
            with there.open() as store:
                record(store)
            key = SigningKey(there.signer, there.head_path)
            with self.assertRaisesRegex(StoreError, "is unsigned"):
                open_store(there.path, key)
            set_signer(there.path, there.signer.key)
            with open_store(there.path, key) as store:
                store.publish()
                self.assertEqual(sizes_of(store), [6])
            with self.assertRaisesRegex(StoreError, "another key"):
                set_signer(there.path, throwaway_signer(ORIGIN, bytes([1]) * 32).key)


if __name__ == "__main__":
    unittest.main()
