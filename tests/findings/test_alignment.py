"""The alignment of two sequences, against a slow reference and by what every diff must hold."""

import random
import time
import tracemalloc
import unittest
from collections.abc import Iterator, Sequence
from itertools import pairwise
from unittest import mock

from tests.cli.ways import EVERY
from toolreplay.findings import alignment
from toolreplay.findings.alignment import align, longest_common

Pairs = list[tuple[int, int]]


def length_of_longest(a: Sequence[int], b: Sequence[int]) -> int:
    """Return the length of a longest common subsequence by the table in every textbook."""
    above = [0] * (len(b) + 1)
    for item in a:
        row = [0]
        for column, other in enumerate(b):
            row.append(above[column] + 1 if item == other else max(above[column + 1], row[-1]))
        above = row
    return above[-1]


def random_pairs(
    seed: int, number: int, longest: int = 25
) -> Iterator[tuple[list[int], list[int]]]:
    chance = random.Random(seed)
    for _ in range(number):
        kinds = chance.choice((1, 2, 3, 8, 40))
        a = [chance.randrange(kinds) for _ in range(chance.randrange(longest))]
        if chance.random() < 0.5:
            b = [chance.randrange(kinds) for _ in range(chance.randrange(longest))]
        else:  # the same, with some taken out, put in and exchanged
            b = [item for item in a if chance.random() < 0.8]
            for _ in range(chance.randrange(4)):
                b.insert(chance.randint(0, len(b)), chance.randrange(kinds))
        yield a, b


def pairs_of(partners: Sequence[int]) -> Pairs:
    return [(at, partner) for at, partner in enumerate(partners) if partner >= 0]


class Aligned(unittest.TestCase):
    def check(self, a: Sequence[int], b: Sequence[int], pairs: Pairs) -> None:
        """Pairs are of equal items, and both places only go up."""
        for at, other in pairs:
            self.assertEqual(a[at], b[other], (a, b))
        for before, after in pairwise(pairs):
            self.assertLess(before[0], after[0], (a, b))
            self.assertLess(before[1], after[1], (a, b))


class TheLongestCommonSubsequence(Aligned):
    """Decided by us; the length by the textbook's table."""

    def test_it_is_as_long_as_any(self) -> None:
        for a, b in random_pairs(1, 1500 // EVERY):
            pairs = longest_common(a, b)
            self.check(a, b, pairs)
            self.assertEqual(len(pairs), length_of_longest(a, b), (a, b))

    def test_with_more_columns_than_a_machine_word(self) -> None:
        chance = random.Random(2)
        for size in (63, 64, 65, 127, 200):
            a = [chance.randrange(5) for _ in range(size)]
            b = [chance.randrange(5) for _ in range(size + chance.randrange(3))]
            pairs = longest_common(a, b)
            self.check(a, b, pairs)
            self.assertEqual(len(pairs), length_of_longest(a, b))

    def test_of_nothing(self) -> None:
        for a, b in (([], []), ([1], []), ([], [1]), ([1], [2])):
            self.assertEqual(longest_common(a, b), [])


class TheAlignment(Aligned):
    """Decided by us: minimal where it can be exact, bounded where it cannot."""

    def test_of_small_sequences_it_keeps_as_much_as_any(self) -> None:
        for a, b in random_pairs(3, 1500 // EVERY):
            found = align(a, b)
            pairs = pairs_of(found.partners)
            self.check(a, b, pairs)
            self.assertEqual(len(pairs), length_of_longest(a, b), (a, b))
            self.assertEqual(found.replaced, (0, 0))

    def test_a_large_gap_is_split_at_what_stands_once_on_both_sides(self) -> None:
        a = [1, 1, 5, 2, 2, 6, 3, 3]
        b = [1, 2, 1, 5, 3, 2, 2, 6, 1, 3, 3]
        with mock.patch.object(alignment, "_MOST_PAIRS", 9):
            partners = align(a, b).partners
        self.assertEqual((partners[2], partners[5]), (3, 7))
        self.check(a, b, pairs_of(partners))
        self.assertEqual(len(pairs_of(partners)), 8)

    def test_every_split_holds_to_the_rules_of_a_diff(self) -> None:
        for most in (0, 1, 4, 30):
            for a, b in random_pairs(4, 400, 40):
                with mock.patch.object(alignment, "_MOST_PAIRS", most):
                    found = align(a, b)
                pairs = pairs_of(found.partners)
                self.check(a, b, pairs)
                unpaired = len(a) - len(pairs), len(b) - len(pairs)
                self.assertLessEqual(found.replaced[0], unpaired[0])
                self.assertLessEqual(found.replaced[1], unpaired[1])
                if found.replaced == (0, 0) and most == 30 and len(set(a)) == len(a):
                    self.assertEqual(len(pairs), length_of_longest(a, b))

    def test_what_all_stands_once_is_aligned_exactly_without_the_table(self) -> None:
        chance = random.Random(5)
        for _ in range(200):
            a = list(range(chance.randrange(40)))
            b = chance.sample(range(50), chance.randrange(50))
            with mock.patch.object(alignment, "_MOST_PAIRS", 0):
                found = align(a, b)
            self.assertEqual(len(pairs_of(found.partners)), length_of_longest(a, b))

    def test_a_large_gap_without_such_an_item_is_replaced_and_said_to_be(self) -> None:
        a, b = [9, 1, 2] * 4 + [7], [8, 2, 1] * 5 + [7]
        with mock.patch.object(alignment, "_MOST_PAIRS", 63):
            found = align(a, b)
        self.assertEqual(pairs_of(found.partners), [(12, 15)])
        # 9 and 8 stand on one side only: they have no partner in any alignment.
        self.assertEqual(found.replaced, (8, 10))

    def test_what_stands_on_one_side_only_makes_no_gap_large(self) -> None:
        a, b = [1, *range(100, 400), 2, 1], [2, *range(500, 900), 1, 2]
        with mock.patch.object(alignment, "_MOST_PAIRS", 9):
            found = align(a, b)
        self.assertEqual((len(pairs_of(found.partners)), found.replaced), (2, (0, 0)))

    def test_levels_have_an_end(self) -> None:
        a, b = [1, 1, 2, 3, 3, 4], [1, 5, 1, 2, 3, 6, 3, 4]
        with (
            mock.patch.object(alignment, "_MOST_PAIRS", 0),
            mock.patch.object(alignment, "_DEEPEST", 0),
        ):
            found = align([*a, 8, 9], [9, *b, 8])
        self.assertEqual(pairs_of(found.partners), [])
        self.assertEqual(found.replaced, (8, 8))

    def test_ends_that_are_known_stay_as_they_are(self) -> None:
        self.assertEqual(list(align([1, 1, 1], [1, 1], head=1, tail=1).partners), [0, -1, 1])
        self.assertEqual(list(align([1, 1], [1, 1, 1], tail=2).partners), [1, 2])

    def test_the_same_input_gives_the_same_alignment(self) -> None:
        for a, b in random_pairs(6, 100):
            self.assertEqual(align(a, b), align(list(a), tuple(b)))


class TheCost(unittest.TestCase):
    """Decided by us: no pair of runs takes time or memory that grows with their product."""

    def test_hard_pairs_of_many_items(self) -> None:
        chance = random.Random(7)
        count = 40_000
        table = {
            "two kinds": [[chance.randrange(2) for _ in range(count)] for _ in "ab"],
            "all different": [[chance.randrange(1 << 40) % 10**6 for _ in range(count)] for _ in "ab"],
            "turned round": [list(range(count)), list(range(count, 0, -1))],
            "one against many": [[3], [3] * count],
            # An anchor at each level, and what is left is as hard as before.
            "level below level": [_nested(count), _nested(count)[::-1]],
        }  # fmt: skip
        for name, (a, b) in table.items():
            with self.subTest(name):
                start = time.process_time()
                align(a, b)
                self.assertLess(time.process_time() - start, 15)

    def test_the_exact_part_takes_megabytes(self) -> None:
        chance = random.Random(8)
        side = 8192
        self.assertEqual(side * side, alignment._MOST_PAIRS)
        a, b = ([chance.randrange(4000) for _ in range(side)] for _ in "ab")
        tracemalloc.start()
        try:
            longest_common(a, b)
            self.assertLess(tracemalloc.get_traced_memory()[1], 24_000_000)
        finally:
            tracemalloc.stop()


def _nested(count: int) -> list[int]:
    items = []
    for number in range(count // 4):
        items += [number, number % 7, number, number + 1]
    return items
