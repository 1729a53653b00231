"""recompute: the links of a sealed transcript, as a finding and as report lines."""

import io
import unittest

from tests.audits.runs import audited, places, run_of_bytes, run_of_text
from tests.cli.tutorial import DIGESTS, SAMPLES, SEALED_DIRTY
from tests.evidence.bundle import attacks, cases, made
from toolreplay.audits.engine import Declared
from toolreplay.audits.recompute import RULES
from toolreplay.evidence.bundle import checking
from toolreplay.evidence.record import Asked
from toolreplay.evidence.seal import ExpectedHead
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.findings.result import AuditResult
from toolreplay.records.limits import DEFAULT
from toolreplay.records.run import SEALED, Run, RunInfo
from toolreplay.records.transcript import read_sealed
from toolreplay.sources.bundle import bundle_run
from toolreplay.sources.opening import Opened


def sealed_run(text: str) -> Run:
    return Run(RunInfo("sealed", "sealed.jsonl", SEALED), read_sealed(io.BytesIO(text.encode())))


def judged(text: str, expected: ExpectedHead | None = None) -> AuditResult:
    return audited(sealed_run(text), "recompute", declared=Declared(head=expected))


def results(result: AuditResult) -> dict[str, str]:
    return {check.line: check.result for check in result.verdict.checks}


class ASealedTranscript(unittest.TestCase):
    """Decided by the tutorial what is broken; by us what the report says."""

    def test_an_intact_one(self) -> None:
        result = judged(SEALED_DIRTY)
        self.assertEqual((result.found, result.calls), (0, 6))
        self.assertEqual(
            results(result),
            {"contents": PASSED, "links": PASSED, "ending": NOT_CHECKED, "signer": NOT_CHECKED},
        )

    def test_a_changed_response(self) -> None:
        result = judged(SEALED_DIRTY.replace('"hits":3', '"hits":4'))
        (finding,) = result.findings
        self.assertEqual(
            (finding.index, finding.kind, finding.subject), (3, "broken-link", "digest")
        )
        self.assertEqual(
            finding.detail,
            "the digest of this link should be "
            "34d19a9dfb112baa07afa37994ddcbbebe2973674385f3942340653d08d205bd, "
            f"the file has {DIGESTS[3]}",
        )
        self.assertEqual(results(result)["contents"], FAILED)
        self.assertEqual(results(result)["links"], FAILED)

    def test_the_subject_is_the_member_that_is_wrong(self) -> None:
        links = SEALED_DIRTY.splitlines(keepends=True)
        table = {
            "index": SEALED_DIRTY.replace('"index":2', '"index":5'),
            "prev": "".join([*links[:1], links[2].replace('"index":2', '"index":1')]),
            "digest": SEALED_DIRTY.replace('"path":"docs"', '"path":"doc"'),
        }
        for member, text in table.items():
            (finding,) = judged(text).findings
            self.assertEqual(finding.subject, member)

    def test_only_the_first_break_is_a_finding_and_all_calls_are_judged(self) -> None:
        text = SEALED_DIRTY.replace('"hits":3', '"hits":4').replace('"ok":true', '"ok":false')
        result = audited(sealed_run(text), "recompute", "replay")
        self.assertEqual(
            places(result.findings),
            [(2, "redundant-call"), (3, "broken-link"), (5, "non-determinism")],
        )
        self.assertEqual(result.calls, 6)

    def test_a_head_that_was_handed_in_decides_the_ending(self) -> None:
        self.assertEqual(
            results(judged(SEALED_DIRTY, ExpectedHead(6, DIGESTS[5])))["ending"], PASSED
        )
        cut = "".join(SEALED_DIRTY.splitlines(keepends=True)[:4])
        result = judged(cut, ExpectedHead(6, DIGESTS[5]))
        self.assertEqual((result.found, results(result)["ending"]), (0, FAILED))

    def test_an_empty_one(self) -> None:
        result = judged("")
        self.assertEqual((result.calls, result.found), (0, 0))
        self.assertEqual(set(results(result).values()), {NOT_CHECKED})


class Receipts(unittest.TestCase):
    """Decided by us: the record's own reader finds, the audit says of which call and line."""

    def judged(self, name: str, asked: Asked | None = None) -> AuditResult:
        values = getattr(attacks, name)(attacks.base_of(name)) if name else attacks.base_of("")
        data = made.joined(values)
        opened = Opened("x", io.BytesIO(data), lambda start, end: data[start:end])
        run = bundle_run(opened, "x.run.jsonl", DEFAULT)
        return audited(run, "recompute", declared=Declared(asked=asked), identify=True)

    def test_an_intact_one(self) -> None:
        result = self.judged("")
        self.assertEqual((result.found, result.calls), (0, 4))
        self.assertEqual(result.notes[:2], ("goal: refund the order", "answer: done"))
        self.assertIn("kept elsewhere (--commitment FILE, --root HEX)", result.notes[2])
        self.assertEqual(
            results(result),
            {"contents": PASSED, "links": PASSED, "ending": PASSED, "signer": NOT_CHECKED,
             "time": NOT_CHECKED, "log": NOT_CHECKED},
        )  # fmt: skip
        self.assertEqual(
            [name for name, _ in result.unbound],
            ["salt of the close entry", "commitment.published_at"],
        )

    def test_a_finding_of_a_call_names_where_it_stands(self) -> None:
        result = self.judged("an_amount_edited")
        self.assertEqual(places(result.findings), [(1, "broken-commitment")])
        (finding,) = result.findings
        assert finding.where is not None
        self.assertEqual(finding.where.line, 4)

    def test_a_finding_of_the_run_has_no_place(self) -> None:
        result = self.judged("a_gap_dropped")
        self.assertEqual(places(result.findings), [(None, "missing-entry")])
        self.assertEqual(result.notes, ("goal: refund the order",))

    def test_what_was_handed_in_is_asked(self) -> None:
        result = self.judged("", Asked(roots=("ab" * 32,)))
        self.assertEqual(places(result.findings), [(None, "root-mismatch")])

    def test_the_reader_and_the_rules_have_the_same_kinds_on_the_same_lines(self) -> None:
        lines = {
            "contents": checking._CONTENTS,
            "links": checking._LINKS,
            "ending": checking._ENDING,
            "signer": checking._SIGNER,
            "log": checking._LOG,
        }
        of_stores = {"derived-table", "rolled-back-log"}
        for line, kinds in lines.items():
            of_line = {rule.kind for rule in RULES if rule.line == line}
            self.assertEqual(of_line - of_stores, kinds)

    def test_the_cases_are_made_again_as_they_are(self) -> None:
        for name, data in cases.bundles().items():
            with self.subTest(name):
                folder = cases.FOLDER / name
                self.assertEqual((folder / "bundle.run.jsonl").read_bytes(), data)
                readme = (folder / "README").read_text(encoding="utf-8")
                self.assertEqual(readme, f"{cases.CASES[name].readme}\n")
                for file, content in cases.files_beside(name).items():
                    self.assertEqual((folder / file).read_bytes(), content)


class AnythingElse(unittest.TestCase):
    """Decided by us: what commits to nothing is never passed."""

    def test_a_plain_transcript_has_no_commitments(self) -> None:
        data = (SAMPLES / "session-dirty.jsonl").read_bytes()
        for run in (run_of_bytes(data), run_of_text("ab")):
            (check,) = audited(run, "recompute").verdict.checks
            self.assertEqual(
                check,
                (
                    "contents",
                    NOT_CHECKED,
                    None,
                    "a transcript carries no commitments",
                    "see: toolreplay explain receipt",
                ),
            )
