"""Cosignatures, against the vectors and the text of C2SP tlog-cosignature."""

import unittest
import unittest.mock

from tests.evidence.trust import ORIGIN, Tree, cases, signer, unpacked, witness
from toolreplay.evidence.aer1.base64_text import base64_of
from toolreplay.evidence.signatures.verify import verify_ml_dsa_44
from toolreplay.evidence.tlog import cosignature
from toolreplay.evidence.tlog.cosignature import (
    Cosignature,
    cosign,
    cosigner_key,
    parse_cosignature,
    signature_holds,
)
from toolreplay.evidence.tlog.note import (
    ED25519,
    ED25519_COSIGNATURE,
    ML_DSA_44_COSIGNATURE,
    VerifierKey,
    parse_note,
    parse_vkey,
)

HAS_ML_DSA = verify_ml_dsa_44(bytes(1312), b"", bytes(2420)) is not None


def holds(case: dict) -> list[bool | None]:
    """Return what is said of each line of the vector's cosigner, which must be one."""
    note, key = parse_note(unpacked(case["note_b64"]), ""), parse_vkey(case["witness_vkey"], "")
    return [
        signature_holds(key, note.text, line.signature)
        for line in note.signatures
        if (line.name, line.key_id) == (key.name, key.key_id) and key.kind != ED25519
    ]


class Vectors(unittest.TestCase):
    """Decided by C2SP tlog-cosignature."""

    def test_each_ed25519_cosignature(self) -> None:
        found = [case for case in cases("cosignatures") if case.get("alg") is None]
        self.assertEqual(len(found), 14)
        for case in found:
            with self.subTest(case["id"], desc=case["desc"]):
                self.assertEqual(holds(case) == [True], case["valid"])

    def test_each_ml_dsa_cosignature_or_none_where_it_cannot_be_checked(self) -> None:
        found = [case for case in cases("cosignatures") if case.get("alg") is not None]
        self.assertEqual(len(found), 6)
        for case in found:
            with self.subTest(case["id"], desc=case["desc"]):
                self.assertEqual(holds(case), [case["valid"] if HAS_ML_DSA else None])

    def test_each_time(self) -> None:
        for case in cases("cosignatures"):
            if case.get("timestamp") is not None:
                key = parse_vkey(case["witness_vkey"], "")
                lines = parse_note(unpacked(case["note_b64"]), "").signatures
                (found,) = (line for line in lines if line.key_id == key.key_id)
                time = case["timestamp"]
                self.assertEqual(
                    parse_cosignature(key, found.signature),
                    Cosignature(time, found.signature[8:]),
                )

    def test_each_disagreement_with_a_library(self) -> None:
        found = [
            one["case"] for one in cases("oracle_disagreements") if one["kind"] == "cosignature"
        ]
        self.assertEqual(len(found), 2)
        for case in found:
            self.assertTrue(case["formats_accepts"])
            self.assertNotEqual(holds(case), [True], case["desc"])


class Cosigning(unittest.TestCase):
    """C2SP tlog-cosignature, "Ed25519 signed message"."""

    TEXT = parse_note(Tree(5).head(), "").text

    def test_what_is_cosigned_holds_for_this_text_and_time_alone(self) -> None:
        line, key = cosign(self.TEXT, 1700000000, witness(1)), cosigner_key(witness(1))
        self.assertEqual(
            (key.kind, line.name, line.key_id), (ED25519_COSIGNATURE, key.name, key.key_id)
        )
        self.assertTrue(signature_holds(key, self.TEXT, line.signature))
        later = (1700000001).to_bytes(8, "big") + line.signature[8:]
        for text, signature in (
            (self.TEXT + b"more\n", line.signature),
            (self.TEXT, later),
            (self.TEXT, line.signature[8:]),
            (self.TEXT, line.signature + b"\0"),
            (b"no checkpoint\n", line.signature),
        ):
            self.assertIs(signature_holds(key, text, signature), False)
        self.assertIs(signature_holds(cosigner_key(witness(2)), self.TEXT, line.signature), False)

    def test_a_cosignature_of_what_is_no_checkpoint_does_not_hold(self) -> None:
        line = cosign(b"no checkpoint\n", 1, witness(1))
        key = cosigner_key(witness(1))
        self.assertIs(signature_holds(key, b"no checkpoint\n", line.signature), False)

    def test_the_logs_own_signature_is_no_cosignature_nor_the_other_way_round(self) -> None:
        own = signer()
        self.assertIs(signature_holds(own.key, self.TEXT, own.sign(self.TEXT)), True)
        line = cosign(self.TEXT, 1700000000, own)
        self.assertIs(signature_holds(own.key, self.TEXT, line.signature), False)
        self.assertIs(signature_holds(own.key, self.TEXT, line.signature[8:]), False)
        self.assertIs(signature_holds(cosigner_key(own), self.TEXT, own.sign(self.TEXT)), False)

    def test_what_is_no_cosignature_has_no_parts(self) -> None:
        key = cosigner_key(witness(1))
        for signature in (b"", bytes(71), bytes(73), bytes(2428), b"\x80" + bytes(71)):
            self.assertIsNone(parse_cosignature(key, signature))
        self.assertIsNone(parse_cosignature(signer().key, bytes(72)))

    def test_the_message_of_an_ml_dsa_cosigner(self) -> None:
        """The structure `cosigned_message`, byte for byte."""
        text = f"{ORIGIN}\n258\n{base64_of(bytes(range(32)))}\nmore\n".encode()
        for name, fits in (("é.example", True), ("a" * 255, True), ("a" * 256, False)):
            key = VerifierKey(name, b"abcd", ML_DSA_44_COSIGNATURE, bytes(1312))
            with unittest.mock.patch.object(cosignature, "verify_ml_dsa_44") as verify:
                found = signature_holds(key, text, (259).to_bytes(8, "big") + bytes(2420))
            if not fits:
                self.assertEqual((found, verify.call_args), (False, None))
                continue
            spelt, origin = name.encode(), ORIGIN.encode()
            message = (
                b"subtree/v1\n\0" + bytes([len(spelt)]) + spelt + b"\0\0\0\0\0\0\1\3"
                + bytes([len(origin)]) + origin + bytes(8) + b"\0\0\0\0\0\0\1\2" + bytes(range(32))
            )  # fmt: skip
            self.assertIs(found, verify.return_value)
            self.assertEqual(verify.call_args.args, (key.public, message, bytes(2420)))


if __name__ == "__main__":
    unittest.main()
