"""toolreplay.evidence.bundle.span"""

import unittest

from toolreplay.evidence.bundle.span import Span


class Times(unittest.TestCase):
    """Decided by us: from the first start to the last end, whatever the order of the calls."""

    def test_calls_may_overlap_and_come_in_any_order(self) -> None:
        span = Span()
        span.take(
            {"started_at": "2026-11-30T09:00:05.000Z", "ended_at": "2026-11-30T09:00:06.000Z"}
        )
        span.take(
            {"started_at": "2026-11-30T09:00:01.000Z", "ended_at": "2026-11-30T09:00:09.500Z"}
        )
        span.take({"started_at": "2026-11-30T09:00:02.000Z", "ended_at": None})
        self.assertEqual(span.seconds(), 8.5)
        self.assertEqual(span.untimed, 0)

    def test_a_call_without_times_is_counted(self) -> None:
        span = Span()
        span.take({})
        self.assertIsNone(span.seconds())
        self.assertEqual(span.untimed, 1)
