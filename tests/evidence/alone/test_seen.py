"""Ids in few bytes."""

import unittest

from toolreplay.evidence.alone.seen import SeenIds


class Ids(unittest.TestCase):
    """Decided by us."""

    def test_it_is_a_set(self) -> None:
        seen = SeenIds()
        texts = [str(number) for number in range(5_000)] + ["", "\ud800", "é"]
        self.assertTrue(all(seen.add(text) for text in texts))
        self.assertFalse(any(seen.add(text) for text in texts))

    def test_it_takes_sixteen_bytes_an_id_and_the_double_while_it_grows(self) -> None:
        seen = SeenIds()
        for number in range(100_000):
            seen.add(str(number))
        self.assertLessEqual(len(vars(seen)["_table"]) * 8, 100_000 * 32)
