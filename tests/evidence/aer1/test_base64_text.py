"""toolreplay.evidence.aer1.base64_text"""

import unittest

from toolreplay.evidence.aer1.base64_text import (
    Base64Error,
    base64_of,
    bytes_of_base64,
    decoded_base64,
    loosely_read,
)


class OneTextForOneValue(unittest.TestCase):
    def test_each_value_comes_back(self) -> None:
        for size in range(70):
            data = bytes(range(size))
            self.assertEqual(bytes_of_base64(base64_of(data)), data)

    def test_every_other_text_is_refused(self) -> None:
        for text in (
            None, 1, True, [], "YQ", "YQ=", "YQ===", "YR==", "YWJ=", "Y Q==", "YQ==\n", "\nYQ==",
            "YQ==YQ==", "-_==", "YQ=\u0061", "é", "=", "====", "Y===", "YWI\u200b=",
        ):  # fmt: skip
            with self.subTest(text=text), self.assertRaises(Base64Error):
                bytes_of_base64(text)

    def test_unused_bits_alone_can_be_told_from_the_rest(self) -> None:
        for text, wanted in (
            ("YQ==", (b"a", True)),
            ("YR==", (b"a", False)),
            ("YWJ=", (b"ab", False)),
        ):
            self.assertEqual(decoded_base64(text), wanted)
        for text in (None, "YQ", "YQ===", "YQ==\n", "-_==", "é", "\ud800"):
            with self.assertRaises(Base64Error):
                decoded_base64(text)

    def test_a_loose_reading_takes_unused_bits_and_surplus_padding_alone(self) -> None:
        for text, data in (("YQ==", b"a"), ("YR==", b"a"), ("YWJj=", b"abc"), ("YWJj==", b"abc")):
            self.assertEqual(loosely_read(text), data)
        for text in (None, 1, "YQ", "YQ=", "YWJj===", "Y Q==", "YQ==\n", "-_==", "é", "\ud800"):
            self.assertIsNone(loosely_read(text), text)
