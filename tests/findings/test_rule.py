"""What a rule says when nothing else is said."""

import unittest

from toolreplay.findings.rule import Rule


class ARule(unittest.TestCase):
    """Decided by us; what each audit's rules must hold is in tests/contracts/test_audits.py."""

    def test_it_begins_at_version_1_and_absorbs_nothing(self) -> None:
        rule = Rule("odd-call", "replay", "note", "a call is odd")
        self.assertEqual((rule.version, rule.absorbs), (1, ()))

    def test_it_cannot_be_changed(self) -> None:
        with self.assertRaises(AttributeError):
            Rule("odd-call", "replay", "note", "a call is odd").level = "error"  # type: ignore[misc]
