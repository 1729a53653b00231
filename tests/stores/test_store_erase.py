"""store erase: what goes, what is said about it, and what it refuses."""

import unittest
from contextlib import closing

from tests.stores.recording import OTHER_RUN, SECRET, Recorded
from tests.stores.scanning import files_that_hold
from tests.stores.stored import ENTRIES, SIGNED, UNSIGNED, VKEY, Stores, signing
from toolreplay.evidence.profile.piece import piece_of, sealed_piece
from toolreplay.stores.sqlite.connection import open_reader

WHY = ("--reason", "asked for")
TARGET = f"{UNSIGNED}#erase-me"


class Erased(Stores):
    """Decided by us: every receipt that refers to what is gone is named, and what stays checkable."""

    def holding(self) -> list[str]:
        return files_that_hold(self.path(UNSIGNED), SECRET)

    def receipt(self, entry: int) -> str:
        """Return the id of a receipt of the run, as `show` has it."""
        text = self.says(0, "show", TARGET, "--format", "json")
        return text.split('"receipt_id": "')[entry].partition('"')[0]

    def test_the_content_of_a_call(self) -> None:
        self.assertEqual(self.holding(), [""])
        receipt = self.receipt(1)
        lines = self.says(0, "store", "erase", TARGET, "--call", "0", *WHY).splitlines()
        self.assertEqual(self.holding(), [])
        self.assertEqual(lines[0], "erased: 1 piece")
        self.assertRegex(lines[1], r"\A  piece [0-9a-f]{64}\Z")
        self.assertEqual(
            lines[2:4], ["referred to by:", f"  run {OTHER_RUN}, entry 2: receipt {receipt}"]
        )
        self.assertRegex(lines[4], r"\Aleft: .*\(--payload erases it too\)")
        self.assertRegex(
            lines[5], r"\Astill checked: all receipts, their chain and roots, and the log;"
        )
        self.assertRegex(lines[6], r"\Abeyond this: .*backups and snapshots")
        self.assertEqual(lines[7], f"next: toolreplay verify '{UNSIGNED}#{OTHER_RUN}'")
        verified = self.says(0, "verify", f"{UNSIGNED}#{OTHER_RUN}")
        self.assertIn("contents (2 of 2; 1 piece erased)", verified)
        self.assertIn(
            "head", self.says(0, "store", "erase", f"{SIGNED}#erase-me", "--call", "0", *WHY)
        )

    def test_a_piece_by_its_digest(self) -> None:
        ((digest,),) = self.sql(UNSIGNED, "select digest from piece")
        self.says(0, "store", "erase", TARGET, "--piece", digest.hex(), *WHY)
        self.assertEqual(self.holding(), [])
        again = self.says(2, "store", "erase", TARGET, "--piece", digest.hex(), *WHY)
        self.assertEqual(again, f"{UNSIGNED}: has no bytes of a piece {digest.hex()}")

    def test_whole_calls(self) -> None:
        text = self.says(0, "store", "erase", TARGET, "--all", "--payload", *WHY)
        self.assertTrue(text.startswith("erased: 1 piece, 5 entries whole\n"), text)
        self.assertEqual(text.count("  entry with the commitment "), 5)
        self.assertIn("the chain is cut", text)
        self.assertEqual(self.holding(), [])
        self.assertIn("0 calls", self.says(0, "show", TARGET))
        self.says(0, "store", "check", UNSIGNED)

    def test_an_index_means_the_same_call_however_often_it_is_said(self) -> None:
        self.says(0, "store", "erase", TARGET, "--call", "0", "--payload", *WHY)
        refused = self.says(2, "store", "erase", TARGET, "--call", "0", "--payload", *WHY)
        self.assertEqual(
            refused, f"{UNSIGNED}: run {OTHER_RUN} has no call 0, or it was erased before"
        )
        self.says(0, "store", "erase", TARGET, "--call", "1", "--payload", *WHY)

    def test_a_run_whose_calls_were_all_erased_says_so_and_why(self) -> None:
        self.says(0, "store", "erase", TARGET, "--all", "--payload", *WHY)
        text = self.says(3, "verify", f"{UNSIGNED}#{OTHER_RUN}")
        self.assertNotIn("nothing was recorded", text)
        self.assertIn("note: erased whole: entries 1, 2, 3, 4, 5\n", text)
        self.assertRegex(text, r"note: erasure of \d+ digests \(entry \d+\): ")
        self.assertIn("entries were erased", text)
        self.assertIn("ending    the close receipt was erased\n", text)

    def test_what_stands_beside_the_calls_goes_with_all(self) -> None:
        """The answer of the run, and what was read back, wherever it is kept."""
        for run, size in (("run-0", 16), ("run-1", 4096)):
            with self.place(UNSIGNED).open() as store:
                recorded = Recorded(store, run).open()
                recorded.both(1, "read_file").observe(SECRET, size)
                recorded.close(piece_of(SECRET, "text/plain", size))
        self.says(0, "store", "erase", f"{UNSIGNED}#run-0", "--all", *WHY)
        self.assertEqual(self.holding(), [""])
        text = self.says(0, "verify", f"{UNSIGNED}#run-0")
        self.assertIn("note: erased: the close receipt: the piece of outputs.result", text)
        text = self.says(0, "store", "erase", f"{UNSIGNED}#run-1", "--all", "--payload", *WHY)
        self.assertTrue(text.startswith("erased: 0 pieces, 4 entries whole\n"), text)
        self.assertEqual(self.holding(), [])
        text = self.says(3, "verify", f"{UNSIGNED}#run-1")
        self.assertIn("findings: 0\n", text)
        self.assertIn("ending    the close receipt was erased\n", text)
        self.assertNotIn("goal", text)

    def test_a_run_without_its_close_is_handed_out_and_read_as_any_other(self) -> None:
        target = f"{SIGNED}#erase-me"
        self.says(0, "store", "erase", target, "--all", "--payload", *WHY)
        self.says(0, "store", "sign", SIGNED, *signing())
        self.says(0, "export", target, "-o", "a.run.jsonl")
        for name in (target, "a.run.jsonl"):
            text = self.says(3, "verify", name, "--key", VKEY, "--seen", "none")
            self.assertIn("findings: 0\n", text)
            self.assertIn("ending    the close receipt was erased\n", text)
            self.assertRegex(text, r"passed +signer")
        self.assertIn("0 calls", self.says(0, "show", target))
        self.assertNotIn("open", self.says(0, "runs", "list", "open:no", "--store", SIGNED))
        self.says(0, "store", "check", SIGNED)
        self.assertIn("no content", self.says(2, "store", "erase", target, "--all", "--payload", *WHY))  # fmt: skip

    def test_what_is_left_of_a_call_is_said_and_goes_with_its_steps(self) -> None:
        tools = "select tool from run_tool union select step from erased_step"
        for options, is_left in (
            (["--call", "0"], "what is no call: "), (["--all"], "the opening of the run"),
        ):  # fmt: skip
            text = self.says(0, "store", "erase", TARGET, *options, "--payload", *WHY)
            self.assertIn(f"left: {is_left}", text)
            self.assertRegex(text, r"left: of each call its step: tool, .*\(--with-steps\)")
        self.assertIn("send", str(self.sql(UNSIGNED, tools)))
        every = ("--all", "--payload", "--with-steps")
        text = self.says(0, "store", "erase", TARGET, *every, *WHY)
        self.assertTrue(text.startswith("erased: 0 pieces, 2 entries whole\n"), text)
        self.assertNotIn("step", text.partition("still")[0])
        self.assertNotIn("send", str(self.sql(UNSIGNED, tools)))
        self.assertEqual(files_that_hold(self.path(UNSIGNED), b'"tool":"send"'), [])
        text = self.says(3, "verify", f"{UNSIGNED}#{OTHER_RUN}")
        self.assertIn("findings: 0\n", text)
        self.assertNotIn("steps of erased", text)
        self.says(0, "store", "check", UNSIGNED)
        refused = self.says(2, "store", "erase", TARGET, *every, *WHY)
        self.assertIn("has no content, or it was erased before", refused)

    def test_steps_of_one_call_leave_those_of_the_others(self) -> None:
        options = ("--call", "0", "--payload", "--with-steps")
        self.says(0, "store", "erase", TARGET, *options, *WHY)
        text = self.says(3, "verify", f"{UNSIGNED}#{OTHER_RUN}")
        self.assertIn("findings: 0\n", text)
        number = self.sql(UNSIGNED, "select tool, calls from run_tool where run = 2")
        self.assertEqual(number, [("send", 1)])
        self.says(0, "store", "check", UNSIGNED)

    def test_an_erased_sealed_piece_reads_erased(self) -> None:
        with self.place(UNSIGNED).open() as store:
            recorded = Recorded(store, "sealed").open()
            for number in (1, 2):
                key = bytes([number]) * 32
                sealed = sealed_piece(SECRET, "text/plain", key, store.run_key("sealed"))
                recorded.both(number, "read_file", {"n": number}, sealed)
            recorded.close()
        target = f"{UNSIGNED}#sealed"
        self.assertIn("2 sealed pieces not opened", self.says(0, "verify", target))
        self.says(0, "store", "erase", target, "--call", "1", *WHY)
        text = self.says(0, "verify", target)
        self.assertIn("contents (2 of 2; 1 sealed piece not opened; 1 piece erased)", text)
        self.assertRegex(text, r"note: erased: index 1: the sealed piece \([0-9a-f]{64}\)")
        self.says(0, "store", "erase", target, "--all", *WHY)
        text = self.says(0, "verify", target)
        self.assertIn("contents (2 of 2; 2 pieces erased)", text)
        self.assertIn("note: erased: index 0: ", text)

    def test_a_trial_says_the_same_and_erases_nothing(self) -> None:
        with open(self.path(UNSIGNED), "rb") as file:
            before = file.read()
        for options in (["--all"], ["--all", "--payload"]):
            text = self.says(0, "store", "erase", TARGET, *options, *WHY, "--dry-run")
            self.assertTrue(text.startswith("would be erased: 1 piece"), text)
            self.assertTrue(text.endswith("nothing was erased (--dry-run)\n"), text)
        self.assertEqual(self.holding(), [""])
        self.assertEqual(self.sql(UNSIGNED, "select count(*) from leaf"), [(ENTRIES,)])
        with open(self.path(UNSIGNED), "rb") as file:
            self.assertEqual(file.read(), before)

    def test_what_it_refuses(self) -> None:
        table = (
            ((UNSIGNED, "--all", *WHY), "store erase takes STORE#RUN"),
            ((TARGET, *WHY), "nothing is named: --call N, --piece DIGEST or --all"),
            ((TARGET, "--all"), "--reason TEXT says why"),
            ((TARGET, "--all", "--reason", "two\nlines"), "--reason TEXT says why"),
            ((TARGET, "--all", "--with-steps", *WHY), "--with-steps goes with --payload"),
            ((TARGET, "--payload", "--piece", "00" * 32, *WHY), "--payload is about whole calls"),
            ((TARGET, "--piece", "XY", *WHY), "64 lower-case hex digits"),
            ((TARGET, "--call", "9", *WHY), "has no call 9, or it was erased before"),
            ((TARGET, "--call", "1", *WHY), "--payload erases the receipts themselves"),
            ((f"{UNSIGNED}#gone", "--all", *WHY), "has no run 'gone'"),
            ((f"{UNSIGNED}#@last", "--call", "0", "--payload", *WHY), "is not closed"),
            ((TARGET, "--finish"), "--finish is about the file as a whole"),
        )
        for arguments, fact in table:
            with self.subTest(arguments):
                self.assertIn(fact, self.says(2, "store", "erase", *arguments))
        self.assertEqual(self.sql(UNSIGNED, "select count(*) from leaf"), [(ENTRIES,)])

    def test_what_a_reader_kept_from_being_cut_is_finished_later(self) -> None:
        """That a reader keeps it from being cut: tests/stores/test_sqlite_erasing.py."""
        with closing(open_reader(self.path(UNSIGNED))):
            self.assertEqual(
                self.says(0, "store", "erase", UNSIGNED, "--finish"),
                "finished: no old page is left in the write-ahead log\n",
            )


if __name__ == "__main__":
    unittest.main()
