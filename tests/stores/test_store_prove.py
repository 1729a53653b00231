"""store prove: proofs of one entry and of growth, and what `verify` makes of the first."""

import base64
import hashlib
import unittest

from tests.stores.recording import ORIGIN, RUN, Recorded
from tests.stores.stored import HEAD, SIGNED, UNSIGNED, VKEY, Stores, signing, tree_hash
from tests.stores.test_store_sign import vkey_of

PROOF = ("-o", "p", "--leaf", "l")


class OfAnEntry(Stores):
    """C2SP tlog-proof."""

    def proved(self, *arguments: str) -> list[str]:
        self.says(0, "store", "prove", *arguments, *PROOF)
        with open(self.path("p"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_the_path_leads_from_the_leaf_to_the_head(self) -> None:
        for index in (0, 3, 12, 13):
            lines = self.proved(SIGNED, "--index", str(index))
            self.assertEqual(lines[:2], ["c2sp.org/tlog-proof@v1", f"index {index}"])
            end = lines.index("")
            with open(self.path(HEAD), encoding="utf-8") as file:
                self.assertEqual(lines[end + 1 :], file.read().splitlines())
            with open(self.path("l"), "rb") as leaf:
                found = hashlib.sha256(b"\0" + leaf.read()).digest()
            # RFC 9162, section 2.1.3.2, in a test's own words.
            at, last = index, 13
            for line in lines[2:end]:
                other = base64.b64decode(line)
                if at % 2 or at == last:
                    found = hashlib.sha256(b"\1" + other + found).digest()
                    while at and not at % 2:
                        at, last = at // 2, last // 2
                else:
                    found = hashlib.sha256(b"\1" + found + other).digest()
                at, last = at // 2, last // 2
            self.assertEqual((last, found.hex()), (0, self.root()))

    def test_an_entry_of_a_run(self) -> None:
        self.assertEqual(self.proved(f"{SIGNED}#erase-me", "--entry", "1")[1], "index 7")
        self.assertIn(
            "has no entry 6", self.says(2, "store", "prove", f"{SIGNED}#{RUN}", "--entry", "6")
        )

    def test_verify_checks_it_with_the_leaf_and_the_key(self) -> None:
        printed = self.says(0, "store", "prove", SIGNED, "--index", "3", *PROOF)
        self.assertTrue(printed.endswith("next: toolreplay verify p --leaf l --key VKEY\n"))
        text = self.says(0, "verify", "p", "--leaf", "l", "--key", VKEY)
        self.assertEqual(
            text.splitlines()[::3],
            [
                f"log: {ORIGIN}, size 14, root {self.root()}",
                f"passed: it is in the log, by the word of {ORIGIN}",
            ],
        )
        self.assertIn(f"entry 3 of it: start, entry 3 of run {RUN}\n", text)
        self.assertIn("not checked: who signed", self.says(3, "verify", "p", "--leaf", "l"))
        self.assertIn("(--leaf FILE)", self.says(2, "verify", "p", "--key", VKEY))

    def test_verify_finds_what_does_not_hold(self) -> None:
        self.says(0, "store", "prove", SIGNED, "--index", "4", "-o", "q", "--leaf", "other")
        self.says(0, "store", "prove", SIGNED, "--index", "3", *PROOF)
        found = self.says(1, "verify", "p", "--leaf", "other", "--key", VKEY)
        self.assertIn("broken-inclusion: no path from this leaf to the head of size 14\n", found)
        other = vkey_of(ORIGIN, bytes([1]) * 32)
        self.assertIn(
            "unknown-signer: ", self.says(1, "verify", "p", "--leaf", "l", "--key", other)
        )
        with open(self.path("p"), "r+b") as file:
            data = file.read()
            file.seek(0)
            file.write(data.replace(b"\n14\n", b"\n15\n"))
        found = self.says(1, "verify", "p", "--leaf", "l", "--key", VKEY)
        self.assertIn("bad-signature: ", found)

    def test_verify_refuses_what_is_no_leaf_and_what_does_not_belong(self) -> None:
        self.says(0, "store", "prove", SIGNED, "--index", "3", *PROOF)
        self.says(2, "verify", "p", "--leaf", "sign.py", "--key", VKEY)
        self.assertIn("--key", self.says(2, "verify", "p", "--leaf", "l", "--require", "log"))

    def test_what_it_needs_and_what_it_refuses(self) -> None:
        table = (
            ((SIGNED,), "one of --entry N, --index N and --since"),
            ((SIGNED, "--index", "1", "--since", "2"), "one of --entry N, --index N and --since"),
            ((SIGNED, "--entry", "1"), "STORE#RUN"),
            ((f"{SIGNED}#{RUN}", "--index", "1"), "goes with STORE alone"),
            ((SIGNED, "--index", "14"), "has no entry 14 (there are 14)"),
            ((SIGNED, "--index", "1", "-o", SIGNED), "is an input"),
            (
                (UNSIGNED, "--index", "1"),
                "is unsigned, and a proof ends in a signed head (toolreplay store sign)",
            ),
        )
        for arguments, fact in table:
            with self.subTest(arguments):
                self.assertIn(fact, self.says(2, "store", "prove", *arguments))

    def test_an_entry_behind_the_last_head_needs_the_key(self) -> None:
        with self.place().open() as store:
            Recorded(store, "r-1").open()
        self.assertIn(
            "--key signs one now", self.says(2, "store", "prove", SIGNED, "--index", "14")
        )
        text = self.says(0, "store", "prove", SIGNED, "--index", "14", *PROOF, *signing())
        self.assertTrue(text.startswith("p: entry 14 is in the log of size 15\n"), text)


class OfGrowth(Stores):
    """The body of C2SP tlog-witness."""

    def test_since_a_size_and_since_a_head(self) -> None:
        # 8 leaves are a subtree of their own, so only the rest of the 14 is needed.
        lines = self.says(0, "store", "prove", SIGNED, "--since", "8").splitlines()
        leaves = [data for (data,) in self.sql(SIGNED, "select bytes from leaf order by idx")]
        self.assertEqual(lines[0], "old 8")
        self.assertEqual(lines[1:3], [base64.b64encode(tree_hash(leaves[8:])).decode(), ""])
        with open(self.path(HEAD), encoding="utf-8") as file:
            self.assertEqual(lines[3:], file.read().splitlines())
        ((note,),) = self.sql(SIGNED, "select note from checkpoint where size = 12")
        with open(self.path("old"), "wb") as old:
            old.write(note)
        self.assertTrue(
            self.says(0, "store", "prove", SIGNED, "--since", "old").startswith("old 12\n")
        )

    def test_what_the_log_has_not_grown_out_of(self) -> None:
        for since in ("0", "15"):
            self.assertIn(
                "the store has 14 entries", self.says(2, "store", "prove", SIGNED, "--since", since)
            )
        table = (
            (("--since", "sign.py"), "a note"),
            (("--since", "gone"), "No such file"),
            (("--since", HEAD, "--leaf", "l"), "no run and no --leaf"),
        )
        for arguments, fact in table:
            with self.subTest(arguments):
                self.assertIn(fact, self.says(2, "store", "prove", SIGNED, *arguments))

    def test_a_head_of_another_history(self) -> None:
        self.place(UNSIGNED).sql("update leaf set hash = zeroblob(32) where idx = 0", checked=False)
        self.place(UNSIGNED).sql("delete from node")
        self.says(0, "store", "init", "other.db")
        refused = self.says(2, "export", f"{UNSIGNED}#refund-42", "-o", "x", "--since", HEAD)
        self.assertIn("with another root than the store's first 14 entries have", refused)
        refused = self.says(2, "store", "prove", "other.db", "--since", HEAD)
        self.assertIn(f"is the head of {ORIGIN}, and the store is ", refused)


if __name__ == "__main__":
    unittest.main()
