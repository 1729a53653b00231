"""A credential on the wire is in the store under `--redact full`, and nowhere by default."""

import base64
import json
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pytest

from tests.capture.recorded import receipts, runs
from tests.capture.talking import Talking
from tests.stores.scanning import files_that_hold
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.reading import LogTables

# Made of parts, so that nobody takes it for a real one.
TOKEN = "ghp_" + "Ab3dEf6hIj" * 3 + "Kl9mNo"
_INNER = json.dumps({"headers": {"Authorization": f"Bearer {TOKEN}"}})

SAID = {
    "as it is": {"text": f"use {TOKEN} now"},
    "under a name": {"api_key": TOKEN},
    "nested": {"a": [{"b": {"c": TOKEN}}]},
    "in a member's name": {TOKEN: 1},
    "in JSON text": {"body": _INNER},
    "in JSON text in JSON text": {"body": json.dumps({"body": _INNER})},
    "in a URL": {"url": f"https://x.example/a?access_token={TOKEN}&b=1"},
    "in a URL, percent-encoded": {"url": "https://x.example/?u=" + quote(_INNER, safe="")},
    "in base64": {"blob": base64.b64encode(f"xy {TOKEN} z".encode()).decode()},
    "escaped": {"text": "".join(f"\\u{ord(letter):04x}" for letter in TOKEN)},
}
"""Arguments, which the server gives back as a result: one text with JSON in it."""


class OnTheWire(unittest.TestCase):
    """Decided by us, by issue and page: nothing of it is written before the rules were applied."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Path(folder.name, "store.db")

    def record(self, *options: str) -> None:
        """Record arguments, results, an error, a late answer and an unanswered call with it."""
        one = Talking(self.store, "--agent", f"bot {TOKEN}", "--label", f"k={TOKEN}", *options)
        for number, args in enumerate(SAID.values()):
            one.call(number, "echo", **args)
        one.call("error", f"no tool {TOKEN}")
        one.call(f"id {TOKEN}", "echo", n=1)
        one.call("late", "wait", n=30, note=TOKEN)
        one.send({"method": "notifications/cancelled", "params": {"requestId": "late"}})
        one.call("never", "never", note=TOKEN)
        one.wait([*range(len(SAID)), "error", "late"])
        self.assertEqual(one.end(), 0)

    def test_with_full_it_is_there(self) -> None:
        """So the scanner sees it."""
        self.record("--redact", "full")
        self.assertIn("", files_that_hold(str(self.store), TOKEN.encode()))

    def test_by_default_it_is_nowhere(self) -> None:
        """Not in the database, its log, nor in whatever stands beside; and which rule hid it is there."""
        self.record()
        self.assertEqual(files_that_hold(str(self.store), TOKEN.encode()), [])
        self.assertEqual(files_that_hold(str(self.store), TOKEN[4:].encode()), [])
        found = receipts(self.store, runs(self.store)[0])
        for receipt in found[: len(SAID)]:
            self.assertTrue(receipt["inputs"]["redactions"])
            self.assertTrue(receipt["outputs"]["redactions"])
            self.assertIn("redacted", receipt["outputs"]["flags"])

    def test_by_its_digest_alone_it_is_nowhere(self) -> None:
        """Nothing of what was sent is kept."""
        self.record("--redact", "hash-only")
        self.assertEqual(files_that_hold(str(self.store), TOKEN.encode()), [])
        self.assertEqual(files_that_hold(str(self.store), b"x.example"), [])

    def test_each_receipt_holds_for_another_reader(self) -> None:
        """aer1-verify, an implementation of others."""
        reader = pytest.importorskip("aer1_verify")
        self.record()
        count = 0
        with reading_of_store(str(self.store)) as (connection, _):
            tables = LogTables(connection, str(self.store))
            for entry in tables.entries(runs(self.store)[0]):
                leaf = parse_leaf(entry.leaf)
                kept = tables.payload(leaf.commit)
                assert kept is not None
                if leaf.kind in ("call", "close"):
                    passed, checks, _, _ = reader.verify(json.loads(kept[0]), None)
                    self.assertTrue(passed, checks)
                    count += 1
        self.assertEqual(count, len(SAID) + 4)


if __name__ == "__main__":
    unittest.main()
