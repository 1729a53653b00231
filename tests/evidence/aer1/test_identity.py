"""toolreplay.evidence.aer1.identity"""

import itertools
import unittest
from typing import Any

from tests.evidence.aer1.made import ID, NOW, cases, receipt
from toolreplay.evidence.aer1.identity import (
    NIL_ID,
    NOT_SUPPLIED,
    id_binding,
    is_same,
    unwrapped,
)
from toolreplay.evidence.aer1.receipt import check_receipt
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED


def bound(made: dict[str, Any], *args: Any) -> tuple[str, str, str]:
    found = id_binding(made, *args)
    return found.id_state, found.id_verdict, found.check.result


class TheCases(unittest.TestCase):
    """Decided by AER-1: aer1/vectors, id_binding."""

    def test_each_case_has_its_state_verdict_and_receipt_verdict(self) -> None:
        found = cases("id_binding")
        self.assertGreaterEqual(len(found), 19)
        for case in found:
            expect = case["expect"]["aer1_verify"]
            with self.subTest(case["id"], title=case["title"]):
                self.assertEqual(case["source"], "generated")
                report = check_receipt(
                    case["doc"],
                    now=NOW,
                    expected_id=case.get("expected_id"),
                    resolved_record=case.get("resolved_record", NOT_SUPPLIED),
                )
                self.assertEqual(
                    (report.id_state, report.id_verdict, "PASS" if report.passed else "FAIL"),
                    (expect["id_state"], expect["id_verdict"], expect["verdict"]),
                )


class Binding(unittest.TestCase):
    """Decided by AER-1, IDB-1 to IDB-9."""

    def test_nothing_given_is_not_checked_and_no_failure(self) -> None:
        self.assertEqual(bound(receipt()), ("unverified", "unverified", NOT_CHECKED))
        self.assertEqual(bound(receipt(id=None)), ("unverified", "absent", NOT_CHECKED))

    def test_one_mismatch_is_not_healed_by_the_other(self) -> None:
        made = receipt()
        good = {"id": ID, "output_hash": made["output_hash"]}
        ids = {ID: True, ID.upper(): False, "": False}
        records: list[tuple[Any, bool]] = [
            (good, True), ({"receipt": good}, True), ({**good, "id": None}, True),
            ({**good, "id": "x"}, False), ({**good, "output_hash": "x"}, False), ({}, False),
            ([good], False), ("x", False), (None, False),
        ]  # fmt: skip
        for (wanted, id_fits), (record, record_fits) in itertools.product(ids.items(), records):
            with self.subTest(wanted=wanted, record=record):
                fits = ("verified-resolved", "resolved", PASSED)
                fails = ("mismatch", "mismatched", FAILED)
                both = id_fits and record_fits
                self.assertEqual(bound(made, wanted, record), fits if both else fails)
                self.assertEqual(bound(made, None, record), fits if record_fits else fails)

    def test_the_nil_id_can_be_bound_to_nothing(self) -> None:
        made = receipt(id=NIL_ID)
        self.assertEqual(bound(made, NIL_ID), ("mismatch", "mismatched", FAILED))
        record = {"output_hash": made["output_hash"]}
        self.assertEqual(bound(made, None, record), ("mismatch", "mismatched", FAILED))

    def test_a_receipt_that_lacks_a_member_is_held_against_nothing(self) -> None:
        for name in ("canonical_bytes", "output_hash"):
            made = receipt(**{name: ...})
            self.assertEqual(bound(made, "x"), ("unverified", "unverified", NOT_CHECKED))
        self.assertEqual(bound(receipt(id=...), "x"), ("unverified", "absent", NOT_CHECKED))

    def test_no_value_is_too_odd(self) -> None:
        deep: Any = []
        for _ in range(100_000):
            deep = [deep]
        other: Any = []
        for _ in range(100_000):
            other = [other]
        self.assertFalse(is_same(deep, other))
        self.assertEqual(bound(receipt(id=deep), ID)[2], FAILED)
        record = {"output_hash": other}
        self.assertEqual(bound(receipt(output_hash=deep), None, record)[2], FAILED)


class Unwrapping(unittest.TestCase):
    """Decided by AER-1, REC-1."""

    def test_one_envelope_is_taken_off(self) -> None:
        self.assertEqual(unwrapped({"receipt": {"receipt": {}}}), {"receipt": {}})
        for document in ({"receipt": []}, {"receipt": None, "id": 1}, [], None, "x"):
            self.assertEqual(unwrapped(document), document)
