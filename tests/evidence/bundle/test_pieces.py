"""The content a bundle carries: held while an entry needs it, found again afterwards."""

import unittest
from typing import Any
from unittest import mock

from tests.evidence.bundle import made
from toolreplay.errors import InputError
from toolreplay.evidence.bundle import pieces
from toolreplay.evidence.bundle.lines import BundleLine, piece_lines
from toolreplay.evidence.bundle.pieces import CarriedPieces
from toolreplay.evidence.profile.piece import Piece
from toolreplay.records.limits import DEFAULT, Limits

A, B = made.detached(b"content a"), made.detached(b"content b")
SEALED = made.sealed(b"secret")


class Carried(unittest.TestCase):
    def setUp(self) -> None:
        self.data = b""
        self.pieces = CarriedPieces(DEFAULT, lambda start, end: self.data[start:end])

    def take(self, digest: str, content: bytes, part: int = 0, *, last: bool = True, **more: Any) -> None:  # fmt: skip
        (raw,) = piece_lines(digest, content)
        start = len(self.data)
        self.data += raw
        value = {"piece": digest, "part": part, "last": last, "content": content, **more}
        self.pieces.take(BundleLine(7, start, len(self.data), "piece", value, raw))

    def carry(self, *pieces: Piece) -> None:
        for piece in pieces:
            assert piece.content is not None
            key = {"key": piece.key.hex()} if piece.key else {}
            self.take(piece.described["digest"], piece.content, **key)


class OneAfterTheOther(Carried):
    """Decided by us: parts in order, each piece once."""

    def refused(self, text: str, *arguments: Any, **more: Any) -> None:
        with self.assertRaises(InputError) as caught:
            self.take(*arguments, **more)
        self.assertEqual(caught.exception.where, "line 7")
        self.assertIn(text, caught.exception.what)

    @mock.patch.object(pieces, "_MOST_WAITING", 2)
    def test_no_entry_needs_so_many(self) -> None:
        self.carry(A, B)
        self.refused("more than 2 pieces before one entry", SEALED.described["digest"], b"c")

    @mock.patch.object(pieces, "PART_BYTES", len(b"content"))
    def test_parts(self) -> None:
        digest = A.described["digest"]
        self.take(digest, b"content", last=False)
        with self.assertRaises(InputError):
            self.pieces.refuse_unfinished("line 8")
        self.refused("does not continue", digest, b" a", 2)
        self.refused("does not continue", B.described["digest"], b" a", 1)
        self.refused("does not continue", digest, b" a", 1, key="ab" * 32)
        self.take(digest, b" a", 1)
        self.pieces.refuse_unfinished("line 8")
        self.assertEqual(self.pieces.fault_of(A.described), "")

    @mock.patch.object(pieces, "PART_BYTES", len(b"content"))
    def test_there_is_one_way_to_cut_a_piece(self) -> None:
        self.refused(
            "a part that is not the last has not 7 bytes", "ab" * 32, b"conten", last=False
        )
        self.pieces = CarriedPieces(DEFAULT, None)
        self.take("cd" * 32, b"content", last=False)
        self.refused("the last part is empty", "cd" * 32, b"", 1)

    def test_pieces_beside_each_other_are_held_together_up_to_a_limit(self) -> None:
        self.pieces = CarriedPieces(DEFAULT._replace(line_bytes=20), None)
        self.carry(A, B)
        self.take("ef" * 32, b"one too many")
        self.assertIsNone(self.pieces.content_of("ef" * 32))
        self.assertEqual(self.pieces.content_of(A.described["digest"]), b"content a")

    def test_the_first_part_is_0(self) -> None:
        self.refused("another part than 0", A.described["digest"], b"", 1)

    def test_once(self) -> None:
        self.carry(A)
        self.refused("carried already", A.described["digest"], b"content a")
        self.pieces.settle({A.described["digest"]})
        self.refused("carried already", A.described["digest"], b"content a")


class Judged(Carried):
    """Decided by us: by digest and length, a sealed one by its key."""

    def test_sound(self) -> None:
        self.carry(A, SEALED)
        for piece in (A, SEALED):
            self.assertEqual(self.pieces.fault_of(piece.described), "")
        self.assertEqual(self.pieces.content_of(A.described["digest"]), b"content a")

    def test_other_bytes(self) -> None:
        self.take(A.described["digest"], b"content b")
        self.assertEqual(self.pieces.fault_of(A.described), "has other bytes than its digest")
        self.assertIsNone(self.pieces.content_of(A.described["digest"]))

    def test_another_length_than_is_said(self) -> None:
        self.carry(A)
        self.assertNotEqual(self.pieces.fault_of({**A.described, "length": 8}), "")

    def test_of_what_was_seen_only_the_digest_is_known(self) -> None:
        self.carry(A, SEALED)
        self.assertEqual(self.pieces.fault_of_seen(A.described["digest"]), "")
        self.assertIn("key", self.pieces.fault_of_seen(SEALED.described["digest"]))
        self.take(B.described["digest"], b"another")
        fault = self.pieces.fault_of_seen(B.described["digest"])
        self.assertEqual(fault, "has other bytes than its digest")

    def test_a_key_too_many_and_one_too_few(self) -> None:
        self.take(A.described["digest"], b"content a", key="ab" * 32)
        self.take(SEALED.described["digest"], b"secret")
        for piece in (A, SEALED):
            self.assertIn("key", self.pieces.fault_of(piece.described))

    def test_another_key(self) -> None:
        self.take(SEALED.described["digest"], b"secret", key="ab" * 32)
        self.assertEqual(self.pieces.fault_of(SEALED.described), "has other bytes than its digest")


class LetGo(Carried):
    """Decided by us: afterwards only the place is known, and the content is read there again."""

    def test_what_no_entry_needed_is_named(self) -> None:
        self.carry(A, B)
        self.assertEqual(self.pieces.settle({A.described["digest"]}), [B.described["digest"]])

    @mock.patch.object(pieces, "PART_BYTES", len(b"content"))
    def test_content_is_read_again(self) -> None:
        self.carry(A)
        self.take(B.described["digest"], b"content", last=False)
        self.take(B.described["digest"], b" b", 1)
        self.pieces.settle(set())
        self.assertIn(A.described["digest"], self.pieces)
        self.assertEqual(self.pieces.content_of(A.described["digest"]), b"content a")
        self.assertEqual(self.pieces.content_of(B.described["digest"]), b"content b")
        self.assertIsNone(self.pieces.content_of("ab" * 32))
        self.assertNotIn("ab" * 32, self.pieces)

    def test_many_share_a_bucket(self) -> None:
        pieces = [made.detached(b"%d" % number) for number in range(5000)]
        self.carry(*pieces)
        self.pieces.settle(set())
        for number in (0, 1, 2500, 4999):
            digest = pieces[number].described["digest"]
            self.assertEqual(self.pieces.content_of(digest), b"%d" % number)

    def test_what_is_too_large_to_be_kept_is_not_read_again_either(self) -> None:
        self.pieces = CarriedPieces(Limits(line_bytes=20), lambda s, e: self.data[s:e])
        large = made.detached(b"x" * 21)
        self.carry(large)
        self.assertEqual(self.pieces.fault_of(large.described), "")
        self.assertIsNone(self.pieces.content_of(large.described["digest"]))
        self.pieces.settle(set())
        self.assertIsNone(self.pieces.content_of(large.described["digest"]))


if __name__ == "__main__":
    unittest.main()
