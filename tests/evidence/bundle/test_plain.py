"""Entries that are no receipts, each by itself."""

import json
import unittest

from tests.evidence.bundle import made
from toolreplay.evidence.bundle.plain import plain_fault, unknown_of_plain
from toolreplay.evidence.profile.entry import kind_by_profile


class Plain(unittest.TestCase):
    """Decided by us: the profile says what a payload may be, and the run whose it is."""

    def setUp(self) -> None:
        self.payloads = {}
        for entry in made.on_the_wire().erase(["ab" * 32]).entries:
            payload = json.loads(entry.payload)
            kind = kind_by_profile(payload)
            if kind != "receipt":
                self.payloads[kind] = payload

    def told(self, kind: str | None, number: int, now: str | None = None, **members: object) -> str:
        payload = {**self.payloads[kind or "gap"], **members}
        fault = plain_fault(kind, number, payload, made.RUN, now)
        return "" if fault is None else fault.detail

    def test_each_kind_as_it_is(self) -> None:
        self.assertEqual(self.payloads.keys(), {"open", "start", "gap", "observe", "erase"})
        for kind in self.payloads:
            self.assertEqual(self.told(kind, 0 if kind == "open" else 3), "")

    def test_what_is_wrong_with_one(self) -> None:
        self.assertEqual(self.told(None, 3), "entry 3 is of an unknown profile")
        self.assertIn("entry 3 (gap): reason", self.told("gap", 3, reason=1))
        self.assertIn("opened once", self.told("open", 3))
        self.assertIn("of another run", self.told("start", 3, run="other"))
        late = self.told("gap", 3, "2026-11-30T09:00:00Z")
        self.assertEqual(late, "entry 3 (gap): since is later than the time it was held against")

    def test_members_of_a_later_version(self) -> None:
        self.assertEqual(unknown_of_plain("gap", {**self.payloads["gap"], "later": 1}), ["later"])


if __name__ == "__main__":
    unittest.main()
