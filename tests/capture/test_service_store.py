"""A store that fails under the service, and the option that points a command at the service."""

import argparse
import os
import time
from typing import TYPE_CHECKING

from tests.capture.recorded import payloads, receipts, runs
from tests.capture.served import HELLO, Served
from toolreplay.capture.clock import now
from toolreplay.capture.observed import Adapter, Intent, Outcome
from toolreplay.capture.recorder import Recorder
from toolreplay.capture.service.client import ServiceRecording
from toolreplay.capture.service.peers import NOBODY
from toolreplay.capture.service.sessions import Service, Settings
from toolreplay.capture.service.wire import (
    begin_message,
    end_message,
    finish_message,
    hello_message,
)
from toolreplay.cli.recording import add_recording, recorder_of
from toolreplay.errors import StoreFailedError, UsageError
from toolreplay.evidence.redaction.redactor import Redactor
from toolreplay.recording import sink_into

if TYPE_CHECKING:
    from toolreplay.evidence.profile.sink import Appended, Maker, RunSink


class AStoreThatFails(Served):
    """Whoever asked hears of it, and it is a gap as soon as one can be written."""

    def setUp(self) -> None:
        super().setUp()
        self.fails = False
        self.service = Service(
            self.opened, Settings(str(self.store), linger_seconds=0.1), Redactor(), now
        )
        self.service.start()
        self.session = self.service.session(hello_message(HELLO), NOBODY)
        self.begin = begin_message(Intent("a", b"{}"))

    def opened(self) -> "RunSink":
        if self.fails:
            raise StoreFailedError(str(self.store), "disk full")
        sink = sink_into(os.fspath(self.store))
        append = sink.append

        def appended(run: str, kind: str, make: "Maker") -> "Appended":
            if self.fails:
                raise StoreFailedError(str(self.store), "disk full")
            return append(run, kind, make)

        sink.append = appended  # type: ignore[method-assign]
        return sink

    def test_all_who_are_served_go_on_when_it_works_again(self) -> None:
        other = self.service.session(hello_message(HELLO), NOBODY)
        call = self.session.answer(self.begin)["call"]
        other.answer(self.begin)
        self.fails = True
        for session in (self.session, other, other):
            answer = session.answer(self.begin)
            self.assertEqual(answer["counted"], True)
            self.assertIn("disk full", answer["error"])
        self.assertIn("disk full", self.service.status()["not_recording"])
        ended = self.session.answer(end_message(call, Outcome("ok", b"1")))
        self.assertEqual(ended["counted"], True)
        self.fails = False
        time.sleep(1.1)
        for session in (self.session, other):
            self.assertEqual(session.answer(self.begin)["run"], runs(self.store)[0])
        self.assertIsNone(self.service.status()["not_recording"])
        self.service.stop()
        (run,) = runs(self.store)
        found = payloads(self.store, run)
        gaps = [value["count"] for kind, value in found if kind == "gap"]
        self.assertEqual(sorted(gaps), [2, 2])
        self.assertEqual(found[-1][0], "close")

    def test_what_was_missed_is_told_though_the_client_has_left(self) -> None:
        self.session.answer(self.begin)
        self.fails = True
        self.session.answer(self.begin)
        self.session.answer(finish_message(None))
        time.sleep(0.5)
        self.fails = False
        self.service.stop()
        found = payloads(self.store, runs(self.store)[0])
        self.assertEqual([kind for kind, _ in found], ["open", "start", "gap", "close"])
        self.assertEqual(found[-1][1]["close"]["closed_by"], "recorder")


class TheOption(Served):
    """`--recorder SOCKET` is given, never found."""

    def recorder(self, *options: str) -> object:
        parser = argparse.ArgumentParser()
        add_recording(parser)
        return recorder_of(parser.parse_args(options), Adapter("exec", "exec"))

    def test_it_records_with_the_service(self) -> None:
        service = self.serve()
        one = self.recorder("--recorder", str(self.socket), "--run", "r", "--label", "a=b")
        assert isinstance(one, ServiceRecording)
        one.end(one.begin(Intent("a", b"{}")), Outcome("ok", b"1"))
        one.finish()
        self.end(service)
        (run,) = runs(self.store)
        self.assertEqual(receipts(self.store, run)[0]["capture"]["layer"], "exec")
        self.assertEqual(payloads(self.store, run)[0][1]["agent"], {"labels": {"a": "b"}})
        self.assertEqual(payloads(self.store, run)[0][1]["capture"]["cwd"], os.getcwd())

    def test_without_it_the_process_records_itself(self) -> None:
        self.serve()
        self.assertIsInstance(self.recorder("--store", str(self.store)), Recorder)

    def test_what_is_the_services_is_refused_beside_it(self) -> None:
        for options in (["--store", "x"], ["--key", "x"], ["--durable-intent"]):
            with self.subTest(options), self.assertRaisesRegex(UsageError, options[0]):
                self.recorder("--recorder", str(self.socket), *options)
