"""The receipts of a run in their order."""

import json
import unittest
from typing import Any

from tests.evidence.bundle import made
from toolreplay.evidence.bundle.order import ReceiptOrder
from toolreplay.evidence.bundle.receipts import ReadReceipt, read_receipt
from toolreplay.evidence.record import Fault


def read_receipts(calls: int = 4, **more: Any) -> list[ReadReceipt]:
    """Return the receipts of a run, the close receipt too."""
    maker = made.imported(calls, **more)
    payloads = [json.loads(entry.payload) for entry in maker.entries[1:]]
    return [read_receipt(payload, None) for payload in payloads]


class InOrder(unittest.TestCase):
    """Decided by us: seq from 1 without holes, each tied to the one before."""

    def setUp(self) -> None:
        self.order = ReceiptOrder(made.RUN)
        self.one, self.two, self.three, self.four, self.close = read_receipts()

    def take(self, *reads: ReadReceipt) -> list[tuple[str, object]]:
        return self.kinds([fault for read in reads for fault in self.order.take(read)])

    def kinds(self, faults: list[Fault]) -> list[tuple[str, object]]:
        return [(fault.kind, fault.subject) for fault in faults]

    def test_a_whole_run_ends_with_the_digest_that_the_maker_has(self) -> None:
        self.assertEqual(self.take(self.one, self.two, self.three, self.four, self.close), [])
        self.assertEqual(self.order.digest, made.imported(4).head.prev_digest)
        self.assertEqual((self.order.count_missing, list(self.order.missing())), (0, []))

    def test_what_follows_one_that_is_doubted_is_not_compared(self) -> None:
        other = read_receipts(seed="other")
        self.assertEqual(self.take(self.one), [])
        self.order.doubt()
        self.assertEqual(self.take(other[1]), [])
        self.assertEqual(self.take(self.three), [("broken-link", "prev_digest")])

    def test_one_is_missing(self) -> None:
        self.assertEqual(self.take(self.one, self.three, self.four, self.close), [])
        self.assertEqual(self.order.count_missing, 1)
        self.assertEqual(self.kinds(list(self.order.missing())), [("missing-receipt", 2)])

    def test_two_in_a_row_are_one_hole(self) -> None:
        self.take(self.one, self.four)
        (fault,) = self.order.missing()
        self.assertEqual(fault.detail, "seq 2 to 3 are not here, and later ones are")

    def test_places_exchanged(self) -> None:
        self.assertEqual(
            self.take(self.one, self.three, self.two, self.four), [("broken-link", "order")]
        )
        self.assertEqual(self.order.count_missing, 0)

    def test_twice(self) -> None:
        faults = self.take(self.one, self.two, self.two, self.three, self.one, self.four)
        self.assertEqual(faults, [("duplicate-receipt", "copy")] * 2)

    def test_of_another_run_it_takes_no_place(self) -> None:
        other = read_receipts(run="another", seed="other")[1]
        self.assertEqual(self.take(self.one, other, self.two), [("broken-link", "job_id")])
        self.assertEqual(self.order.count_missing, 0)

    def test_a_fork_may_be_followed_on_either_side(self) -> None:
        other = read_receipts(seed="other")
        self.assertEqual(self.take(self.one, self.two, other[1], self.three), [("broken-link", "fork")])  # fmt: skip
        self.order = ReceiptOrder(made.RUN)
        self.assertEqual(self.take(self.one, other[1]), [("broken-link", "prev_digest")])

    def test_behind_one_that_cannot_be_read_nothing_is_said_of_the_next(self) -> None:
        self.take(self.one)
        self.order.pass_over()
        self.assertIsNone(self.order.digest)
        self.assertEqual(self.take(self.three, self.four), [])
        self.assertEqual(self.order.count_missing, 0)

    def test_an_erased_entry_may_have_been_a_receipt_or_not(self) -> None:
        self.take(self.one)
        self.order.pass_over_erased()
        self.assertEqual(self.take(self.three), [])
        self.assertEqual((self.order.count_missing, list(self.order.missing())), (0, []))
        self.order = ReceiptOrder(made.RUN)
        self.take(self.one)
        self.order.pass_over_erased()
        self.assertEqual(self.take(self.two, self.four), [])
        self.assertEqual(self.order.count_missing, 0)

    def test_one_erased_entry_excuses_one_receipt(self) -> None:
        self.take(self.one)
        self.order.pass_over_erased()
        self.take(self.four)
        self.assertEqual(self.order.count_missing, 1)


if __name__ == "__main__":
    unittest.main()
