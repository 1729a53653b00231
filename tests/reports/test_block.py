"""The block of one run: heading, findings, checks, and the line that says what the status means."""

import unittest

from toolreplay.findings.check import FAILED, LINES, NOT_CHECKED, PASSED, Check, Verdict
from toolreplay.findings.finding import Finding
from toolreplay.findings.result import AuditResult
from toolreplay.findings.rule import Rule
from toolreplay.records.run import STRICT, RunInfo
from toolreplay.reports.lines import WIDTH, width_of
from toolreplay.reports.text.block import (
    block_lines,
    check_lines,
    closing_line,
    closing_line_of_many,
    heading,
)

WHO = "LOGGED BY AGENT (by the agent's own program)"
RULES = (Rule("odd-call", "replay", "note", "odd"), Rule("odd-link", "links", "note", "odd"))


def result(
    *checks: Check,
    findings: tuple[Finding, ...] = (),
    calls: int = 3,
    required: str = "",
    **facts: object,
) -> AuditResult:
    info = RunInfo("r", "r.jsonl", STRICT)
    verdict = Verdict(checks, frozenset(required.split()))
    return AuditResult(info, calls, list(findings), verdict, RULES)._replace(**facts)  # type: ignore[arg-type]


class TheHeading(unittest.TestCase):
    """Decided by us: unknown parts are left out."""

    def test_all_parts_and_none(self) -> None:
        info = RunInfo("r", "f", STRICT)
        self.assertEqual(heading(info, 6), f"run r · 6 calls · {WHO}")
        self.assertEqual(heading(info._replace(agent="bot"), 1), f"run r · bot · 1 call · {WHO}")
        self.assertEqual(
            heading(info._replace(model="m-2"), 0), f"run r · model m-2 · 0 calls · {WHO}"
        )
        self.assertEqual(
            heading(info._replace(agent="bot", model="m-2"), 1234),
            f"run r · bot, model m-2 · 1,234 calls · {WHO}",
        )

    def test_how_long_it_took_is_said_in_a_unit_for_people(self) -> None:
        run = RunInfo("a", "a.jsonl", "bundle")
        for seconds, wanted in (
            (0.04, "0.0 s"), (14.24, "14.2 s"), (119.94, "119.9 s"), (120, "2 min 0 s"),
            (4424.2, "73 min 44 s"), (7200, "2 h 0 min"), (10**7, "2,777 h 46 min"),
        ):  # fmt: skip
            self.assertIn(f"5 calls in {wanted} ·", heading(run, 5, seconds))
        self.assertIn("5 calls ·", heading(run, 5))

    def test_names_of_a_recording_are_escaped_and_cut(self) -> None:
        info = RunInfo("\x1b" * 500, "f", STRICT, "\u202e", "m\n")
        line = heading(info, 1)
        self.assertRegex(
            line, r"\Arun (\\u\{1b\}){190,200}… · \\u\{202e\}, model m\\u\{a\} · 1 call"
        )


class TheBlock(unittest.TestCase):
    """Decided by us."""

    def test_findings_of_the_run_stand_before_those_of_calls(self) -> None:
        findings = (Finding(None, "odd-link", "first"), Finding(0, "odd-call", "second"))
        lines = list(block_lines(result(Check("replay", FAILED), findings=findings)))
        self.assertEqual(
            lines[1:6],
            ["", "findings: 2", "run: odd-link: first", "index 0: odd-call: second", ""],
        )

    def test_what_was_excused_stands_behind_the_findings(self) -> None:
        for facts, wanted in (
            ({"explained": 3}, ["explained: 3"]),
            ({"undetermined": 2}, ["undetermined: 2"]),
            ({"explained": 1234, "undetermined": 2}, ["explained: 1,234 · undetermined: 2"]),
            ({}, []),
        ):
            lines = list(block_lines(result(Check("replay", PASSED), **facts)))
            self.assertEqual(lines[3 : lines.index("", 3)], wanted)

    def test_what_nothing_commits_to_stands_behind_the_checks(self) -> None:
        unbound = (("salt", "00"), ("a longer name", {"b": "\x1b"}))
        lines = list(
            block_lines(result(Check("links", PASSED), notes=("odd\x1b",), unbound=unbound))
        )
        self.assertEqual(
            lines[lines.index("passed       links") + 1 :],
            ["", "note: odd\\u{1b}", "", "unbound, as delivered:",
             "  salt           00", '  a longer name  "b": "\\u001b"'],
        )  # fmt: skip

    def test_a_long_line_of_passed_checks_is_broken_between_two(self) -> None:
        long = "x" * 49
        checks = [Check("replay", PASSED), Check("links", PASSED, long), Check("ending", PASSED)]
        self.assertEqual(
            check_lines(checks),
            ["passed       replay ·", f"             links ({long}) · ending"],
        )

    def test_of_no_calls_it_is_one_line(self) -> None:
        lines = list(block_lines(result(Check("replay", NOT_CHECKED, None, "x"), calls=0)))
        self.assertEqual(lines[2:], ["findings: 0", "", "not checked: nothing was recorded"])


class TheChecks(unittest.TestCase):
    """Decided by us."""

    def test_passed_failed_and_not_checked_are_aligned(self) -> None:
        checks = [
            Check("replay", PASSED),
            Check("loop", PASSED),
            Check("contents", PASSED, "5 of 5"),
            Check("links", FAILED),
            Check("scope", NOT_CHECKED, None, "no scope given", "add --scope scope.json"),
            Check("signer", NOT_CHECKED, None, "no key"),
        ]
        self.assertEqual(
            check_lines(checks),
            [
                "passed       replay · loop · contents (5 of 5)",
                "failed       links",
                "not checked  scope   no scope given  add --scope scope.json",
                "             signer  no key",
            ],
        )

    def test_a_failed_line_says_how_many_findings_made_it_fail(self) -> None:
        findings = (
            Finding(0, "odd-call", ""),
            Finding(1, "odd-call", ""),
            Finding(1, "odd-link", ""),
        )
        checks = [Check("replay", FAILED), Check("links", FAILED), Check("ending", FAILED, "why")]
        self.assertEqual(
            check_lines(checks, result(findings=findings)),
            ["failed       replay (2 findings) · links (1 finding) · ending (why)"],
        )

    def test_a_remedy_that_does_not_fit_goes_below_its_reason(self) -> None:
        checks = [
            Check("scope", NOT_CHECKED, None, "short", "do this"),
            Check("contents", NOT_CHECKED, None, "x" * 40, "y" * 30),
        ]
        self.assertEqual(
            check_lines(checks),
            [
                "not checked  scope     short" + " " * 37 + "do this",
                "             contents  " + "x" * 40,
                "                       " + "y" * 30,
            ],
        )

    def test_whatever_is_not_checked_fits_80_columns(self) -> None:
        for reason in range(1, 57):
            for remedy in range(1, 57):
                checks = [
                    Check(line, NOT_CHECKED, None, "r" * (reason if line == "scope" else 9), "m" * remedy)
                    for line in LINES
                ]  # fmt: skip
                for line in check_lines(checks):
                    self.assertLessEqual(width_of(line), WIDTH)

    def test_nothing_to_say(self) -> None:
        self.assertEqual(check_lines([]), [])


class TheClosingLine(unittest.TestCase):
    """Decided by us: what the exit status means, and what was left open."""

    UNCHECKED = Check("scope", NOT_CHECKED, None, "no scope given")

    def test_each_status(self) -> None:
        passed = Check("replay", PASSED)
        finding = Finding(0, "odd-call", "")
        table = (
            (result(passed), 0, "exit 0: nothing found."),
            (
                result(passed, self.UNCHECKED), 0,
                "exit 0: nothing found. 1 thing was not checked; none was required (--require).",
            ),
            (result(passed, findings=(finding,)), 1, "exit 1: findings."),
            (result(Check("ending", FAILED)), 1, "exit 1: a check failed."),
            (
                result(self.UNCHECKED, self.UNCHECKED, findings=(finding,), required="scope"), 1,
                "exit 1: findings. 2 things were not checked; required: scope.",
            ),
            (
                result(self.UNCHECKED, required="scope signer"), 3,
                "exit 3: nothing found, but required and not checked: scope, signer.",
            ),
            (result(calls=0), 3, "exit 3: nothing was recorded, so nothing was checked."),
        )  # fmt: skip
        for judged, status, line in table:
            self.assertEqual(closing_line(judged, status), line)

    def test_each_status_of_many(self) -> None:
        self.assertEqual(
            [closing_line_of_many(status, {"runs": 1, "unreadable": 0}) for status in range(4)],
            [
                "exit 0: nothing found.",
                "exit 1: findings.",
                "exit 2: an input could not be read.",
                "exit 3: nothing found, but not everything required was checked.",
            ],
        )
        self.assertEqual(
            closing_line_of_many(1, {"runs": 3, "unreadable": 2}),
            "exit 1: findings. 2 inputs could not be read.",
        )
        self.assertEqual(
            closing_line_of_many(3, {"runs": 0, "unreadable": 0}),
            "exit 3: no run was found, so nothing was checked.",
        )
