"""What is said of a record beside findings and checks."""

import unittest

from toolreplay.evidence.bundle.remarks import Remarks, kept_elsewhere


class Said(unittest.TestCase):
    """Decided by us: in one order, and bounded."""

    def test_the_lines_in_their_order(self) -> None:
        remarks = Remarks()
        remarks.note_gap({"reason": "down", "count": None})
        remarks.note_gap({"reason": "lost", "count": 1200})
        remarks.note_class("LOGGED BY AGENT")
        remarks.note_class("")
        remarks.note_unknown(["later", "x" * 300, "later"])
        self.assertEqual(
            list(remarks.lines(has_untimed=True)),
            [
                "provenance classes differ: 1 receipt of LOGGED BY AGENT",
                "times: of the import, not of the calls",
                "unknown member: later", f"unknown member: {'x' * 100}",
                "gap: down", "gap: lost (1,200)",
            ],
        )  # fmt: skip
        self.assertEqual(remarks.gaps, 2)
        self.assertEqual(list(Remarks().lines(has_untimed=False)), [])

    def test_twenty_of_a_sort_are_named(self) -> None:
        remarks = Remarks()
        for number in range(50):
            remarks.note_gap({"reason": str(number), "count": None})
            remarks.note_unknown([str(number)])
        self.assertEqual((len(list(remarks.lines(has_untimed=False))), remarks.gaps), (40, 50))

    def test_what_nothing_inside_can_exclude(self) -> None:
        self.assertIn("--commitment FILE, --root HEX", kept_elsewhere(has_roots=False))
        self.assertIn("covers the calls alone", kept_elsewhere(has_roots=True))


if __name__ == "__main__":
    unittest.main()
