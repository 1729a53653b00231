"""The throwaway signer, against RFC 8032's own examples."""

import unittest

from tests.evidence.signatures.test_ed25519 import EXAMPLES
from toolreplay.evidence.signatures.ed25519 import is_valid
from toolreplay.evidence.signatures.throwaway import throwaway_signer

SEEDS = [
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
]
"""RFC 8032 section 7.1, tests 1 to 3: the private keys."""


class Throwaway(unittest.TestCase):
    """RFC 8032 sections 5.1.5 and 5.1.6."""

    def test_the_examples_of_the_rfc(self) -> None:
        for seed, (public, message, signature) in zip(SEEDS, EXAMPLES, strict=True):
            made = throwaway_signer("a.example", bytes.fromhex(seed))
            self.assertEqual(made.key.public.hex(), public)
            self.assertEqual(made.sign(bytes.fromhex(message)).hex(), signature)

    def test_what_it_signs_holds(self) -> None:
        made = throwaway_signer("a.example", bytes(32))
        self.assertTrue(is_valid(made.key.public, b"text", made.sign(b"text")))
        self.assertEqual((made.name, made.key.name), ("a.example", "a.example"))


if __name__ == "__main__":
    unittest.main()
