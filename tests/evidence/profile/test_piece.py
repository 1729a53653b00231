"""Pieces: what a receipt says of bytes that need not stand in it."""

import base64
import hashlib
import hmac
import unittest
from typing import Any

from toolreplay.evidence.profile.piece import (
    DETACHED,
    INLINE,
    INLINE_BYTES,
    KEY_BYTES,
    SEALED_PIECE,
    fault_of_piece,
    is_digest,
    kind_of_piece,
    opens,
    piece_of,
    sealed_piece,
)

KEY, RUN_KEY = b"k" * KEY_BYTES, b"r" * KEY_BYTES
MAC = "hmac-sha256-salted"


class Made(unittest.TestCase):
    """Decided by us, the digests by hashlib and hmac."""

    def test_inline_up_to_four_kibibytes(self) -> None:
        for content in (b"", b"{}", b"\xff" * INLINE_BYTES):
            piece = piece_of(content, "text/plain")
            self.assertEqual(
                piece.described,
                {
                    "media_type": "text/plain", "length": len(content), "method": "sha256",
                    "digest": hashlib.sha256(content).hexdigest(),
                    "b64": base64.b64encode(content).decode(),
                },
            )  # fmt: skip
            self.assertEqual((piece.content, piece.key), (None, None))
            self.assertEqual(kind_of_piece(piece.described), INLINE)

    def test_detached_above(self) -> None:
        content = b"x" * (INLINE_BYTES + 1)
        piece = piece_of(content, "text/plain")
        self.assertEqual(piece.described["blob"], "detached")
        self.assertNotIn("b64", piece.described)
        self.assertEqual((piece.content, kind_of_piece(piece.described)), (content, DETACHED))

    def test_sealed_says_neither_length_nor_a_digest_that_can_be_guessed(self) -> None:
        piece = sealed_piece(b"1234", "text/plain", KEY)
        self.assertEqual(
            piece.described,
            {
                "media_type": "text/plain", "method": MAC, "blob": "sealed",
                "digest": hmac.new(KEY, b"1234", "sha256").hexdigest(),
            },
        )  # fmt: skip
        self.assertEqual((piece.content, piece.key), (b"1234", KEY))
        self.assertEqual(kind_of_piece(piece.described), SEALED_PIECE)
        dropped = sealed_piece(b"1234", "text/plain", KEY, keep=False)
        self.assertEqual((dropped.content, dropped.key), (None, None))

    def test_equal_content_can_be_told_under_the_key_of_the_run(self) -> None:
        one = sealed_piece(b"1234", "text/plain", KEY, RUN_KEY).described
        other = sealed_piece(b"1234", "text/plain", b"o" * KEY_BYTES, RUN_KEY).described
        self.assertNotEqual(one["digest"], other["digest"])
        self.assertEqual(one["same"], other["same"])
        self.assertEqual(one["same"], hmac.new(RUN_KEY, b"1234", "sha256").hexdigest())

    def test_a_key_has_exactly_32_bytes(self) -> None:
        """Decided by RFC 2104: shorter keys are padded with zeros, and would open it too."""
        for length in (0, 31, 33, 64):
            with self.assertRaises(ValueError):
                sealed_piece(b"", "text/plain", b"k" * length)

    def test_opening(self) -> None:
        described = sealed_piece(b"1234", "text/plain", b"k" * 31 + b"\0").described
        self.assertTrue(opens(described, b"1234", b"k" * 31 + b"\0"))
        self.assertFalse(opens(described, b"1234", b"k" * 31))
        self.assertFalse(opens(described, b"1235", b"k" * 31 + b"\0"))
        self.assertFalse(opens(described, b"1234", KEY))


class Read(unittest.TestCase):
    """Decided by us: exactly the members of its kind, and an inline one is opened."""

    def test_what_is_made_has_no_fault(self) -> None:
        for piece in (
            piece_of(b"", "a/b"), piece_of(b"x", "a/b", 0), sealed_piece(b"x", "a/b", KEY),
            sealed_piece(b"x", "a/b", KEY, RUN_KEY, keep=False),
        ):  # fmt: skip
            self.assertEqual(fault_of_piece(piece.described), "")

    def test_each_fault_has_its_words(self) -> None:
        inline, detached = piece_of(b"x", "a/b").described, piece_of(b"x", "a/b", 0).described
        sealed = sealed_piece(b"x", "a/b", KEY).described
        table: list[tuple[Any, str]] = [
            (None, "is not an object"),
            ([], "is not an object"),
            ({}, "has not exactly the members of a detached piece"),
            ({**inline, "more": 1}, "has not exactly the members of an inline piece"),
            ({**inline, "blob": "detached"}, "has not exactly the members of an inline piece"),
            ({**detached, "same": "ab" * 32}, "has not exactly the members of a detached piece"),
            ({**sealed, "length": 1}, "has not exactly the members of a sealed piece"),
            ({**inline, "media_type": 1}, "has a media_type that is no string"),
            ({**inline, "digest": "AB" * 32}, "has a digest that is not 64 lower-case hex digits"),
            ({**sealed, "same": "x"}, "has a `same` that is not 64 lower-case hex digits"),
            ({**sealed, "method": "sha256"}, f"is sealed by another method than {MAC}"),
            ({**inline, "method": "md5"}, "is committed to by another method than sha256"),
            ({**inline, "length": True}, "has a length that is no whole number"),
            ({**inline, "length": 1.0}, "has a length that is no whole number"),
            ({**detached, "length": -1}, "has a length that is no whole number"),
            ({**detached, "blob": "elsewhere"}, "has an unknown blob"),
            ({**inline, "length": 2}, "has other bytes than its digest"),
            ({**inline, "b64": "eQ=="}, "has other bytes than its digest"),
        ]
        for described, words in table:
            with self.subTest(words):
                self.assertEqual(fault_of_piece(described), words)
        self.assertRegex(fault_of_piece({**inline, "b64": "eB=="}), "^has a b64 that ")
        self.assertRegex(fault_of_piece({**inline, "b64": 7}), "^has a b64 that ")

    def test_a_digest_is_64_lower_case_hex_digits(self) -> None:
        self.assertTrue(is_digest("0123456789abcdef" * 4))
        for value in ("A" * 64, "a" * 63, "a" * 65, "a" * 63 + "\n", "٣" * 64, b"a" * 64, None, 1):
            self.assertFalse(is_digest(value), value)


if __name__ == "__main__":
    unittest.main()
