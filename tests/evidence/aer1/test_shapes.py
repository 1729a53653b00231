"""toolreplay.evidence.aer1.shapes"""

import unittest

from tests.evidence.aer1.documents import HOSTILE
from toolreplay.evidence.aer1.shapes import integer_of, is_hex_digest, is_uuid, shown_integer

UUID = "4fa96f99-fcb9-4dd2-a37a-1c2247df102a"


class Shapes(unittest.TestCase):
    def test_a_digest_is_64_lower_case_hex_digits(self) -> None:
        self.assertTrue(is_hex_digest("0123456789abcdef" * 4))
        for value in (*HOSTILE, "a" * 63, "a" * 65, "A" * 64, "a" * 64 + "\n", "\uff10" * 64):
            self.assertFalse(is_hex_digest(value))

    def test_a_uuid_is_lower_case_and_nothing_else(self) -> None:
        self.assertTrue(is_uuid(UUID))
        for value in (*HOSTILE, UUID.upper(), UUID + "\n", "{" + UUID + "}", UUID.replace("-", "")):
            self.assertFalse(is_uuid(value))

    def test_an_integer_may_be_spelled_as_a_float(self) -> None:
        """AER-1, CHN-10."""
        for value, wanted in (
            (1, 1),
            (1.0, 1),
            (-0.0, 0),
            (10**5000, 10**5000),
            (1e300, int(1e300)),
        ):
            self.assertEqual(integer_of(value), wanted)
        for value in (True, False, None, "1", 1.5, float("nan"), float("inf"), [1], {}):
            self.assertIsNone(integer_of(value))

    def test_a_huge_integer_is_one_line(self) -> None:
        self.assertEqual(shown_integer(-(10**20) + 1), "-99999999999999999999")
        for value in (10**20, 10**5000, -(10**5000)):
            self.assertEqual(shown_integer(value), "of more than 20 digits")
