"""One receipt of a bundle by itself: exactly what its committed bytes say, and ours."""

import base64
import hashlib
import unittest
from collections.abc import Callable
from typing import Any

from tests.evidence.bundle import made
from toolreplay.evidence.bundle.receipts import OUTER, ReadReceipt, pieces_of, read_receipt, seen_in


def receipt_line(kind: str = "call") -> made.Value:
    return made.of_kind(made.apart(made.imported(1).bundle()), kind)[0]


class Sound(unittest.TestCase):
    """Decided by us: what the maker makes has no fault, and every member is accounted for."""

    def test_a_call_and_a_close(self) -> None:
        for kind in ("call", "close"):
            payload = receipt_line(kind)["payload"]
            read = read_receipt(payload, made.PUBLISHED)
            self.assertEqual((read.faults, read.unknown), ((), ()))
            self.assertEqual(read.is_close, kind == "close")
            self.assertEqual(payload.keys(), OUTER)

    def test_what_it_says_of_its_place(self) -> None:
        facts = read_receipt(receipt_line()["payload"], None).facts
        self.assertEqual((facts.seq, facts.position, facts.layer), (1, 1, "import"))
        self.assertEqual(facts.provenance_class, "LOGGED BY AGENT")


class Faults(unittest.TestCase):
    """Decided by us: the first of them has the words that say where to look."""

    def read(self, change: Callable[[made.Value], object], kind: str = "call") -> ReadReceipt:
        line = receipt_line(kind)
        change(line)
        return read_receipt(line["payload"], None)

    def first(self, change: Callable[[made.Value], object]) -> str:
        return self.read(change).faults[0]

    def inside(self, change: Callable[[made.Value], object]) -> str:
        return self.first(lambda line: made.edited(line, change))

    def test_each_outer_member_is_bound(self) -> None:
        wrong = {
            "id": "x", "created_at": "2026-01-01T00:00:00.000Z", "verification_status": "failed",
            "canonical_byte_length": 1.0, "tool": {}, "hash_algorithm": "md5", "provenance_class": "OBSERVED VIA GATEWAY",
            "receipt_schema_version": "0.5", "output_hash": "sha256:" + "0" * 64, "canonical_bytes": "e30=",
        }  # fmt: skip
        self.assertEqual(wrong.keys(), OUTER)
        for name, value in wrong.items():
            for change in (lambda r: r.update({name: value}), lambda r: r.pop(name)):  # noqa: B023
                line = receipt_line()
                change(line["payload"])
                with self.subTest(name):
                    self.assertTrue(read_receipt(line["payload"], None).faults)

    def test_a_float_that_is_the_length(self) -> None:
        def change(line: made.Value) -> None:
            line["payload"]["canonical_byte_length"] *= 1.0

        self.assertEqual(self.first(change), "canonical_byte_length is no whole number")

    def test_a_class_that_its_layer_cannot_claim(self) -> None:
        def change(line: made.Value) -> None:
            line["payload"]["provenance_class"] = "EXECUTED BY TOOLREPLAY"
            made.edited(line, lambda c: c["issuer_claims"].update(provenance_class="EXECUTED BY TOOLREPLAY"))  # fmt: skip

        self.assertEqual(
            self.first(change), "the layer of its capture cannot claim EXECUTED BY TOOLREPLAY"
        )

    def test_bytes_without_our_profile_cannot_be_used(self) -> None:
        def gone(committed: made.Value) -> None:
            del committed["binding"]["seq"]

        read = self.read(lambda line: made.edited(line, gone))
        self.assertEqual((read.committed, read.faults), (None, ("binding.seq is missing",)))

    def test_bytes_that_are_no_object_or_no_json(self) -> None:
        for data in ("W10=", "bm90IGpzb24=", "/////w==", "e30", 7, None):
            read = self.read(lambda line: line["payload"].update(canonical_bytes=data))  # noqa: B023
            self.assertIsNone(read.committed)
            self.assertTrue(read.faults)

    def test_unknown_members_are_told_apart(self) -> None:
        def change(line: made.Value) -> None:
            line["payload"]["preview"] = "x"
            made.edited(line, lambda c: c["agent"].update(mood="good"))

        read = self.read(change)
        self.assertEqual((read.faults, read.unknown), ((), ("preview", "agent.mood")))

    def test_a_payload_that_is_no_receipt_at_all(self) -> None:
        read = read_receipt({}, None)
        self.assertEqual((read.committed, read.facts.receipt_id), (None, None))
        self.assertEqual(read.faults[0], "members: missing: id, canonical_bytes, output_hash")


class Pieces(unittest.TestCase):
    """Decided by us: whatever a receipt commits to as a piece is looked for."""

    def test_each_with_its_place(self) -> None:
        pieces: dict[str, Any] = {name: made.as_piece({"n": name}).described for name in "abcdef"}
        committed = {
            "inputs": {"args": pieces["a"], "original": pieces["b"], "rounds": [pieces["c"], pieces["d"]]},
            "outputs": {"result": pieces["e"], "original": pieces["f"]},
        }  # fmt: skip
        places = ["inputs.args", "inputs.original", "inputs.rounds.0", "inputs.rounds.1",
                  "outputs.result", "outputs.original"]  # fmt: skip
        self.assertEqual(
            list(pieces_of(committed)), list(zip(places, pieces.values(), strict=True))
        )
        bare = {"inputs": {"args": pieces["a"]}, "outputs": {"result": None}}
        self.assertEqual(list(pieces_of(bare)), [("inputs.args", pieces["a"])])

    def test_what_was_seen_of_tool_and_server_goes_by_digest(self) -> None:
        both = {"tool_definition": "ab" * 32, "server": "cd" * 32}
        places = [("capture.tool_definition", "ab" * 32), ("capture.server", "cd" * 32)]
        self.assertEqual(list(seen_in({"capture": both})), places)
        self.assertEqual(list(seen_in({"capture": {"tool_definition": "absent"}})), [])


class HalfOfASurrogatePair(unittest.TestCase):
    """Decided by AER-1, UTF-1: such text has no bytes, so the receipt cannot be used."""

    def test_wherever_the_committed_bytes_spell_one(self) -> None:
        for member in (("tool", "name"), ("binding", "receipt_id"), ("binding", "job_id")):
            with self.subTest(member=member):
                line = receipt_line()
                committed = made.committed_of(line)
                value = committed[member[0]][member[1]]
                data = made.form(committed).replace(f'"{value}"'.encode(), rb'"\ud800"')
                line["payload"] |= {
                    "canonical_bytes": base64.b64encode(data).decode(),
                    "canonical_byte_length": len(data),
                    "output_hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
                }
                read = read_receipt(line["payload"], None)
                self.assertIsNone(read.committed)
                self.assertTrue(read.faults)


if __name__ == "__main__":
    unittest.main()
