"""Closing a run while others feed it, after they died, and twice."""

import os
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.capture.recorded import payloads, recorder, runs
from tests.stores.verifying import findings_in
from toolreplay.capture.closing import close_abandoned, close_run, lives, process_of
from toolreplay.capture.observed import Answer, Intent, Outcome
from toolreplay.capture.processes import Process, this_process
from toolreplay.errors import StoreError
from toolreplay.recording import sink_into


class Busy:
    """A store in which something happens each time it was asked which calls have no end."""

    def __init__(self, store, happens, times):
        self._store, self._happens, self._left = store, happens, times

    def __getattr__(self, name):
        return getattr(self._store, name)

    def open_positions(self, run):
        found = self._store.open_positions(run)
        if self._left:
            self._left -= 1
            self._happens()
        return found


class OneRun(unittest.TestCase):
    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Path(folder.name, "store.db")
        self.one = recorder(self.store)
        self.call = self.one.begin(Intent("pay", b"{}"))
        self.run = runs(self.store)[0]

    def close(self, happens=lambda: None, times=0, **more: object) -> bool:
        with sink_into(os.fspath(self.store)) as store:
            busy = Busy(store, happens, times)
            return close_run(busy, self.run, "operator", self.one._closer, **more)

    def closed(self) -> dict:
        found = payloads(self.store, self.run)[-1][1]["close"]
        self.assertEqual(
            [kind for kind, _ in findings_in(f"{self.store}#{self.run}")], [], "it must verify"
        )
        return found

    def test_a_call_that_ends_while_the_run_is_closed_is_not_called_unfinished(self) -> None:
        """Decided by us: what the close says is what stands before it."""
        self.assertTrue(self.close(lambda: self.one.end(self.call, Outcome("ok", b"1")), 1))
        close = self.closed()
        self.assertEqual((close["unfinished"], close["by_status"]), ([], {"ok": 1}))

    def test_one_that_begins_meanwhile_is(self) -> None:
        self.assertTrue(self.close(lambda: self.one.begin(Intent("pay", b"{}")), 2))
        self.assertEqual(self.closed()["unfinished"], [1, 2, 3])

    def test_a_run_that_never_rests_is_not_closed(self) -> None:
        with self.assertRaisesRegex(StoreError, "grows faster"):
            self.close(lambda: self.one.gap("again"), 1000)

    def test_a_closed_run_is_not_closed_again_and_one_that_is_not_there_neither(self) -> None:
        self.assertTrue(self.close(answer=Answer("to pay", b"paid " * 2000)))
        self.assertFalse(self.close())
        close = self.closed()
        self.assertEqual((close["goal"], close["answer_recorded"]), ("to pay", True))
        self.run = "nowhere"
        self.assertFalse(self.close())

    def test_only_what_nobody_feeds_is_abandoned(self) -> None:
        with sink_into(os.fspath(self.store)) as store:
            self.assertEqual(close_abandoned(store, "operator", self.one._closer), [])
            store.join("k2", "other", "boot-before:1:1:ab")
            self.assertEqual(store.join("k", "unused", "boot-before:1:1:ab"), self.run)
            store.leave(self.run, self.one._me)
            self.assertEqual(close_abandoned(store, "operator", self.one._closer), [self.run])
            self.assertEqual(store.writers(), [])
        self.assertEqual(self.closed()["closed_by"], "operator")


class Writers(unittest.TestCase):
    """A writer's word names a process, which lives or not."""

    def test_this_one_lives(self) -> None:
        self.assertTrue(lives(f"{this_process().key()}:ab"))
        self.assertEqual(process_of("boot:7:9:ab"), Process(7, 9, "boot"))

    def test_nobody_lives_by_another_word(self) -> None:
        for writer in ("", "boot:7:9", "boot:x:9:ab", "a:b:c:d:e", "boot:7:9:ab"):
            with self.subTest(writer):
                self.assertFalse(lives(writer))


if __name__ == "__main__":
    unittest.main()
