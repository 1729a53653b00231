"""A run that was recorded into a store, exported and carried away: with the zipapp, a bare
interpreter and a public key, and without the store."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest

from tests.cli import ways
from tests.evidence.bundle import made
from tests.stores.recording import OTHER_RUN, RUN, Place, Recorded, record
from toolreplay.evidence.signatures.throwaway import throwaway_signer
from toolreplay.evidence.tlog.note import vkey_text


def vkey(signer) -> str:
    """Return a signer's public key as text."""
    return vkey_text(signer.name, signer.key.kind, signer.key.public)


def change(lines: list, entry: int, edit) -> list:
    """Change the line of an entry, and make the end line what it must be then."""
    for value in lines:
        if value.get("entry") == entry:
            edit(value)
    return lines


class CarriedAway(unittest.TestCase):
    """Decided by us: what the product is for, on the machine of somebody who trusts nobody."""

    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.zipapp = ways.build_zipapp(self.folder)
        self.place = self.log("log")
        self.export(self.place, "run.jsonl")
        self.key = vkey(self.place.signer)

    def log(self, name: str, amount: str = "164.00", more: int = 0) -> Place:
        """Record a log: the run, and so many entries of another run behind it."""
        (self.folder / name).mkdir()
        place = Place(str(self.folder / name), is_signed=True)
        with place.open() as store:
            recorded = Recorded(store)
            recorded.open().both(1, "create_refund", {"amount": amount}, {"ok": True})
            recorded.both(2, "send", {"to": "customer"}, {"ok": True}).close()
            if more:
                other = Recorded(store, OTHER_RUN)
                other.open()
                for _ in range(more - 1):
                    other.gap()
        return place

    def export(self, place: Place, name: str, *options: str) -> None:
        ran = self.ran("export", f"{place.path}#{RUN}", "-o", name, *options)
        self.assertEqual((ran.status, ran.error), (0, ""), ran)

    def ran(self, *arguments: str) -> ways.Ran:
        return ways.run(self.zipapp, *arguments, folder=self.folder)

    def verify(self, name: str, *options: str) -> ways.Ran:
        return self.ran("verify", name, "--key", self.key, *options)

    def test_it_verifies_without_the_store(self) -> None:
        shutil.rmtree(self.place.folder)
        ran = self.verify("run.jsonl", "--seen", "none")
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("signer (example.invalid/log)", ran.text)
        self.assertIn("contents (2 of 2) · links", ran.text)

    def test_each_attack_is_named(self) -> None:
        whole = (self.folder / "run.jsonl").read_bytes()
        other = throwaway_signer("example.invalid/log", bytes([3]) * 32)
        with self.place.open() as store:
            record(store, OTHER_RUN)
        self.export(self.place, "later.jsonl")
        older = next(value for value in made.apart(whole) if "checkpoint_b64" in value)

        def edited(value: dict) -> None:
            value["payload"]["created_at"] = "2026-11-30T09:59:59.000Z"

        def salted(value: dict) -> None:
            value["salt"] = "00" * 32

        later = made.apart((self.folder / "later.jsonl").read_bytes())
        attacks = {
            "an edited payload": (change(made.apart(whole), 2, edited), self.key, "broken-commitment"),
            "a swapped salt": (change(made.apart(whole), 2, salted), self.key, "broken-commitment"),
            "a dropped entry": (
                [value for value in made.apart(whole) if value.get("entry") != 3], self.key, "missing-entry",
            ),
            "an older checkpoint": (
                [older if "checkpoint_b64" in value else value for value in later], self.key, "head-mismatch",
            ),
            "a foreign key": (made.apart(whole), vkey(other), "unknown-signer"),
        }  # fmt: skip
        for attack, (lines, key, kind) in attacks.items():
            with self.subTest(attack):
                (self.folder / "attacked.jsonl").write_bytes(made.joined(lines))
                ran = self.ran("verify", "attacked.jsonl", "--key", key, "--seen", "none")
                self.assertEqual(ran.status, 1, ran)
                self.assertIn(f": {kind}: ", ran.text)

    def test_the_perfect_forgery_against_what_was_remembered(self) -> None:
        self.assertEqual(self.verify("run.jsonl", "--seen", "seen").status, 0)
        for more in (0, 1, 10):
            with self.subTest(more):
                forged = self.log(f"forged-{more}", "146.00", more)
                since = ["--since", "6"] if more else []
                self.export(forged, "forged.jsonl", *since)
                self.assertEqual(self.verify("forged.jsonl", "--seen", "none").status, 0)
                for name in ("forged.jsonl", forged.path):
                    proof = f"proof-{more}-{os.path.basename(name)}"
                    kept = (self.folder / "seen").read_bytes()
                    ran = self.verify(name, "--seen", "seen", "--proof", proof)
                    self.assertEqual(ran.status, 1, ran)
                    self.assertIn(": forked-log: ", ran.text)
                    self.assertEqual((self.folder / "seen").read_bytes(), kept)
                    self.convinced(proof)

    def convinced(self, proof: str) -> None:
        """A second machine has the proof and the public key, and nothing else."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(self.folder / proof, folder)
            ran = ways.run(
                self.zipapp, "verify", proof, "--key", self.key, folder=pathlib.Path(folder)
            )
            self.assertEqual(ran.status, 1, ran)
            self.assertIn("example.invalid/log", ran.text)
            stranger = vkey(throwaway_signer("example.invalid/log", bytes([3]) * 32))
            ran = ways.run(
                self.zipapp, "verify", proof, "--key", stranger, folder=pathlib.Path(folder)
            )
            self.assertNotEqual(ran.status, 1, ran)

    def test_honest_growth_is_silent(self) -> None:
        self.assertEqual(self.verify("run.jsonl", "--seen", "seen").status, 0)
        with self.place.open() as store:
            record(store, OTHER_RUN)
        self.export(self.place, "later.jsonl")
        ran = self.verify("later.jsonl", "--seen", "seen")
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("log (consistent with size 6)", ran.text)
        ran = self.verify(self.place.path, "--seen", "seen")
        self.assertEqual(ran.status, 0, ran)

    def test_json_says_the_same(self) -> None:
        ran = self.verify("run.jsonl", "--seen", "none", "--format", "json")
        (run,) = json.loads(ran.text)["runs"]
        lines = {check["line"]: check["result"] for check in run["checks"]}
        self.assertEqual(lines["signer"], "passed")


if __name__ == "__main__":
    unittest.main()
