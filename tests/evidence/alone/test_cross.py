"""Steps against the receipts they name."""

import copy
import json
import unittest
from typing import Any

from tests.evidence.aer1.made import receipt
from tests.evidence.alone import own_run
from toolreplay.evidence.alone.cross import cross_checks
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED


def close_of(data: bytes) -> dict[str, Any]:
    lines = [json.loads(line) for line in data.splitlines()]
    workflow = next(line["workflow"] for line in lines if "workflow" in line)
    return {**workflow, "steps": [line["step"] for line in lines if "step" in line]}


class StepsAndReceipts(unittest.TestCase):
    """Decided by us: one to one, and member by member."""

    def setUp(self) -> None:
        self.close, self.receipts = close_of(own_run.bundle()), own_run.receipts()

    def results(self, close: Any = None, receipts: Any = None) -> dict[str, str]:
        checks = cross_checks(close or self.close, self.receipts if receipts is None else receipts)
        return {check.name: check.result for check in checks}

    def failing(self, close: Any = None, receipts: Any = None) -> list[str]:
        return [name for name, result in self.results(close, receipts).items() if result == FAILED]

    def test_a_run_of_ours_agrees(self) -> None:
        self.assertEqual(set(self.results().values()), {PASSED})

    def test_each_difference_has_its_check(self) -> None:
        for member, value, name in (
            ("receipt_hash", "0" * 64, "step digests"), ("output_hash", 5, "step digests"),
            ("tool", "other", "step tools"), ("started_at", "x", "step times"),
            ("receipt_id", "x", "one to one"), ("status", "timeout", "step members"),
            ("seq", 7, "step members"),
        ):  # fmt: skip
            changed = copy.deepcopy(self.close)
            changed["steps"][1][member] = value
            self.assertEqual(self.failing(changed), [name], member)

    def test_a_receipt_too_many_too_few_or_twice(self) -> None:
        self.assertEqual(self.failing(receipts=self.receipts[1:]), ["one to one", "links"])
        self.assertEqual(self.failing(receipts=[*self.receipts, receipt()]), ["one to one"])
        twice = [*self.receipts, self.receipts[0]]
        self.assertEqual(self.failing(receipts=twice), ["one to one", "links"])

    def test_receipts_that_changed_places(self) -> None:
        one, two, *rest = self.receipts
        self.assertEqual(self.failing(receipts=[two, one, *rest]), ["links"])

    def test_a_receipt_that_contradicts_itself(self) -> None:
        """No rule of AER-1 sees it: the bytes recompute, and say another time."""
        other = {**self.receipts[0], "created_at": "2001-01-01T00:00:00.000Z"}
        self.assertEqual(self.failing(receipts=[other, *self.receipts[1:]]), ["receipts hold"])

    def test_each_member_of_the_close_is_that_of_its_receipt(self) -> None:
        for member in ("output_hash", "receipt_id", "workflow_id", "session_id", "status", "count"):
            changed = {**self.close, member: self.close["steps"][0]["receipt_id"]}
            self.assertEqual(self.failing(changed), ["close receipt"], member)

    def test_a_receipt_that_fails(self) -> None:
        broken = [{**self.receipts[0], "output_hash": "sha256:" + "0" * 64}, *self.receipts[1:]]
        self.assertEqual(self.failing(receipts=broken), ["receipts hold"])
        self.assertIn("receipts hold", self.failing(receipts=[5]))

    def test_the_totals_of_the_close_receipt(self) -> None:
        self.assertEqual(self.failing({**self.close, "goal": "other"}), ["close receipt"])
        self.assertEqual(self.failing({**self.close, "merkle_root": "0" * 64}), ["close receipt"])

    def test_nothing_to_compare_with_is_not_checked(self) -> None:
        found = self.results(receipts=[])
        self.assertEqual(found["receipts hold"], NOT_CHECKED)
        self.assertEqual(found["close receipt"], NOT_CHECKED)
        self.assertEqual(found["one to one"], FAILED)

    def test_the_close_receipt_of_another_producer_is_no_step(self) -> None:
        made = receipt()
        close = {"receipt_id": made["id"], "steps": []}
        self.assertEqual(self.failing(close, [made]), [])

    def test_any_close(self) -> None:
        for close in (None, 5, {}, {"steps": 5}, {"steps": [5, {}]}, {"receipts": [{"id": []}]}):
            cross_checks(close, self.receipts)
