"""runs show, close, link: what is known of one run, ended by hand, tied to its session."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from tests.capture.recorded import payloads, recorder, runs
from tests.cli.ways import ROOT
from tests.stores.recording import OTHER_RUN, RUN
from tests.stores.stored import OPEN_RUN, SIGNED, UNSIGNED, VKEY, Stores, signing
from tests.stores.verifying import findings_in
from toolreplay.capture.observed import Intent, Outcome
from toolreplay.recording import sink_into

SESSION = "samples/claude-session.jsonl"
DEFINITION, SERVER = b'{"name":"pay"}', b'{"serverInfo":{"name":"shop","version":"2"}}'


class OfOneStore(Stores):
    """A store of its own beside the usual two: one run, of which one call has no answer."""

    def setUp(self) -> None:
        super().setUp()
        self.store = Path(self.path("own.db"))
        self.one = recorder(self.store, name="shopping", folder="/home/bot")
        pay = Intent("pay", b"{}", scope="mcp:shop", definition=DEFINITION, server=SERVER)
        for status in ("ok", "ok", "tool_error"):
            self.one.end(self.one.begin(pay), Outcome(status, b"{}"))
        self.one.begin(Intent("mcp__files__read", b"{}"))
        self.one.gap("unparsed line", 2)
        self.one.gap("unparsed line", 1)
        self.id = runs(self.store)[0]

    def shown(self, run: str = "own.db#shopping") -> dict:
        return json.loads(self.says(0, "runs", "show", run, "--format", "json"))

    def ended(self) -> dict:
        """Return what the close receipt says, of a run that verifies."""
        self.assertEqual(findings_in(f"{self.store}#{self.id}"), [])
        found = [value for kind, value in payloads(self.store, self.id) if kind == "close"]
        return found[0]


class Shown(OfOneStore):
    """Decided by us: a glance at one run, in which nothing is judged."""

    def test_what_is_known_of_it(self) -> None:
        text = self.says(0, "runs", "show", "own.db#shopping")
        for line in (
            rf"run +{self.id}", "name +shopping", "run by +--run", "agent +bot",
            r"recorded +mcp-wire \(mcp_stdio\), OBSERVED VIA GATEWAY", "folder +/home/bot",
            r"closed +not yet", rf"fed by +process {os.getpid()} \(lives\)",
            "calls +4, 1 of them unanswered", "  shop/pay +2 ok, 1 tool_error",
            r"  position 4 +files/read +20\d\d-.*Z", r"  unparsed line +2 gaps, 3 calls +20.* to 20.*",
            f"  pay +{hashlib.sha256(DEFINITION).hexdigest()[:12]} +3 calls",
            f"  shop 2 +{hashlib.sha256(SERVER).hexdigest()[:12]} +3 calls",
        ):  # fmt: skip
            self.assertRegex(text, rf"(?m)^{line}$")

    def test_as_json(self) -> None:
        document = self.shown()
        self.assertEqual(document["format"], "toolreplay-facts/1")
        self.assertEqual((document["run"], document["closed"]), (self.id, None))
        self.assertEqual(document["opened"]["run_by"], "--run")
        self.assertEqual([one["lives"] for one in document["writers"]], [True])
        self.assertEqual(
            document["calls"],
            [{"tool": "pay", "scope": "mcp:shop", "normal": ["shop", "pay"], "outcomes": {"ok": 2, "tool_error": 1}}],
        )  # fmt: skip
        self.assertEqual([one["position"] for one in document["waiting"]], [4])
        self.assertEqual([(one["gaps"], one["calls"]) for one in document["gaps"]], [(2, 3)])
        self.assertEqual([one["is_kept"] for one in document["definitions"]], [True])
        self.assertEqual(
            [(one["name"], one["version"]) for one in document["servers"]], [("shop", "2")]
        )

    def test_a_run_that_was_closed_and_erased_from(self) -> None:
        self.says(0, "store", "erase", f"{UNSIGNED}#{OTHER_RUN}", "--all", "--reason", "asked for")
        document = self.shown(f"{UNSIGNED}#{OTHER_RUN}")
        self.assertEqual(
            (document["closed"]["closed_by"], document["erased"]), ("agent", {"asked for": 1})
        )
        text = self.says(0, "runs", "show", f"{UNSIGNED}#{OTHER_RUN}")
        self.assertRegex(text, r"(?m)^closed +2026-11-30T09:00:06.000Z by agent$")
        self.assertRegex(text, r"(?m)^goal +refund the order$")

    def test_what_somebody_edited_is_counted_and_not_believed(self) -> None:
        self.place(UNSIGNED).sql(
            "update payload set bytes = cast(replace(cast(bytes as text), 'read_file', 'x') as blob) "
            "where rowid = 2"
        )
        document = self.shown(f"{UNSIGNED}#{RUN}")
        self.assertEqual((document["edited"], document["entries"]), (1, 6))

    def test_what_was_recorded_cannot_steer_a_terminal(self) -> None:
        self.one.gap("\x1b[2J\u202e")
        self.one.end(self.one.begin(Intent("a\x1b]0;b", b"{}")), Outcome("ok", b"1"))
        text = self.says(0, "runs", "show", "own.db#shopping")
        self.assertFalse({"\x1b", "\u202e"} & set(text))

    def test_no_such_run(self) -> None:
        self.assertIn("has no run 'nothing'", self.says(2, "runs", "show", "own.db#nothing"))
        self.assertIn("runs show takes STORE#RUN", self.says(2, "runs", "show", "other.db"))


class Closed(OfOneStore):
    """Decided by us: an operator ends a record, and the record says so."""

    def test_not_while_a_living_process_feeds_it(self) -> None:
        refused = self.says(2, "runs", "close", "own.db#shopping")
        self.assertIn(f"is fed by process {os.getpid()}: end what it serves, or --force", refused)
        text = self.says(0, "runs", "close", "own.db#shopping", "--force")
        self.assertIn(f"closed: run {self.id} (shopping): 4 calls, 1 without an answer", text)
        close = self.ended()
        self.assertEqual(
            (close["close"]["closed_by"], close["close"]["unfinished"]), ("operator", [4])
        )
        self.assertEqual(close["capture"]["adapter"], "mcp_stdio")
        # What comes later opens another run, and the last one out closes that.
        self.one.end(self.one.begin(Intent("late", b"{}")), Outcome("ok", b"1"))
        self.one.finish()
        self.assertEqual(len(runs(self.store)), 2)
        self.assertEqual(findings_in(os.fspath(self.store)), [])
        with sink_into(os.fspath(self.store)) as store:
            self.assertEqual(store.writers(), [])

    def test_a_closed_one_is_not_closed_again(self) -> None:
        refused = self.says(2, "runs", "close", f"{UNSIGNED}#{RUN}")
        self.assertEqual(refused, f"{UNSIGNED}: run {RUN} is closed already")

    def test_goal_and_answer(self) -> None:
        Path(self.path("answer.txt")).write_bytes(b"paid " * 2000)
        self.says(
            0, "runs", "close", f"{UNSIGNED}#{OPEN_RUN}", "--goal", "to pay", "--answer", "answer.txt"
        )  # fmt: skip
        self.store, self.id = Path(self.path(UNSIGNED)), OPEN_RUN
        close = self.ended()
        self.assertEqual(
            (close["close"]["goal"], close["close"]["answer_recorded"]), ("to pay", True)
        )
        self.assertEqual(close["outputs"]["result"]["length"], 10_000)
        self.assertIn(
            "No such file", self.says(2, "runs", "close", "own.db#shopping", "--answer", "n")
        )

    def test_the_abandoned_ones(self) -> None:
        nothing = self.says(0, "runs", "close", "--abandoned", "--store", "own.db")
        self.assertEqual(nothing, "nothing to close: 1 open run, fed by living processes\n")
        code = (
            "import os, pathlib, sys\n"
            "from tests.capture.recorded import recorder\n"
            "from toolreplay.capture.observed import Intent\n"
            "recorder(pathlib.Path(sys.argv[1]), key='k2').begin(Intent('a', b'{}'))\n"
            "os.kill(os.getpid(), 9)\n"
        )
        subprocess.run([sys.executable, "-c", code, self.store], check=False, cwd=ROOT)
        dead = runs(self.store)[1]
        text = self.says(0, "runs", "close", "--abandoned", "--store", "own.db")
        self.assertEqual(text.count("closed: run "), 1)
        self.assertIn(f"closed: run {dead}: 1 call, 1 without an answer", text)
        self.one.finish()
        self.assertEqual(findings_in(os.fspath(self.store)), [])
        nothing = self.says(0, "runs", "close", "--abandoned", "--store", "own.db")
        self.assertEqual(nothing, "nothing to close: no run is open\n")

    def test_with_a_key_the_head_behind_it_is_signed(self) -> None:
        self.says(0, "runs", "close", f"{SIGNED}#{OPEN_RUN}", *signing())
        text = self.says(0, "store", "status", SIGNED, "--key", VKEY)
        self.assertRegex(text, r"(?m)^last head +size 15,")
        self.assertRegex(text, r"(?m)^signature +holds")

    def test_what_is_asked_for_must_go_together(self) -> None:
        self.assertIn("RUN --abandoned is required", self.says(2, "runs", "close"))
        self.assertIn("name it", self.says(2, "runs", "close", "--abandoned", "--goal", "x"))
        self.assertIn("not allowed with", self.says(2, "runs", "close", "a", "--abandoned"))


class Linked(OfOneStore):
    """Decided by us: the host's word, which nothing binds, and which says so wherever it stands."""

    def setUp(self) -> None:
        super().setUp()
        self.one.finish()
        shutil.copy(ROOT / SESSION, self.path("session.jsonl"))

    def link(self, *more: str) -> str:
        return self.says(0, "runs", "link", "own.db#shopping", "session.jsonl", *more)

    def test_it_is_kept_and_shown(self) -> None:
        text = self.link()
        self.assertIn("it says: model example-model-1, host_version 2.1.0", text)
        (link,) = self.shown()["links"]
        digest = hashlib.sha256((ROOT / SESSION).read_bytes()).hexdigest()
        self.assertEqual(
            (link["model"], link["sha256"], link["file"]),
            ("example-model-1", digest, "session.jsonl"),
        )
        self.assertEqual(link["form"], "claude_code")
        self.link()  # again: in place of the first
        self.assertEqual(len(self.shown()["links"]), 1)
        self.assertRegex(
            self.says(0, "runs", "show", "own.db#shopping"),
            rf"(?m)^  {link['session']}  form claude_code, model example-model-1",
        )

    def test_it_travels_and_nothing_binds_it(self) -> None:
        self.link()
        self.says(0, "export", "own.db#shopping", "-o", "one.run.jsonl")
        kinds = [
            next(iter(json.loads(line)))
            for line in Path(self.path("one.run.jsonl")).read_text().splitlines()
        ]
        self.assertEqual(kinds[kinds.index("link") - 1], "commitment")
        for name in ("own.db#shopping", "one.run.jsonl"):
            for command in (["verify"], ["show"], ["audit"]):
                with self.subTest(name, command=command):
                    text = self.ran(*command, name).text
                    behind = text.partition("\nunbound, as delivered:\n")[2]
                    self.assertRegex(behind, r'(?m)^  link .*"model": "example-model-1"')
            shown = json.loads(self.says(0, "show", name, "--format", "json"))["runs"][0]
            self.assertEqual([link["form"] for link in shown["links"]], ["claude_code"])

    def test_what_is_no_session(self) -> None:
        for name, fact in (
            ("one.jsonl", "is a transcript, and no session of an agent's program"),
            ("nowhere", "No such file"),
        ):
            shutil.copy(ROOT / "samples/session-clean.jsonl", self.path("one.jsonl"))
            self.assertIn(fact, self.says(2, "runs", "link", "own.db#shopping", name))

    def test_which_of_several(self) -> None:
        refused = self.says(2, "runs", "link", "own.db#shopping", "session.jsonl", "--of", "x")
        self.assertIn("has no 'x'", refused)
        session = self.shown_session()
        self.link("--of", session)
        self.assertEqual(self.shown()["links"][0]["session"], session)

    def shown_session(self) -> str:
        shown = json.loads(self.says(0, "show", "session.jsonl", "--format", "json"))
        return shown["runs"][0]["run"]


if __name__ == "__main__":
    unittest.main()
