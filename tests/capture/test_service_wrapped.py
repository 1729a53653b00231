"""A wrapped server that records with a service, which is killed at any time."""

import contextlib
import os
import random
import signal
import threading
import time
import unittest

from tests.capture.recorded import payloads, receipts, runs
from tests.capture.served import Served
from tests.capture.talking import Talking


class WithAService(Served):
    """Decided by us: what was answered under --strict was recorded, whoever dies."""

    def session(self, *options: str) -> Talking:
        """Start a client with a server behind the wrapper that tells the service."""
        return Talking(self.store, "--recorder", str(self.socket), "--run", "r", *options)

    def test_its_calls_are_in_the_services_store(self) -> None:
        """The wrapper writes nothing; the run is closed by the service."""
        service = self.serve()
        one = self.session()
        for number in range(50):
            one.call(number, "echo", n=number)
        one.wait(range(50))
        self.assertEqual(one.end(), 0)
        self.assertEqual(self.end(service), 0)
        (run,) = runs(self.store)
        self.assertEqual(len(receipts(self.store, run)), 50)
        self.assertEqual(payloads(self.store, run)[-1][0], "close")
        writer = receipts(self.store, run)[0]["capture"]["writer"]
        self.assertEqual((writer["pid"], writer["uid"]), (one.process.pid, os.getuid()))

    def test_kills_at_any_time_lose_nothing_that_was_answered(self) -> None:
        """An answer without a receipt is an error of ours under --strict."""
        source = random.Random(7)
        for point in range(int(os.environ.get("TOOLREPLAY_KILLS", "4"))):
            with self.subTest(point):
                self.store = self.folder / f"store-{point}.db"
                self.socket = self.folder / f"s-{point}"
                self._killed(source)

    def _killed(self, source: random.Random) -> None:
        service = self.serve()
        one = self.session("--strict")
        sender = threading.Thread(target=_send, args=(one,))
        sender.start()
        time.sleep(source.uniform(0.0, 0.3))
        service.send_signal(signal.SIGKILL)
        sender.join()
        one.wait(range(100))
        self.assertEqual(one.end(), 0)
        self.end(service, signal.SIGKILL)
        again = self.serve()
        self.end(again)
        found = runs(self.store)
        recorded = {r["capture"]["request_id"] for run in found for r in receipts(self.store, run)}
        answered = {n for n, each in one.answers.items() if type(n) is int and "result" in each}
        self.assertLessEqual(answered, recorded)
        for run in found:
            self.assertEqual(payloads(self.store, run)[-1][0], "close")


def _send(one: Talking) -> None:
    with contextlib.suppress(BrokenPipeError):
        for number in range(100):
            one.call(number, "echo", n=number)
            time.sleep(0.002)


if __name__ == "__main__":
    unittest.main()
