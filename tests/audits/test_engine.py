"""The engine: one pass, one order, fingerprints, and what absorbs what."""

import hashlib
import json
import random
import unittest
from collections.abc import Iterator
from unittest import mock

from tests.audits.runs import Step, audited, lines_of, places, run_of, run_of_bytes, run_of_text
from toolreplay.audits import engine
from toolreplay.audits.engine import Declared, Options, Seen, judge
from toolreplay.errors import TranscriptError
from toolreplay.findings.check import FAILED, LINES, PASSED, Check
from toolreplay.findings.finding import Finding
from toolreplay.findings.spool import FindingSpool
from toolreplay.records.call import Place, ToolCall
from toolreplay.records.run import STRICT, Run, RunInfo
from toolreplay.records.scope import Scope

ALL = ("loop", "recompute", "replay", "scope")
SCOPE = Declared(scope=Scope("scope.json", "reader", frozenset({"read", "search"})))

MIXED = [
    Step("read", {"p": 1}, {"r": 1}),
    Step("read", {"p": 1}, {"r": 1}),
    Step("search", {"q": 1}, {"r": 1}),
    Step("read", {"p": 1}, {"r": 2}),
    Step("write", {"p": 1}, {"r": 1}),
    Step("read", {"p": 1}, {"r": 1}),
    Step("read", {"p": 1}, {"r": 3}),
]


def form(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def fingerprint(kind: str, step: Step | None, ordinal: int | None, subject: object) -> str:
    """Compute a fingerprint without the product: SHA-256 of the form of four members."""
    digest = None
    if step is not None:
        digest = hashlib.sha256(form({"args": step.args, "tool": step.tool})).hexdigest()
    return hashlib.sha256(form([kind, digest, ordinal, subject])).hexdigest()[:16]


class OnePass(unittest.TestCase):
    """Decided by us."""

    def test_all_audits_see_each_call_once_and_in_order(self) -> None:
        asked = []

        def calls() -> Iterator[ToolCall]:
            for index in range(5):
                asked.append(index)
                yield ToolCall(index, "t", {}, {}, Place(1, 0, 1))

        result = judge(Run(RunInfo("r", "f", STRICT), calls()), ALL)
        self.assertEqual((asked, result.calls), ([0, 1, 2, 3, 4], 5))

    def test_findings_are_in_their_one_order_whatever_the_order_of_the_audits(self) -> None:
        results = [
            audited(run_of(MIXED), *names, declared=SCOPE)
            for names in (ALL, ALL[::-1], ("scope", "replay", "recompute", "loop"))
        ]
        self.assertEqual(
            places(results[0].findings),
            [
                (1, "redundant-call"),
                (3, "non-determinism"),
                (4, "permission-overreach"),
                (6, "non-determinism"),
                (6, "redundant-call"),
            ],
        )
        self.assertEqual(results[0].findings, results[1].findings)
        self.assertEqual(results[0].findings, results[2].findings)

    def test_checks_are_in_the_order_of_the_report(self) -> None:
        for names in (ALL, ALL[::-1]):
            lines = [check.line for check in audited(run_of(MIXED), *names).verdict.checks]
            self.assertEqual(lines, sorted(lines, key=LINES.index))
            self.assertEqual(set(lines), {"replay", "scope", "loop", "contents"})

    def test_what_is_required_is_asked_with_the_checks_that_were_made(self) -> None:
        asked = []

        def required(checks: object) -> set[str]:
            asked.append(checks)
            return {"scope"}

        result = judge(run_of(MIXED), ["replay"], required=required)
        replay, scope = result.verdict.checks
        self.assertEqual(asked, [(replay,)])
        self.assertEqual(scope.reason, "no audit of this input answers it")
        self.assertEqual(result.verdict.missing, ["scope"])

    def test_the_rules_of_the_audits_that_ran_come_with_the_result(self) -> None:
        result = audited(run_of([]), "replay", "scope")
        self.assertEqual(
            [rule.kind for rule in result.rules],
            ["non-determinism", "redundant-call", "permission-overreach"],
        )

    def test_a_file_that_breaks_ends_the_judging(self) -> None:
        with self.assertRaises(TranscriptError):
            audited(run_of_bytes(lines_of(MIXED) + b"{}\n"), *ALL)

    def test_digests_are_computed_when_asked_for_and_once_for_all(self) -> None:
        with (
            mock.patch.object(engine, "call_digest", wraps=engine.call_digest) as key,
            mock.patch.object(engine, "result_digest", wraps=engine.result_digest) as result,
        ):
            audited(run_of(MIXED), "scope", declared=SCOPE)
            self.assertEqual((key.call_count, result.call_count), (0, 0))
            audited(run_of(MIXED), *ALL, declared=SCOPE, identify=True)
            self.assertEqual((key.call_count, result.call_count), (len(MIXED), len(MIXED)))

    def test_the_size_of_a_result_is_known_with_its_digest(self) -> None:
        seen = Seen(ToolCall(0, "t", {}, {"é": 1.0}, Place(1, 0, 1)))
        self.assertEqual((seen.result, seen.result_size), (hashlib.sha256(form({"é": 1.0})).digest(), len(form({"é": 1.0}))))  # fmt: skip


class Fingerprints(unittest.TestCase):
    """Decided by us: 16 hex digits over [kind, call digest, ordinal, subject]."""

    def test_they_come_out_when_recomputed_by_hand(self) -> None:
        result = audited(run_of(MIXED), *ALL, declared=SCOPE, identify=True)
        read, write = MIXED[0], MIXED[4]
        self.assertEqual(
            [finding.fingerprint for finding in result.findings],
            [
                fingerprint("redundant-call", read, 1, None),
                fingerprint("non-determinism", read, 2, None),
                fingerprint("permission-overreach", write, 0, "reader"),
                fingerprint("non-determinism", read, 4, None),
                fingerprint("redundant-call", read, 4, None),
            ],
        )

    def test_a_loop_is_told_apart_by_its_period(self) -> None:
        steps = [Step(letter, {"x": 1}, {}) for letter in "ababab"]
        (finding,) = audited(run_of(steps), "loop", identify=True).findings
        self.assertEqual(finding.fingerprint, fingerprint("loop", steps[2], 1, 2))

    def test_the_ordinal_counts_calls_that_never_ran_too(self) -> None:
        steps = [Step("x", outcome="denied"), Step("x", {}, {"r": 1}), Step("x", {}, {"r": 1})]
        (finding,) = audited(run_of(steps), "replay", identify=True).findings
        self.assertEqual(finding.fingerprint, fingerprint("redundant-call", steps[1], 2, None))

    def test_run_and_file_are_left_out(self) -> None:
        prints = set()
        for name in ("a", "b"):
            run = run_of(MIXED)
            run = run._replace(info=run.info._replace(name=name, file=f"{name}.jsonl"))
            found = audited(run, "replay", identify=True).findings
            prints.add(tuple(finding.fingerprint for finding in found))
        self.assertEqual(len(prints), 1)

    def test_a_finding_of_the_whole_run_has_neither_digest_nor_ordinal(self) -> None:
        run = run_of([])
        finding = engine._Identifier(run).identified(
            Finding(None, "odd-run", "it is odd", subject="x")
        )
        self.assertEqual(finding.fingerprint, fingerprint("odd-run", None, None, "x"))
        self.assertIsNone(finding.where)

    def test_they_are_made_only_when_asked_for(self) -> None:
        for finding in audited(run_of(MIXED), "replay").findings:
            self.assertEqual((finding.fingerprint, finding.where), (None, None))

    def test_where_is_the_line_its_bytes_and_their_digest(self) -> None:
        data = b"\n" + lines_of(MIXED)
        result = audited(run_of_bytes(data), "replay", identify=True)
        lines = data.splitlines(keepends=True)
        for finding in result.findings:
            assert finding.where is not None
            assert finding.index is not None
            where = finding.where
            line = lines[finding.index + 1]
            self.assertEqual((where.file, where.line), ("made-up.jsonl", finding.index + 2))
            self.assertEqual(data[slice(*where.byte_range)], line)
            self.assertEqual(where.line_sha256, hashlib.sha256(line).hexdigest())

    def test_without_reading_again_there_is_no_digest_of_the_line(self) -> None:
        run = run_of_bytes(lines_of(MIXED), seekable=False)
        for finding in audited(run, "replay", identify=True).findings:
            assert finding.where is not None
            self.assertIsNone(finding.where.line_sha256)
            self.assertGreater(finding.where.line, 0)


class WhatAbsorbsWhat(unittest.TestCase):
    """Decided by us: a loop says the same as its redundant calls, and more."""

    def result_of(
        self, text: str, *names: str
    ) -> tuple[list[tuple[int | None, str]], dict[str, str]]:
        result = audited(run_of_text(text), *names)
        checks = {check.line: check.result for check in result.verdict.checks}
        self.assertEqual(result.found, len(result.findings))
        return places(result.findings), checks

    def test_a_call_inside_a_loop_is_no_redundant_call(self) -> None:
        found, checks = self.result_of("xaaab", "loop", "replay")
        self.assertEqual(found, [(2, "loop")])
        self.assertEqual(checks, {"replay": PASSED, "loop": FAILED})

    def test_outside_of_it_one_stays(self) -> None:
        found, checks = self.result_of("ccxaaab", "loop", "replay")
        self.assertEqual(found, [(1, "redundant-call"), (4, "loop")])
        self.assertEqual(checks, {"replay": FAILED, "loop": FAILED})

    def test_right_before_and_right_after_it_one_stays(self) -> None:
        found, _ = self.result_of("aabbbcc", "loop", "replay")
        self.assertEqual(found, [(1, "redundant-call"), (3, "loop"), (6, "redundant-call")])

    def test_without_the_loop_audit_nothing_is_absorbed(self) -> None:
        found, checks = self.result_of("xaaab", "replay")
        self.assertEqual(found, [(2, "redundant-call"), (3, "redundant-call")])
        self.assertEqual(checks, {"replay": FAILED})

    def test_another_kind_inside_it_stays(self) -> None:
        scope = Declared(scope=Scope("s", "idle", frozenset()))
        result = audited(run_of_text("aaa"), "loop", "replay", "scope", declared=scope)
        self.assertEqual(
            [finding.kind for finding in result.findings],
            ["permission-overreach", "loop", "permission-overreach", "permission-overreach"],
        )

    def test_a_line_that_fails_without_findings_still_fails(self) -> None:
        checks = engine._without_emptied((Check("contents", FAILED), Check("ending", FAILED)), (), FindingSpool(), FindingSpool())  # fmt: skip
        self.assertEqual([check.result for check in checks], [FAILED, FAILED])

    def test_over_random_runs_no_redundant_call_lies_in_a_loop(self) -> None:
        chance = random.Random(11)
        absorbed = 0
        for _ in range(200):
            text = "".join(chance.choice("aab") for _ in range(chance.randrange(40)))
            alone = audited(run_of_text(text), "replay").findings
            loops = audited(run_of_text(text), "loop").findings
            inside = {index for loop in loops for index in range(loop.covers[0], loop.covers[1] + 1)}  # type: ignore[index]  # fmt: skip
            kept = [finding for finding in alone if finding.index not in inside]
            both = audited(run_of_text(text), "loop", "replay").findings
            self.assertEqual([finding for finding in both if finding.kind != "loop"], kept, text)
            absorbed += len(alone) - len(kept)
        self.assertGreater(absorbed, 100)


class Defaults(unittest.TestCase):
    """Decided by us: what a command does not ask for is not done."""

    def test_options_and_declared_begin_with_nothing(self) -> None:
        options, declared = Options(), Declared()
        self.assertEqual(
            (options.excuse, options.identify, options.raw, options.state_changes,
             options.unexplained_only, declared.scope, declared.head),
            (False, False, None, False, False, None, None),
        )  # fmt: skip
