"""toolreplay.evidence.profile.ids"""

import unittest
import uuid
from collections.abc import Callable
from hashlib import sha256

from toolreplay.evidence.profile.ids import Ids


def counted() -> Callable[[int], bytes]:
    """Return a source of bytes that differ from call to call."""
    number = 0

    def random_bytes(size: int) -> bytes:
        nonlocal number
        number += 1
        return sha256(str(number).encode()).digest()[:size]

    return random_bytes


class AtRandom(unittest.TestCase):
    """Decided by us: ids are UUIDs (RFC 9562), salts have 32 bytes."""

    def test_receipt_ids_are_of_version_4_and_run_ids_of_version_7(self) -> None:
        ids = Ids(counted())
        for _ in range(50):
            receipt = uuid.UUID(ids.receipt_id())
            self.assertEqual((receipt.version, receipt.variant), (4, uuid.RFC_4122))
            run = uuid.UUID(ids.run_id(1_790_000_000_123))
            self.assertEqual((run.version, run.variant), (7, uuid.RFC_4122))
            self.assertEqual(run.int >> 80, 1_790_000_000_123)

    def test_the_time_of_a_run_id_is_kept_in_its_range(self) -> None:
        ids = Ids(counted())
        self.assertEqual(uuid.UUID(ids.run_id(-5)).int >> 80, 0)
        self.assertEqual(uuid.UUID(ids.run_id(2**48 + 7)).int >> 80, 7)

    def test_what_is_given_out_comes_from_the_source(self) -> None:
        self.assertEqual(Ids(lambda size: b"\x07" * size).salt(), b"\x07" * 32)


class FromASeed(unittest.TestCase):
    """Decided by us: who has the secret can make them again, and nobody else can tell them."""

    def made(self, seed: bytes, run: int = 0) -> list[object]:
        def refuse(_: int) -> bytes:
            raise AssertionError("chance was asked")

        ids = Ids(refuse, seed, run)
        return [ids.run_id(1), ids.salt(), ids.receipt_id(), ids.salt()]

    def test_the_same_seed_gives_the_same(self) -> None:
        self.assertEqual(self.made(b"a" * 32), self.made(b"a" * 32))

    def test_seeds_runs_and_places_differ(self) -> None:
        kinds = [self.made(b"a" * 32), self.made(b"b" * 32), self.made(b"a" * 32, 1)]
        for place in range(4):
            self.assertEqual(len({str(made[place]) for made in kinds}), 3)
        self.assertNotEqual(kinds[0][1], kinds[0][3])

    def test_a_seed_of_another_length_is_refused(self) -> None:
        for size in (0, 31, 33):
            with self.assertRaises(ValueError):
                Ids(counted(), bytes(size))
