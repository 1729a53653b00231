"""The lines `contents` and `links`."""

import unittest
from typing import Any

from toolreplay.evidence.bundle.entry_lines import contents_check, links_check
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check

COUNTS: dict[str, Any] = {
    "failed": False, "receipts": 3, "unsound": 0, "sealed": 0, "erased": 0, "has_close": True,
}  # fmt: skip


class TheLines(unittest.TestCase):
    """Decided by us: receipts that hold are counted, and what was not opened apart."""

    def test_contents(self) -> None:
        for members, result, count in (
            ({}, PASSED, "3 of 3"),
            ({"sealed": 2}, PASSED, "3 of 3; 2 sealed pieces not opened"),
            ({"erased": 1}, PASSED, "3 of 3; 1 piece erased"),
            ({"failed": True, "unsound": 1}, FAILED, "2 of 3"),
            ({"failed": True}, FAILED, None),
            ({"receipts": 0}, PASSED, "no call; the close receipt"),
            ({"receipts": 0, "failed": True}, FAILED, None),
        ):
            with self.subTest(members):
                self.assertEqual(contents_check(**{**COUNTS, **members})[:3], ("contents", result, count))  # fmt: skip
        nothing = contents_check(**{**COUNTS, "receipts": 0, "has_close": False})
        self.assertEqual((nothing.result, nothing.reason), (NOT_CHECKED, "there is no receipt"))

    def test_links(self) -> None:
        self.assertEqual(
            links_check(failed=False, unsound=0, has_erased=False), Check("links", PASSED)
        )
        self.assertEqual(
            links_check(failed=True, unsound=1, has_erased=True), Check("links", FAILED)
        )
        for unsound, reason in ((1, "a receipt does not hold"), (0, "entries were erased")):
            check = links_check(failed=False, unsound=unsound, has_erased=True)
            self.assertEqual((check.result, (check.reason or "").partition(",")[0]), (NOT_CHECKED, reason))  # fmt: skip


if __name__ == "__main__":
    unittest.main()
