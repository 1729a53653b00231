"""What became of each call between two runs, against what every difference must hold."""

import random
import unittest
from collections import Counter
from collections.abc import Sequence
from unittest import mock

from toolreplay.findings import alignment
from toolreplay.findings.difference import (
    ADDED,
    CHANGED,
    DROPPED,
    MOVED,
    SAME,
    Difference,
    First,
    Step,
    compare,
)

Call = tuple[int, int]
"""The number of a call and that of its result."""


def compared(a: Sequence[Call], b: Sequence[Call]) -> Difference:
    return compare(
        [key for key, _ in a], [key for key, _ in b], lambda at, other: a[at][1] == b[other][1]
    )


def calls(text: str) -> list[Call]:
    """Read calls as `a1 b1`: a letter and a result."""
    return [(ord(word[0]), int(word[1:])) for word in text.split()]


def random_runs(seed: int, number: int) -> list[tuple[list[Call], list[Call]]]:
    chance = random.Random(seed)
    runs = []
    for _ in range(number):
        kinds, results = chance.choice((1, 3, 20)), chance.choice((1, 2))
        made = [
            [(chance.randrange(kinds), chance.randrange(results)) for _ in range(chance.randrange(18))]
            for _ in "ab"
        ]  # fmt: skip
        if chance.random() < 0.5:
            made[1] = [call for call in made[0] if chance.random() < 0.8]
            if made[1]:
                made[1].insert(chance.randrange(len(made[1])), made[1].pop())
        runs.append((made[0], made[1]))
    return runs


class WhatBecameOfTheCalls(unittest.TestCase):
    """Decided by us."""

    def check(self, a: str, b: str, steps: list[Step], first: First | None) -> Difference:
        found = compared(calls(a), calls(b))
        self.assertEqual(list(found.steps()), steps)
        self.assertEqual(found.first, first)
        self.assertEqual(found.differs, bool(steps))
        return found

    def test_nothing_differs(self) -> None:
        for text in ("", "a1", "a1 a1 b2"):
            found = self.check(text, text, [], None)
            self.assertEqual(found.counts[SAME], len(text.split()))

    def test_a_call_dropped_and_one_added(self) -> None:
        self.check("a1 b1 c1", "a1 c1", [Step(DROPPED, 1, None)], First(1, 1))
        self.check("a1 c1", "a1 b1 c1", [Step(ADDED, None, 1)], First(1, 1))
        self.check(
            "a1 b1 c1", "a1 d1 c1", [Step(DROPPED, 1, None), Step(ADDED, None, 1)], First(1, 1)
        )

    def test_a_run_that_ends_first(self) -> None:
        self.check("a1", "a1 b1", [Step(ADDED, None, 1)], First(None, 1))
        self.check("a1 b1", "a1", [Step(DROPPED, 1, None)], First(1, None))
        self.check("", "a1", [Step(ADDED, None, 0)], First(None, 0))

    def test_another_result_is_a_changed_call(self) -> None:
        self.check("a1 b1 c1", "a1 b2 c1", [Step(CHANGED, 1, 1, same_result=False)], First(1, 1))

    def test_a_call_that_went_elsewhere(self) -> None:
        self.check("a1 b1 c1 d1", "a1 c1 d1 b1", [Step(MOVED, 1, 3, same_result=True)], First(1, 1))
        self.check("a1 b1 c1 d1", "a1 c1 d1 b2", [Step(MOVED, 1, 3, same_result=False)], First(1, 1))  # fmt: skip

    def test_of_several_equal_ones_the_first_moves_to_the_first(self) -> None:
        steps = [
            Step(MOVED, 0, 3, same_result=True),
            Step(MOVED, 1, 4, same_result=True),
            Step(ADDED, None, 5),
        ]
        self.check("x1 x1 a1 b1 c1 d1", "a1 b1 c1 x1 x1 x1 d1", steps, First(0, 0))

    def test_a_poll_that_took_longer_keeps_its_last_answer(self) -> None:
        found = self.check(
            "p0 p0 p0 p1 q1", "p0 p0 p0 p0 p0 p1 q1",
            [Step(ADDED, None, 3), Step(ADDED, None, 4)], First(3, 3),
        )  # fmt: skip
        self.assertEqual(found.counts, {SAME: 5, CHANGED: 0, MOVED: 0, DROPPED: 0, ADDED: 2})

    def test_what_was_not_aligned_is_handed_on(self) -> None:
        with mock.patch.object(alignment, "_MOST_PAIRS", 3):
            found = compared(calls("a1 b1 a1 b1"), calls("b1 a1 b1 a1"))
        self.assertEqual(found.unaligned, (4, 4))
        self.assertEqual(found.counts[MOVED], 4)


class WhatHoldsForEveryDifference(unittest.TestCase):
    """Decided by us."""

    def test_the_steps_make_one_run_from_the_other(self) -> None:
        for most in (1 << 26, 5):
            for a, b in random_runs(1, 500):
                with mock.patch.object(alignment, "_MOST_PAIRS", most):
                    found = compared(a, b)
                steps = list(found.steps())
                gone = {step.a for step in steps if step.kind in (DROPPED, MOVED)}
                kept = iter([call for at, call in enumerate(a) if at not in gone])
                changed = {step.b for step in steps if step.kind == CHANGED}
                new = {step.b for step in steps if step.kind in (ADDED, MOVED)}
                for at, call in enumerate(b):
                    if at not in new:
                        stayed = next(kept)
                        self.assertEqual(stayed[0], call[0])
                        self.assertEqual(stayed[1] != call[1], at in changed)
                self.assertEqual(list(kept), [])

    def test_each_call_is_counted_once(self) -> None:
        for a, b in random_runs(2, 500):
            counts = compared(a, b).counts
            both = counts[SAME] + counts[CHANGED] + counts[MOVED]
            self.assertEqual((both + counts[DROPPED], both + counts[ADDED]), (len(a), len(b)))
            # Nothing that both runs have is called dropped or added.
            shared = Counter(key for key, _ in a) & Counter(key for key, _ in b)
            self.assertEqual(both, shared.total())

    def test_moved_calls_are_equal_and_say_whether_their_results_are(self) -> None:
        for a, b in random_runs(3, 500):
            for step in compared(a, b).steps():
                if step.kind == MOVED:
                    assert step.a is not None and step.b is not None
                    self.assertEqual(a[step.a][0], b[step.b][0])
                    self.assertEqual(step.same_result, a[step.a][1] == b[step.b][1])

    def test_the_first_difference_is_the_first_place_that_differs(self) -> None:
        for a, b in random_runs(4, 500):
            found = compared(a, b)
            at = next(
                (at for at, (one, other) in enumerate(zip(a, b, strict=False)) if one != other),
                min(len(a), len(b)),
            )
            if a == b:
                self.assertIsNone(found.first)
            else:
                first = First(at if at < len(a) else None, at if at < len(b) else None)
                self.assertEqual(found.first, first)
            self.assertEqual(found.differs, a != b)

    def test_places_only_go_up(self) -> None:
        """Both runs can be read again side by side; a moved call is read where it went."""
        for a, b in random_runs(5, 500):
            steps = list(compared(a, b).steps())
            for places in (
                [step.a for step in steps if step.kind in (DROPPED, CHANGED)],
                [step.b for step in steps if step.b is not None],
            ):
                self.assertEqual(places, sorted(set(places)))  # type: ignore[type-var]
