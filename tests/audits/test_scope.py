"""scope: tools by their names, and nothing else."""

import unittest

from tests.audits.runs import Step, audited, places, run_of
from toolreplay.audits.engine import Declared
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.records.call import OUTCOMES
from toolreplay.records.scope import Scope


def judged(tools: list[str], allowed: list[str], agent: str = "reader"):  # type: ignore[no-untyped-def]
    scope = Declared(scope=Scope("scope.json", agent, frozenset(allowed)))
    return audited(run_of(Step(tool) for tool in tools), "scope", declared=scope)


class NamesAreMatchedExactly(unittest.TestCase):
    """Decided by the tutorial."""

    def test_what_is_in_the_list_is_no_finding(self) -> None:
        result = judged(["a", "b", "a"], ["b", "a", "c"])
        self.assertEqual((result.found, result.verdict.checks[0].result), (0, PASSED))

    def test_every_other_call_is_one_each_time(self) -> None:
        result = judged(["a", "x", "a", "x"], ["a"])
        self.assertEqual(
            places(result.findings), [(1, "permission-overreach"), (3, "permission-overreach")]
        )
        self.assertEqual(result.verdict.checks[0].result, FAILED)

    def test_the_sentence_names_tool_and_agent(self) -> None:
        (finding,) = judged(["it's"], [], "an 'agent'").findings
        self.assertEqual(
            finding.detail, "tool 'it's' is not in the declared scope for agent 'an 'agent''"
        )
        self.assertEqual(finding.subject, "an 'agent'")

    def test_capitals_blanks_twins_and_patterns_are_other_names(self) -> None:
        for tool in ("Read", "read ", " read", "read\n", "rea", "reads", "r*", "re\u0301ad"):
            with self.subTest(tool):
                self.assertEqual(judged([tool], ["read", "réad", "*"]).found, 1)

    def test_arguments_do_not_matter(self) -> None:
        scope = Declared(scope=Scope("s", "a", frozenset({"sh"})))
        steps = [Step("sh", {"command": "rm -r x", "tool": "rm"})]
        self.assertEqual(audited(run_of(steps), "scope", declared=scope).found, 0)


class EveryCallIsJudged(unittest.TestCase):
    """Decided by us: the attempt is what the scope forbids."""

    def test_whatever_became_of_it(self) -> None:
        scope = Declared(scope=Scope("s", "a", frozenset()))
        for outcome in (None, *OUTCOMES):
            result = audited(run_of([Step("x", outcome=outcome)]), "scope", declared=scope)
            self.assertEqual(result.found, 1, outcome)


class WhatWasNotChecked(unittest.TestCase):
    """Decided by us."""

    def test_without_a_scope(self) -> None:
        result = audited(run_of([Step("x")]), "scope")
        (check,) = result.verdict.checks
        self.assertEqual(
            check, ("scope", NOT_CHECKED, None, "no scope given", "add --scope scope.json")
        )
        self.assertEqual(result.found, 0)

    def test_without_a_call(self) -> None:
        (check,) = judged([], ["a"]).verdict.checks
        self.assertEqual((check.result, check.reason), (NOT_CHECKED, "nothing was recorded"))
