"""What is kept of a run to compare it: digests, outcomes, lines and links."""

import random
import tracemalloc
import unittest

from toolreplay.evidence.digest import call_digest, result_digest
from toolreplay.evidence.run_digests import RunDigests, numbered, shared_links
from toolreplay.evidence.seal import FIRST_PREV, Head
from toolreplay.records.call import OUTCOMES, JsonObject, Link, Place, ToolCall


def call(
    index: int,
    args: JsonObject,
    response: JsonObject | None = None,
    outcome: str | None = None,
    digest: str | None = None,
) -> ToolCall:
    link = None if digest is None else Link(index, FIRST_PREV, digest)
    return ToolCall(index, "t", args, response or {}, Place(index + 7, 0, 1), outcome, link)


def digests(*calls: ToolCall, with_links: bool = False) -> RunDigests:
    run = RunDigests(with_links=with_links)
    for item in calls:
        run.add(item)
    return run


class TheDigestsOfARun(unittest.TestCase):
    """Decided by us: calls by the digests of their key and response."""

    def test_they_are_those_of_the_forms(self) -> None:
        run = digests(call(0, {"a": 1}, {"b": 2}), call(1, {"a": 2}, {"b": 3}, "denied"))
        self.assertEqual(len(run), 2)
        self.assertEqual(run.key(1), call_digest("t", {"a": 2}))
        self.assertEqual(run.result(1), result_digest({"b": 3})[0])
        self.assertEqual((run.outcome(0), run.outcome(1)), (None, "denied"))
        self.assertEqual((run.line(0), run.line(1)), (7, 8))

    def test_each_outcome_comes_back(self) -> None:
        run = digests(*(call(at, {}, None, word) for at, word in enumerate(OUTCOMES)))
        self.assertEqual(tuple(run.outcome(at) for at in range(len(run))), OUTCOMES)

    def test_a_call_is_known_again(self) -> None:
        run = digests(call(0, {"a": 1}, {"b": 2}))
        self.assertTrue(run.is_at(0, call(0, {"a": 1}, {"b": 2})))
        for other in (call(0, {"a": 2}, {"b": 2}), call(0, {"a": 1}, {"b": 3})):
            self.assertFalse(run.is_at(0, other))
        self.assertFalse(run.is_at(1, call(1, {"a": 1}, {"b": 2})))

    def test_results_are_equal_by_response_and_by_outcome_where_both_say_one(self) -> None:
        a = digests(call(0, {}, {"x": 1}), call(1, {}, {"x": 1}, "ok"), call(2, {}, {"x": 2}, "ok"))
        b = digests(call(0, {}, {"x": 1}, "ok"), call(1, {}, {"x": 1}, "timeout"))
        found = {(at, other): a.same_result(at, b, other) for at in range(3) for other in range(2)}
        self.assertEqual(
            found,
            {(0, 0): True, (0, 1): True, (1, 0): True, (1, 1): False, (2, 0): False, (2, 1): False},
        )

    def test_a_call_takes_some_seventy_bytes(self) -> None:
        run = RunDigests()
        one = call(0, {"a": 1}, {"b": 2})
        tracemalloc.start()
        try:
            for _ in range(10_000):
                run.add(one)
            self.assertLess(tracemalloc.get_traced_memory()[0], 10_000 * 90)
        finally:
            tracemalloc.stop()


class TheNumbers(unittest.TestCase):
    """Decided by us: equal call keys have equal numbers, in the order they appear."""

    def test_as_a_dictionary_would_number_them(self) -> None:
        chance = random.Random(1)
        for _ in range(60):
            kinds = chance.choice((1, 2, 30, 500))
            made = [
                [{"n": chance.randrange(kinds)} for _ in range(chance.randrange(120))] for _ in "ab"
            ]
            numbers: dict[int, int] = {}
            wanted = [[numbers.setdefault(args["n"], len(numbers)) for args in run] for run in made]
            runs = [digests(*(call(at, args) for at, args in enumerate(run))) for run in made]
            self.assertEqual([list(found) for found in numbered(*runs)], wanted)

    def test_a_run_with_itself_and_with_nothing(self) -> None:
        run = digests(call(0, {"a": 1}), call(1, {"a": 2}))
        self.assertEqual([list(found) for found in numbered(run, run)], [[0, 1], [0, 1]])
        self.assertEqual([list(found) for found in numbered(digests(), digests())], [[], []])

    def test_a_value_that_only_looks_alike_is_another(self) -> None:
        run = digests(call(0, {"n": 1}), call(1, {"n": 1.0}), call(2, {"n": True}))
        self.assertEqual(list(numbered(run, digests())[0]), [0, 1, 2])


class TheLinksTheyShare(unittest.TestCase):
    """Decided by us: from the start, by the digests in the files."""

    def run_of(self, *digits: str) -> RunDigests:
        calls = (call(at, {}, None, None, digit * 64) for at, digit in enumerate(digits))
        return digests(*calls, with_links=True)

    def test_how_many_and_the_last_of_them(self) -> None:
        a = self.run_of("a", "b", "c")
        for b, count, digest in (
            (self.run_of("a", "b", "c"), 3, "c" * 64),
            (self.run_of("a", "b"), 2, "b" * 64),
            (self.run_of("a", "d", "c"), 1, "a" * 64),
            (self.run_of("d", "b", "c"), 0, FIRST_PREV),
            (self.run_of(), 0, FIRST_PREV),
        ):
            self.assertEqual(shared_links(a, b), Head(count, digest))
            self.assertEqual(shared_links(b, a), Head(count, digest))
