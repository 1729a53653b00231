"""toolreplay.evidence.bundle.opening"""

import io
import unittest

from tests.evidence.bundle import made
from toolreplay.evidence.bundle.opening import capture_fault, opening_of, other_class
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


class WhereItWasRecorded(unittest.TestCase):
    """Decided by us: a run is imported or recorded live, never both."""

    def committed(self, layer: str, claimed: str = "LOGGED BY AGENT") -> made.Value:
        return {"capture": {"layer": layer}, "issuer_claims": {"provenance_class": claimed}}

    def test_live_and_imported_do_not_mix(self) -> None:
        for layer, own, is_fault in (
            ("import", "import", False), ("mcp-wire", "hook", False), ("hook", "import", True),
            ("import", "hook", True),
        ):  # fmt: skip
            opened = {"capture": {"layer": layer}}
            self.assertEqual(bool(capture_fault(opened, self.committed(own))), is_fault)
        self.assertEqual(capture_fault({}, self.committed("hook")), "")

    def test_another_class(self) -> None:
        opened = {"capture": {"layer": "mcp-wire"}}
        self.assertEqual(other_class(opened, self.committed("hook")), "LOGGED BY AGENT")
        same = self.committed("mcp-wire", "OBSERVED VIA GATEWAY")
        self.assertEqual(other_class(opened, same), "")
        self.assertEqual(other_class({}, same), "")
