"""toolreplay.stores.sqlite.erasing: the bytes go, from every page, and the evidence stays."""

import base64
import json
import os
import random
import sqlite3
import unittest
from urllib.parse import quote_from_bytes

from tests.evidence.bundle.made import as_piece
from tests.stores.recording import OTHER_RUN, RUN, SECRET, Place, Recorded, place, record
from tests.stores.scanning import files_that_hold, holds
from tests.stores.verifying import findings_of, results_of
from toolreplay.errors import StoreBusyError, StoreError
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.piece import piece_of, sealed_piece
from toolreplay.stores.sqlite.connection import open_reader, open_writer
from toolreplay.stores.sqlite.erasing import Erased, entries_of_calls, erase, pieces_of_run, scrub

AT = 1_790_000_100_000_000


def detached(content: bytes):
    """Return a piece whose content is kept beside the receipt."""
    return piece_of(content, "text/plain", 16)


def erase_in(there: Place, pieces=(), entries=()) -> Erased:
    """Erase, with ids that are always the same."""
    ids = Ids(os.urandom, bytes(32))
    return erase(there.path, pieces, entries, "asked for", ids, AT)


def pieces_in(there: Place, run: str, entries=None) -> list[bytes]:
    """Return the pieces that have bytes."""
    connection = open_reader(there.path)
    try:
        return pieces_of_run(connection, run, entries)
    finally:
        connection.close()


class TheScanner(unittest.TestCase):
    """A test that finds nothing proves something only where the same test finds what is there."""

    def test_it_finds_a_secret_in_every_spelling_it_undoes(self) -> None:
        once = [base64.b64encode(b"x" * at + SECRET + b"y") for at in range(3)]
        twice = [base64.b64encode(b"z" * at + one) for at in range(3) for one in once]
        escaped = "".join(f"\\u{letter:04x}" for letter in SECRET).encode()
        spelt = [SECRET, *once, *twice, escaped, quote_from_bytes(SECRET, safe="").encode()]
        spelt += [
            base64.urlsafe_b64encode(b"\xff\xfe" + SECRET),
            json.dumps(SECRET.decode()).encode(),
        ]
        for number, one in enumerate(spelt):
            with self.subTest(number):
                self.assertTrue(holds(b"\0before" + one + b"\0after", SECRET))
        self.assertFalse(holds(b"".join(spelt).replace(SECRET[:9], b"").swapcase()[:40], SECRET))


class Pieces(unittest.TestCase):
    """Decided by us: chain, root and log stay checkable, and the piece reads `erased`."""

    def secret_run(self, there: Place, content: bytes) -> None:
        with there.open() as store:
            recorded = Recorded(store)
            recorded.open().both(1, "read_file", {"n": 1}, detached(content))
            recorded.both(2, "send", detached(content), {"ok": True}).close()
            record(store, OTHER_RUN)

    def test_the_secret_is_in_no_file_afterwards_and_was_there_before(self) -> None:
        for kept, content in (
            ("short", SECRET),
            ("one page", SECRET * 20),
            ("many pages", os.urandom(9000) + SECRET + os.urandom(50_000)),
            ("base64", base64.b64encode(b"a" + SECRET) * 40),
            ("twice", base64.b64encode(base64.b64encode(SECRET))),
        ):
            with self.subTest(kept), place() as there:
                self.secret_run(there, content)
                self.assertEqual(files_that_hold(there.path, SECRET), [""])
                pieces = pieces_in(there, RUN)
                erased = erase_in(there, pieces)
                self.assertEqual(files_that_hold(there.path, SECRET), [])
                self.assertEqual([one.kind for one in erased.referred], ["call", "start", "call"])
                self.assertEqual({one.run for one in erased.referred}, {RUN})
                self.assertEqual(findings_of(there), [])

    def test_while_the_store_is_open_the_write_ahead_log_is_scrubbed_too(self) -> None:
        with place() as there:
            store = there.open()
            recorded = Recorded(store)
            recorded.open().both(1, "read_file", {"n": 1}, detached(SECRET * 3)).close()
            self.assertIn("-wal", files_that_hold(there.path, SECRET))
            erase_in(there, pieces_in(there, RUN))
            self.assertEqual(files_that_hold(there.path, SECRET), [])
            record(store, OTHER_RUN)
            store.close()
            self.assertEqual(files_that_hold(there.path, SECRET), [])
            self.assertEqual(findings_of(there), [])

    def test_after_many_rows_came_and_went_no_free_page_holds_one(self) -> None:
        chance = random.Random(7)
        with place() as there:
            secrets = []
            with there.open() as store:
                recorded = Recorded(store)
                recorded.open()
                for number in range(150):
                    own = b"secret number %06d of this run" % number
                    size = chance.choice([40, 300, 1500, 3900, 4100, 9000])
                    content = (own * (size // len(own) + 1))[:size]
                    recorded.both(number + 1, "read_file", {"n": number}, detached(content))
                    secrets.append(own)
                recorded.close()
            digests = pieces_in(there, RUN)
            chance.shuffle(digests)
            for part in range(0, 150, 30):
                erase_in(there, digests[part : part + 30])
            with open(there.path, "rb") as file:
                data = file.read()
            self.assertEqual([own for own in secrets if own in data], [])
            self.assertEqual(findings_of(there), [])

    def test_a_sealed_piece_loses_its_key_with_its_bytes(self) -> None:
        key = bytes(range(32))
        piece = sealed_piece(SECRET, "text/plain", key)
        with place() as there:
            with there.open() as store:
                recorded = Recorded(store)
                recorded.open().call(1, "t", as_piece({}), piece).close()
            self.assertEqual(files_that_hold(there.path, SECRET), [""])
            erase_in(there, pieces_in(there, RUN))
            self.assertEqual(files_that_hold(there.path, SECRET), [])
            self.assertEqual(files_that_hold(there.path, key), [])

    def test_the_key_that_compares_sealed_values_goes_too(self) -> None:
        piece = sealed_piece(SECRET, "text/plain", bytes(range(32)))
        with place() as there:
            with there.open() as store:
                kept = store.run_key(RUN)
                recorded = Recorded(store)
                recorded.open().call(1, "t", as_piece({}), piece).close()
            self.assertEqual(files_that_hold(there.path, kept), [""])
            erase_in(there, pieces_in(there, RUN))
            self.assertEqual(files_that_hold(there.path, kept), [])

    def test_an_erasure_that_was_not_finished_is_said(self) -> None:
        with place() as there:
            self.secret_run(there, SECRET)
            there.sql("insert into meta (name, value) values ('unscrubbed', 1)")
            self.assertIn("--finish", results_of(there.path)[0].notes[0])
            connection = open_writer(there.path)
            scrub(connection, there.path)
            connection.close()
            self.assertEqual(results_of(there.path)[0].notes, ())

    def test_each_run_that_refers_to_it_says_so(self) -> None:
        with place() as there:
            for run in (RUN, OTHER_RUN):
                with there.open() as store:
                    recorded = Recorded(store, run)
                    recorded.open().both(1, "read_file", {}, detached(SECRET * 2)).close()
            erased = erase_in(there, pieces_in(there, RUN))
            self.assertEqual({one.run for one in erased.referred}, {RUN, OTHER_RUN})
            kinds = there.sql("select run, kind from entry where kind = 'erase' order by run")
            self.assertEqual(kinds, [(1, "erase"), (2, "erase")])
            self.assertEqual(findings_of(there), [])

    def test_what_is_not_there_erases_nothing(self) -> None:
        with place() as there:
            self.secret_run(there, SECRET)
            size = there.sql("select count(*) from leaf")
            with self.assertRaisesRegex(StoreError, "has no bytes of a piece"):
                erase_in(there, [*pieces_in(there, RUN), bytes(32)])
            self.assertEqual(there.sql("select count(*) from leaf"), size)
            self.assertEqual(files_that_hold(there.path, SECRET), [""])

    def test_a_reader_that_holds_old_pages_is_named_and_it_can_be_finished(self) -> None:
        from toolreplay.stores.sqlite import erasing

        with place() as there:
            store = there.open()
            recorded = Recorded(store)
            recorded.open().both(1, "t", {}, detached(SECRET * 3)).close()
            reader = open_reader(there.path)
            reader.execute("begin")
            reader.execute("select count(*) from leaf").fetchone()
            kept, erasing._WAIT_SECONDS = erasing._WAIT_SECONDS, 0.1
            try:
                with self.assertRaisesRegex(StoreBusyError, "--finish"):
                    erase_in(there, pieces_in(there, RUN))
            finally:
                erasing._WAIT_SECONDS = kept
                reader.close()
            self.assertEqual(files_that_hold(there.path, SECRET), ["-wal"])
            writer = sqlite3.connect(there.path, isolation_level=None)
            erasing.scrub(writer, there.path)
            writer.close()
            self.assertEqual(files_that_hold(there.path, SECRET), [])
            store.close()


class Entries(unittest.TestCase):
    """Decided by us: intent and receipt of a call go together, and the steps keep the root."""

    def test_a_receipt_that_is_erased_is_in_no_file_and_all_else_verifies(self) -> None:
        with place() as there:
            with there.open() as store:
                recorded = Recorded(store)
                recorded.open().both(1, "read_file", {"n": 1}, {"ok": 1})
                recorded.both(2, "send", {"text": SECRET.decode()}, {"got": SECRET.decode()})
                recorded.both(3, "read_file", {"n": 3}, {"ok": 3}).close()
            self.assertEqual(files_that_hold(there.path, SECRET), [""])
            connection = open_reader(there.path)
            entries = entries_of_calls(connection, RUN, {2})
            connection.close()
            self.assertEqual(entries, [3, 4])
            erased = erase_in(there, entries=[(RUN, entry) for entry in entries])
            self.assertEqual(len(erased.entries), 2)
            self.assertEqual(
                erased.referred[1].receipt_id, json.loads(recorded.entries[4].payload)["id"]
            )
            self.assertEqual(files_that_hold(there.path, SECRET), [])
            self.assertEqual(findings_of(there), [])

    def test_an_entry_of_an_open_run_is_still_needed(self) -> None:
        with place() as there, there.open() as store:
            Recorded(store).open().both(1, "t")
            with self.assertRaisesRegex(StoreError, "not closed"):
                erase_in(there, entries=[(RUN, 2)])

    def test_an_entry_that_is_not_there_is_named(self) -> None:
        with place() as there:
            with there.open() as store:
                record(store)
            for entry in (99, -1):
                with self.subTest(entry), self.assertRaisesRegex(StoreError, "no payload"):
                    erase_in(there, entries=[(RUN, entry)])


if __name__ == "__main__":
    unittest.main()
