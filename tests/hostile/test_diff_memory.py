"""diff of much: memory stays what it is."""

import tracemalloc
import unittest

from tests.cli import test_diff


class Much(test_diff.Compared):
    """Decided by us: what is kept of a call is some hundred bytes, however large it is."""

    def many(self, count: int) -> tuple[str, str]:
        made: list[list[test_diff.Call]] = [
            [(side, {"n": index, "text": "x" * 50}, {}) for index in range(count)] for side in "ab"
        ]
        return self.put("a.jsonl", made[0]), self.put("b.jsonl", made[1])

    def test_memory_does_not_grow_with_what_was_recorded(self) -> None:
        def peak(size: int) -> int:
            calls: list[test_diff.Call] = [("t", {"n": n, "x": "y" * size}, {"z": "y" * size}) for n in range(300)]  # fmt: skip
            pair = self.put("a.jsonl", calls), self.put("b.jsonl", calls[::2])
            tracemalloc.start()
            try:
                self.assertEqual(self.diff(*pair, "--format", "markdown").status, 1)
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

        peak(10)  # what is loaded when first needed
        self.assertLess(peak(20_000), peak(10) + 2_000_000)

    def test_a_call_costs_some_hundred_bytes(self) -> None:
        def peak(count: int) -> int:
            pair = self.many(count)
            tracemalloc.start()
            try:
                self.diff(*pair)
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

        peak(10)  # what is loaded when first needed
        self.assertLess(peak(2500) - peak(500), 2 * 2000 * 150)


if __name__ == "__main__":
    unittest.main()
