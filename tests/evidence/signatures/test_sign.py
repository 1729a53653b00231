"""Who signs: with a private key and the package, or anything else that makes good signatures."""

import unittest
import unittest.mock
from importlib.util import find_spec
from typing import NamedTuple

from tests.evidence.trust import ORIGIN, document, signer
from toolreplay.errors import InputError, MissingExtraError
from toolreplay.evidence.signatures.keys import PrivateKey
from toolreplay.evidence.signatures.sign import key_signer, public_of, sign_note, verifier_key
from toolreplay.evidence.tlog.cosignature import signature_holds
from toolreplay.evidence.tlog.note import VerifierKey, parse_note, signed_by

SEED = bytes.fromhex(document("keys")["keys"][0]["seed_hex"])
PRIVATE = PrivateKey(ORIGIN, SEED, signer().key.key_id)
WITHOUT = {"cryptography.hazmat.primitives.asymmetric.ed25519": None}
HAS_PACKAGE = find_spec("cryptography") is not None


class Answering(NamedTuple):
    """A signer that answers with whatever it was given."""

    name: str
    key: VerifierKey
    answer: bytes

    def sign(self, message: bytes) -> bytes:
        return self.answer


class SigningNotes(unittest.TestCase):
    """C2SP signed-note."""

    def test_a_signed_note_is_accepted_with_its_key(self) -> None:
        for text in (b"\n", b"text\n", b"a\n\nb\n"):
            note = parse_note(sign_note(text, signer()), "")
            self.assertEqual(note.text, text)
            self.assertTrue(signed_by(note, [signer().key], signature_holds).is_accepted)

    def test_a_signature_that_does_not_hold_is_not_used(self) -> None:
        for answer in (
            bytes(64),
            b"",
            signer().sign(b"another\n"),
            signer("other").sign(b"text\n"),
        ):
            with self.assertRaisesRegex(InputError, "its signature is not of its public key"):
                sign_note(b"text\n", Answering(ORIGIN, signer().key, answer))


class WithAKey(unittest.TestCase):
    """The extra `sign`."""

    @unittest.skipUnless(HAS_PACKAGE, "needs the extra sign")
    def test_it_signs_as_our_own_arithmetic_does(self) -> None:
        ours = signer()
        with_package = key_signer(PRIVATE)
        self.assertEqual((with_package.name, with_package.key), (ours.name, ours.key))
        self.assertEqual(public_of(SEED), ours.key.public)
        for message in (b"", b"text\n", bytes(1000)):
            self.assertEqual(with_package.sign(message), ours.sign(message))

    @unittest.skipUnless(HAS_PACKAGE, "needs the extra sign")
    def test_a_key_that_was_put_together_wrongly_is_refused(self) -> None:
        for private in (PRIVATE._replace(name="b.example"), PRIVATE._replace(seed=bytes(32))):
            with self.assertRaisesRegex(InputError, "its hash is not that of its name and key"):
                key_signer(private)

    def test_without_the_package_one_line_names_the_extra(self) -> None:
        with (
            unittest.mock.patch.dict("sys.modules", WITHOUT),
            self.assertRaisesRegex(
                MissingExtraError, r"a private key needs the extra 'sign' \(pip"
            ),
        ):
            key_signer(PRIVATE)

    def test_the_key_of_a_signer_has_its_name_and_type(self) -> None:
        self.assertEqual(verifier_key(ORIGIN, signer().key.public), signer().key)


if __name__ == "__main__":
    unittest.main()
