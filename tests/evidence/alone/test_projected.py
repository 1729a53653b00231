"""The timeline of a bundle."""

import io
import unittest

from tests.evidence.alone import own_run
from toolreplay.errors import InputError
from toolreplay.evidence.aer1.chain import check_chain
from toolreplay.evidence.alone.projected import timeline_of
from toolreplay.records.limits import DEFAULT


class Timeline(unittest.TestCase):
    """Decided by AER-1, section 8: what is derived is a chain."""

    def test_it_is_a_chain_that_holds(self) -> None:
        timeline = list(timeline_of(io.BytesIO(own_run.bundle()), DEFAULT))
        report = check_chain(timeline)
        self.assertTrue(report.valid, report.checks)
        self.assertEqual([entry["seq"] for entry in timeline], [1, 2, 3, 4])
        self.assertEqual(timeline[-1]["tool"], "toolreplay.close")

    def test_a_receipt_that_cannot_be_read_is_named(self) -> None:
        data = own_run.bundle().replace(b'"canonical_bytes":"', b'"canonical_bytes":"!', 1)
        with self.assertRaisesRegex(InputError, "^line 3: its receipt does not hold: base64"):
            list(timeline_of(io.BytesIO(data), DEFAULT))
