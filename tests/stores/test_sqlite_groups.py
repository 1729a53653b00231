"""toolreplay.stores.sqlite.appending, entries, runs, publishing: what is known from one group to the
next, and who else may have written between two."""

import contextlib
import threading
import time
import unittest
from hashlib import sha256
from typing import Any

from tests.stores.recording import ORIGIN, OTHER_RUN, RUN, Place, Recorded, place, record
from toolreplay.errors import CanonicalError, RunStateError, StoreError
from toolreplay.evidence.profile.making import (
    RunHead,
    RunTotals,
    call_entry,
    close_entry,
    gap_entry,
    open_entry,
    start_entry,
    tool_of,
)
from toolreplay.evidence.profile.piece import piece_of
from toolreplay.evidence.profile.sink import Maker, Sink
from toolreplay.evidence.tlog.leaf import LeafError, parse_leaf
from toolreplay.stores.sqlite.appending import Appender
from toolreplay.stores.sqlite.connection import open_writer
from toolreplay.stores.sqlite.publishing import Publisher

_GAP = {"reason": "r", "count": None, "since": None, "until": None}
_OPENING = {
    "agent": {}, "capture": {"layer": "decorator", "adapter": "test"}, "run_by": "test",
    "started_at": "2026-11-30T09:00:00.000Z",
}  # fmt: skip


def gap(salt: int) -> Maker:
    """Return a maker of a gap."""
    return lambda head: gap_entry(head, _GAP, bytes([salt]) * 32)


def totals_of(sink: Sink, run: str = RUN) -> RunTotals:
    """Return what a close of this run would be told, and do not close it."""
    found: list[RunTotals | None] = []

    def look(head: Any) -> Any:
        found.append(head.totals)
        raise CanonicalError("only the head was wanted")

    with contextlib.suppress(CanonicalError):
        sink.append(run, "close", look)
    assert found[0] is not None
    return found[0]


class Between(unittest.TestCase):
    """Decided by us: what one group knows holds for the next, unless somebody else wrote."""

    def same_totals(self, found: RunTotals, wanted: RunTotals | None) -> None:
        assert wanted is not None
        self.assertEqual(found.by_status, wanted.by_status)
        self.assertEqual(found.commits.digest(), wanted.commits.digest())
        self.assertEqual(found.outputs.root(), wanted.outputs.root())
        self.assertEqual(found.ids.root(), wanted.ids.root())

    def test_two_processes_that_take_turns_make_one_chain(self) -> None:
        with place() as there, there.open() as one, there.open() as other:
            recorded = Recorded(one)
            recorded.open()
            for position in range(1, 9):
                recorded.sink = other if position % 3 else one
                recorded.both(position, "read_file", status="ok" if position % 2 else "tool_error")
            self.assertEqual(recorded.indexes, list(range(17)))
            prev = bytes(32)
            for number, (_, data, hashed) in enumerate(one.tables.leaves(0, 99)):
                self.assertEqual((parse_leaf(data).entry, parse_leaf(data).prev), (number, prev))
                prev = hashed
            for sink in (one, other):
                self.same_totals(totals_of(sink), recorded.head.totals)

    def test_a_run_that_another_process_opens_or_closes_is_seen(self) -> None:
        with place() as there, there.open() as one, there.open() as other:
            with self.assertRaisesRegex(RunStateError, "was not opened"):
                one.append(RUN, "gap", gap(1))
            recorded = Recorded(other)
            recorded.open()
            one.append(RUN, "gap", gap(1))
            with self.assertRaisesRegex(RunStateError, "is there already"):
                one.append(RUN, "open", lambda head: open_entry(head, _OPENING, bytes(32)))
            record(other, OTHER_RUN)
            with self.assertRaisesRegex(RunStateError, "is closed"):
                one.append(OTHER_RUN, "gap", gap(2))

    def test_a_group_that_was_refused_is_forgotten(self) -> None:
        with place() as there, there.open() as store:
            recorded = Recorded(store)
            recorded.open().both(1, "read_file")
            with self.assertRaises(RunStateError):
                # The database refuses it: its payload is there already.
                store.append(RUN, "gap", lambda _: self.repeated(recorded))
            recorded.both(2, "read_file").gap()
            self.assertEqual(recorded.indexes, list(range(6)))
            self.same_totals(totals_of(store), recorded.head.totals)
            self.assertEqual(there.sql("select entries, seq from run"), [(6, 2)])

    def test_totals_that_a_refused_group_grew_are_not_believed(self) -> None:
        with place() as there, there.open() as one, there.open() as other:
            recorded = Recorded(one)
            recorded.open().both(1, "read_file")
            with self.assertRaises(RunStateError):
                one.append(RUN, "gap", lambda _: self.repeated(recorded))
            recorded.sink = other
            recorded.gap()  # as many entries as those that were refused
            self.same_totals(totals_of(one), recorded.head.totals)

    def test_an_error_of_the_database_is_not_one_of_the_maker(self) -> None:
        with place() as there, there.open() as store:
            there.sql("drop table piece_use", "drop table run", checked=False)
            with self.assertRaisesRegex(StoreError, "no such table"):
                Recorded(store).open()

    def repeated(self, recorded: Recorded) -> Any:
        first = recorded.entries[0]._replace(kind="gap")
        return first, recorded.head._replace(entries=recorded.head.entries + 1)

    def test_a_run_that_has_no_leaf_takes_nothing_with_it(self) -> None:
        with place() as there, there.open() as store:
            opening = lambda head: open_entry(head, _OPENING, bytes(32))  # noqa: E731
            with self.assertRaises(LeafError):
                store.append("a b", "open", opening)
            self.assertEqual(there.sql("select count(*) from run"), [(0,)])
            store.append(RUN, "open", opening)
            self.assertEqual(there.sql("select run from run"), [(RUN,)])

    def test_a_model_that_only_a_receipt_names_is_that_of_the_run(self) -> None:
        with place() as there, there.open() as store:
            recorded = Recorded(store)
            recorded.open(agent={}).both(1, "read_file", agent={})
            self.assertEqual(there.sql("select model from run"), [(None,)])
            recorded.both(2, "read_file", agent={"model": "m"})
            recorded.both(3, "read_file", agent={"model": "n"})
            query = "select model, opened_at is null, closed_at is null from run"
            self.assertEqual(there.sql(query), [("m", 0, 1)])
            recorded.close()
            self.assertEqual(there.sql(query), [("m", 0, 0)])
            found = there.sql("select tool, outcome, calls from run_tool")
            self.assertEqual(found, [("read_file", "ok", 3)])


class Group(unittest.TestCase):
    """Decided by us: who waits when the rows are written is part of the group."""

    def grouped(self, there: Place, *kinds: str) -> list[int]:
        """Let the others come while the first of a group is made; return the sizes of the groups.

        The run was opened by another process.
        """
        with there.open() as store:
            recorded = Recorded(store)
            recorded.open()
        sizes: list[int] = []
        self.totals: list[RunTotals] = []
        connection = open_writer(there.path)
        appender = Appender(
            connection,
            there.path,
            ORIGIN,
            there.clock,
            writing=threading.Lock(),
            added=sizes.append,
            failed=self.fail,
        )
        threads: list[threading.Thread] = []

        def make(kind: str, head: RunHead) -> Any:
            salt, piece = head.entries.to_bytes(32, "big"), piece_of(b"{}", "application/json")
            if kind == "gap":
                return gap_entry(head, _GAP, salt)
            if kind == "start":
                intent = {
                    "position": head.position + 1, "tool": tool_of("echo"), "args": piece.described,
                    "started_at": _OPENING["started_at"], "mono_ns": 1, "boot_id": "b",
                }  # fmt: skip
                return start_entry(head, intent, salt)
            call = recorded.observed(head.position + 1, "echo", piece, piece)
            if kind == "call":
                return call_entry(head, call, f"receipt-{head.entries}", salt)
            assert head.totals is not None
            self.totals.append(head.totals)
            return close_entry(head, call, "close", salt, status="completed", closed_by="test")

        def first(head: RunHead) -> Any:
            for number, kind in enumerate(kinds[1:], 1):
                arguments = RUN, kind, lambda head, kind=kind: make(kind, head)
                threads.append(threading.Thread(target=appender.append, args=arguments))
                threads[-1].start()
                while len(appender._waiting) < number:
                    time.sleep(0.001)
            return make(kinds[0], head)

        appender.append(RUN, kinds[0], first)
        for thread in threads:
            thread.join()
        connection.close()
        return sizes

    def test_who_comes_while_entries_are_made_is_taken_along(self) -> None:
        with place() as there:
            self.assertEqual(self.grouped(there, "gap", "gap", "start", "gap"), [4])

    def test_a_group_without_a_sync_takes_intents_alone(self) -> None:
        with place() as there:
            self.assertEqual(self.grouped(there, "start", "start", "gap", "start"), [2, 2])

    def test_calls_of_one_group_are_counted(self) -> None:
        with place() as there:
            self.assertEqual(self.grouped(there, "call", "gap", "call", "call"), [4])
            found = there.sql("select tool, outcome, calls from run_tool")
            self.assertEqual(found, [("echo", "ok", 3)])
            self.assertEqual(there.sql("select entries, seq, position from run"), [(5, 3, 3)])

    def test_a_close_is_told_what_stands_in_its_own_group(self) -> None:
        with place() as there:
            self.assertEqual(self.grouped(there, "gap", "call", "close"), [3])
            (totals,) = self.totals
            commits = [parse_leaf(data).commit for (data,) in there.sql("select bytes from leaf")]
            self.assertEqual(totals.commits.digest(), sha256(b"".join(commits[:-1])).digest())
            self.assertEqual(totals.by_status, (("ok", 1),))


class Settling(unittest.TestCase):
    """Decided by us: subtrees are hashed outside of the transaction that keeps them."""

    def test_a_process_that_was_faster_is_no_harm(self) -> None:
        with place() as there:
            with there.open() as store:
                recorded = Recorded(store)
                recorded.open()
                for _ in range(20):
                    recorded.gap()
                other = Publisher(store._other, there.path, None)

                class Slow(Publisher):
                    """Is overtaken between hashing and writing."""

                    turns = 0

                    def _nodes(self, first: int, end: int) -> list[tuple[int, int, bytes]]:
                        found = super()._nodes(first, end)
                        self.turns += 1
                        if self.turns == 1:
                            other.publish()
                        return found

                connection = open_writer(there.path)
                slow = Slow(connection, there.path, there.key)
                self.assertIsNotNone(slow.publish())
                connection.close()
            self.assertEqual(there.sql("select value from meta where name = 'nodes'"), [(21,)])
            self.assertEqual(there.sql("select size from checkpoint"), [(21,)])
            self.assertEqual(there.sql("select count(*) from node"), [(10 + 5 + 2 + 1,)])


if __name__ == "__main__":
    unittest.main()
