"""Many calls at once, through several wrappers: one run, one chain, nothing without a word."""

import contextlib
import os
import random
import subprocess
import sys
import threading
import time
import unittest
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.capture.recorded import payloads, receipts, runs
from tests.capture.talking import Talking
from tests.capture.wrapped import ROOT


class ManyCalls(unittest.TestCase):
    """Decided by us: what a busy client does to its servers, and what befalls them."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.store = self.folder / "store.db"

    def bare(self, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        """Run a command on a bare interpreter."""
        return subprocess.run(
            [sys.executable, "-S", "-m", "toolreplay", *arguments],
            env={"HOME": str(self.folder), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            cwd=self.folder,
            capture_output=True,
            check=False,
            timeout=120,
        )

    def test_two_servers_of_one_client_make_one_run(self) -> None:
        """500 overlapping calls each, from two processes, closed after both ended."""
        both = [Talking(self.store, "--server", name) for name in ("a", "b")]
        for number in range(500):
            for each in both:
                each.call(number, "wait" if number % 10 == 0 else "echo", n=number % 7)
        for each in both:
            each.wait(range(500))
        self.assertEqual(both[0].end(), 0)
        (run,) = runs(self.store)
        self.assertNotIn("close", [kind for kind, _ in payloads(self.store, run)])
        self.assertEqual(both[1].end(), 0)
        found = receipts(self.store, run)
        self.assertEqual([r["binding"]["seq"] for r in found], list(range(1, 1001)))
        positions = sorted(r["binding"]["position"] for r in found)
        self.assertEqual(positions, list(range(1, 1001)))
        self.assertEqual(Counter(r["tool"]["scope"] for r in found), {"mcp:a": 500, "mcp:b": 500})
        self.assertEqual(len({r["capture"]["writer"]["pid"] for r in found}), 2)
        kind, close = payloads(self.store, run)[-1]
        self.assertEqual(
            (kind, close["close"]["count"], close["close"]["unfinished"]), ("close", 1000, [])
        )
        self._verified(run)

    def _verified(self, run: str) -> None:
        """Export the run, and have it verified on a bare interpreter."""
        bundle = str(self.folder / "x.run.jsonl")
        exported = self.bare("export", f"{self.store}#{run}", "-o", bundle)
        self.assertEqual(exported.returncode, 0, exported.stderr)
        verified = self.bare("verify", bundle)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)

    def test_a_thousand_at_once_with_cancelled_and_failed_ones(self) -> None:
        """Each intent has one outcome, or is listed as unfinished."""
        one = Talking(self.store)
        answered = []
        for number in range(1000):
            tool = ("echo", "fail", "wait", "wait", "nothing", "never")[number % 6]
            one.call(number, tool, n=1500 if number % 6 == 3 else 20)
            if number % 6 in (3, 5) and number % 4 != 1:
                one.send({"method": "notifications/cancelled", "params": {"requestId": number}})
            if tool != "never":
                answered.append(number)
        one.wait(answered)
        self.assertEqual(one.end(), 0)
        (run,) = runs(self.store)
        entries = payloads(self.store, run)
        started = [value["position"] for kind, value in entries if kind == "start"]
        ended = [value["binding"]["position"] for kind, value in entries if kind == "call"]
        unfinished = entries[-1][1]["close"]["unfinished"]
        self.assertEqual(started, list(range(1, 1001)))
        self.assertEqual(sorted(ended + unfinished), started)
        statuses = Counter(r["outputs"]["status"] for r in receipts(self.store, run))
        late = sum("late" in r["outputs"]["flags"] for r in receipts(self.store, run))
        cancelled = [n for n in range(1000) if n % 6 in (3, 5) and n % 4 != 1]
        self.assertEqual(statuses["cancelled"], len(cancelled))
        self.assertEqual(late, sum(n % 6 == 3 for n in cancelled))
        self.assertEqual(statuses["tool_error"], sum(n % 6 == 1 for n in range(1000)))
        self.assertEqual(statuses["protocol_error"], sum(n % 6 == 4 for n in range(1000)))
        self.assertEqual(len(unfinished), sum(n % 6 == 5 and n % 4 == 1 for n in range(1000)))
        self._verified(run)

    def test_kills_at_any_time_lose_nothing_that_was_answered(self) -> None:
        """Of wrapper or server; what a client saw answered has its receipt."""
        source = random.Random(6)
        for point in range(int(os.environ.get("TOOLREPLAY_KILLS", "8"))):
            with self.subTest(point):
                self._killed(source, self.folder / f"store-{point}.db")

    def _killed(self, source: random.Random, store: Path) -> None:
        one = Talking(store, "--run", "killed")
        sender = threading.Thread(target=_send_until_broken, args=(one,))
        sender.start()
        time.sleep(source.uniform(0.0, 0.3))
        victim = one.process.pid
        if source.random() < 0.4:
            victim = _child_of(victim) or victim
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, 9)
        sender.join()
        one.end()
        answered = [number for number in one.answers if type(number) is int]
        after = Talking(store, "--run", "after")  # it closes what nobody feeds
        after.call(1, "echo")
        after.wait([1])
        after.end()
        found = runs(store)
        recorded = {
            r["capture"]["request_id"]
            for run in found
            for r in receipts(store, run)
            if r["binding"]["job_id"] == found[0]
        }
        if answered:
            self.assertLessEqual(set(answered), recorded)
        for run in found:
            self.assertEqual(payloads(store, run)[-1][0], "close")
        verified = self.bare("verify", str(store))
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)


def _send_until_broken(one: Talking) -> None:
    with contextlib.suppress(BrokenPipeError):
        for number in range(400):
            one.call(number, "echo", n=number)
            if number % 20 == 0:
                time.sleep(0.005)


def _child_of(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            found = file.read().split()
    except OSError:
        return None
    return int(found[0]) if found else None


if __name__ == "__main__":
    unittest.main()
