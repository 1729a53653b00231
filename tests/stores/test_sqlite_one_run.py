"""toolreplay.stores.sqlite.one_run: what a pass over the entries of a run comes to."""

import unittest
from unittest import mock

from tests.stores.recording import RUN, Place, Recorded, place
from toolreplay.errors import StoreError
from toolreplay.stores.sqlite import one_run
from toolreplay.stores.sqlite.connection import open_reader
from toolreplay.stores.sqlite.one_run import Gaps, KnownRun, known_run

HIDDEN = [{"path": "/token", "rule": "key-name"}, {"path": "/a", "rule": "prefix"}]


def known_in(there: Place) -> KnownRun:
    """Return what is known of the run."""
    connection = open_reader(there.path)
    try:
        return known_run(connection, there.path, RUN)
    finally:
        connection.close()


class Known(unittest.TestCase):
    """Decided by us: counted as it was recorded, and nothing judged."""

    def test_what_was_hidden_is_counted_by_its_rule(self) -> None:
        with place() as there:
            with there.open() as store:
                recorded = Recorded(store).open()
                recorded.both(1, "t", {}, {}, inputs={"redactions": HIDDEN}, agent={"model": "m1"})
                recorded.both(
                    2, "t", {}, {}, outputs={"redactions": HIDDEN[:1]}, agent={"model": "m2"}
                )
                recorded.observe().close()
            known = known_in(there)
            self.assertEqual(known.hidden, {"key-name": 2, "prefix": 1})
            self.assertEqual((known.models, known.observations), (["m1", "m2"], 1))

    def test_gaps_are_added_up_by_reason(self) -> None:
        with place() as there:
            with there.open() as store:
                Recorded(store).open().gap("down").gap("full").gap("down").close()
            known = known_in(there)
            times = "2026-11-30T09:00:02.000Z", "2026-11-30T09:00:07.000Z"
            self.assertEqual(known.gaps["down"], Gaps(2, 0, *times))
            self.assertEqual(list(known.gaps), ["down", "full"])

    @mock.patch.object(one_run, "_MOST", 3)
    def test_of_a_run_that_has_ever_more_only_so_much_is_kept(self) -> None:
        with place() as there:
            with there.open() as store:
                recorded = Recorded(store).open()
                for number in range(1, 8):
                    recorded.start(number, f"waiting {number}", {}).gap(f"reason {number}")
                    digest = {"tool_definition": f"{number:064x}", "server": f"{number:064x}"}
                    tool = f"t{number}"
                    recorded.both(number + 10, tool, {}, {}, capture=digest, agent={"model": tool})
            known = known_in(there)
            counts = [
                len(rows) for rows in (known.calls, known.gaps, known.waiting, known.models, known.definitions, known.servers)
            ]  # fmt: skip
            self.assertEqual((counts, known.unanswered), ([3] * 6, 7))

    def test_an_entry_that_no_recorder_makes_is_refused(self) -> None:
        with place() as there:
            with there.open() as store:
                Recorded(store).open().close()
            there.sql("drop trigger leaf_update", "update leaf set bytes = x'00' where idx = 0")
            with self.assertRaisesRegex(StoreError, "no recorder makes"):
                known_in(there)


if __name__ == "__main__":
    unittest.main()
