"""Times as hosts write them, and as we do."""

import time
import unittest

from toolreplay.records.times import seconds_between, utc_of


class InUtc(unittest.TestCase):
    def test_every_day_is_that_of_the_calendar(self) -> None:
        """Decided by RFC 3339 and the Gregorian calendar, which the C library has too."""
        moments = [day * 86_400 + day * 7919 % 86_400 for day in range(-200_000, 400_000, 977)]
        moments += [951_782_399, 951_782_400, 951_868_799, 4_107_542_399, 0, -1, 253_402_300_799]
        for seconds in moments:
            wanted = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
            self.assertEqual(utc_of(seconds * 10**6 + 987_654), f"{wanted}.987Z")

    def test_what_no_clock_says_has_a_spelling_too(self) -> None:
        """Decided by us: a leaf that somebody made up may say anything."""
        self.assertEqual(utc_of(2**63 - 1), "294247-01-10T04:00:54.775Z")


class SecondsBetween(unittest.TestCase):
    def test_two_times_with_offsets(self) -> None:
        """Decided by RFC 3339: Z and offsets name the same line of time."""
        table = (
            ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01.5Z", 1.5),
            ("2026-01-01T00:00:00.000Z", "2026-01-01T01:00:00+01:00", 0.0),
            ("2026-01-01T00:00:00+05:45", "2026-01-01T00:00:00Z", 20700.0),
            ("2025-12-31T23:59:59.999Z", "2026-01-01T00:00:00.001Z", 0.002),
        )
        for start, end, seconds in table:
            self.assertAlmostEqual(seconds_between(start, end) or 0.0, seconds)
            self.assertIsNotNone(seconds_between(start, end))

    def test_what_runs_backwards_is_not_known(self) -> None:
        """Decided by us: timestamps of real sessions do, and a negative silence means nothing."""
        self.assertIsNone(seconds_between("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z"))

    def test_what_is_missing_or_unreadable_is_not_known(self) -> None:
        """Decided by us: no time is made up."""
        good = "2026-01-01T00:00:00Z"
        for bad in (
            None,
            "",
            "yesterday",
            "1767225600",
            "2026-13-01T00:00:00Z",
            "2026-01-01T25:00:00Z",
            good + "x",
        ):
            with self.subTest(bad):
                self.assertIsNone(seconds_between(good, bad))
                self.assertIsNone(seconds_between(bad, good))
        self.assertIsNone(seconds_between(good, 5))  # type: ignore[arg-type]

    def test_a_time_with_and_one_without_offset_cannot_be_compared(self) -> None:
        """Decided by us: the machine's own zone must not decide."""
        self.assertIsNone(seconds_between("2026-01-01T00:00:00", "2026-01-01T00:00:01Z"))
        self.assertEqual(seconds_between("2026-01-01T00:00:00", "2026-01-01T00:00:01"), 1.0)
