"""loop: against an independent model, and one rule at a time."""

import json
import random
import unittest

from tests.audits.runs import Step, audited, places, run_of, run_of_text
from toolreplay.audits.loop import LONGEST_PERIOD, ROUNDS
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.records.call import AFTER_GAP, NEVER_RAN


def modelled(text: str) -> list[tuple[int, int, int]]:
    """Find loops in a text of letters, without the product: (first repeated, last, period).

    A loop of period k is there when the last 2k letters equal those k places before, for the
    smallest such k; it goes on while that stays so. Letters that one loop counts are counted by
    no other.
    """
    found = []
    start = 0  # the first letter that may be counted
    at = 0
    while at < len(text):
        for period in range(1, 9):
            first = at - 2 * period + 1
            if (
                first >= start
                and first >= period
                and all(text[place] == text[place - period] for place in range(first, at + 1))
            ):
                last = at
                while last + 1 < len(text) and text[last + 1] == text[last + 1 - period]:
                    last += 1
                found.append((first, last, period))
                start = at = last + 1
                break
        else:
            at += 1
    return found


def loops_of(text: str) -> list[tuple[int, int, int]]:
    findings = audited(run_of_text(text), "loop").findings
    return [(*finding.covers, finding.subject) for finding in findings]  # type: ignore[misc]


class AgainstTheModel(unittest.TestCase):
    """Decided by us, over random runs with a fixed seed."""

    def test_loops_are_the_models(self) -> None:
        chance = random.Random(7)
        seen: set[int] = set()
        for _ in range(500):
            letters = "abcdefghi"[: chance.randint(1, 9)]
            text = ""
            while len(text) < chance.randrange(80):
                piece = "".join(chance.choice(letters) for _ in range(chance.randint(1, 9)))
                text += piece * chance.choice((1, 1, 2, 3, 4))
            wanted = modelled(text)
            self.assertEqual(loops_of(text), wanted, text)
            seen |= {period for _, _, period in wanted}
        self.assertEqual(seen, set(range(1, 9)))


class WhatALoopIs(unittest.TestCase):
    """Decided by us: the smallest period of one to eight calls, three full rounds or more."""

    def test_each_period_from_one_to_eight(self) -> None:
        for period in range(1, 9):
            round_ = "abcdefgh"[:period]
            self.assertEqual(loops_of(round_ * 3), [(period, 3 * period - 1, period)])
            self.assertEqual(loops_of("x" + round_ * 3 + "y"), [(period + 1, 3 * period, period)])
        self.assertEqual((LONGEST_PERIOD, ROUNDS), (8, 3))

    def test_nine_are_too_many(self) -> None:
        self.assertEqual(loops_of("abcdefghi" * 6), [])

    def test_one_call_short_of_three_rounds_is_none(self) -> None:
        for period in range(1, 9):
            self.assertEqual(loops_of(("abcdefgh"[:period] * 3)[:-1]), [])

    def test_it_goes_on_as_long_as_it_repeats_also_in_half_rounds(self) -> None:
        self.assertEqual(loops_of("ababababab"), [(2, 9, 2)])
        self.assertEqual(loops_of("abababa"), [(2, 6, 2)])

    def test_the_smallest_period_is_named(self) -> None:
        self.assertEqual(loops_of("aaaaaaaa"), [(1, 7, 1)])
        self.assertEqual(loops_of("abababababab"), [(2, 11, 2)])

    def test_it_stands_at_the_first_repeated_call(self) -> None:
        findings = audited(run_of_text("xyababab"), "loop").findings
        self.assertEqual(places(findings), [(4, "loop")])

    def test_no_call_is_counted_in_two_loops(self) -> None:
        self.assertEqual(loops_of("aaabbbababab"), [(1, 2, 1), (4, 5, 1), (7, 11, 2)])
        self.assertEqual(loops_of("aaabaaa"), [(1, 2, 1), (5, 6, 1)])
        self.assertEqual(loops_of("abababcababab"), [(2, 5, 2), (9, 12, 2)])

    def test_the_same_loop_may_come_again(self) -> None:
        self.assertEqual(loops_of("aaaxaaa"), [(1, 2, 1), (5, 6, 1)])


class WhatIsCompared(unittest.TestCase):
    """Decided by us: call and result, by their canonical forms, whatever the tool."""

    def found(self, *steps: Step) -> int:
        return audited(run_of(steps), "loop").found

    def test_another_result_is_progress(self) -> None:
        self.assertEqual(self.found(*(Step("poll", {}, {"done": n}) for n in range(9))), 0)

    def test_another_argument_is_another_call(self) -> None:
        self.assertEqual(self.found(*(Step("read", {"line": n}) for n in range(9))), 0)

    def test_values_that_look_alike_are_not_alike(self) -> None:
        self.assertEqual(self.found(*(Step("a", {"x": x}) for x in (1, 1.0, True))), 0)

    def test_the_order_of_members_does_not_matter(self) -> None:
        steps = [Step("a", {"x": 1, "y": 2}), Step("a", {"y": 2, "x": 1})]
        self.assertEqual(self.found(*steps, steps[0]), 1)

    def test_a_tool_that_changes_state_is_no_excuse(self) -> None:
        self.assertEqual(self.found(*[Step("write_file", {}, {"ok": True})] * 3), 1)

    def test_errors_loop_too(self) -> None:
        for outcome in ("tool_error", "protocol_error", "timeout"):
            self.assertEqual(self.found(*[Step("a", {}, {"r": 1}, outcome)] * 3), 1)


class CallsWithoutAResult(unittest.TestCase):
    """Decided by us: those that never ran are passed over, others end a loop."""

    def covers(self, outcome: str, text: str) -> list[tuple[int, int]]:
        """Judge a run in which `-` is a call with this outcome."""
        steps = [Step("-", outcome=outcome) if letter == "-" else Step(letter) for letter in text]
        return [finding.covers for finding in audited(run_of(steps), "loop").findings]  # type: ignore[misc]

    def test_what_never_ran_is_passed_over(self) -> None:
        for outcome in sorted(NEVER_RAN):
            self.assertEqual(self.covers(outcome, "a-a--a"), [(2, 5)], outcome)
            self.assertEqual(self.covers(outcome, "ab-ab-ab"), [(3, 7)], outcome)

    def test_a_gap_ends_the_loop_it_is_in(self) -> None:
        steps = [Step("a")] * 2 + [Step("a", notes=(AFTER_GAP,))] + [Step("a")] * 2
        (finding,) = audited(run_of(steps), "loop").findings
        self.assertEqual(finding.covers, (3, 4))
        each = [Step("a", notes=(AFTER_GAP,))] * 7
        self.assertEqual(audited(run_of(each), "loop").found, 0)

    def test_what_may_have_run_ends_the_loop_it_is_in(self) -> None:
        for outcome in ("missing", "interrupted"):
            self.assertEqual(self.covers(outcome, "aa-aa"), [], outcome)
            self.assertEqual(self.covers(outcome, "aaaa-aa"), [(1, 3)], outcome)
            self.assertEqual(self.covers(outcome, "aaa-aaa"), [(1, 2), (5, 6)], outcome)
            self.assertEqual(self.covers(outcome, "abab-abab"), [], outcome)


class WhatItCost(unittest.TestCase):
    """Decided by us: calls, bytes of results and, where the record has times, seconds."""

    def detail(self, *steps: Step) -> str:
        (finding,) = audited(run_of(steps), "loop").findings
        return finding.detail

    def test_calls_period_and_bytes_of_the_repeated_results(self) -> None:
        response = {"text": "é\u2028", "n": 1.0}
        size = len(json.dumps(response, sort_keys=True, separators=(",", ":")))
        self.assertEqual(
            self.detail(*[Step("a", {}, response)] * 5),
            "4 calls repeat those 1 before them with the same results and brought nothing new "
            f"({4 * size} bytes of results)",
        )

    def test_seconds_from_the_first_repeated_call_to_the_end_of_the_last(self) -> None:
        steps = [
            Step("a", {}, {}, None, f"2026-01-01T00:00:0{n}Z", f"2026-01-01T00:00:0{n}.750Z")
            for n in range(4)
        ]
        self.assertTrue(self.detail(*steps).endswith("(6 bytes of results, 2.8 s)"))

    def test_without_a_time_at_either_end_no_seconds_are_told(self) -> None:
        for at, ended_at in ((None, "2026-01-01T00:00:00Z"), ("2026-01-01T00:00:00Z", None)):
            steps = [Step("a", {}, {}, None, at, ended_at)] * 3
            self.assertTrue(self.detail(*steps).endswith("(4 bytes of results)"))


class TheReportLine(unittest.TestCase):
    """Decided by us."""

    def result_of(self, *steps: Step) -> tuple[str, str | None]:
        (check,) = audited(run_of(steps), "loop").verdict.checks
        return check.result, check.reason

    def test_passed_and_failed(self) -> None:
        self.assertEqual(self.result_of(Step("a")), (PASSED, None))
        self.assertEqual(self.result_of(*[Step("a")] * 3), (FAILED, None))

    def test_not_checked_where_no_call_has_a_result(self) -> None:
        reason = "no call has a result to compare"
        self.assertEqual(self.result_of(), (NOT_CHECKED, reason))
        self.assertEqual(self.result_of(Step("a", outcome="missing")), (NOT_CHECKED, reason))
