"""Proofs in one file, against the vectors and the text of C2SP tlog-proof."""

import unittest

from tests.evidence.trust import Tree, cases, unpacked
from toolreplay.errors import InputError
from toolreplay.evidence.tlog.checkpoint import parse_checkpoint
from toolreplay.evidence.tlog.cosignature import signature_holds
from toolreplay.evidence.tlog.merkle import inclusion_path
from toolreplay.evidence.tlog.note import parse_note, parse_vkey, signed_by
from toolreplay.evidence.tlog.proof import TlogProof, parse_proof, proof_bytes, proved_root


def is_proved(case: dict) -> bool:
    """Check a vector as whoever is handed the file and the key would."""
    try:
        proof = parse_proof(unpacked(case["proof_b64"]), "proof")
        note = parse_note(proof.checkpoint, "proof")
        head = parse_checkpoint(note.text, "proof")
    except InputError:
        return False
    verdict = signed_by(note, [parse_vkey(case["vkey"], "")], signature_holds)
    root = proved_root(proof, bytes.fromhex(case["leaf_hex"]), head.size)
    return verdict.is_accepted and head.origin == case["origin"] and root == head.root


class Vectors(unittest.TestCase):
    """Decided by C2SP tlog-proof; where a library is laxer the text is followed."""

    def test_each_proof(self) -> None:
        found = cases("tlog_proofs")
        self.assertEqual(len(found), 48)
        for case in found:
            with self.subTest(case["id"], desc=case["desc"]):
                self.assertEqual(is_proved(case), case["valid"])

    def test_each_valid_file_is_written_as_it_was_read(self) -> None:
        for case in cases("tlog_proofs"):
            if case["valid"]:
                data = unpacked(case["proof_b64"])
                self.assertEqual(proof_bytes(parse_proof(data, "")), data)

    def test_each_disagreement_with_a_library(self) -> None:
        found = [
            one["case"] for one in cases("oracle_disagreements") if one["kind"] == "tlog-proof"
        ]
        self.assertEqual(len(found), 8)
        for case in found:
            self.assertTrue(case["formats_accepts"])
            self.assertFalse(is_proved(case), case["desc"])


class TheFile(unittest.TestCase):
    """C2SP tlog-proof, "Format"."""

    def setUp(self) -> None:
        tree = Tree(13)
        path = tuple(inclusion_path(5, 13, tree.read))
        self.proof = TlogProof(5, path, tree.head())
        self.data, self.root = proof_bytes(self.proof), tree.root()

    def test_it_leads_from_the_bytes_of_the_entry_to_the_root(self) -> None:
        entry = b"toolreplay dev leaf 5"
        self.assertEqual(proved_root(self.proof, entry, 13), self.root)
        self.assertNotEqual(proved_root(self.proof, b"another", 13), self.root)
        self.assertIsNone(proved_root(self.proof, entry, 5))

    def test_each_fault_is_named_with_its_place(self) -> None:
        lines = self.data.split(b"\n")
        for fact, data in {
            "not a proof": b"\n".join([b"c2sp.org/tlog-proof@v2", *lines[1:]]),
            "without an index": b"\n".join([lines[0], *lines[2:]]),
            "without an index line": lines[0] + b"\n\n" + self.proof.checkpoint,
            "index of a proof is not a plain decimal": self.data.replace(b"index 5", b"index 05"),
            "a hash of a proof": self.data.replace(lines[2], lines[2][:-1]),
            "a hash of a proof has 3 bytes": self.data.replace(lines[2], b"AAAA"),
            "without an empty line": b"\n".join(lines[:3]),
            "control character": self.data.replace(b"\n", b"\r\n", 1),
            "more than 63 hashes": self.data.replace(lines[2], b"\n".join([lines[2]] * 64)),
            "extra line of a proof": self.data.replace(b"index", b"extra A\nindex"),
            "more than 2,000,000 bytes": self.data + b"a" * 2_000_000,
        }.items():
            with self.subTest(fact), self.assertRaisesRegex(InputError, f"^here: .*{fact}"):
                parse_proof(data, "here")

    def test_as_many_hashes_as_a_tree_can_have(self) -> None:
        proof = self.proof._replace(path=(bytes(32),) * 63)
        self.assertEqual(parse_proof(proof_bytes(proof), ""), proof)

    def test_the_extra_line_is_carried_and_nothing_else_may_stand_there(self) -> None:
        for extra in (b"", b"anything \xff"):
            proof = self.proof._replace(extra=extra)
            self.assertEqual(parse_proof(proof_bytes(proof), ""), proof)
        for line in (b"extra  AAAA\n", b"Extra AAAA\n", b"extraAAA\n", b"extra AAAA\nextra AAAA\n"):
            with self.assertRaises(InputError):
                parse_proof(self.data.replace(b"index", line + b"index"), "")


if __name__ == "__main__":
    unittest.main()
