"""toolreplay.evidence.aer1.times"""

import unittest
from datetime import UTC, datetime, timedelta

from toolreplay.evidence.aer1.times import moment_of, text_of_seconds

_FIRST = datetime(1, 1, 1, tzinfo=UTC)


class SecondsSince1970(unittest.TestCase):
    """Decided by the calendar; by us what is said of a number that no date has."""

    def test_as_text(self) -> None:
        for seconds in (0, 59, 86_399, 86_400, 951_827_696, 1_796_029_200, 253_402_300_799):
            at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
            self.assertEqual(text_of_seconds(seconds), at.strftime("%Y-%m-%dT%H:%M:%SZ"))
        for seconds in (253_402_300_800, 2**63 - 1):
            self.assertEqual(text_of_seconds(seconds), f"{seconds} seconds after 1970 began")


class MomentOf(unittest.TestCase):
    def test_a_moment_is_that_of_the_calendar(self) -> None:
        for text in (
            "2000-02-29T23:59:59Z", "1900-03-01T00:00:00Z", "2026-11-30T09:00:00+05:30",
            "2026-01-01T00:00:00-23:59", "0001-01-02T00:00:00Z", "9999-12-31T23:59:59Z",
        ):  # fmt: skip
            found = moment_of(text)
            assert found is not None
            wanted = (datetime.fromisoformat(text) - _FIRST) // timedelta(seconds=1)
            self.assertEqual(found.seconds, wanted, text)

    def test_fractions_of_any_length_compare(self) -> None:
        texts = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.09Z", "2026-01-01T00:00:00.1Z",
                 "2026-01-01T00:00:00.12345678901234567890Z", "2026-01-01T00:00:01.0Z"]  # fmt: skip
        moments = [moment_of(text) for text in texts]
        self.assertEqual(moments, sorted(moments, key=lambda item: item or (0, "", True)))
        self.assertEqual(moment_of("2026-01-01T00:00:00.100Z"), moment_of("2026-01-01T00:00:00.1Z"))

    def test_what_is_no_time_is_none(self) -> None:
        for text in (
            None, 5, "", "2026-02-30T00:00:00Z", "2026-04-31T00:00:00Z", "2100-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
            "0000-01-01T00:00:00Z", "2026-01-01t00:00:00Z", "2026-01-01T00:00:00z",
            "2026-01-01 00:00:00Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00Z\n",
            "2026-01-01T00:00:00.Z", "\uff12026-01-01T00:00:00Z", "2026-01-01T00:00:00+0000",
        ):  # fmt: skip
            self.assertIsNone(moment_of(text), repr(text))

    def test_an_offset_no_clock_has_is_marked(self) -> None:
        odd, usual = moment_of("2026-01-01T00:00:00+00:99"), moment_of("2026-01-01T00:00:00-00:00")
        assert odd is not None
        assert usual is not None
        self.assertFalse(odd.has_real_offset)
        for offset in ("+24:00", "-23:60", "+99:99"):
            self.assertIsNone(moment_of(f"2026-01-01T00:00:00{offset}"), offset)
        self.assertTrue(usual.has_real_offset)
