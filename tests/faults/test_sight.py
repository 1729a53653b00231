"""The scenarios see what they are for: each is shown a store that lost something, or lies."""

import os
import tempfile
import unittest

from tests.faults import scenario
from tests.faults.cut_log import Case, cut_at, recorded_store
from tests.faults.flips import _closed_store, _seen, _write_all
from tests.faults.full_disk import _judged
from tests.faults.golden import IN_MEMORY, Told, golden_of
from tests.faults.judging import judged
from tests.faults.kill import killed
from tests.faults.lost_writes import lost, recorded_operations
from tests.faults.outcome import HARNESS, LOST, REPAIR, WRONG, Outcome, Problem
from tests.faults.scenario import SECRET, STORE, TOLD, Plan
from tests.faults.tracing import Point, why_not
from tests.faults.workers import in_two
from tests.faults.writer import ORIGIN, RunWriter, Ticks, key_in, signer
from tests.faults.writers import Acknowledged
from tests.faults.writers import judged as judged_writers
from toolreplay.evidence.signatures.sign import sign_note
from toolreplay.evidence.tlog.checkpoint import checkpoint_text
from toolreplay.stores.sqlite.connection import open_writer
from toolreplay.stores.sqlite.opening import create_store, open_store

TRACEABLE = unittest.skipIf(why_not(), why_not())


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(dir=IN_MEMORY)
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, STORE)

    def kinds(self, problems: list[Problem]) -> set[str]:
        return {problem.kind for problem in problems}


class Losing(Folder):
    def test_a_whole_store_has_nothing_wrong(self) -> None:
        golden = golden_of(Plan())
        scenario.play(self.folder, Plan())
        told = Told.of_folder(self.folder, Plan())
        self.assertEqual((told.is_ended, len(told.entries), told.head), (True, 11, 12))
        self.assertEqual(judged(self.folder, golden, told, 12), [])

    def test_a_store_that_is_gone_or_shorter_has_lost(self) -> None:
        golden = golden_of(Plan())
        scenario.play(self.folder, Plan())
        told = Told.of_folder(self.folder, Plan())
        self.assertEqual(self.kinds(judged(self.folder, golden, told, 13)), {LOST})
        other = told._replace(entries={**told.entries, 3: bytes(32)})
        self.assertEqual(self.kinds(judged(self.folder, golden, other, 12)), {LOST})
        os.unlink(self.path)
        self.assertEqual(self.kinds(judged(self.folder, golden, told, 12)), {LOST})

    def test_half_of_an_entry_and_a_table_that_needs_repair_are_seen(self) -> None:
        golden = golden_of(Plan())
        for statement, kind in (
            ("delete from payload where rowid = 3", LOST),
            ("delete from piece", WRONG),
            ("update run set seq = seq + 1", REPAIR),
            ("delete from open_call", REPAIR),
        ):
            with self.subTest(statement), tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
                scenario.play(folder, Plan())
                connection = open_writer(os.path.join(folder, STORE))
                connection.execute(statement)
                connection.close()
                told = Told.of_folder(folder, Plan())
                self.assertIn(kind, self.kinds(judged(folder, golden, told, 12)))

    @TRACEABLE
    def test_a_kill_that_does_not_come_is_a_failure_of_ours(self) -> None:
        problems = killed(golden_of(Plan()), Point("fsync", 9999))
        self.assertEqual(self.kinds(problems), {HARNESS})


@TRACEABLE
class Power(Folder):
    def test_a_store_that_did_not_sync_its_log_is_caught(self) -> None:
        golden, operations = golden_of(Plan()), recorded_operations(Plan())
        logs = {
            file for one in operations for name, file in one.names if name.endswith("store.db-wal")
        }
        lying = [one for one in operations if one.what != "sync" or one.file not in logs]
        found = [problem for seed in range(60) for problem in lost([(golden, lying)], seed)]
        self.assertTrue(self.kinds(found) & {LOST, WRONG})
        self.assertTrue(any("a head was signed" in one.fact for one in found), found)

    def test_what_was_erased_does_not_come_back_with_the_power(self) -> None:
        plan = Plan(erases_early=True)
        operations = recorded_operations(plan)
        (end,) = (at for at, one in enumerate(operations) if one.data.startswith(b"erased"))
        from random import Random

        from tests.faults.disk import rebuilt

        for seed in range(100):
            files = rebuilt(operations[: end + 1], Random(seed))
            self.assertFalse(any(SECRET[:200] in content for content in files.values()), seed)


class Stopping(Folder):
    def test_an_acknowledgement_after_a_failure_and_a_failure_nobody_noted_are_seen(self) -> None:
        golden = golden_of(Plan())
        scenario.play(self.folder, Plan())
        with open(os.path.join(self.folder, TOLD), encoding="ascii") as file:
            text = file.read()
        for diary, status, fact in (
            (f"{text}failed\n", 5, "nobody can know"),
            (text.replace("made\n", "made\nfailed\n"), 5, "were acknowledged after a failure"),
            (text.replace("end\n", ""), 0, "says nothing"),
            (text, -9, "ended with -9"),
        ):
            with tempfile.TemporaryDirectory(dir=IN_MEMORY) as told_in:
                with open(os.path.join(told_in, TOLD), "w", encoding="ascii") as file:
                    file.write(diary)
                (problem,) = _judged(self.folder, golden, told_in, status, can_be_noted=True)
            self.assertIn(fact, problem.fact)


class Cutting(Folder):
    def test_a_head_that_should_have_been_missed_is(self) -> None:
        recorded = recorded_store(Plan())
        whole = Case(len(recorded.log), is_opened=True)
        self.assertEqual(cut_at(recorded, whole, self.folder), [])
        ahead = recorded._replace(head=99)
        self.assertEqual(self.kinds(cut_at(ahead, whole, self.folder)), {WRONG})
        half = Case(len(recorded.log) // 2, is_opened=False)
        longer = recorded._replace(steps=((0, len(recorded.leaves)),))
        self.assertEqual(self.kinds(cut_at(longer, half, self.folder)), {LOST})


class Flipping(Folder):
    def test_another_content_that_nobody_finds_is_wrong(self) -> None:
        whole = _closed_store()
        _write_all(self.folder, whole)
        self.assertEqual(_seen(self.path, whole, is_log=False, is_asked=True).came, "unread")
        # An honest entry behind the last head: nothing is wrong with it, and it was not there.
        with open_store(self.path, clock=Ticks()) as store:
            RunWriter(store, "more", lambda *_: None).open()
        seen = _seen(self.path, whole, is_log=False, is_asked=True)
        self.assertEqual((seen.came, self.kinds(seen.problems)), ("missed", {WRONG}))


class Writing(Folder):
    def test_a_lost_entry_a_wrong_order_and_a_second_history_are_seen(self) -> None:
        key = key_in(self.folder)
        create_store(self.path, ORIGIN, key.signer.key)
        kept: dict[int, bytes] = {}
        with open_store(self.path, key) as store:
            run = RunWriter(
                store, "w", lambda _, __, last: kept.update({last.index: last.leaf_hash})
            )
            run.open().both("one").both("two").close()
        whole = Acknowledged(kept, [])
        self.assertEqual(judged_writers(self.path, [whole], 1, 6), [])
        forged = sign_note(checkpoint_text(ORIGIN, 3, bytes(32)), signer())
        for told, runs, per_run, kind in (
            ([whole._replace(entries={**kept, 6: bytes(32)})], 1, 6, LOST),
            ([whole, Acknowledged({3: kept[3]}, [])], 1, 6, LOST),
            ([whole._replace(entries={**kept, 2: kept[3]})], 1, 6, LOST),
            ([whole], 2, 3, LOST),
            ([whole._replace(notes=[forged])], 1, 6, WRONG),
        ):
            problems = judged_writers(self.path, told, runs, per_run)
            self.assertEqual(self.kinds(problems), {kind})


class Telling(unittest.TestCase):
    def test_whatever_is_wrong_is_counted_and_named_with_what_shows_it_again(self) -> None:
        outcome = Outcome("kill")
        self.assertFalse(outcome.holds)
        outcome.add("fsync:1", [])
        self.assertTrue(outcome.holds)
        outcome.add("fsync:2", [Problem(LOST, "entry 3"), Problem(HARNESS, "not killed")])
        self.assertFalse(outcome.holds)
        first, *rest = outcome.lines(1.0)
        self.assertRegex(first, "points +2   lost 1   wrong verdicts 0   manual repairs 0")
        self.assertEqual(rest, ["  fsync:2: lost: entry 3", "  fsync:2: harness: not killed"])
        skipped = Outcome("kill")
        skipped.skipped = "strace is not installed"
        self.assertTrue(skipped.holds)
        self.assertEqual(skipped.lines(0), ["kill         skipped: strace is not installed"])

    def test_two_workers_answer_in_order_and_one_that_dies_is_named(self) -> None:
        self.assertEqual(in_two(range(7), lambda one: one * one), [0, 1, 4, 9, 16, 25, 36])
        self.assertEqual(in_two([], lambda one: one), [])
        with self.assertRaisesRegex(RuntimeError, "at its item 0: 1"):
            in_two([0, 1], lambda one: os._exit(3) if one else 0)


if __name__ == "__main__":
    unittest.main()
