"""The lines about signer, time and log."""

import unittest

from toolreplay.evidence.bundle.unsigned import unsigned_checks
from toolreplay.evidence.record import Asked
from toolreplay.findings.check import NOT_CHECKED


class Unsigned(unittest.TestCase):
    """Decided by us: what nobody signed is not checked, and a key that was given is named."""

    def test_each_is_not_checked(self) -> None:
        checks = list(unsigned_checks(Asked(signature=("--key",)), "in no log"))
        self.assertEqual([check.line for check in checks], ["signer", "time", "log"])
        self.assertEqual({check.result for check in checks}, {NOT_CHECKED})
        self.assertIn("--key was given", checks[0].reason or "")
        self.assertEqual(checks[2].reason, "in no log")
        self.assertEqual(next(unsigned_checks(Asked(), "")).reason, "nothing here is signed")
