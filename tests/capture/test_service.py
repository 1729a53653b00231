"""The recorder as a service: one store for all who tell it, and what becomes of their runs."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any

from tests.capture.recorded import payloads, receipts, runs
from tests.capture.served import ROOT, Served, code_of
from toolreplay.capture.observed import NOT_RECORDED, Answer, Intent, Outcome
from toolreplay.capture.service.client import ServiceRecording
from toolreplay.errors import RecordingError


class ManyTellOneService(Served):
    """Decided by us: one chain per run whichever processes feed it."""

    def test_what_is_told_is_recorded(self) -> None:
        service = self.serve()
        one = self.client()
        intent = Intent(
            "pay\ud800", b'{"sum":1}', version="2", scope="mcp:shop", request_id=7,
            annotations={"readOnlyHint": False}, definition=b"{}", server=b'{"name":"x"}',
        )  # fmt: skip
        outcome = Outcome("tool_error", b'{"no":"money"}', flags=("late",), rounds=(b"1",))
        one.end(one.begin(intent), outcome)
        one.finish(Answer("to pay", b"paid"))
        self.assertEqual(self.end(service), 0)
        (run,) = runs(self.store)
        self.assertEqual(one.run, run)
        found = payloads(self.store, run)
        self.assertEqual([kind for kind, _ in found], ["open", "start", "call", "close"])
        self.assertEqual(found[0][1]["name"], "r")
        self.assertEqual(found[0][1]["run_by"], "--run")
        (receipt,) = receipts(self.store, run)
        self.assertEqual(receipt["tool"]["name"], "pay\\u{d800}")
        self.assertEqual(receipt["outputs"]["status"], "tool_error")
        self.assertEqual(receipt["capture"]["request_id"], 7)
        self.assertEqual(receipt["capture"]["annotations"], {"readOnlyHint": False})
        self.assertEqual(len(receipt["inputs"]["rounds"]), 1)
        self.assertEqual(found[-1][1]["close"]["goal"], "to pay")

    def test_two_processes_of_one_parent_make_one_run_and_one_chain(self) -> None:
        """The parent is the one that the kernel knows; seq has no gap."""
        service = self.serve()
        body = """
for _ in range(200):
    one.end(one.begin(Intent("a", b"{}")), Outcome("ok", b"1"))
one.finish()
"""
        both = [subprocess.Popen(code_of(str(self.socket), body)) for _ in range(2)]
        self.assertEqual([each.wait(60) for each in both], [0, 0])
        self.end(service)
        (run,) = runs(self.store)
        found = receipts(self.store, run)
        self.assertEqual([r["binding"]["seq"] for r in found], list(range(1, 401)))
        opened = payloads(self.store, run)[0][1]
        self.assertEqual(opened["run_by"], "parent process (inferred)")
        pids = {r["capture"]["writer"]["pid"] for r in found}
        self.assertEqual(pids, {each.pid for each in both})

    def test_a_run_closes_five_seconds_after_the_last_writer(self) -> None:
        self.serve()
        one = self.client()
        one.end(one.begin(Intent("a", b"{}")), Outcome("ok", b"1"))
        one.finish()
        time.sleep(2)
        two = self.client()
        two.end(two.begin(Intent("a", b"{}")), Outcome("ok", b"1"))
        two.finish()
        left = time.monotonic()
        (run,) = runs(self.store)
        while payloads(self.store, run)[-1][0] != "close":
            self.assertLess(time.monotonic() - left, 20)
            time.sleep(0.1)
        self.assertGreater(time.monotonic() - left, 4.5)
        self.assertEqual(payloads(self.store, run)[-1][1]["close"]["closed_by"], "last writer")
        self.assertEqual(len(receipts(self.store, run)), 2)

    def test_sixteen_threads_share_one_connection(self) -> None:
        service = self.serve()
        one = self.client()

        def many() -> None:
            for _ in range(25):
                one.end(one.begin(Intent("a", b"{}")), Outcome("ok", b"1"))

        threads = [threading.Thread(target=many) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(one.failure, "")
        one.finish()
        self.end(service)
        (run,) = runs(self.store)
        seqs = [r["binding"]["seq"] for r in receipts(self.store, run)]
        self.assertEqual(seqs, list(range(1, 401)))

    def test_calls_that_overlap_do_not_wait_for_each_other(self) -> None:
        """Of the two that are open, the second ends first."""
        service = self.serve()
        one = self.client()
        first, second = one.begin(Intent("a", b"{}")), one.begin(Intent("b", b"{}"))
        one.end(second, Outcome("ok", b"1"))
        one.end(first, Outcome("ok", b"2"))
        one.finish()
        self.end(service)
        found = receipts(self.store, runs(self.store)[0])
        places = [(r["binding"]["seq"], r["binding"]["position"]) for r in found]
        self.assertEqual(places, [(1, 2), (2, 1)])

    def test_the_least_that_is_asked_for_is_kept(self) -> None:
        service = self.serve("--redact", "hash-only")
        one = self.client(mode="full")
        one.end(one.begin(Intent("a", b'{"pin":"no one may know"}')), Outcome("ok", b"1"))
        one.finish()
        self.end(service)
        self.assertNotIn(b"no one may know", self.store.read_bytes())
        self.assertEqual(len(receipts(self.store, runs(self.store)[0])), 1)

    def test_status_says_what_it_does(self) -> None:
        self.serve()
        one = self.client()
        one.begin(Intent("a", b"{}"))
        found = self.wire().ask(op="status", id=1)
        assert found is not None
        self.assertEqual((found["sessions"], found["runs"], found["calls"]), (1, 1, 1))
        self.assertEqual((found["store"], found["not_recording"]), (str(self.store), None))
        one.finish()


class WhoeverDies(Served):
    """Nothing that was acknowledged is lost, and nothing that was lost is silent."""

    def test_a_client_that_is_killed_leaves_its_intents_unfinished(self) -> None:
        service = self.serve()
        body = 'one.begin(Intent("a", b"{}")); os.kill(os.getpid(), 9)'
        subprocess.run(code_of(str(self.socket), body), check=False)
        self.end(service)
        (run,) = runs(self.store)
        kinds = [kind for kind, _ in payloads(self.store, run)]
        self.assertEqual(kinds, ["open", "start", "close"])
        self.assertEqual(payloads(self.store, run)[-1][1]["close"]["unfinished"], [1])

    def test_a_service_that_is_killed_in_traffic_loses_nothing_that_it_acknowledged(self) -> None:
        """Clients count what they could not tell, and it is a gap when the service is there again."""
        service = self.serve()
        clients = [self.client(run=f"r{number}") for number in range(3)]
        begun, ended, missed = [0] * 3, [0] * 3, [0] * 3
        stop = threading.Event()

        def many(number: int, one: ServiceRecording) -> None:
            while not stop.is_set():
                call = one.begin(Intent(f"t{number}", b"{}"))
                if call == NOT_RECORDED:
                    missed[number] += 1
                    time.sleep(0.01)
                    continue
                begun[number] += 1
                before = one._missed
                one.end(call, Outcome("ok", b"1"))
                if one._missed == before:
                    ended[number] += 1
                else:
                    missed[number] += 1

        threads = [threading.Thread(target=many, args=pair) for pair in enumerate(clients)]
        for thread in threads:
            thread.start()
        time.sleep(0.7)
        self.end(service, signal.SIGKILL)
        time.sleep(0.3)
        second = self.serve()
        time.sleep(2.5)
        stop.set()
        for thread in threads:
            thread.join()
        for one in clients:
            one.finish()
        self.assertEqual(self.end(second), 0)
        starts, calls, gaps = self.counted()
        for number in range(3):
            with self.subTest(client=number):
                self.assertGreater(begun[number], 10)
                self.assertGreater(missed[number], 0)
                # An intent whose acknowledgement was lost with the service stands there all the same.
                self.assertIn(starts[f"t{number}"] - begun[number], (0, 1))
                self.assertIn(calls[f"t{number}"] - ended[number], (0, 1))
        self.assertEqual(gaps, sum(missed))

    def counted(self) -> tuple[dict[str, int], dict[str, int], int]:
        starts: dict[str, int] = {}
        calls: dict[str, int] = {}
        gaps = 0
        for run in runs(self.store):
            found = payloads(self.store, run)
            self.assertEqual(found[-1][0], "close")
            for kind, value in found:
                if kind in ("start", "call"):
                    tally = starts if kind == "start" else calls
                    tally[value["tool"]["name"]] = tally.get(value["tool"]["name"], 0) + 1
                elif kind == "gap":
                    self.assertIn("not recorded", value["reason"])
                    gaps += value["count"]
        return starts, calls, gaps

    def test_runs_that_a_killed_service_left_are_closed_by_the_next_one(self) -> None:
        service = self.serve()
        one = self.client()
        one.begin(Intent("a", b"{}"))
        self.end(service, signal.SIGKILL)
        self.serve()
        found = payloads(self.store, runs(self.store)[0])
        self.assertEqual(found[-1][0], "close")
        self.assertEqual(found[-1][1]["close"]["closed_by"], "recorder")

    def test_without_a_service_calls_go_on_or_are_refused(self) -> None:
        allowing, denying = self.client(), self.client(denies=True)
        self.assertEqual(allowing.begin(Intent("a", b"{}")), NOT_RECORDED)
        allowing.end(NOT_RECORDED, Outcome("ok", b"1"))
        with self.assertRaisesRegex(RecordingError, r"^not recorded: .*/s: No such file"):
            denying.begin(Intent("a", b"{}"))
        self.assertIn("No such file", allowing.failure)
        service = self.serve()
        allowing.finish()
        self.end(service)
        (gap,) = [
            value for kind, value in payloads(self.store, runs(self.store)[0]) if kind == "gap"
        ]
        self.assertEqual(gap["count"], 1)
        self.assertLessEqual(gap["since"], gap["until"])

    def test_what_a_process_could_not_tell_outlives_it(self) -> None:
        """One counts them to its end, one is killed before; the next tells of both, once."""
        body = 'one.begin(Intent("a", b"{}")); one.begin(Intent("a", b"{}")); '
        for last in ("one.finish()", "os.kill(os.getpid(), 9)"):
            subprocess.run(code_of(str(self.socket), body + last), check=False)
        service = self.serve()
        for _ in range(2):
            one = self.client()
            one.end(one.begin(Intent("a", b"{}")), Outcome("ok", b"1"))
            one.finish()
        self.end(service)
        found = payloads(self.store, runs(self.store)[0])
        gaps = [value for kind, value in found if kind == "gap"]
        self.assertEqual({gap["count"] for gap in gaps}, {2, None})
        self.assertEqual(len(gaps), 2)
        self.assertTrue(all(gap["since"] < gap["until"] for gap in gaps))
        self.assertEqual(
            [path for path in (self.folder / "state").rglob("*") if path.is_file()], []
        )

    def test_an_outcome_that_is_too_large_is_a_gap(self) -> None:
        service = self.serve()
        one = self.client()
        call = one.begin(Intent("a", b"{}"))
        one.end(call, Outcome("ok", bytes(25 * 1024 * 1024)))
        one.end(one.begin(Intent("b", b"{}")), Outcome("ok", b"1"))
        one.finish()
        self.end(service)
        found = payloads(self.store, runs(self.store)[0])
        self.assertEqual(
            [kind for kind, _ in found], ["open", "start", "gap", "start", "call", "close"]
        )
        self.assertEqual(found[2][1]["count"], 1)
        self.assertEqual(found[-1][1]["close"]["unfinished"], [1])

    def test_a_stopped_service_is_not_waited_for_by_each_call(self) -> None:
        service = self.serve()
        one = self.client()
        one.end(one.begin(Intent("a", b"{}")), Outcome("ok", b"1"))
        one._link.close("the test lets go of it")  # type: ignore[union-attr]
        service.send_signal(signal.SIGSTOP)
        try:
            self.assertEqual(one.begin(Intent("a", b"{}")), NOT_RECORDED)
            began = time.monotonic()
            for _ in range(100):
                self.assertEqual(one.begin(Intent("a", b"{}")), NOT_RECORDED)
            self.assertLess(time.monotonic() - began, 1)
        finally:
            service.send_signal(signal.SIGCONT)


class WhereItListens(Served):
    """A socket belongs to the service that lives."""

    def start(self, *options: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-S", "-m", "toolreplay", "recorder", "run", *options]
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False
        )

    def test_a_second_service_does_not_take_it(self) -> None:
        self.serve()
        ran = self.start("--socket", str(self.socket), "--store", str(self.folder / "other.db"))
        self.assertEqual(ran.returncode, 2)
        self.assertIn("listens there already", ran.stderr)
        self.assertEqual(self.wire().ask(op="status")["store"], str(self.store))  # type: ignore[index]

    def test_one_that_nobody_locked_is_not_taken_either(self) -> None:
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(self.socket))
            other.listen()
            ran = self.start("--socket", str(self.socket), "--store", str(self.store))
        self.assertEqual((ran.returncode, "somebody listens there" in ran.stderr), (2, True))

    def test_a_file_is_not_replaced(self) -> None:
        self.socket.write_text("mine")
        ran = self.start("--socket", str(self.socket), "--store", str(self.store))
        self.assertEqual((ran.returncode, self.socket.read_text()), (2, "mine"))

    def test_what_a_killed_service_left_is_replaced(self) -> None:
        self.end(self.serve(), signal.SIGKILL)
        self.assertTrue(self.socket.exists())
        service = self.serve()
        self.assertEqual(os.stat(self.socket).st_mode & 0o777, 0o600)
        self.assertIn(f"listening at {self.socket} (0600); into {self.store}, unsigned", self.line)
        self.assertEqual(self.end(service, signal.SIGINT), 0)
        self.assertFalse(self.socket.exists())

    def test_with_a_group_it_may_connect(self) -> None:
        self.serve("--group", str(os.getgid()))
        self.assertEqual(os.stat(self.socket).st_mode & 0o777, 0o660)


class HostileConnections(Served):
    """What one of them does is no other's trouble."""

    def test_a_message_that_breaks_the_protocol_ends_its_connection_only(self) -> None:
        self.serve()
        good = self.client()
        self.assertNotEqual(good.begin(Intent("a", b"{}")), NOT_RECORDED)
        first = {
            b"\n": "",
            b"not json\n": "",
            b"[1]\n": "a message is a JSON object",
            b'{"op":"hello"}\n': "protocol is not toolreplay-recorder/1",
            b'{"op":"begin","tool":"a"}\n': "the first message is a hello",
            b'{"op":"steal"}\n': "op is one of",
            b'{"op":"status","id":-1}\n': "id is a whole number",
            b'{"op":"status","uid":0}\n': "status has no member uid",
            b'{"op":"status","op":"status"}\n': "duplicate",
            b"\xff\xfe\n": "",
            b"[" * 100_000 + b"\n": "nested deeper",
            b'{"op":"status","id":' + b"9" * 10_000 + b"}\n": "",
        }
        for line, what in first.items():
            with self.subTest(line=line[:40]):
                self.refused(self.wire(), line, what)
        self.assertNotEqual(good.begin(Intent("a", b"{}")), NOT_RECORDED)
        self.assertEqual(good.failure, "")
        good.finish()

    def refused(self, wire: Any, line: bytes, what: str) -> None:
        wire.send(line)
        answer = wire.answer()
        self.assertIn(what, answer["error"])
        self.assertNotIn("--", answer["error"])
        self.assertIsNone(wire.answer())

    def test_so_does_one_after_the_hello(self) -> None:
        self.serve()
        for message, what in (
            ({"op": "begin"}, "tool is not a string"),
            ({"op": "begin", "tool": "a", "args": "!"}, "args is not base64"),
            ({"op": "begin", "tool": "a" * 5000}, "longer than 4096"),
            ({"op": "begin", "tool": "a", "writer": {"uid": 0}}, "begin has no member writer"),
            ({"op": "end", "call": 1, "status": "ok"}, "call 1 is not open here"),
            ({"op": "end", "call": True, "status": "ok"}, "call is not the number"),
            ({"op": "gap", "reason": "r", "count": -1}, "count is neither"),
            ({"op": "gap", "reason": "r", "since_us": 10**18}, "since_us is neither"),
            ({"op": "hello"}, "hello comes once"),
        ):
            with self.subTest(message=message):
                wire = self.wire()
                self.assertEqual(wire.hello()["ok"], True)  # type: ignore[index]
                self.refused(wire, json.dumps(message).encode() + b"\n", what)

    def test_a_message_that_is_too_long_is_refused(self) -> None:
        self.serve()
        wire = self.wire()

        def send() -> None:
            try:
                for _ in range(40):
                    wire.send(b"x" * 1024 * 1024)
            except OSError:
                pass

        threading.Thread(target=send).start()
        answer = wire.answer()
        assert answer is not None
        self.assertIn("longer than", answer["error"])

    def test_silent_and_half_lines_hold_up_nobody(self) -> None:
        self.serve()
        wires = [self.wire() for _ in range(50)]
        for wire in wires[:25]:
            wire.send(b'{"op":"hel')
        one = self.client()
        self.assertNotEqual(one.begin(Intent("a", b"{}")), NOT_RECORDED)
        one.finish()

    def test_one_that_takes_no_answers_holds_up_nobody(self) -> None:
        self.serve()
        wire = self.wire()
        wire.socket.settimeout(1)
        try:
            for _ in range(100_000):
                wire.send(b'{"op":"status"}\n' * 100)
        except TimeoutError:
            pass
        else:
            self.fail("the service took all of it")
        one = self.client()
        self.assertNotEqual(one.begin(Intent("a", b"{}")), NOT_RECORDED)
        one.finish()

    def test_connections_are_counted(self) -> None:
        self.serve()
        wires = [self.wire() for _ in range(256)]
        self.assertEqual(wires[-1].hello()["ok"], True)  # type: ignore[index]
        late = self.wire()
        self.assertIn("256 connections", late.answer()["error"])  # type: ignore[index]
        wires[0].close()
        deadline = time.monotonic() + 10
        while True:
            try:
                answer = self.wire().hello()
            except OSError:
                answer = None
            if answer is not None and "error" not in answer:
                break
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
