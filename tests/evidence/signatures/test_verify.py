"""Both ways of checking a signature give one answer, over all vectors."""

import unittest
import unittest.mock
from importlib.util import find_spec

from tests.evidence.trust import cases, signer
from toolreplay.evidence.signatures import verify
from toolreplay.evidence.signatures.ed25519 import is_valid
from toolreplay.evidence.signatures.verify import verify_ed25519, verify_ml_dsa_44

HAS_PACKAGE = find_spec("cryptography") is not None
WITHOUT = {"cryptography": None, "cryptography.exceptions": None}


class Ed25519(unittest.TestCase):
    """RFC 8032 section 5.1.7, without the cofactor."""

    @unittest.skipUnless(HAS_PACKAGE, "needs the extra sign")
    def test_the_package_and_our_own_agree_over_all_vectors(self) -> None:
        self.assertIsNot(verify._backend(), is_valid)
        for case in cases("ed25519"):
            parts = [bytes.fromhex(case[name]) for name in ("public", "message", "signature")]
            with self.subTest(case["id"], desc=case["desc"]):
                self.assertEqual(verify_ed25519(*parts), is_valid(*parts))

    def test_without_the_package_our_own_is_used(self) -> None:
        backend = verify._backend.__wrapped__
        with unittest.mock.patch.dict("sys.modules", WITHOUT):
            self.assertIs(backend(), is_valid)

    def test_a_key_is_refused_before_either(self) -> None:
        accepts = unittest.mock.Mock(return_value=lambda *_: True)
        with unittest.mock.patch.object(verify, "_backend", accepts):
            self.assertTrue(verify_ed25519(signer().key.public, b"", bytes(64)))
            for public, length in ((bytes(32), 64), (signer().key.public, 63)):
                self.assertFalse(verify_ed25519(public, b"", bytes(length)))


class MlDsa44(unittest.TestCase):
    """FIPS 204; that it may be impossible to check is decided by us."""

    def test_without_the_package_nothing_is_said(self) -> None:
        with unittest.mock.patch.dict("sys.modules", WITHOUT):
            self.assertIsNone(verify_ml_dsa_44(bytes(1312), b"", bytes(2420)))

    def test_what_is_no_signature_does_not_hold(self) -> None:
        for public, signature in ((bytes(1312), bytes(2420)), (bytes(1312), b""), (b"", b"")):
            self.assertIn(verify_ml_dsa_44(public, b"", signature), (False, None))


if __name__ == "__main__":
    unittest.main()
