"""Findings: their one order, and how a recorded name stands in a sentence."""

import itertools
import random
import unittest

from toolreplay.findings.finding import Finding, in_order, quoted


class TheOneOrder(unittest.TestCase):
    """Decided by the tutorial: by index, then kind. Findings of the whole run first: by us."""

    def test_by_index_then_kind_and_the_whole_run_first(self) -> None:
        wanted = [
            Finding(None, "b-kind", ""),
            Finding(0, "a-kind", ""),
            Finding(0, "b-kind", ""),
            Finding(2, "a-kind", ""),
            Finding(10, "a-kind", ""),
        ]
        for shuffled in itertools.permutations(wanted):
            self.assertEqual(in_order(shuffled), wanted)

    def test_the_whole_run_by_kind(self) -> None:
        found = [Finding(None, "z", ""), Finding(None, "a", ""), Finding(0, "a", "")]
        self.assertEqual([finding.kind for finding in in_order(found)], ["a", "z", "a"])

    def test_equal_places_keep_the_order_they_came_in(self) -> None:
        """Decided by us: two audits that say the same kind of the same call stay apart."""
        found = [Finding(1, "k", detail) for detail in ("c", "a", "b")]
        self.assertEqual([finding.detail for finding in in_order(found)], ["c", "a", "b"])

    def test_any_iterable_gives_a_new_list(self) -> None:
        found = [Finding(random.Random(index).randrange(50), "k", "") for index in range(200)]
        ordered = in_order(iter(found))
        self.assertEqual(ordered, sorted(found, key=lambda finding: finding.index or 0))
        self.assertIsNot(ordered, found)


class ANameInASentence(unittest.TestCase):
    """Decided by us: between plain single quotes, never as a programming language would."""

    def test_nothing_is_done_to_it(self) -> None:
        for name in ("read_file", "it's", '"', "\\", "\x1b", "\ud800", "", " ", "読む"):
            self.assertEqual(quoted(name), f"'{name}'")

    def test_a_very_long_one_is_cut_and_says_how_long_it_was(self) -> None:
        self.assertEqual(quoted("x" * 1000), f"'{'x' * 1000}'")
        self.assertEqual(quoted("x" * 1001), f"'{'x' * 1000}… (1001 characters)'")
