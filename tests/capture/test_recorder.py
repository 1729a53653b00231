"""The recorder: what it writes of calls, and what becomes of it where nothing can be written."""

import os
import subprocess
import sys
import threading
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.capture.recorded import payloads, receipts, recorder, runs
from toolreplay.capture.closing import close_run
from toolreplay.capture.observed import NOT_RECORDED, Answer, Intent, Outcome
from toolreplay.errors import RecordingError, StoreFailedError
from toolreplay.recording import sink_into

if TYPE_CHECKING:
    from toolreplay.capture.recorder import Recorder


class OneRun(unittest.TestCase):
    """Document 05: intent before the call leaves, receipt when it ended, close when all left."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Path(folder.name, "store.db")

    def test_a_call_is_an_intent_and_a_receipt(self) -> None:
        """Both carry the same tool and the same piece."""
        one = recorder(self.store)
        call = one.begin(Intent("pay", b'{"sum":1}', version="2", scope="mcp:shop", request_id=7))
        one.end(call, Outcome("tool_error", b'{"no":"money"}', flags=("late",)))
        one.finish()
        (run,) = runs(self.store)
        kinds = [kind for kind, _ in payloads(self.store, run)]
        self.assertEqual(kinds, ["open", "start", "call", "close"])
        start = payloads(self.store, run)[1][1]
        (receipt,) = receipts(self.store, run)
        self.assertEqual(start["tool"], {"name": "pay", "version": "2", "scope": "mcp:shop"})
        self.assertEqual(start["tool"], receipt["tool"])
        self.assertEqual(start["args"], receipt["inputs"]["args"])
        self.assertEqual(receipt["outputs"]["status"], "tool_error")
        self.assertEqual(receipt["outputs"]["flags"], ["late"])
        self.assertEqual(receipt["capture"]["request_id"], 7)

    def test_positions_are_those_of_intents_and_seq_that_of_answers(self) -> None:
        """Overlapping calls end in another order than they began."""
        one = recorder(self.store)
        first, second = one.begin(Intent("a", b"{}")), one.begin(Intent("b", b"{}"))
        one.end(second, Outcome("ok", b"1"))
        one.end(first, Outcome("ok", b"2"))
        one.finish()
        found = receipts(self.store, runs(self.store)[0])
        places = [(r["binding"]["seq"], r["binding"]["position"]) for r in found]
        self.assertEqual(places, [(1, 2), (2, 1)])

    def test_what_never_ended_is_named_by_the_close(self) -> None:
        """An intent without an answer is never silently absent."""
        one = recorder(self.store)
        one.begin(Intent("a", b"{}"))
        one.finish(Answer("to pay", b"paid"))
        close = payloads(self.store, runs(self.store)[0])[-1][1]["close"]
        self.assertEqual(close["unfinished"], [1])
        self.assertEqual((close["goal"], close["answer_recorded"]), ("to pay", True))
        self.assertEqual(close["closed_by"], "last writer")

    def test_two_recorders_of_one_key_feed_one_run_and_the_last_closes_it(self) -> None:
        """One chain per run, whichever recorders feed it."""
        one, two = recorder(self.store), recorder(self.store)
        one.end(one.begin(Intent("a", b"{}")), Outcome("ok", b"1"))
        threads = [threading.Thread(target=_many, args=(each, 50)) for each in (one, two)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        one.finish()
        self.assertNotIn("close", [kind for kind, _ in payloads(self.store, runs(self.store)[0])])
        two.end(two.begin(Intent("a", b"{}")), Outcome("ok", b"1"))
        two.finish()
        (run,) = runs(self.store)
        self.assertEqual([kind for kind, _ in payloads(self.store, run)][-1], "close")
        seqs = [r["binding"]["seq"] for r in receipts(self.store, run)]
        self.assertEqual(seqs, list(range(1, 103)))

    def test_who_comes_after_the_close_opens_another_run(self) -> None:
        """A closed run takes nothing."""
        for _ in range(2):
            one = recorder(self.store)
            one.end(one.begin(Intent("a", b"{}")), Outcome("ok", b"1"))
            one.finish()
        self.assertEqual(len(runs(self.store)), 2)

    def test_an_answer_behind_a_close_is_a_gap_of_the_next_run(self) -> None:
        """Somebody closed the run by hand meanwhile."""
        one = recorder(self.store)
        late = one.begin(Intent("a", b"{}"))
        with sink_into(os.fspath(self.store)) as store:
            run = runs(self.store)[0]
            close_run(store, run, "operator", one._closer)
        one.end(late, Outcome("ok", b"1"))
        one.end(one.begin(Intent("b", b"{}")), Outcome("ok", b"1"))
        one.finish()
        first, second = runs(self.store)
        self.assertEqual(payloads(self.store, first)[-1][1]["close"]["unfinished"], [1])
        kinds = [kind for kind, _ in payloads(self.store, second)]
        self.assertEqual(kinds, ["open", "gap", "start", "call", "close"])

    def test_a_run_whose_writers_died_is_closed_by_the_next_start(self) -> None:
        """A killed writer says nothing any more."""
        code = (
            "import os, pathlib, sys\n"
            "from tests.capture.recorded import recorder\n"
            "from toolreplay.capture.observed import Intent\n"
            "recorder(pathlib.Path(sys.argv[1])).begin(Intent('a', b'{}'))\n"
            "os.kill(os.getpid(), 9)\n"
        )
        subprocess.run([sys.executable, "-c", code, self.store], check=False, cwd=Path.cwd())
        one = recorder(self.store)
        one.end(one.begin(Intent("b", b"{}")), Outcome("ok", b"1"))
        one.finish()
        first, second = runs(self.store)
        close = payloads(self.store, first)[-1][1]["close"]
        self.assertEqual((close["closed_by"], close["unfinished"]), ("recorder", [1]))
        self.assertEqual(payloads(self.store, second)[-1][0], "close")


class _OpenedByAnother:
    """A store in which another writer opens the run between our joining and our opening it."""

    def __init__(self, path: Path, other: "Recorder") -> None:
        self._sink = sink_into(os.fspath(path))
        self._other = other

    def __getattr__(self, name: str) -> object:
        return getattr(self._sink, name)

    def join(self, key: str, new_run: str, writer: str) -> str:
        run = self._sink.join(key, new_run, writer)
        self._other.begin(Intent("other", b"{}"))
        return run


class TwoOpenOneRun(unittest.TestCase):
    """Found by two processes that began at once: the slower one lost a second of calls."""

    def test_it_is_no_failure(self) -> None:
        with TemporaryDirectory() as folder:
            store = Path(folder, "store.db")
            other = recorder(store)
            opened = _OpenedByAnother(store, other)
            one = recorder(store, open_sink=lambda: opened)  # type: ignore[arg-type,return-value]
            self.assertNotEqual(one.begin(Intent("a", b"{}")), NOT_RECORDED)
            self.assertEqual((one.failure, one.run), ("", other.run))
            other.finish()
            one.finish()
            (run,) = runs(store)
            kinds = [kind for kind, _ in payloads(store, run)]
            self.assertEqual(kinds, ["open", "start", "start", "close"])


class NothingCanBeWritten(unittest.TestCase):
    """Decided by us: a recorder first. Calls go on, and the record says how many it lacks."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Path(folder.name, "store.db")
        self.fails = True

    def _open(self) -> object:
        if self.fails:
            raise StoreFailedError(os.fspath(self.store), "disk full")
        return sink_into(os.fspath(self.store))

    def test_calls_go_on_and_are_counted(self) -> None:
        """The gap stands in the run that comes next."""
        one = recorder(self.store, open_sink=self._open)
        for _ in range(3):
            self.assertEqual(one.begin(Intent("a", b"{}")), NOT_RECORDED)
            one.end(NOT_RECORDED, Outcome("ok", b"1"))
        self.assertIn("disk full", one.failure)
        self.fails = False
        one._tried_ns = 0
        one.end(one.begin(Intent("b", b"{}")), Outcome("ok", b"1"))
        self.assertEqual(one.failure, "")
        one.finish()
        entries = payloads(self.store, runs(self.store)[0])
        self.assertEqual([kind for kind, _ in entries], ["open", "gap", "start", "call", "close"])
        gap = entries[1][1]
        self.assertEqual(gap["count"], 3)
        self.assertIn("disk full", gap["reason"])

    def test_with_deny_no_call_goes_on(self) -> None:
        """Whoever asked for it gets an error instead of an unrecorded call."""
        one = recorder(self.store, open_sink=self._open, denies=True)
        with self.assertRaisesRegex(RecordingError, "disk full"):
            one.begin(Intent("a", b"{}"))


def _many(one: object, count: int) -> None:
    for _ in range(count):
        one.end(one.begin(Intent("a", b"{}")), Outcome("ok", b"1"))  # type: ignore[attr-defined]


if __name__ == "__main__":
    unittest.main()
