"""Findings in their order, few or more than fit into memory."""

import errno
import io
import random
import tracemalloc
import unittest
from unittest import mock

from toolreplay.errors import OutputError
from toolreplay.findings import spool as spool_module
from toolreplay.findings.finding import Finding, Origin, StateChanges, Where, in_order
from toolreplay.findings.spool import FindingSpool, LineSpool
from toolreplay.records.call import Place


def finding(index: int) -> Finding:
    kind = ("loop", "non-determinism", "redundant-call")[index % 3]
    return Finding(
        index // 2,
        kind,
        f"detail {index} \ud800 \x1b",
        state_changes=StateChanges(index, (0, index)) if index % 2 else None,
        origin=Origin(bytes(32), index, Place(index, 0, 9), "t"),
        where=Where("f.jsonl", index, (0, 9), "0" * 64),
    )


class ASpool(unittest.TestCase):
    """Decided by us: an audit's memory is digests."""

    def setUp(self) -> None:
        self.enterContext(mock.patch.object(spool_module, "_CHUNK", 256))

    def test_gives_back_what_it_took_in_order(self) -> None:
        for count in (0, 1, 100, 256, 257, 258, 900):
            taken = [finding(index) for index in range(count)]
            random.Random(count).shuffle(taken)
            spool = FindingSpool()
            for item in taken:
                spool.add(item)
            self.assertEqual(len(spool), count)
            self.assertEqual(list(spool), in_order(taken))
            self.assertEqual(list(spool.in_order()), in_order(taken))
            self.assertEqual(spool.kinds, {item.kind for item in taken})

    def test_equal_places_stay_in_the_order_they_came(self) -> None:
        spool = FindingSpool()
        for number in range(1_000):
            spool.add(Finding(None, "odd", str(number)))
        self.assertEqual([item.detail for item in spool], [str(n) for n in range(1_000)])

    def test_can_be_read_twice_at_once(self) -> None:
        spool = FindingSpool()
        for index in range(900):
            spool.add(finding(index))
        pairs = list(zip(spool, spool, strict=True))
        self.assertTrue(all(one == two for one, two in pairs))

    def test_a_full_disk_is_an_error_once_and_nothing_is_printed_later(self) -> None:
        class Full(io.BytesIO):
            def write(self, data: object, /) -> int:
                raise OSError(errno.ENOSPC, "No space left on device")

            def close(self) -> None:
                raise OSError(errno.ENOSPC, "No space left on device")

        for spool, item in ((FindingSpool(), finding(1)), (LineSpool(), "x" * 1000)):
            spool._file = Full()
            with self.assertRaises((OSError, OutputError)):
                for _ in range(1000):
                    spool.add(item)  # type: ignore[attr-defined]
            spool.__del__()

    def test_memory_does_not_grow_with_their_number(self) -> None:
        spool = FindingSpool()
        for index in range(257):
            spool.add(finding(index))
        tracemalloc.start()
        try:
            for index in range(4_000):
                spool.add(finding(index))
            for _ in spool:
                pass
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        # Kept, these would be some three megabytes.
        self.assertLess(peak, 1_500_000)
