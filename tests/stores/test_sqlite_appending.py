"""toolreplay.stores.sqlite.appending, entries, runs: one order, whoever appends."""

import json
import sqlite3
import threading
import unittest
from base64 import b64decode

from tests.stores.recording import OTHER_RUN, RUN, Recorded, place, record
from toolreplay.errors import CanonicalError, RunStateError
from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.making import RunHead, gap_entry
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.evidence.tlog.merkle import leaf_hash

_GAP = {"reason": "r", "count": None, "since": None, "until": None}


def add_gap(salt: bytes):
    """Return a maker of a gap."""
    return lambda head: gap_entry(head, _GAP, salt)


class Appending(unittest.TestCase):
    """Decided by us: an entry is a leaf, a payload under its commitment, and the rows that find it."""

    def test_each_entry_is_a_leaf_that_names_its_run_and_the_leaf_before_it(self) -> None:
        with place() as there, there.open() as store:
            recorded = record(store)
            leaves = list(store.tables.leaves(0, store.tables.size()))
            prev = bytes(32)
            for number, (index, data, hashed) in enumerate(leaves):
                leaf = parse_leaf(data)
                self.assertEqual((index, hashed), (number, leaf_hash(data)))
                self.assertEqual((leaf.log, leaf.run, leaf.entry), (store.origin, RUN, number))
                self.assertEqual((leaf.kind, leaf.prev), (recorded.entries[number].kind, prev))
                payload, salt = store.tables.payload(leaf.commit) or (b"", b"")
                entry = recorded.entries[number]
                self.assertEqual(
                    (payload, salt, leaf.size), (entry.payload, entry.salt, len(payload))
                )
                prev = hashed

    def test_the_head_a_maker_gets_is_that_of_its_own_run(self) -> None:
        with place() as there, there.open() as store:
            one, other = Recorded(store), Recorded(store, OTHER_RUN)
            one.open()
            other.open()
            one.both(1, "read_file")
            other.both(1, "read_file")
            one.both(2, "read_file")
            self.assertEqual(one.indexes, [0, 2, 3, 6, 7])
            heads: list[RunHead] = []

            def look(head: RunHead) -> tuple[Entry, RunHead]:
                heads.append(head)
                return gap_entry(head, _GAP, bytes(32))

            store.append(RUN, "gap", look)
            (head,) = heads
            self.assertEqual((head.entries, head.seq, head.position, head.totals), (5, 2, 2, None))
            self.assertEqual(head.prev_digest, one.head.prev_digest)

    def test_a_close_gets_the_totals_also_in_a_process_that_recorded_nothing(self) -> None:
        with place() as there:
            with there.open() as store:
                recorded = Recorded(store)
                recorded.open().both(1, "read_file").both(2, "read_file").gap()
            with there.open() as store:
                recorded.sink = store
                recorded.close()
                receipt = json.loads(recorded.entries[-1].payload)
                mine = json.loads(b64decode(receipt["canonical_bytes"]))["close"]
            with there.open() as store:
                heads: list[RunHead] = []
                with self.assertRaisesRegex(RunStateError, "closed"):
                    store.append(RUN, "close", lambda head: heads.append(head) or _refused())
                self.assertEqual(heads, [])
            self.assertEqual((mine["count"], mine["entries"]["count"]), (2, 6))

    def test_totals_read_from_the_store_are_those_of_who_kept_them(self) -> None:
        with place() as there:
            with there.open() as store:
                recorded = Recorded(store)
                recorded.open().both(1, "read_file").both(2, "read_file", status="tool_error").gap()
                mine = recorded.head.totals
            with there.open() as store:
                heads: list[RunHead] = []
                with self.assertRaises(CanonicalError):
                    store.append(RUN, "close", lambda head: heads.append(head) or _refused())
                theirs = heads[0].totals
            assert mine is not None and theirs is not None
            self.assertEqual(mine.commits.digest(), theirs.commits.digest())
            self.assertEqual(mine.outputs.root(), theirs.outputs.root())
            self.assertEqual(
                (mine.ids.root(), mine.by_status), (theirs.ids.root(), theirs.by_status)
            )

    def test_what_a_run_does_not_allow_is_refused_and_leaves_nothing(self) -> None:
        with place() as there, there.open() as store:
            with self.assertRaisesRegex(RunStateError, "was not opened"):
                store.append(RUN, "gap", add_gap(bytes(32)))
            recorded = record(store)
            size = store.tables.size()
            with self.assertRaisesRegex(RunStateError, "is there already"):
                Recorded(store).open()
            with self.assertRaisesRegex(RunStateError, "is closed"):
                store.append(RUN, "gap", add_gap(bytes(32)))
            self.assertEqual(store.tables.size(), size)
            recorded.erase(["00" * 32])
            self.assertEqual(store.tables.size(), size + 1)

    def test_a_maker_that_fails_takes_nothing_with_it(self) -> None:
        with place() as there, there.open() as store:
            recorded = Recorded(store)
            recorded.open()
            for error in (CanonicalError("no form"), RuntimeError("a defect")):
                with self.assertRaises(type(error)):
                    store.append(RUN, "gap", lambda _, error=error: _raised(error))
            with self.assertRaisesRegex(ValueError, "another entry"):
                store.append(RUN, "start", add_gap(bytes(32)))
            recorded.gap()
            self.assertEqual(recorded.indexes, [0, 1])

    def test_intents_without_an_outcome_are_known(self) -> None:
        with place() as there, there.open() as store:
            recorded = Recorded(store)
            recorded.open().start(1, "a").start(2, "b").start(3, "c").call(2, "b")
            self.assertEqual(store.open_positions(RUN), [1, 3])
            self.assertEqual(store.open_positions(OTHER_RUN), [])

    def test_threads_that_append_to_one_run_make_one_chain(self) -> None:
        with place() as there, there.open() as store:
            Recorded(store).open()
            salts = [bytes([thread, number]) * 16 for thread in range(8) for number in range(20)]

            def work(mine: list[bytes]) -> None:
                for salt in mine:
                    store.append(RUN, "gap", add_gap(salt))

            threads = [threading.Thread(target=work, args=(salts[at::8],)) for at in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            prev = bytes(32)
            for number, (_, data, hashed) in enumerate(store.tables.leaves(0, 1000)):
                leaf = parse_leaf(data)
                self.assertEqual((leaf.entry, leaf.prev), (number, prev))
                prev = hashed
            self.assertEqual(store.tables.size(), 161)


def _raised(error: Exception):
    raise error


def _refused():
    raise CanonicalError("only the head was wanted")


class Stored(unittest.TestCase):
    """Decided by us: content is kept once, by its digest, and leaves are only added."""

    def test_a_piece_that_two_entries_need_is_kept_once(self) -> None:
        with place() as there, there.open() as store:
            recorded = Recorded(store)
            recorded.open().observe(b"x" * 5000).observe(b"x" * 5000, 16).observe(b"y" * 5000)
            self.assertEqual(len(there.sql("select digest from piece")), 2)
            self.assertEqual(len(there.sql("select digest from piece_use")), 3)

    def test_no_statement_changes_a_leaf_or_a_checkpoint(self) -> None:
        with place() as there:
            with there.open() as store:
                record(store)
            before = there.sql("select * from leaf"), there.sql("select * from checkpoint")
            for statement in (
                "update leaf set bytes = x'00' where idx = 1",
                "delete from leaf where idx = 5",
                "insert or replace into leaf (idx, bytes, hash) values (1, x'00', x'00')",
                "insert into leaf (idx, bytes, hash) values (99, x'00', x'00')",
                "update checkpoint set note = x'00'",
                "delete from checkpoint",
                "insert or replace into checkpoint select size, x'00' from checkpoint",
            ):
                with self.subTest(statement), self.assertRaises(sqlite3.IntegrityError):
                    there.sql(statement)
            self.assertEqual(
                before, (there.sql("select * from leaf"), there.sql("select * from checkpoint"))
            )


if __name__ == "__main__":
    unittest.main()
