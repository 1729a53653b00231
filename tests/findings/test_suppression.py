"""Known findings: which are left out, what that does to the lines of the report, what is counted."""

import unittest

from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check, Verdict
from toolreplay.findings.finding import Finding, Origin
from toolreplay.findings.result import AuditResult
from toolreplay.findings.rule import Rule
from toolreplay.findings.suppression import Known, Suppressed, Suppression, baseline_entry
from toolreplay.records.call import Place
from toolreplay.records.run import STRICT, RunInfo

RULES = (
    Rule("odd", "replay", "error", "is odd"),
    Rule("even", "replay", "error", "is even"),
    Rule("broken", "links", "error", "is broken", final=True),
)
TODAY = "2026-11-30"


def finding(kind: str, mark: str, tool: str = "t") -> Finding:
    origin = Origin(bytes(32), 0, Place(1, 0, 9), tool)
    return Finding(0, kind, f"{mark} is {kind}", origin=origin, fingerprint=mark * 16)


def result(*findings: Finding) -> AuditResult:
    failed = {rule.line for rule in RULES if rule.kind in {item.kind for item in findings}}
    checks = [Check(line, FAILED if line in failed else PASSED) for line in ("replay", "links")]
    checks.insert(1, Check("scope", NOT_CHECKED, None, "no scope given"))
    info = RunInfo("r", "r.jsonl", STRICT)
    return AuditResult(info, 3, list(findings), Verdict(tuple(checks), frozenset()), RULES)


def entry(until: str = "2026-12-31", **members: str) -> Suppression:
    return Suppression(
        "p.toml: suppress entry 1",
        members.get("fingerprint"),
        members.get("kind"),
        members.get("tool"),
        "because",
        until,
    )


def known(baseline: str = "", *suppressions: Suppression) -> Known:
    return Known(frozenset(mark * 16 for mark in baseline), suppressions, ("f",), TODAY)


class WhatIsLeftOut(unittest.TestCase):
    """Decided by us."""

    def left(self, judged: Known, *findings: Finding) -> list[str]:
        return sorted(item.detail[0] for item in judged.without_known(result(*findings)).findings)

    def test_a_fingerprint_of_the_baseline(self) -> None:
        found = (finding("odd", "a"), finding("even", "b"), finding("odd", "c"))
        self.assertEqual(self.left(known("ac"), *found), ["b"])

    def test_a_suppression_by_fingerprint_kind_or_kind_and_tool(self) -> None:
        found = (finding("odd", "a"), finding("even", "b"), finding("odd", "c", "u"))
        self.assertEqual(self.left(known("", entry(fingerprint="b" * 16)), *found), ["a", "c"])
        self.assertEqual(self.left(known("", entry(kind="odd")), *found), ["b"])
        self.assertEqual(self.left(known("", entry(kind="odd", tool="u")), *found), ["a", "b"])

    def test_one_holds_on_its_last_day_and_not_after_it(self) -> None:
        found = finding("odd", "a")
        self.assertEqual(self.left(known("", entry(TODAY, kind="odd")), found), [])
        self.assertEqual(self.left(known("", entry("2026-11-29", kind="odd")), found), ["a"])

    def test_thousands_of_suppressions_are_looked_up_not_walked(self) -> None:
        entries = [entry(fingerprint=f"{number:016x}") for number in range(5000)]
        judged = known("", *entries, entry(kind="even"))
        self.assertEqual(judged._covering(finding("odd", "a")), [5000])
        self.assertEqual(len(judged._covering(Finding(0, "odd", "d", fingerprint=f"{7:016x}"))), 2)

    def test_a_finding_of_the_whole_run_has_no_tool(self) -> None:
        found = Finding(None, "odd", "a", fingerprint="a" * 16)
        self.assertEqual(self.left(known("", entry(kind="odd", tool="t")), found), ["a"])
        self.assertEqual(self.left(known("", entry(kind="odd")), found), [])


class WhatItDoesToTheLines(unittest.TestCase):
    """Decided by us: passed over something that was recomputed, with the number beside it."""

    def checks(self, judged: Known, *findings: Finding) -> dict[str, tuple[str, str | None]]:
        checks = judged.without_known(result(*findings)).verdict.checks
        return {check.line: (check.result, check.count) for check in checks}

    def test_a_line_with_nothing_left_passes_and_says_how_many(self) -> None:
        found = (finding("odd", "a"), finding("even", "b"))
        self.assertEqual(self.checks(known("ab"), *found)["replay"], (PASSED, "2 suppressed"))

    def test_a_line_with_something_left_stays_failed(self) -> None:
        found = (finding("odd", "a"), finding("even", "b"))
        self.assertEqual(self.checks(known("a"), *found)["replay"], (FAILED, None))

    def test_what_is_broken_stays_broken(self) -> None:
        checks = self.checks(known("a"), finding("broken", "a"))
        self.assertEqual(checks["links"], (FAILED, None))

    def test_what_was_not_checked_stays_so(self) -> None:
        self.assertEqual(self.checks(known("a"), finding("odd", "a"))["scope"][0], NOT_CHECKED)

    def test_with_nothing_known_the_result_is_the_same(self) -> None:
        judged = result(finding("odd", "a"))
        self.assertIs(known("b").without_known(judged), judged)


class WhatIsCounted(unittest.TestCase):
    """Decided by us."""

    def test_by_what_it_was_left_out_the_baseline_first(self) -> None:
        judged = known("a", entry(kind="odd"), entry("2020-01-01", kind="even"))
        judged.without_known(result(finding("odd", "a"), finding("odd", "b"), finding("even", "c")))
        self.assertEqual(judged.counts(), Suppressed(1, 1, 1, ("f",), TODAY))
        self.assertEqual(
            judged.counts().text(),
            "suppressed: 2 (baseline 1, suppressions 1, expired 1) · f · today 2026-11-30",
        )

    def test_the_day_is_named_only_where_it_was_compared(self) -> None:
        self.assertEqual(
            known("a").counts().text(),
            "suppressed: 0 (baseline 0, suppressions 0, expired 0) · f",
        )

    def test_what_ended_and_what_nobody_needed_is_said(self) -> None:
        judged = known("", entry("2020-01-01", kind="odd"), entry(kind="even"))
        judged.without_known(result(finding("odd", "a")))
        self.assertEqual(
            judged.notes(),
            ["p.toml: suppress entry 1: expired, it held until 2020-01-01",
             "p.toml: suppress entry 1: no finding needed it"],
        )  # fmt: skip

    def test_what_is_accepted_for_a_time_is_no_part_of_a_baseline(self) -> None:
        judged = known("a", entry(kind="even"))
        self.assertFalse(judged.accepts(finding("odd", "a")))
        self.assertTrue(judged.accepts(finding("even", "b")))
        self.assertFalse(known("", entry("2020-01-01", kind="even")).accepts(finding("even", "b")))
        self.assertEqual(baseline_entry(finding("odd", "a")), ("a" * 16, "odd", "a is odd"))
