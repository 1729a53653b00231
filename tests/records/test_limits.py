"""The limits on what is read."""

import inspect
import unittest

from toolreplay.records import limits
from toolreplay.records.limits import DEFAULT, INTEGER_DIGITS, Limits


class TheLimits(unittest.TestCase):
    def test_the_defaults_are_the_documented_figures(self) -> None:
        """Decided by us: docs/formats/transcript.md lists them, so a change here is a change there."""
        self.assertEqual(DEFAULT, Limits(16 * 1024 * 1024, 1_000_000, 200, 1024**3))
        self.assertEqual(
            DEFAULT._asdict(),
            {
                "line_bytes": 16_777_216,
                "line_values": 1_000_000,
                "depth": 200,
                "expanded_bytes": 1_073_741_824,
            },
        )

    def test_integers_have_as_many_digits_as_the_interpreter_takes_by_default(self) -> None:
        """Decided by CPython (CVE-2020-10735); ours is the same figure, counted by us."""
        import sys

        self.assertEqual(INTEGER_DIGITS, sys.int_info.default_max_str_digits)

    def test_each_limit_says_its_unit_and_reason(self) -> None:
        """Decided by us: a number without a reason can be neither raised nor lowered with sense."""
        source = inspect.getsource(limits.Limits)
        for field in Limits._fields:
            after = source.partition(f"    {field}: int = ")[2]
            self.assertTrue(after.partition("\n")[2].lstrip().startswith('"""'), field)

    def test_one_limit_can_be_raised_alone(self) -> None:
        """Decided by us: one flag raises one limit."""
        self.assertEqual(DEFAULT._replace(depth=300), Limits(depth=300))
