"""toolreplay.stores.sqlite.links: notes beside a run, whatever somebody put there."""

import unittest
from unittest import mock

from tests.stores.recording import OTHER_RUN, RUN, Place, place, record
from toolreplay.errors import StoreError
from toolreplay.stores.sqlite import links
from toolreplay.stores.sqlite.connection import open_reader
from toolreplay.stores.sqlite.links import link_run, links_of


def links_in(there: Place, run: str = RUN) -> list:
    """Return the links of a run."""
    connection = open_reader(there.path)
    try:
        return links_of(connection, run)
    finally:
        connection.close()


class Links(unittest.TestCase):
    """Decided by us: by session, the newest word of each, and only so many."""

    def test_each_session_once(self) -> None:
        with place() as there:
            with there.open() as store:
                record(store)
            for session, model in (("b", "m1"), ("a", "m1"), ("b", "m2")):
                link_run(there.path, RUN, {"session": session, "model": model})
            found = [{"model": "m1", "session": "a"}, {"model": "m2", "session": "b"}]
            self.assertEqual((links_in(there), links_in(there, OTHER_RUN)), (found, []))

    def test_there_is_an_end_to_them(self) -> None:
        with place() as there, mock.patch.object(links, "_MOST_LINKS", 2):
            for session in "ab":
                link_run(there.path, RUN, {"session": session})
            with self.assertRaisesRegex(StoreError, "the most there may be"):
                link_run(there.path, RUN, {"session": "c"})
            self.assertEqual(len(links_in(there)), 2)
            with self.assertRaisesRegex(StoreError, "at most 65,536 bytes"):
                link_run(there.path, RUN, {"session": "a", "model": "x" * 65_536})

    def test_what_is_none_is_left_out(self) -> None:
        with place() as there:
            link_run(there.path, RUN, {"session": "a"})
            for number, text in enumerate(
                ("'{'", "'[]'", "x'ff'", "''", "7", '\'{"a":"\\ud800"}\'', "'{\"a\":1e999}'")
            ):
                there.sql(f"insert into run_link values ('{RUN}', 's{number}', {text})")
            there.sql(f"insert into run_link values ('{RUN}', 'z', hex(zeroblob(40000)))")
            self.assertEqual(links_in(there), [{"session": "a"}])


if __name__ == "__main__":
    unittest.main()
