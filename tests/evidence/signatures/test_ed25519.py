"""Ed25519 in pure Python, against OpenSSL's answers and RFC 8032's own examples."""

import unittest
from hashlib import sha512

from tests.evidence.trust import cases, signer
from toolreplay.evidence.signatures import ed25519
from toolreplay.evidence.signatures.ed25519 import ORDER, base_multiple, is_usable_key, is_valid

P = 2**255 - 19

REFUSED_KEYS = {f"dev-ed25519-0{number}" for number in (168, 169, 171, 172, 173)}
"""Valid for OpenSSL, under public keys of small order; such a key says nothing about its owner."""

# Every encoding of the eight points of small order, those that are not canonical behind.
SMALL_ORDER = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]

# RFC 8032 section 7.1, tests 1 to 3: public key, message, signature.
EXAMPLES = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
]


class Vectors(unittest.TestCase):
    """Decided by RFC 8032 as OpenSSL reads it, but for the keys that we refuse."""

    def test_each_signature(self) -> None:
        found = cases("ed25519")
        self.assertEqual(len(found), 174)
        differing = set()
        for case in found:
            parts = [bytes.fromhex(case[name]) for name in ("public", "message", "signature")]
            with self.subTest(case["id"], desc=case["desc"]):
                if is_valid(*parts) != case["openssl_accepts"]:
                    differing.add(case["id"])
                    self.assertFalse(is_usable_key(parts[0]))
        self.assertEqual(differing, REFUSED_KEYS)

    def test_the_examples_of_the_rfc(self) -> None:
        for public, message, signature in EXAMPLES:
            with self.subTest(message):
                parts = [bytes.fromhex(text) for text in (public, message, signature)]
                self.assertTrue(is_valid(*parts))
                self.assertFalse(is_valid(parts[0], parts[1] + b"\0", parts[2]))


class Keys(unittest.TestCase):
    """Decided by us: refused when they are loaded, whatever could be signed with them."""

    def test_each_point_of_small_order_is_refused(self) -> None:
        for text in SMALL_ORDER:
            with self.subTest(text):
                self.assertFalse(is_usable_key(bytes.fromhex(text)))

    def test_a_key_that_is_not_canonical_is_refused(self) -> None:
        usable = 0
        for y in range(3, 19):
            key = y.to_bytes(32, "little")
            usable += is_usable_key(key)
            with self.subTest(y):
                self.assertFalse(is_usable_key((y + P).to_bytes(32, "little")))
        self.assertGreater(usable, 3)

    def test_a_key_that_is_no_point_of_the_curve_is_refused(self) -> None:
        """Euler's criterion says whether x^2 = (y^2 - 1) / (d y^2 + 1) has a root."""
        d, found = -121665 * pow(121666, -1, P), set()
        for y in range(2, 40):
            square = (y * y - 1) * pow(d * y * y + 1, -1, P)
            is_on_curve = pow(square, (P - 1) // 2, P) == 1
            found.add(is_on_curve)
            with self.subTest(y):
                self.assertEqual(is_usable_key(y.to_bytes(32, "little")), is_on_curve)
        self.assertEqual(found, {True, False})

    def test_a_key_of_another_length_is_refused(self) -> None:
        public = signer().key.public
        self.assertTrue(is_usable_key(public))
        for other in (b"", public[:-1], public + b"\0"):
            self.assertFalse(is_usable_key(other))


class Signatures(unittest.TestCase):
    """RFC 8032 section 5.1.7."""

    def setUp(self) -> None:
        self.public, self.message = signer().key.public, b"text\n"
        self.signature = signer().sign(self.message)

    def test_each_changed_bit_of_a_few_bytes_is_seen(self) -> None:
        self.assertTrue(is_valid(self.public, self.message, self.signature))
        for place in (0, 31, 32, 63):
            for bit in (0, 7):
                changed = bytearray(self.signature)
                changed[place] ^= 1 << bit
                self.assertFalse(is_valid(self.public, self.message, bytes(changed)))

    def test_a_scalar_has_one_spelling(self) -> None:
        scalar = int.from_bytes(self.signature[32:], "little") + ORDER
        while scalar < 2**256:
            other = self.signature[:32] + scalar.to_bytes(32, "little")
            self.assertFalse(is_valid(self.public, self.message, other))
            scalar += ORDER

    def test_the_equation_is_the_one_without_the_cofactor(self) -> None:
        """Under a key with a part T of order 2, what is signed holds where [k]T is nothing."""
        scalar, nonce = 123456789, 987654321
        part = ed25519._decoded(bytes.fromhex(SMALL_ORDER[1]))
        x, y, z, _ = ed25519._sum(ed25519._decoded(base_multiple(scalar)), ed25519._addend(part))
        public, start = ed25519._encoded(x, y, z), base_multiple(nonce)
        self.assertTrue(is_usable_key(public))
        answers = set()
        for number in range(8):
            message = b"message %d" % number
            hashed = int.from_bytes(sha512(start + public + message).digest(), "little") % ORDER
            rest = (nonce + hashed * scalar) % ORDER
            found = is_valid(public, message, start + rest.to_bytes(32, "little"))
            self.assertEqual(found, hashed % 2 == 0)
            answers.add(found)
        self.assertEqual(answers, {True, False})

    def test_multiples_of_the_base_point(self) -> None:
        self.assertEqual(base_multiple(0), bytes([1]) + bytes(31))
        self.assertEqual(base_multiple(1), bytes([0x58]) + bytes([0x66]) * 31)
        self.assertEqual(base_multiple(ORDER), base_multiple(0))
        self.assertEqual(base_multiple(ORDER + 5), base_multiple(5))
        negative = base_multiple(ORDER - 5)
        self.assertEqual(negative[:31], base_multiple(5)[:31])
        self.assertEqual(negative[31] ^ 0x80, base_multiple(5)[31])


if __name__ == "__main__":
    unittest.main()
