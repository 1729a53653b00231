"""toolreplay.evidence.digests"""

import unittest
from hashlib import sha256

from toolreplay.evidence.digests import Digests, SeenTexts


class Many(unittest.TestCase):
    """Decided by us: exact, and small."""

    def test_each_key_has_the_number_of_those_before_it(self) -> None:
        for width in (16, 32):
            keys = [sha256(str(number).encode()).digest()[:width] for number in range(20_000)]
            digests = Digests(width)
            for number, key in enumerate(keys):
                self.assertNotIn(key, digests)
                self.assertEqual(digests.add(key), number)
            found = [digests.number_of(key) for key in keys[::997]]
            self.assertEqual(found, list(range(20_000))[::997])
            self.assertNotIn(sha256(b"another").digest()[:width], digests)

    def test_a_key_is_not_found_across_two_others(self) -> None:
        digests = Digests(4)
        for key in (b"\0\0ab", b"\0\0\0\0", b"\0\0\0c"):
            digests.add(key)
        self.assertEqual(digests.number_of(b"\0\0\0c"), 2)
        self.assertIsNone(digests.number_of(b"\0\0b\0"))
        self.assertIsNone(digests.number_of(b"ab\0\0"))

    def test_a_key_is_added_once(self) -> None:
        digests = Digests(4, numbered=False)
        keys = [number.to_bytes(4, "big") for number in range(20_000)]
        self.assertTrue(all(map(digests.add_new, keys)))
        self.assertFalse(any(map(digests.add_new, keys)))
        self.assertTrue(all(digests.add_new(key[2:] + b"\xff\xff") for key in keys))


class Texts(unittest.TestCase):
    """Decided by us: a receipt's id is known again among a hundred thousand, in little memory."""

    def test_a_text_is_new_once(self) -> None:
        seen = SeenTexts()
        texts = [f"id {number}" for number in range(3000)] + ["", "\ud800", "é"]
        self.assertTrue(all(map(seen.add, texts)))
        self.assertFalse(any(map(seen.add, texts)))
