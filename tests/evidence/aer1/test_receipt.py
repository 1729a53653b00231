"""toolreplay.evidence.aer1.receipt"""

import base64
import itertools
import random
import unittest
from typing import Any

from tests.evidence.aer1.made import CLASS, CONTENT, ID, NOW, cases, form, hash_of, legacy, receipt
from toolreplay.errors import UsageError
from toolreplay.evidence.aer1.identity import NOT_SUPPLIED
from toolreplay.evidence.aer1.receipt import ReceiptReport, check_receipt
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED

SHAPE_NOTES = {"bare_tool", "legacy", "timestamp_field"}


def failed(report: ReceiptReport) -> list[str]:
    return [check.name for check in report.checks if check.result == FAILED]


def notes(report: ReceiptReport) -> set[str]:
    return {note.partition(": ")[0] for note in report.notes}


def content(**members: Any) -> bytes:
    made = {**CONTENT, **members}
    return form({name: value for name, value in made.items() if value is not ...})


class TheCases(unittest.TestCase):
    """Decided by AER-1: aer1/vectors, receipts; the answers are those of other programs."""

    def test_each_case_has_the_answers_of_each_reading(self) -> None:
        found = cases("receipts")
        self.assertGreaterEqual(len(found), 102)
        for case in found:
            expect = case["expect"]
            reader = expect["aer1_verify"]
            with self.subTest(case["id"], title=case["title"]):
                self.assertEqual(case["source"], "generated")
                report = check_receipt(case["doc"], now=NOW)
                verdict = expect.get("ours", reader)["verdict"]
                self.assertEqual("PASS" if report.passed else "FAIL", verdict, failed(report))
                self.assertEqual(report.core_passed, expect["kit"]["accept"])
                profile = report.producer_profile.result == PASSED
                self.assertEqual(profile, expect["producer_profile"].get("accept", False))
                self.assertEqual(report.strict_passed, expect["strict"]["accept"])
                self.assertEqual(report.is_current_shape, expect["current_shape"])
                if "ours" not in expect:
                    self.assertEqual(notes(report) & SHAPE_NOTES, set(reader["notes"]))
                    self.assertEqual(report.legacy, reader["legacy_shape"])
                    self.assertEqual(report.id_state, reader["id_state"])
                    self.assertEqual(report.id_verdict, reader["id_verdict"])
                    self.assertEqual(report.anchor.outcome, reader["anchor"]["outcome"])

    def test_a_large_string_is_a_receipt_like_others(self) -> None:
        data = content(outputs="é" * 40_000)
        self.assertTrue(check_receipt(receipt(data)).strict_passed)
        changed = receipt(
            data, canonical_bytes=base64.b64encode(data.replace("é".encode(), b"xy", 1)).decode()
        )
        self.assertEqual(failed(check_receipt(changed)), ["digest", "provenance class"])


class AReceiptOfToday(unittest.TestCase):
    """Decided by AER-1, sections 1 and 4."""

    def test_its_report_says_what_is_in_it(self) -> None:
        made = receipt()
        report = check_receipt({"receipt": made}, now=NOW)
        self.assertIs(report.receipt, made)
        self.assertEqual((report.committed, report.value), (form(CONTENT), CONTENT))
        self.assertEqual((report.provenance_class, report.claimed_status), (CLASS, "verified"))
        self.assertEqual((report.id_state, report.id_verdict), ("unverified", "unverified"))
        self.assertEqual((report.legacy, report.notes, failed(report)), (False, (), []))
        self.assertTrue(report.is_current_shape and report.strict_passed)
        self.assertEqual(report.producer_profile.result, PASSED)

    def test_what_was_not_there_to_be_checked_is_said(self) -> None:
        unchecked = {
            c.name: c.reason for c in check_receipt(receipt()).checks if c.result == NOT_CHECKED
        }
        self.assertEqual(
            unchecked,
            {
                "length": "no canonical_byte_length",
                "algorithm": "no hash_algorithm",
                "not in the future": "no time to compare with",
                "id binding": "neither an expected id nor a resolved record was given",
            },
        )

    def test_each_check_has_its_own_line_and_rules(self) -> None:
        checks = check_receipt(receipt()).strict
        self.assertEqual(len({check.name for check in checks}), len(checks))
        self.assertTrue(all(check.rules for check in checks))
        self.assertTrue(all(check.reason for check in checks if check.result != PASSED))

    def test_a_claim_decides_nothing(self) -> None:
        """REC-14: what the producer says of itself is shown, never believed."""
        for claim in ("verified", "failed", None, 5, ...):
            self.assertTrue(check_receipt(receipt(verification_status=claim)).passed)
            wrong = receipt(verification_status=claim, output_hash=hash_of(b""))
            self.assertFalse(check_receipt(wrong).passed)

    def test_a_wrong_digest_and_another_spelling_are_two_findings(self) -> None:
        data = form(CONTENT)
        spelled = receipt(data.replace(b":", b": ", 1))
        self.assertEqual(failed(check_receipt(spelled)), ["canonical form"])
        wrong = receipt(data, output_hash=hash_of(data + b" "))
        self.assertEqual(failed(check_receipt(wrong)), ["digest", "provenance class"])

    def test_the_stated_length_and_algorithm_must_fit(self) -> None:
        size = len(form(CONTENT))
        for length, fits in ((size, True), (float(size), True), (size + 1, False), (None, False),
                             (str(size), False), ([], False), (10**5000, False)):  # fmt: skip
            report = check_receipt(receipt(canonical_byte_length=length))
            self.assertEqual(report.passed, fits)
            self.assertEqual(report.strict_passed, fits and type(length) is int)
        for algorithm, fits in (("sha256", True), (None, True), ("SHA-256", False), ("", False)):
            self.assertEqual(check_receipt(receipt(hash_algorithm=algorithm)).passed, fits)


class Versions(unittest.TestCase):
    """Decided by AER-1, VER-1 to VER-6."""

    def verdict(self, outer: Any, inner: Any) -> tuple[bool, bool]:
        report = check_receipt(
            receipt(content(receipt_schema_version=inner), receipt_schema_version=outer)
        )
        return report.passed, report.legacy

    def test_the_committed_version_rules_and_must_agree_from_0_4_on(self) -> None:
        for outer, inner, wanted in (
            ("0.4", "0.4", (True, False)), ("0.3", "0.3", (True, True)),
            ("0.4", "0.3", (True, True)), ("0.3", "0.4", (False, False)),
            ("0.3", ..., (True, True)), ("0.2", ..., (True, True)), (..., "0.3", (True, True)),
            ("0.4", ..., (False, False)), (..., "0.4", (False, False)), (..., ..., (True, False)),
            ("0.5", "0.5", (True, False)), ("0.5", "0.4", (False, False)),
            (0.4, "0.4", (True, False)), (0.3, 0.3, (True, True)), ("True", True, (True, False)),
            (1, 1.0, (False, False)), ([1], [1], (True, False)), ("['0.4']", ["0.4"], (False, False)), ({}, [], (False, False)),
            (10**5000, "1", (False, False)), (None, None, (True, False)),
        ):  # fmt: skip
            with self.subTest(outer=str(outer)[:9] if type(outer) is not int else 0, inner=inner):
                self.assertEqual(self.verdict(outer, inner), wanted)

    def test_the_legacy_note_names_what_is_not_bound(self) -> None:
        report = check_receipt(legacy(b"[]"), now=NOW)
        (note,) = report.notes
        for name in ("id", "name", "version", "scope", "creation time", "provenance class"):
            self.assertIn(name, note)
        self.assertTrue(report.passed and report.core_passed)
        self.assertFalse(report.strict_passed or report.is_current_shape)

    def test_a_relabelled_receipt_passes_when_legacy_and_fails_today(self) -> None:
        other = "LOGGED BY AGENT"
        self.assertTrue(check_receipt(legacy(b"{}", provenance_class=other)).passed)
        report = check_receipt(receipt(provenance_class=other))
        self.assertEqual(failed(report), ["provenance class"])

    def test_the_class_must_stand_on_both_sides(self) -> None:
        for claims in (..., None, [], "x", {}, {"provenance_class": None}):
            report = check_receipt(receipt(content(issuer_claims=claims)))
            self.assertEqual(failed(report), ["provenance class"])
        for outer in (..., None, "", CLASS + "\n", [CLASS]):
            report = check_receipt(receipt(provenance_class=outer))
            self.assertEqual(failed(report), ["provenance class"])

    def test_an_unknown_version_is_noted_and_not_strict(self) -> None:
        report = check_receipt(
            receipt(content(receipt_schema_version="0.5"), receipt_schema_version="0.5"), now=NOW
        )
        self.assertEqual(notes(report), {"unknown_version"})
        self.assertTrue(report.passed)
        self.assertFalse(report.strict_passed)


class Times(unittest.TestCase):
    """Decided by AER-1, REC-8 and TIM-1 to TIM-8; we decided to ask no clock of the machine."""

    def test_a_time_is_late_only_beside_another(self) -> None:
        made = receipt(created_at="9999-12-31T23:59:59.5Z")
        self.assertTrue(check_receipt(made).passed)
        self.assertIn("future", notes(check_receipt(made)))
        for now, fits in (("9999-12-31T23:59:59.5Z", True), ("9999-12-31T23:59:59.49Z", False),
                          ("9999-12-31T23:59:59.5-00:01", True), (NOW, False)):  # fmt: skip
            report = check_receipt(made, now=now)
            self.assertEqual(report.passed, fits)
            self.assertNotIn("future", notes(report))

    def test_a_time_to_compare_with_that_is_none_is_the_callers_mistake(self) -> None:
        for now in ("", "now", "2026-11-30", NOW + "\n"):
            with self.assertRaises(UsageError):
                check_receipt(receipt(), now=now)

    def test_the_legacy_member_stands_in_when_there_is_no_other(self) -> None:
        good, bad = "2026-01-01T00:00:00Z", "2026-02-30T00:00:00Z"
        for created, stamp, fits, noted in (
            (..., good, True, "timestamp_field"), (..., bad, False, "timestamp_field"),
            (None, bad, True, "timestamp_field"), (..., ..., True, "no_time"),
            (good, bad, True, None), (bad, good, False, None),
        ):  # fmt: skip
            report = check_receipt(receipt(created_at=created, timestamp=stamp), now=NOW)
            self.assertEqual((report.passed, notes(report)), (fits, {noted} - {None}))

    def test_an_offset_no_clock_has_passes_and_is_not_strict(self) -> None:
        report = check_receipt(receipt(created_at="2026-01-01T00:00:00+00:99"))
        self.assertTrue(report.passed)
        self.assertFalse(report.strict_passed)
        for offset in ("+24:00", "-23:60", "+99:00"):
            late = receipt(created_at=f"2026-01-01T00:00:00{offset}")
            self.assertEqual(failed(check_receipt(late)), ["time"])


class Notes(unittest.TestCase):
    """Decided by us: what the default verdict lets pass is said."""

    def test_each_is_named(self) -> None:
        for members, name in (
            ({"tool": "search"}, "bare_tool"), ({"tool": ...}, "tool"), ({"tool": {}}, "tool"),
            ({"id": "17"}, "id"), ({"id": None}, "id"), ({"verification_status": "x"}, "status"),
            ({"metadata_hash": "sha256:0"}, "metadata_hash"),
        ):  # fmt: skip
            report = check_receipt(receipt(**members), now=NOW)
            self.assertEqual((report.passed, notes(report)), (True, {name}))
        data = content(outputs=float("nan"), issuer_claims={"provenance_class": "X"})
        report = check_receipt(receipt(data, provenance_class="X"), now=NOW)
        self.assertEqual((report.passed, notes(report)), (True, {"constants", "provenance_class"}))
        self.assertFalse(report.strict_passed)

    def test_a_hash_nobody_can_compute_is_not_checked(self) -> None:
        made = receipt(metadata_hash="sha256:1")
        for answer, result in (("sha256:1", PASSED), ("sha256:2", FAILED), (None, NOT_CHECKED)):
            report = check_receipt(made, now=NOW, metadata_hash=lambda _, answer=answer: answer)
            self.assertEqual(report.checks[-1][:3:2], ("metadata_hash", result))
            self.assertEqual((report.passed, report.notes), (result != FAILED, ()))
        report = check_receipt(receipt(), metadata_hash=lambda _: "sha256:1")
        self.assertEqual(failed(report), ["metadata_hash"])
        self.assertTrue(check_receipt(legacy(b"1"), metadata_hash=lambda _: "sha256:1").passed)


ODD: list[Any] = [
    None, True, 0, -1, 1.5, float("nan"), float("inf"), 10**5000, "", "\ud800", "x" * 1000, [], {},
    [[]], {"a": {}}, {"": ""}, "verified", "0.3", 0.3, ID, NOW,
]  # fmt: skip


class HostileDocuments(unittest.TestCase):
    """Decided by us: any JSON value has an answer, and no answer shows committed content."""

    def judged(self, document: Any, **given: Any) -> ReceiptReport:
        report = check_receipt(document, **given)
        self.assertIsInstance(report.passed, bool)
        self.assertIsInstance(report.is_current_shape, bool)
        shown = [check.reason for check in (*report.strict, report.producer_profile)]
        shown += [*report.notes, *report.anchor.failures]
        for line in shown:
            self.assertNotIn("sécret", line)
            self.assertNotIn("\n", line)
            self.assertLess(len(line), 300)
        return report

    def test_each_member_may_be_anything(self) -> None:
        anchor = {"log": "https://a.example", "leaf_hash": "", "anchored_at": "", "proof": {}}
        made = receipt(
            canonical_byte_length=1, hash_algorithm="sha256", timestamp=NOW, anchor=anchor
        )
        for name, value in itertools.product([*made, "metadata_hash", "receipt"], ODD):
            self.judged({**made, name: value}, now=NOW, expected_id=ID, resolved_record=value)
        for name, value in itertools.product(anchor, ODD):
            self.judged({**made, "anchor": {**anchor, name: value}})
        for name, value in itertools.product(CONTENT, ODD[:7] + ODD[8:9] + ODD[10:]):
            self.judged(receipt(content(**{name: value})))
        for value in ODD:
            self.assertFalse(self.judged(value).passed)

    def test_deep_values_are_answered(self) -> None:
        deep: Any = {}
        other: Any = {}
        for _ in range(50_000):
            deep, other = {"a": [deep]}, {"a": [other]}
        for name in (*receipt(), "timestamp", "anchor", "canonical_byte_length", "hash_algorithm"):
            self.judged(receipt(**{name: deep}), expected_id=ID, resolved_record={name: other})
        self.judged(deep)
        self.judged({"receipt": deep}, resolved_record=other)

    def test_every_pair_of_missing_members_is_answered(self) -> None:
        made = receipt()
        for names in itertools.combinations(made, 2):
            report = self.judged({name: made[name] for name in made if name not in names})
            needed = {"id", "canonical_bytes", "output_hash"}
            if needed & set(names):
                self.assertEqual(failed(report), ["members"])
            self.assertFalse(report.core_passed or report.strict_passed)

    def test_random_changes_are_answered(self) -> None:
        chance = random.Random(30)
        for _ in range(2000):
            data = bytearray(form(CONTENT))
            for _ in range(chance.randrange(3)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            made = receipt(bytes(data))
            for _ in range(chance.randrange(3)):
                made[chance.choice(list(made))] = chance.choice(ODD)
            record = chance.choice([NOT_SUPPLIED, made, *ODD])
            self.judged(made, now=chance.choice([None, NOW]), resolved_record=record)
