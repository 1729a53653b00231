"""export: one run of a store as a bundle that an auditor checks alone."""

import json
import os
import unittest

from tests.stores.recording import ORIGIN, OTHER_RUN, RUN, Recorded, record
from tests.stores.stored import HEAD, SIGNED, UNSIGNED, VKEY, Stores, signing
from toolreplay.evidence.profile.piece import sealed_piece

OUT = ("-o", "x.run.jsonl")
SEEN = ("--seen", "none", "--require", "signer,links,contents")


class OfASignedStore(Stores):
    """Decided by us."""

    def lines(self) -> list[dict[str, object]]:
        with open(self.path(OUT[1]), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_it_verifies_alone_under_the_key(self) -> None:
        text = self.says(0, "export", f"{SIGNED}#refund-42", *OUT)
        self.assertEqual(
            text.splitlines(),
            [
                f"x.run.jsonl: 6 entries of run {RUN}",
                f"log: {ORIGIN}, size 14",
                f"root: {self.root()}",
                f"next: toolreplay verify x.run.jsonl --key {VKEY}",
                "whoever checks it takes the key from its owner, not from here",
            ],
        )
        for name in (SIGNED, HEAD):
            os.unlink(self.path(name))
        verified = self.says(0, "verify", OUT[1], "--key", VKEY, *SEEN)
        self.assertIn(f"signer ({ORIGIN})", verified)

    def test_an_entry_that_no_head_covers_needs_the_key(self) -> None:
        with self.place().open() as store:
            record(store, "r-1")
        refused = self.says(2, "export", f"{SIGNED}#r-1", *OUT)
        self.assertEqual(
            refused, f"{SIGNED}: no head covers all of run r-1 yet (--key FILE signs one)"
        )
        self.assertFalse(os.path.exists(self.path(OUT[1])))
        text = self.says(0, "export", f"{SIGNED}#r-1", *OUT, *signing())
        self.assertIn(f"log: {ORIGIN}, size 20\n", text)
        self.says(0, "verify", OUT[1], "--key", VKEY, *SEEN)

    def test_growth_out_of_a_size_and_out_of_a_head(self) -> None:
        with open(self.path(HEAD), "rb") as file, open(self.path("old"), "wb") as old:
            old.write(file.read())
        with self.place().open() as store:
            record(store, "r-1")
        since = ["--since", "7", "--since", "old"]
        self.says(0, "export", f"{SIGNED}#r-1", *OUT, *since, *signing())
        froms = [line["consistency"]["from"] for line in self.lines() if "consistency" in line]  # type: ignore[index]
        self.assertEqual(froms, sorted({*froms, 7, 14}))
        verified = self.says(
            0, "verify", OUT[1], "--key", VKEY, "--seen", "old", "--require", "log"
        )
        self.assertRegex(verified, r"passed .*(\n .*)*log \(")

    def test_sealed_content_only_where_it_is_asked_for(self) -> None:
        secret = sealed_piece(b"sealed away", "text/plain", bytes(range(32)))
        with self.place().open() as store:
            recorded = Recorded(store, "r-1")
            recorded.open().both(1, "t", {}, secret).close()
        self.says(0, "export", f"{SIGNED}#r-1", *OUT, *signing())
        self.assertFalse([line for line in self.lines() if "piece" in line])
        self.says(0, "export", f"{SIGNED}#r-1", "-o", "y.run.jsonl", "--with-sealed")
        with open(self.path("y.run.jsonl"), encoding="utf-8") as file:
            self.assertIn('"key":"' + bytes(range(32)).hex(), file.read())

    def test_no_recording_is_replaced(self) -> None:
        self.says(0, "export", f"{SIGNED}#refund-42", *OUT)
        refused = self.says(2, "export", f"{SIGNED}#erase-me", *OUT)
        self.assertEqual(refused, "x.run.jsonl: is a recording, and would be replaced")
        refused = self.says(2, "export", f"{SIGNED}#refund-42", "-o", SIGNED)
        self.assertEqual(refused, f"{SIGNED}: is an input, and would be replaced")
        self.assertIn("-o takes a file", self.says(2, "export", f"{SIGNED}#refund-42", "-o", "-"))


class OfAnUnsignedStore(Stores):
    """Decided by us."""

    def test_its_head_is_nobodys_and_it_says_so(self) -> None:
        text = self.says(0, "export", f"{UNSIGNED}#refund-42", *OUT)
        self.assertIn("unsigned: nobody but the file itself vouches for this head", text)
        self.assertTrue(text.endswith("next: toolreplay verify x.run.jsonl\n"), text)
        self.assertIn("nothing here is signed", self.says(0, "verify", OUT[1]))

    def test_a_run_of_the_default_store_by_any_of_its_names(self) -> None:
        with self.usual_store():
            for number, name in enumerate(
                ("erase-me", "@last-1", OTHER_RUN, f"{UNSIGNED}#{OTHER_RUN[:36]}")
            ):
                with self.subTest(name):
                    text = self.says(0, "export", name, "-o", f"{number}.run.jsonl")
                    self.assertIn(f"entries of run {OTHER_RUN}\n", text)
            self.assertIn("is no file here, and no run of", self.says(2, "export", "nope", *OUT))
        refused = self.says(2, "export", "refund-42", *OUT)
        self.assertIn("export takes STORE#RUN, or a run of the default store, and ", refused)
        self.assertIn("takes STORE#RUN", self.says(2, "export", UNSIGNED, *OUT))


if __name__ == "__main__":
    unittest.main()
