"""toolreplay.evidence.bundle.opening"""

import io
import unittest

from tests.evidence.bundle import made
from toolreplay.evidence.bundle.opening import opening_of
from toolreplay.evidence.bundle.reading import bundle_lines
from toolreplay.records.limits import DEFAULT


class TheFirstEntry(unittest.TestCase):
    """Decided by us: only an opening without faults says who the agent was."""

    def opening(self, values: list[made.Value]) -> made.Value:
        lines = list(bundle_lines(io.BytesIO(made.joined(values)), DEFAULT))
        return opening_of(lines[1:2])

    def test_what_it_says(self) -> None:
        values = made.apart(made.imported(1).bundle())
        self.assertEqual(self.opening(values)["run"], made.RUN)

    def test_another_entry_a_faulty_one_and_none_say_nothing(self) -> None:
        values = made.apart(made.imported(1).bundle())
        opening = made.of_kind(values, "open")[0]
        self.assertEqual(self.opening([value for value in values if value is not opening]), {})
        del opening["payload"]["agent"]
        self.assertEqual(self.opening(values), {})
        self.assertEqual(opening_of([]), {})
