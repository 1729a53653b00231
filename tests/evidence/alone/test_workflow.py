"""Workflow closes, and a receipt in the same document."""

import unittest
from typing import Any

from tests.evidence.aer1.documents import cases
from tests.evidence.aer1.made import CLASS, receipt
from toolreplay.evidence.alone.delivered import Delivered
from toolreplay.evidence.alone.workflow import CloseChecker, receipt_beside
from toolreplay.evidence.record import Asked, Fault
from toolreplay.findings.check import FAILED, PASSED
from toolreplay.records.call import Place

CLOSE = next(case["doc"] for case in cases("workflows") if case["id"] == "d-workflows-001")


class Judged:
    """A close, read to its end."""

    def __init__(self, document: Any, twice: str | None = None, **asked: Any) -> None:
        self.checker = CloseChecker(Delivered(document, twice, Place(1, 0, 1)))
        self.checker.begin(Asked(**asked))
        self.calls = list(self.checker.calls())
        self.faults: list[Fault] = self.checker.take()
        self.checks = {check.line: check for check in self.checker.checks()}
        self.notes = list(self.checker.notes())

    @property
    def kinds(self) -> list[str]:
        return [fault.kind for fault in self.faults]


class Closes(unittest.TestCase):
    """Decided by AER-1, WF-1 to WF-11."""

    def test_one_that_holds(self) -> None:
        judged = Judged(CLOSE)
        self.assertEqual(judged.faults, [])
        self.assertEqual(judged.checks["ending"].result, PASSED)
        self.assertIn("root of 3 steps", judged.checks["ending"].count or "")
        self.assertEqual([call.outcome for call in judged.calls], ["missing"] * 3)
        self.assertEqual(judged.checker.name, CLOSE["workflow_id"])
        self.assertIn("root rule: seq-output-v1", judged.notes)

    def test_each_case_has_its_verdict(self) -> None:
        for case in cases("workflows"):
            expect = case["expect"]
            verdict = expect.get("ours", expect["aer1_verify"])["verdict"]
            given = {"expected_id": case["expected_id"]} if "expected_id" in case else {}
            with self.subTest(case["id"]):
                self.assertEqual(not Judged(case["doc"], **given).faults, verdict == "PASS")

    def test_a_wrong_root_and_a_root_given(self) -> None:
        judged = Judged({**CLOSE, "merkle_root": "0" * 64})
        self.assertEqual(judged.kinds, ["root-mismatch"])
        self.assertEqual(judged.checks["ending"].result, FAILED)
        good = CLOSE["merkle_root"]
        self.assertEqual(Judged(CLOSE, roots=(good,)).checks["ending"].count, "closed, and as the root given says")  # fmt: skip
        self.assertEqual(Judged(CLOSE, roots=("1" * 64,)).kinds, ["root-mismatch"])

    def test_an_id_twice_another_count_another_workflow_and_a_member_twice(self) -> None:
        steps = [CLOSE["steps"][0], CLOSE["steps"][1], {**CLOSE["steps"][2], "receipt_id": CLOSE["steps"][0]["receipt_id"]}]  # fmt: skip
        self.assertEqual(Judged({**CLOSE, "steps": steps}).kinds, ["duplicate-receipt"])
        self.assertEqual(Judged({**CLOSE, "count": 2}).kinds, ["workflow-mismatch"])
        self.assertEqual(Judged(CLOSE, expected_id="x").kinds, ["workflow-mismatch"])
        self.assertEqual(Judged(CLOSE, "goal").kinds, ["workflow-mismatch"])

    def test_strict_fails_what_is_noted(self) -> None:
        self.assertTrue(Judged(CLOSE, level="strict").faults)  # its tables are not complete

    def test_what_is_unbound_is_shown(self) -> None:
        found = dict(Judged({**CLOSE, "goal": "g"}).checker.unbound())
        self.assertEqual(found, {"goal": "g", "members of its steps": ["receipt_id"]})


class BothAtOnce(unittest.TestCase):
    """Decided by us (CLI-4): a tiny close does not hide a receipt that fails."""

    def test_both_are_checked(self) -> None:
        judged = Judged({**receipt(), **CLOSE})
        self.assertEqual(judged.faults, [])
        self.assertEqual(judged.checks["contents"].result, PASSED)
        self.assertEqual(judged.checker.provenance, CLASS)
        self.assertEqual(Judged(CLOSE).checker.provenance, "no provenance class")
        wrong = Judged({**receipt(output_hash="sha256:" + "0" * 64), **CLOSE})
        self.assertEqual(wrong.kinds, ["broken-commitment"])
        self.assertEqual(wrong.checks["contents"].result, FAILED)

    def test_where_it_stands(self) -> None:
        made = receipt()
        self.assertIs(receipt_beside({"receipt": made, "merkle_root": 1}), made)
        for document in (CLOSE, None, [], {"receipt": 1}):
            self.assertIsNone(receipt_beside(document))
