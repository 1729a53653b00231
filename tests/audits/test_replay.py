"""replay: against an independent model, and one rule at a time."""

import json
import random
import unittest

from tests.audits.runs import Step, audited, lines_of, places, run_of, run_of_bytes
from toolreplay.audits.engine import Options, judge
from toolreplay.errors import TranscriptError
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.findings.finding import StateChanges
from toolreplay.findings.result import AuditResult
from toolreplay.records.call import AFTER_GAP, NEVER_RAN, Same
from toolreplay.records.run import TUTORIAL_MUTATORS, Run, ToolEffects

HOST = ToolEffects(frozenset({"Bash", "Write"}), frozenset({"Read", "Grep"}))
"""A host of which two mutators and two readers are known, as an importer knows its own."""


def form(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def modelled(
    steps: list[Step], mutators: frozenset[str]
) -> tuple[int | None, list[tuple[int, str, int]]]:
    """Apply the tutorial's two rules to a list, without the product.

    Returns the divergence, and (index, kind, index of the other call) for each finding.
    """
    first: dict[str, int] = {}
    divergence = None
    found = []
    keys = [form({"args": step.args, "tool": step.tool}) for step in steps]
    for index, (key, step) in enumerate(zip(keys, steps, strict=True)):
        earlier = first.setdefault(key, index)
        if form(steps[earlier].response) != form(step.response):
            found.append((index, "non-determinism", earlier))
            divergence = index if divergence is None else divergence
        if index and keys[index - 1] == key and step.tool not in mutators:
            found.append((index, "redundant-call", index - 1))
    return divergence, found


def told(result: AuditResult) -> tuple[int | None, list[tuple[int, str, int]]]:
    """Return the same of a result; the other call's index stands in the sentence."""
    found = []
    for finding in result.findings:
        assert finding.index is not None
        other = int(finding.detail.partition("at index ")[2].split()[0])
        found.append((finding.index, finding.kind, other))
    return result.divergence, found


VALUES: list[object] = [
    1,
    1.0,
    True,
    "1",
    0.0,
    -0.0,
    0,
    None,
    [],
    {},
    "é\ud800",
    [1, {"b": 2, "a": 1}],
]


def random_steps(chance: random.Random) -> list[Step]:
    """Return a run in which calls often come again, sometimes with another answer."""
    tools = ["read", "search", "write_file", "run_command", "Read"]
    pool = [
        Step(chance.choice(tools), {"x": chance.choice(VALUES)}, {"y": chance.choice(VALUES)})
        for _ in range(chance.randint(1, 6))
    ]
    steps = []
    for _ in range(chance.randrange(25)):
        step = chance.choice(pool) if not steps or chance.random() < 0.7 else steps[-1]
        if chance.random() < 0.15:
            step = step._replace(response={"y": chance.choice(VALUES)})
        steps.append(step)
    return steps


def spelt_at_random(steps: list[Step], chance: random.Random) -> bytes:
    """Spell a transcript with other blanks, other member orders and other escapes on each line."""
    lines = []
    for index, step in enumerate(steps):
        members = [("index", index), *step._asdict().items()][:4]
        if chance.random() < 0.5:
            chance.shuffle(members)
        text = json.dumps(
            dict(members),
            separators=chance.choice(((",", ":"), (", ", ": "), (" , ", " : "))),
            ensure_ascii=True if "\\ud8" in form(step) else chance.random() < 0.5,
        )
        lines.append(chance.choice(("", " ")) + text + chance.choice(("\n", "\r\n", " \n", "\n\n")))
    return "".join(lines).encode()


class AgainstTheModel(unittest.TestCase):
    """Decided by the tutorial: its two rules, over random transcripts with a fixed seed."""

    def test_findings_and_divergence_are_the_models(self) -> None:
        chance = random.Random(7)
        kinds = {"non-determinism": 0, "redundant-call": 0}
        for _ in range(300):
            steps = random_steps(chance)
            wanted = modelled(steps, TUTORIAL_MUTATORS)
            self.assertEqual(told(audited(run_of(steps), "replay")), wanted, steps)
            for _, kind, _ in wanted[1]:
                kinds[kind] += 1
        self.assertGreater(min(kinds.values()), 200, kinds)

    def test_reading_a_place_again_gives_the_same_as_digests(self) -> None:
        chance = random.Random(8)
        for _ in range(150):
            steps = random_steps(chance)
            wanted = modelled(steps, TUTORIAL_MUTATORS)
            for data in (lines_of(steps), spelt_at_random(steps, chance)):
                places_run = run_of_bytes(data)
                by_place = judge(places_run, ["replay"], options=Options(raw=places_run.raw))
                by_digest = judge(run_of_bytes(data, seekable=False), ["replay"])
                self.assertEqual(told(by_place), wanted, data)
                self.assertEqual(told(by_digest), wanted, data)

    def test_calls_that_never_ran_might_as_well_not_be_there(self) -> None:
        """Decided by us: they can have changed nothing."""
        chance = random.Random(9)
        for _ in range(200):
            steps = random_steps(chance)
            mixed: list[Step] = []
            index_of = []
            for step in steps:
                while chance.random() < 0.3:
                    outcome = chance.choice(sorted(NEVER_RAN))
                    mixed.append(Step(chance.choice(steps).tool, {}, outcome=outcome))
                index_of.append(len(mixed))
                mixed.append(step)
            divergence, found = modelled(steps, TUTORIAL_MUTATORS)
            wanted = (
                None if divergence is None else index_of[divergence],
                [(index_of[index], kind, index_of[other]) for index, kind, other in found],
            )
            self.assertEqual(told(audited(run_of(mixed), "replay")), wanted)


class TheSentences(unittest.TestCase):
    """Decided by the tutorial."""

    def test_they_name_the_tool_and_the_other_call(self) -> None:
        steps = [Step("it's"), Step("b"), Step("it's", {}, {"r": 1}), Step("it's", {}, {"r": 1})]
        self.assertEqual(
            [finding.detail for finding in audited(run_of(steps), "replay").findings],
            [
                "tool 'it's' returned a different response than the identical call at index 0",
                "tool 'it's' returned a different response than the identical call at index 0",
                "tool 'it's' repeats the identical call at index 2 with no state change between them",
            ],
        )

    def test_neither_kind_has_a_subject(self) -> None:
        steps = [Step("a"), Step("a", {}, {"r": 1})]
        for finding in audited(run_of(steps), "replay").findings:
            self.assertIsNone(finding.subject)


class WhatMayHaveChangedState(unittest.TestCase):
    """Decided by us: with `excuse` a recorded change in between explains a difference."""

    def counted(
        self, steps: list[Step], effects: ToolEffects | None = None
    ) -> tuple[int, int, int]:
        """Return (non-determinism found, explained, undetermined)."""
        result = audited(run_of(steps, effects), "replay", excuse=True)
        found = sum(finding.kind == "non-determinism" for finding in result.findings)
        return found, result.explained, result.undetermined

    ONE, TWO = Step("Read", {}, {"r": 1}), Step("Read", {}, {"r": 2})

    def test_a_mutator_in_between_explains(self) -> None:
        self.assertEqual(self.counted([self.ONE, Step("Write"), self.TWO], HOST), (0, 1, 0))

    def test_a_reader_in_between_does_not(self) -> None:
        self.assertEqual(self.counted([self.ONE, Step("Grep"), self.TWO], HOST), (1, 0, 0))

    def test_an_unknown_tool_leaves_it_undetermined(self) -> None:
        self.assertEqual(self.counted([self.ONE, Step("Teleport"), self.TWO], HOST), (0, 0, 1))

    def test_a_mutator_beside_an_unknown_tool_explains(self) -> None:
        steps = [self.ONE, Step("Teleport"), Step("Write"), self.TWO]
        self.assertEqual(self.counted(steps, HOST), (0, 1, 0))

    def test_in_a_strict_transcript_the_mutators_are_the_whole_list(self) -> None:
        self.assertEqual(self.counted([self.ONE, Step("Teleport"), self.TWO]), (1, 0, 0))
        self.assertEqual(self.counted([self.ONE, Step("run_command"), self.TWO]), (0, 1, 0))

    def test_only_what_lies_in_between_counts(self) -> None:
        steps = [Step("Write"), self.ONE, self.TWO, Step("Write")]
        self.assertEqual(self.counted(steps, HOST), (1, 0, 0))

    def test_the_repeated_call_counts_itself_when_its_tool_is_one(self) -> None:
        steps = [Step("Write", {}, {"r": 1}), Step("Write", {}, {"r": 2})]
        self.assertEqual(self.counted(steps, HOST), (0, 1, 0))
        steps = [Step("Teleport", {}, {"r": 1}), Step("Teleport", {}, {"r": 2})]
        self.assertEqual(self.counted(steps, HOST), (0, 0, 1))

    def test_what_never_ran_explains_nothing(self) -> None:
        for outcome in sorted(NEVER_RAN):
            steps = [self.ONE, Step("Write", outcome=outcome), self.TWO]
            self.assertEqual(self.counted(steps, HOST), (1, 0, 0), outcome)

    def test_what_may_have_run_explains_without_a_result(self) -> None:
        for outcome in ("missing", "interrupted", "timeout", "tool_error", "protocol_error"):
            steps = [self.ONE, Step("Write", outcome=outcome), self.TWO]
            self.assertEqual(self.counted(steps, HOST), (0, 1, 0), outcome)

    def test_a_gap_leaves_it_undetermined(self) -> None:
        late = self.TWO._replace(notes=(AFTER_GAP,))
        self.assertEqual(self.counted([self.ONE, late], HOST), (0, 0, 1))
        self.assertEqual(self.counted([self.ONE, Step("Grep", notes=(AFTER_GAP,)), self.TWO], HOST), (0, 0, 1))  # fmt: skip
        self.assertEqual(self.counted([self.ONE._replace(notes=(AFTER_GAP,)), self.TWO], HOST), (1, 0, 0))  # fmt: skip

    def test_each_difference_is_counted_once(self) -> None:
        steps = [self.ONE, Step("Write"), self.TWO, self.ONE, self.TWO]
        self.assertEqual(self.counted(steps, HOST), (0, 2, 0))

    def test_an_explained_difference_is_no_divergence(self) -> None:
        steps = [self.ONE, Step("Write"), self.TWO, Step("Grep", {}, {"r": 1}), Step("Grep", {}, {"r": 2})]  # fmt: skip
        result = audited(run_of(steps, HOST), "replay", excuse=True)
        self.assertEqual((result.divergence, result.explained), (4, 1))

    def test_a_run_whose_differences_are_all_explained_passes(self) -> None:
        result = audited(run_of([self.ONE, Step("Write"), self.TWO], HOST), "replay", excuse=True)
        (check,) = result.verdict.checks
        self.assertEqual(check.result, PASSED)

    def test_a_redundant_call_is_not_excused_by_anything_before_it(self) -> None:
        result = audited(run_of([Step("Write"), self.ONE, self.ONE], HOST), "replay", excuse=True)
        self.assertEqual(places(result.findings), [(2, "redundant-call")])

    def test_repeating_an_unknown_tool_is_not_called_redundant(self) -> None:
        self.assertEqual(audited(run_of([Step("Teleport")] * 2, HOST), "replay").found, 0)


class TheListOfStateChanges(unittest.TestCase):
    """Decided by us: how many there are, and the first twenty of them."""

    def changes(self, *between: Step, effects: ToolEffects | None = None) -> StateChanges | None:
        steps = [Step("Read", {}, {"r": 1}), *between, Step("Read", {}, {"r": 2})]
        result = audited(run_of(steps, effects), "replay", state_changes=True)
        return result.findings[0].state_changes

    def test_none(self) -> None:
        self.assertEqual(self.changes(Step("list_dir")), StateChanges(0, ()))

    def test_some(self) -> None:
        found = self.changes(Step("write_file"), Step("list_dir"), Step("run_command"))
        self.assertEqual(found, StateChanges(2, (1, 3)))

    def test_twenty_are_all_listed_and_of_more_the_first_twenty(self) -> None:
        for count in (19, 20, 21, 500):
            found = self.changes(*[Step("write_file")] * count)
            self.assertEqual(found, StateChanges(count, tuple(range(1, count + 1))[:20]))

    def test_known_and_unknown_ones_are_listed_together_in_order(self) -> None:
        between = [Step("Write" if index % 3 else "Teleport") for index in range(40)]
        found = self.changes(*between, effects=HOST)
        self.assertEqual(found, StateChanges(40, tuple(range(1, 21))))

    def test_they_count_from_the_first_call_of_the_key(self) -> None:
        steps = [
            Step("Read", {}, {"r": 1}), Step("write_file"), Step("Read", {}, {"r": 2}),
            Step("write_file"), Step("Read", {}, {"r": 3}),
        ]  # fmt: skip
        found = audited(run_of(steps), "replay", state_changes=True).findings
        self.assertEqual(
            [finding.state_changes for finding in found],
            [StateChanges(1, (1,)), StateChanges(2, (1, 3))],
        )

    def test_a_redundant_call_has_none(self) -> None:
        found = audited(run_of([Step("a")] * 2), "replay", state_changes=True).findings
        self.assertIsNone(found[0].state_changes)

    def test_they_are_made_only_when_asked_for(self) -> None:
        steps = [Step("Read", {}, {"r": 1}), Step("Read", {}, {"r": 2})]
        self.assertIsNone(audited(run_of(steps), "replay").findings[0].state_changes)

    def test_unexplained_only_leaves_out_those_that_have_any(self) -> None:
        steps = [
            Step("Read", {}, {"r": 1}), Step("Grep", {}, {"r": 1}), Step("Grep", {}, {"r": 2}),
            Step("Write"), Step("Read", {}, {"r": 2}),
        ]  # fmt: skip
        result = audited(run_of(steps, HOST), "replay", unexplained_only=True)
        self.assertEqual(
            [place for place in places(result.findings) if place[1] == "non-determinism"],
            [(2, "non-determinism")],
        )
        self.assertEqual(result.explained, 1)


class CallsWithoutAResult(unittest.TestCase):
    """Decided by us: nothing is compared with nothing."""

    def test_they_are_never_compared(self) -> None:
        for outcome in ("denied", "cancelled", "not_executed", "missing", "interrupted"):
            for steps in (
                [Step("a", {}, {"r": 1}), Step("a", outcome=outcome)],
                [Step("a", outcome=outcome), Step("a", {}, {"r": 1})],
                [Step("a", outcome=outcome), Step("a", outcome=outcome)],
            ):
                with self.subTest(outcome=outcome):
                    self.assertEqual(audited(run_of(steps), "replay").found, 0)

    def test_a_failed_call_has_a_result_and_is_compared(self) -> None:
        for outcome in ("tool_error", "protocol_error", "timeout", "ok"):
            steps = [Step("a", {}, {"r": 1}), Step("a", {}, {"r": 2}, outcome)]
            self.assertEqual(audited(run_of(steps), "replay").found, 2, outcome)

    def test_one_that_may_have_run_ends_a_repetition(self) -> None:
        for outcome, found in (("missing", 0), ("interrupted", 0), ("denied", 1)):
            steps = [Step("a"), Step("b", outcome=outcome), Step("a")]
            self.assertEqual(audited(run_of(steps), "replay").found, found, outcome)

    def test_a_gap_ends_a_repetition(self) -> None:
        steps = [Step("a"), Step("a", notes=(AFTER_GAP,)), Step("a")]
        self.assertEqual(places(audited(run_of(steps), "replay").findings), [(2, "redundant-call")])

    def test_the_first_result_is_what_is_remembered(self) -> None:
        steps = [Step("a", outcome="missing"), Step("a", {}, {"r": 1}), Step("b"), Step("a", {}, {"r": 2})]  # fmt: skip
        (finding,) = audited(run_of(steps), "replay").findings
        self.assertIn("at index 1", finding.detail)


class TheReportLine(unittest.TestCase):
    """Decided by us."""

    def result_of(self, *steps: Step) -> tuple[str, str | None]:
        (check,) = audited(run_of(steps), "replay").verdict.checks
        return check.result, check.reason

    def test_passed_and_failed(self) -> None:
        self.assertEqual(self.result_of(Step("a")), (PASSED, None))
        self.assertEqual(self.result_of(Step("a"), Step("a")), (FAILED, None))

    def test_not_checked_where_no_call_has_a_result(self) -> None:
        reason = "no call has a result to compare"
        self.assertEqual(self.result_of(), (NOT_CHECKED, reason))
        self.assertEqual(
            self.result_of(Step("a", outcome="missing"), Step("a", outcome="denied")),
            (NOT_CHECKED, reason),
        )


class AFileThatChangesWhileItIsRead(unittest.TestCase):
    """Decided by us: one error, never a judgement about two different files."""

    def test_it_is_refused_when_the_line_is_no_record_any_more(self) -> None:
        data = lines_of([Step("a", {}, {"r": 1}), Step("b"), Step("a", {}, {"r": 2})])
        run = run_of_bytes(data)
        for other in (b"", b"[]", b"{", b'{"tool": 0}', b"\xff"):
            with self.subTest(other), self.assertRaises(TranscriptError) as caught:
                changed = Run(run.info, run_of_bytes(data).calls, lambda _start, _end, other=other: other)  # type: ignore[misc]  # fmt: skip
                judge(changed, ["replay"], options=Options(raw=changed.raw))
            self.assertEqual(str(caught.exception), "the file changed while it was read")


class HiddenContent(unittest.TestCase):
    """Decided by us: content that was replaced is equal by the recorder's digest, or not compared."""

    def judged(self, *calls: tuple[Same, str]) -> list[tuple[int, str]]:
        steps = [Step("Read", {"path": "[redacted:token]"}, {"r": result}) for _, result in calls]
        run = run_of(steps)
        hidden = [same for same, _ in calls]
        changed = (call._replace(same=same) for call, same in zip(run.calls, hidden, strict=True))
        found = judge(run._replace(calls=changed), ["replay", "loop"]).findings
        return [(finding.index or 0, finding.kind) for finding in found]

    def test_equal_views_of_different_originals_are_different_calls(self) -> None:
        a, b = (Same(digest * 32, None, False, False) for digest in ("aa", "bb"))
        self.assertEqual(self.judged((a, "1"), (b, "2"), (a, "1")), [])
        self.assertEqual(
            self.judged((a, "1"), (a, "2")), [(1, "non-determinism"), (1, "redundant-call")]
        )

    def test_equal_views_of_different_results_differ(self) -> None:
        a, b = (Same(None, digest * 32, False, False) for digest in ("aa", "bb"))
        self.assertIn((1, "non-determinism"), self.judged((a, "x"), (b, "x")))
        self.assertNotIn((1, "non-determinism"), self.judged((a, "x"), (a, "y")))

    def test_what_cannot_be_told_equal_is_not_compared(self) -> None:
        for same in (Same(None, None, True, False), Same(None, None, False, True)):
            self.assertEqual(self.judged(*[(same, "1"), (same, "2")] * 4), [])
