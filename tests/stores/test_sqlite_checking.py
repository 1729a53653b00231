"""toolreplay.stores.sqlite.checking, judging: each change of a store by its own name."""

import hashlib
import os
import shutil
import sqlite3
import tracemalloc
import unittest

from tests.stores.recording import ORIGIN, OTHER_RUN, RUN, Place, Recorded, place, record
from tests.stores.verifying import findings_of, line_of, results_of
from toolreplay.errors import InputError
from toolreplay.evidence.tlog.leaf import leaf_bytes, parse_leaf
from toolreplay.evidence.tlog.merkle import leaf_hash
from toolreplay.findings.check import NOT_CHECKED, PASSED
from toolreplay.stores.sqlite.checking import LogCheck
from toolreplay.stores.sqlite.connection import open_reader


def recorded_in(there: Place) -> Recorded:
    """Record two runs of three calls each."""
    with there.open() as store:
        first = record(store, RUN, calls=3)
        record(store, OTHER_RUN, calls=3)
    return first


def change_leaf(there: Place, index: int, **members) -> None:
    """Let a leaf say something else, with the hash of what it says then."""
    ((data,),) = there.sql(f"select bytes from leaf where idx = {index}")
    changed = leaf_bytes(parse_leaf(data)._replace(**members))
    there.sql(
        f"update leaf set bytes = x'{changed.hex()}', hash = x'{leaf_hash(changed).hex()}' "
        f"where idx = {index}",
        checked=False,
    )


class Honest(unittest.TestCase):
    """Decided by us: what nobody touched is silent, signed or not, open or closed."""

    def test_no_finding_and_a_block_for_the_log_before_those_of_its_runs(self) -> None:
        for is_signed in (True, False):
            with self.subTest(is_signed), place(is_signed=is_signed) as there:
                recorded_in(there)
                log, *runs = results_of(there.path)
                self.assertEqual(log.run.name, ORIGIN)
                self.assertEqual(log.run.provenance, "16 entries · 2 runs")
                self.assertEqual([run.calls for run in runs], [3, 3])
                self.assertEqual(findings_of(there), [])
                self.assertEqual(line_of(log, "log").result, NOT_CHECKED)
                self.assertFalse(log.is_empty)

    def test_a_run_that_is_still_open_is_said_to_be(self) -> None:
        with place() as there:
            with there.open() as store:
                Recorded(store).open().both(1, "read_file")
            run = results_of(there.path)[1]
            self.assertEqual((run.calls, list(run.findings)), (1, []))
            ending = line_of(run, "ending")
            self.assertEqual(ending.result, NOT_CHECKED)
            self.assertIn("the run is open", ending.reason)

    def test_entries_behind_the_last_head_are_counted_in_a_note(self) -> None:
        with place() as there:
            recorded_in(there)
            there.sql("delete from checkpoint where size = 16", checked=False)
            log, first, second = results_of(there.path, there.asked())
            self.assertRegex(log.notes[0], r"8 entries stand behind the last head .*\(size 8\)")
            self.assertEqual(line_of(first, "signer").result, PASSED)
            for line in ("signer", "log"):
                check = line_of(second, line)
                self.assertEqual(check.result, NOT_CHECKED)
            self.assertIn(
                "8 of 8 entries stand behind the last head", line_of(second, "signer").reason
            )

    def test_what_is_appended_while_it_is_read_is_not_seen(self) -> None:
        with place() as there:
            recorded_in(there)
            from toolreplay.records.limits import DEFAULT
            from toolreplay.sources.source import FileSource

            source = FileSource(there.path, DEFAULT)
            runs = source.runs(with_log=True)
            self.assertEqual(next(runs).info.provenance, "16 entries · 2 runs")
            with there.open() as store:
                record(store, RUN.replace("01a2", "01a3"))
            self.assertEqual(sum(1 for run in runs for _ in run.calls), 6)
            source.close()


class Tampered(unittest.TestCase):
    """The tamper catalogue, as far as the store alone shows it: each attack by its own name."""

    def assert_found(self, there: Place, *wanted: tuple[str, str]) -> None:
        found = findings_of(there)
        for kind, text in wanted:
            if not any(one == kind and text in detail for one, detail in found):
                self.fail(f"no {kind} with {text!r} in {found}")

    def test_an_edited_payload(self) -> None:
        for name, edit in (
            ("of the same shape", "replace(bytes, '\"verified\"', '\"Verified\"')"),
            ("that is no JSON any more", "x'00' || bytes"),
        ):
            with self.subTest(name), place() as there:
                recorded_in(there)
                leaf = parse_leaf(there.sql("select bytes from leaf where idx = 2")[0][0])
                there.sql(
                    f"update payload set bytes = cast({edit} as blob) "
                    f"where commit_hash = x'{leaf.commit.hex()}'"
                )
                self.assert_found(there, ("broken-commitment", ""))

    def test_a_payload_too_large_for_any_entry_is_not_parsed(self) -> None:
        for content in (b"[" + b"[]," * 2_000_000 + b"0]", b"0" * (17 << 20)):
            with self.subTest(len(content)), place() as there:
                recorded_in(there)
                connection = sqlite3.connect(there.path)
                connection.execute("update payload set bytes = ? where rowid = 3", (content,))
                connection.commit()
                connection.close()
                tracemalloc.start()
                with self.assertRaisesRegex(InputError, "holds a payload of "):
                    findings_of(there)
                self.assertLess(tracemalloc.get_traced_memory()[1], 40 << 20)
                tracemalloc.stop()

    def test_a_swapped_salt(self) -> None:
        with place() as there:
            recorded_in(there)
            leaf = parse_leaf(there.sql("select bytes from leaf where idx = 2")[0][0])
            there.sql(
                f"update payload set salt = zeroblob(32) where commit_hash = x'{leaf.commit.hex()}'"
            )
            self.assert_found(there, ("broken-commitment", ""))

    def test_a_payload_that_is_gone(self) -> None:
        with place() as there:
            recorded_in(there)
            leaf = parse_leaf(there.sql("select bytes from leaf where idx = 2")[0][0])
            there.sql(f"delete from payload where commit_hash = x'{leaf.commit.hex()}'")
            self.assert_found(there, ("missing-entry", ""))

    def test_a_piece_that_is_gone_or_edited(self) -> None:
        for statement, kind in (
            ("delete from piece", "missing-piece"),
            ("update piece set bytes = x'00'", "broken-commitment"),
        ):
            with self.subTest(kind), place() as there:
                with there.open() as store:
                    Recorded(store).open().observe(b"x" * 50, 16).close()
                there.sql(statement)
                self.assert_found(there, (kind, ""))

    def test_an_edited_leaf(self) -> None:
        with place() as there:
            recorded_in(there)
            there.sql("update leaf set bytes = x'00' where idx = 3", checked=False)
            self.assert_found(there, ("broken-inclusion", "leaf 3 is another than the hash"))

    def test_an_edited_leaf_with_its_hash(self) -> None:
        with place() as there:
            recorded_in(there)
            change_leaf(there, 3, at=5)
            self.assert_found(there, ("head-mismatch", "size 8"), ("head-mismatch", "size 16"))

    def test_an_entry_that_was_dropped(self) -> None:
        with place() as there:
            recorded_in(there)
            there.sql("delete from leaf where idx = 3", checked=False)
            self.assert_found(there, ("missing-entry", "leaf 3 is missing"))

    def test_an_entry_that_was_dropped_and_the_rest_moved_up(self) -> None:
        with place() as there:
            recorded_in(there)
            there.sql(
                "delete from leaf where idx = 3",
                "update leaf set idx = -idx where idx > 3",
                "update leaf set idx = -idx - 1 where idx < 0",
                checked=False,
            )
            self.assert_found(
                there, ("head-mismatch", "size 8"), ("rolled-back-log", "16"), ("missing-entry", "")
            )

    def test_entries_that_changed_places(self) -> None:
        with place() as there:
            recorded_in(there)
            there.sql(
                "update leaf set idx = 99 where idx = 3",
                "update leaf set idx = 3 where idx = 4",
                "update leaf set idx = 4 where idx = 99",
                checked=False,
            )
            self.assert_found(there, ("head-mismatch", "size 8"), ("broken-link", ""))

    def test_an_entry_that_stands_twice(self) -> None:
        with place() as there:
            with there.open() as store:
                Recorded(store).open().both(1, "read_file").both(2, "read_file")
            there.sql(
                "insert into leaf select 5, bytes, hash from leaf where idx = 4", checked=False
            )
            self.assert_found(there, ("duplicate-receipt", "stands twice"))

    def test_an_entry_of_another_log(self) -> None:
        with place() as there:
            recorded_in(there)
            change_leaf(there, 15, log="example.invalid/other")
            self.assert_found(there, ("broken-link", "leaf 15 is one of another log"))

    def test_an_entry_of_another_run(self) -> None:
        with place() as there:
            recorded_in(there)
            change_leaf(there, 3, run=OTHER_RUN)
            self.assert_found(there, ("broken-commitment", "it is of another run"))

    def test_the_tail_with_its_heads(self) -> None:
        """Alone it looks like a shorter log: the head kept outside shows it (see the opening)."""
        with place() as there:
            recorded_in(there)
            there.sql(
                "delete from leaf where idx > 7",
                "delete from checkpoint where size > 8",
                checked=False,
            )
            self.assertEqual(findings_of(there), [])

    def test_the_tail_without_its_heads(self) -> None:
        with place() as there:
            recorded_in(there)
            there.sql("delete from leaf where idx > 9", checked=False)
            self.assert_found(there, ("rolled-back-log", "16 entries was signed, and 10 are here"))

    def test_a_head_that_was_edited(self) -> None:
        with place() as there:
            recorded_in(there)
            there.sql(
                "update checkpoint set note = cast(replace(note, 'example', 'elsewhere') as blob) "
                "where size = 8",
                checked=False,
            )
            self.assert_found(there, ("head-mismatch", "size 8"))

    def test_a_signature_of_an_older_head_that_was_edited(self) -> None:
        """The newest is judged by the key that is handed in; all others are evidence too."""
        with place() as there:
            recorded_in(there)
            ((note,),) = there.sql("select note from checkpoint where size = 8")
            changed = note[:-12] + (b"A" if note[-12:-11] != b"A" else b"B") + note[-11:]
            there.sql(
                f"update checkpoint set note = x'{changed.hex()}' where size = 8", checked=False
            )
            self.assert_found(there, ("bad-signature", "size 8"))

    def test_derived_tables_that_were_edited(self) -> None:
        with place() as there:
            recorded_in(there)
            there.sql("update node set hash = zeroblob(32) where level = 2 and idx = 1")
            self.assertEqual(
                findings_of(there),
                [
                    (
                        "derived-table",
                        "subtree 1 of level 2 is not that of the leaves (toolreplay store repair)",
                    )
                ],
            )

    def test_of_changed_leaves_the_subtrees_are_no_second_finding(self) -> None:
        """Nor is building them anew what there is to do first: it would do away with a trace."""
        for change, kinds in (
            ("update leaf set bytes = x'00' where idx = 3", {"broken-inclusion", "head-mismatch"}),
            ("", {"head-mismatch", "rolled-back-log"}),
        ):
            with self.subTest(change), place() as there:
                recorded_in(there)
                if change:
                    there.sql(change, checked=False)
                else:
                    change_leaf(there, 3, at=5)
                    there.sql("delete from leaf where idx > 12", checked=False)
                log = results_of(there.path)[0]
                self.assertEqual({finding.kind for finding in log.findings}, kinds)

    def test_subtrees_that_differ_alone_are_told_last(self) -> None:
        with place() as there:
            recorded_in(there)
            there.sql("update node set hash = zeroblob(32) where level = 1 and idx = 0")
            change_leaf(there, 15, log="example.invalid/other")
            there.sql("delete from checkpoint where size = 16", checked=False)
            self.assertEqual(
                [kind for kind, _ in findings_of(there)][:3],
                ["broken-link", "derived-table", "derived-table"],
            )

    def test_derived_tables_decide_nothing(self) -> None:
        with place() as there:
            recorded_in(there)
            for statement in (
                "update entry set idx = 0", "delete from entry", "delete from node",
                "update run set entries = 1, prev_digest = '0'", "delete from run",
                "delete from piece_use", "delete from open_call", "delete from run_tool",
            ):  # fmt: skip
                there.sql(statement)
                with self.subTest(statement):
                    self.assertEqual(findings_of(there), [])
                    self.assertEqual([one.calls for one in results_of(there.path)], [0, 3, 3])

    def test_other_tables_or_triggers_are_not_believed(self) -> None:
        with place() as there:
            recorded_in(there)
            there.sql("drop trigger leaf_delete")
            with self.assertRaisesRegex(InputError, "triggers are not those of a store"):
                findings_of(there)


class Contents(unittest.TestCase):
    """Decided by us: the check of a store alone compares every payload and piece it keeps."""

    def test_what_is_compared_is_counted(self) -> None:
        with place() as there:
            with there.open() as store:
                Recorded(store).open().observe(b"x" * 50, 16).close()
            connection = open_reader(there.path)
            checked = LogCheck(connection, there.path).run(with_contents=True)
            connection.close()
            self.assertEqual(
                (checked.size, checked.heads, checked.payloads, checked.pieces), (3, 1, 3, 1)
            )

    def test_what_does_not_fit_is_named(self) -> None:
        with place() as there:
            with there.open() as store:
                Recorded(store).open().observe(b"x" * 50, 16).close()
            there.sql("update piece set bytes = x'00'")
            there.sql("update payload set bytes = x'7b7d' where rowid = 2")
            connection = open_reader(there.path)
            check = LogCheck(connection, there.path)
            check.run(with_contents=True)
            connection.close()
            self.assertEqual([fault.kind for fault in check.faults], ["broken-commitment"] * 2)
            self.assertIn("entry 1 of run", check.faults[0].detail)
            self.assertIn(hashlib.sha256(b"x" * 50).hexdigest(), check.faults[1].detail)


class WhereItCannotBeWritten(unittest.TestCase):
    """Decided by us: a store on a read-only medium is copied, log and all, and that is said."""

    def test_a_private_copy_is_read_with_its_write_ahead_log(self) -> None:
        from toolreplay.sources import store as sources_store

        with place() as there:
            store = there.open()
            record(store)
            self.assertTrue(os.path.getsize(there.path + "-wal"))
            shutil.copy(there.path, there.path + "2")
            shutil.copy(there.path + "-wal", there.path + "2-wal")
            store.close()
            kept = os.access
            sources_store.os.access = lambda *_: False
            try:
                log = results_of(there.path + "2")[0]
            finally:
                sources_store.os.access = kept
            self.assertEqual(log.run.provenance, "6 entries · 1 run")
            self.assertIn("a private copy was read", log.notes[0])


if __name__ == "__main__":
    unittest.main()
