"""The signature of a seal's head: what passes, what fails, and what is no signed head at all."""

import unittest

from tests.evidence.trust import ORIGIN, signer
from toolreplay.errors import InputError
from toolreplay.evidence.seal import Head, head_text
from toolreplay.evidence.seal_signature import head_signer
from toolreplay.evidence.signatures.sign import sign_note
from toolreplay.evidence.tlog.checkpoint import parse_checkpoint
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check

HEAD = Head(6, "75ccf1faad88c5ea82c68139b2ec2a02943142dd0133bb0c626ccbff28f5c711")
SIGNED = sign_note(head_text(HEAD), signer())
OTHER = signer("other", "other.example").key


class TheSigner(unittest.TestCase):
    """Decided by us, on the rules of C2SP signed-note."""

    def test_a_head_signed_with_a_given_key_passes_and_names_it(self) -> None:
        for keys in ([signer().key], [OTHER, signer().key]):
            self.assertEqual(head_signer(SIGNED, keys, "head"), Check("signer", PASSED, ORIGIN))

    def test_without_a_key_nothing_is_said(self) -> None:
        found = head_signer(SIGNED, [], "head")
        self.assertEqual(
            found, Check("signer", NOT_CHECKED, None, "no key given", "add --key VKEY")
        )

    def test_an_edited_head_fails(self) -> None:
        for edited in (
            SIGNED.replace(b"\n6\n", b"\n5\n"),
            SIGNED.replace(b"75ccf1fa", b"75ccf1fb"),
        ):
            found = head_signer(edited, [signer().key], "head")
            self.assertEqual(found.result, FAILED)
            self.assertEqual(found.count, f"the signature of {ORIGIN} does not hold")

    def test_a_head_that_another_signed_fails(self) -> None:
        found = head_signer(SIGNED, [OTHER], "head")
        self.assertEqual(found, Check("signer", FAILED, "no key given signed the head"))
        forged = sign_note(head_text(HEAD), signer("other"))
        self.assertEqual(head_signer(forged, [signer().key], "head").result, FAILED)

    def test_what_is_no_signed_head_cannot_be_looked_at(self) -> None:
        more = sign_note(head_text(HEAD) + b"\nmore\n", signer())
        for fact, data in {
            "the head has no signature": head_text(HEAD),
            "not the four lines": more,
            "not the head of a seal": sign_note(b"text\n", signer()),
            "not `— name base64`": head_text(HEAD) + b"\nsigned by me\n",
        }.items():
            with self.subTest(fact), self.assertRaisesRegex(InputError, f"^head: .*{fact}"):
                head_signer(data, [signer().key], "head")

    def test_a_head_is_no_checkpoint(self) -> None:
        with self.assertRaises(InputError):
            parse_checkpoint(head_text(HEAD), "")


if __name__ == "__main__":
    unittest.main()
