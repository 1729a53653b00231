"""What was handed in beside a record, and what reading it may say."""

import unittest

from toolreplay.evidence.bundle.checking import BundleChecker
from toolreplay.evidence.record import Asked, Fault, RecordEvidence, counted


class WhatWasHandedIn(unittest.TestCase):
    """Decided by us: who hands in nothing asks for nothing."""

    def test_nothing_is_compared_that_was_not_handed_in(self) -> None:
        asked = Asked()
        self.assertEqual((asked.commitment, asked.roots, asked.now), (None, (), None))
        self.assertEqual((asked.expected_id, asked.has_resolved_record), (None, False))
        self.assertEqual((asked.level, asked.with_anchor, asked.signature), ("default", True, ()))

    def test_a_resolved_null_is_told_from_none_given(self) -> None:
        self.assertNotEqual(Asked(has_resolved_record=True), Asked())


class AFault(unittest.TestCase):
    """Decided by us: a fault is of a call, or of the run as a whole."""

    def test_without_an_index_it_is_of_the_run(self) -> None:
        fault = Fault("broken-link", "text")
        self.assertEqual((fault.subject, fault.index), (None, None))
        self.assertEqual(fault._replace(index=3).index, 3)


class WhoJudgesARecord(unittest.TestCase):
    """Decided by us: the audit knows these methods and no class of evidence."""

    def test_the_checker_of_bundles_has_them(self) -> None:
        methods = [name for name in vars(RecordEvidence) if not name.startswith("_")]
        self.assertEqual(
            methods,
            [
                "begin", "take", "stands", "checks", "standing", "erased", "doubt", "seconds",
                "unbound", "notes",
            ],
        )  # fmt: skip
        for name in methods:
            self.assertTrue(callable(getattr(BundleChecker, name)))


class Counts(unittest.TestCase):
    """Decided by us: a number has its noun."""

    def test_one_and_many(self) -> None:
        self.assertEqual((counted(1, "step"), counted(2000, "step")), ("1 step", "2,000 steps"))


if __name__ == "__main__":
    unittest.main()
