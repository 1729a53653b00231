"""toolreplay.evidence.aer1.anchor"""

import base64
import unittest
from typing import Any

from tests.evidence.aer1.made import NOW, cases, hash_of, receipt
from toolreplay.evidence.aer1.anchor import (
    ABSENT,
    NOT_EVALUATED,
    UNRESOLVABLE,
    VERIFICATION_FAILED,
    VERIFIED,
    anchor_report,
)
from toolreplay.evidence.aer1.receipt import check_receipt


def anchored(**members: Any) -> dict[str, Any]:
    made = receipt()
    anchor = {
        "log": "https://log.example/a",
        "leaf_hash": made["output_hash"],
        "anchored_at": "2026-09-22T06:19:59.981Z",
        "proof": {},
        **members,
    }
    made["anchor"] = {name: value for name, value in anchor.items() if value is not ...}
    return made


def outcome(**members: Any) -> str:
    return anchor_report(anchored(**members)).outcome


class TheCases(unittest.TestCase):
    """Decided by AER-1: aer1/vectors, anchors."""

    def test_each_case_has_its_outcome_and_leaves_the_verdict(self) -> None:
        found = cases("anchors")
        self.assertGreaterEqual(len(found), 22)
        for case in found:
            expect = case["expect"]["anchor"]
            with self.subTest(case["id"], title=case["title"]):
                self.assertEqual(case["source"], "generated")
                report = check_receipt(case["doc"], now=NOW, with_anchor=case["evaluate"])
                self.assertEqual(
                    report.anchor[:3], (expect["present"], expect["evaluated"], expect["outcome"])
                )
                self.assertEqual(len(report.anchor.failures), len(expect.get("failures", [])))
                self.assertEqual("PASS" if report.passed else "FAIL", case["expect"]["verdict"])


class TheReport(unittest.TestCase):
    """Decided by AER-1, ANC-1 to ANC-9."""

    def test_each_member_that_is_wrong_fails_it(self) -> None:
        self.assertEqual(outcome(), VERIFIED)
        for name in ("log", "leaf_hash", "anchored_at", "proof"):
            for value in (..., None, "", 7, [], "x" if name != "log" else {}):
                with self.subTest(name=name, value=value):
                    self.assertEqual(outcome(**{name: value}), VERIFICATION_FAILED)
        self.assertEqual(outcome(more=1), VERIFICATION_FAILED)

    def test_a_time_is_one_of_the_calendar(self) -> None:
        self.assertEqual(outcome(anchored_at="2026-02-30T00:00:00Z"), VERIFICATION_FAILED)
        self.assertEqual(outcome(anchored_at="2026-02-28T00:00:00+05:30"), VERIFIED)

    def test_the_id_must_be_of_version_4(self) -> None:
        for own in ("8967b825-90e9-105d-a102-27b8a3cde74a", None, 4, "x"):
            self.assertEqual(anchor_report({**anchored(), "id": own}).outcome, VERIFICATION_FAILED)

    def test_only_a_host_under_invalid_is_unresolvable(self) -> None:
        for log in ("https://a.invalid", "x://u@A.INVALID:1/y", "a+b://x.invalid?q"):
            self.assertEqual(outcome(log=log, leaf_hash="x"), UNRESOLVABLE)
        for log in ("a.invalid", "://a.invalid", "https://invalid/", "https://a.invalid.example/"):
            self.assertEqual(outcome(log=log), VERIFIED)

    def test_what_is_not_evaluated_is_not_checked(self) -> None:
        found = anchor_report(anchored(log="https://a.invalid"), evaluate=False)
        self.assertEqual(found[:3], (True, False, NOT_EVALUATED))

    def test_a_record_of_another_kind_is_no_anchor(self) -> None:
        for anchor in (None, [], "x", {}, {"event_id": "ab", "relays": []}):
            self.assertEqual(anchor_report(receipt(anchor=anchor)).outcome, ABSENT)
        for document in (None, [], "x", 5):
            self.assertEqual(anchor_report(document).outcome, ABSENT)

    def test_the_leaf_is_that_of_the_bytes_however_they_are_spelled(self) -> None:
        made = anchored(leaf_hash=hash_of(b"1"))
        self.assertEqual(anchor_report({**made, "canonical_bytes": "MR=="}).outcome, VERIFIED)
        text = base64.b64encode(b"\xff").decode()
        made = {**anchored(leaf_hash=hash_of(b"\xff")), "canonical_bytes": text}
        self.assertEqual(anchor_report(made).outcome, VERIFICATION_FAILED)
