"""Checkpoints, against the vectors and the text of C2SP tlog-checkpoint."""

import unittest

from tests.evidence.trust import ORIGIN, cases, unpacked
from toolreplay.errors import InputError
from toolreplay.evidence.tlog.checkpoint import (
    Checkpoint,
    checkpoint_text,
    parse_checkpoint,
    parse_hash,
    parse_size,
)
from toolreplay.evidence.tlog.cosignature import signature_holds
from toolreplay.evidence.tlog.note import parse_note, parse_vkey, signed_by

HEAD = Checkpoint(ORIGIN, 41, bytes(range(32)))
TEXT = f"{ORIGIN}\n41\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n".encode()


def read(case: dict) -> Checkpoint | None:
    """Return the head of a vector where it is signed, well formed and of the right log."""
    try:
        note = parse_note(unpacked(case["checkpoint_b64"]), "note")
        if not signed_by(note, [parse_vkey(case["vkey"], "")], signature_holds).is_accepted:
            return None
        found = parse_checkpoint(note.text, "note")
    except InputError:
        return None
    return found if found.origin == case["origin"] else None


class Vectors(unittest.TestCase):
    """Decided by C2SP tlog-checkpoint; where a library is laxer the text is followed."""

    def test_each_checkpoint(self) -> None:
        found = cases("checkpoints")
        self.assertEqual(len(found), 28)
        for case in found:
            with self.subTest(case["id"], desc=case["desc"]):
                head = read(case)
                self.assertEqual(head is not None, case["valid"])
                if head is not None:
                    self.assertEqual((head.size, head.root.hex()), (case["size"], case["root"]))
                    extension = "".join(f"{line}\n" for line in head.extensions)
                    self.assertEqual(extension, case["extension"])

    def test_each_disagreement_with_a_library(self) -> None:
        found = [
            one["case"] for one in cases("oracle_disagreements") if one["kind"] == "checkpoint"
        ]
        self.assertEqual(len(found), 6)
        for case in found:
            self.assertTrue(case["formats_accepts"])
            self.assertIsNone(read(case), case["desc"])


class TheThreeLines(unittest.TestCase):
    """C2SP tlog-checkpoint, "Note text"."""

    def test_a_head_has_this_text(self) -> None:
        self.assertEqual(checkpoint_text(*HEAD[:3]), TEXT)
        self.assertEqual(parse_checkpoint(TEXT, ""), HEAD)

    def test_what_could_not_be_read_back_is_not_written(self) -> None:
        for origin, size, root in (
            ("", 41, HEAD.root),
            ("a\nb", 41, HEAD.root),
            ("a\n1", 41, HEAD.root),
            (TEXT.decode().removesuffix("\n"), 41, HEAD.root),
            ("a", -1, HEAD.root),
            ("a", 2**63, HEAD.root),
            ("a", 41, bytes(31)),
            ("a\x00", 41, HEAD.root),
        ):
            with self.subTest(origin=origin, size=size), self.assertRaises(ValueError):
                checkpoint_text(origin, size, root)

    def test_each_fault_is_named_with_its_place(self) -> None:
        for fact, text in {
            "at least three lines": b"a\n41\n",
            "must end with LF": TEXT[:-1],
            "size of a checkpoint is not a plain decimal": TEXT.replace(b"41", b"041"),
            "root of a checkpoint is not standard base64": TEXT[:-2] + b"\n",
            "root of a checkpoint has 3 bytes": b"a\n41\nAAAA\n",
            "none of them empty": TEXT + b"\n",
        }.items():
            with self.subTest(fact), self.assertRaisesRegex(InputError, f"^head: .*{fact}"):
                parse_checkpoint(text, "head")

    def test_sizes(self) -> None:
        for text, size in (("0", 0), ("7", 7), ("9223372036854775807", 2**63 - 1)):
            self.assertEqual(parse_size(text, "", "x"), size)
        for text in ("", "00", "07", "+7", "-7", " 7", "7 ", "7\n", "7.0", "0x7", "７", "7_0",
                     "9223372036854775808", "1" * 5000):  # fmt: skip
            with self.subTest(text[:30]), self.assertRaises(InputError):
                parse_size(text, "", "x")

    def test_hashes(self) -> None:
        good = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        self.assertEqual(parse_hash(good, "", "x"), HEAD.root)
        for text in ("", good[:-1], good.lower() + "=", f"{good}\n", good[:-2] + "9=", "AAAA"):
            with self.subTest(text), self.assertRaises(InputError):
                parse_hash(text, "", "x")


if __name__ == "__main__":
    unittest.main()
