"""What the members of a line may be; whole lines are tested where they are read."""

import unittest

from toolreplay.evidence.bundle.line_members import (
    decoded,
    is_origin,
    logged_of,
    refuse_unreadable,
)
from toolreplay.records.jsonl import LineError


class Members(unittest.TestCase):
    """Decided by us."""

    def test_an_origin_is_printable_text_that_can_name_a_key(self) -> None:
        for origin in ("o", "log.example/a-b_c", "é", "x" * 255):
            self.assertTrue(is_origin(origin), origin)
        for origin in ("", " ", "a b", "a+b", "a\n", "\u200b", "é" * 128, None, 1, "\ud800"):
            self.assertFalse(is_origin(origin), origin)

    def test_bytes_up_to_a_limit(self) -> None:
        self.assertEqual(decoded("eA==", 1, "b64"), b"x")
        for text, what in (("eHg=", "has more than 1 bytes"), ("eB==", "unused bits"), (None, "is not a string")):  # fmt: skip
            with self.assertRaisesRegex(LineError, f"b64 .*{what}"):
                decoded(text, 1, "b64")

    def test_an_entry_without_a_leaf_stands_in_no_log(self) -> None:
        self.assertIsNone(logged_of({"leaf_b64": None}))
        logged = logged_of({"leaf_b64": "eA==", "index": 3, "path": ["ab" * 32]})
        assert logged is not None
        self.assertEqual((logged.leaf, logged.index, logged.path), (b"x", 3, [b"\xab" * 32]))

    def test_lines_of_a_log_where_there_is_none(self) -> None:
        for kind in ("consistency", "checkpoint", "head"):
            with self.assertRaisesRegex(LineError, "needs a log"):
                refuse_unreadable(kind, {}, size=None)


if __name__ == "__main__":
    unittest.main()
