"""store init: an empty store, with a key or without, alone or after one that was restored."""

import os
import unittest

from tests.stores.recording import ORIGIN
from tests.stores.stored import ENTRIES, HEAD, KEY, SIGNED, UNSIGNED, VKEY, Stores, signing
from toolreplay.evidence.signatures.throwaway import throwaway_signer
from toolreplay.evidence.tlog.note import vkey_text


class WithoutAKey(Stores):
    """Decided by us: an unsigned store says what that means, and how it ends."""

    def test_it_is_made_with_an_origin_of_its_own(self) -> None:
        first, second = (self.says(0, "store", "init", name) for name in ("a.db", "b.db"))
        origins = [text.split("origin: ")[1].splitlines()[0] for text in (first, second)]
        self.assertNotEqual(*origins)
        for origin in origins:
            self.assertRegex(origin, r"\Atoolreplay\.invalid/[0-9a-f]{32}\Z")
        self.assertIn(
            "signed by: nobody. Whoever can write the file can change what is in it", first
        )
        self.assertIn(f"toolreplay key new --name {origins[0]} -o FILE\n", first)
        self.assertTrue(first.endswith("next: toolreplay store status a.db\n"))
        self.assertEqual(
            self.says(0, "store", "check", "a.db").splitlines()[0], "leaves     0 of 0 runs"
        )
        self.assertEqual(os.stat(self.path("a.db")).st_mode & 0o777, 0o600)

    def test_the_scheme_may_be_said(self) -> None:
        self.assertIn("made: x.db\n", self.says(0, "store", "init", "sqlite:x.db"))
        self.assertIn("a store is a file", self.says(2, "store", "init", "postgresql://host/x"))

    def test_nothing_that_is_there_is_replaced(self) -> None:
        with open(self.path(UNSIGNED), "rb") as file:
            before = file.read()
        self.assertEqual(
            self.says(2, "store", "init", UNSIGNED),
            f"{UNSIGNED}: is there already, and is not replaced",
        )
        with open(self.path(UNSIGNED), "rb") as file:
            self.assertEqual(file.read(), before)

    def test_a_folder_that_is_not_there(self) -> None:
        self.assertEqual(
            self.says(2, "store", "init", "gone/x.db"), "gone/x.db: No such file or directory"
        )


class WithAKey(Stores):
    """Decided by us: the origin is the name of the key, and one key is for one log."""

    def test_its_heads_are_signed_from_the_start(self) -> None:
        text = self.says(0, "store", "init", "x.db", *signing("x.head"))
        self.assertIn(f"origin: {ORIGIN}\nsigned by: {VKEY}\n", text)
        self.assertIn("last head: will be remembered in x.head\n", text)
        self.assertIn(f"signed by  {VKEY}\n", self.says(0, "store", "status", "x.db"))

    def test_a_key_that_has_signed_a_log_signs_no_other(self) -> None:
        refused = self.says(2, "store", "init", "x.db", *signing(HEAD))
        self.assertRegex(refused, rf"\A{HEAD}: is the head of a log that this key has signed: ")
        self.assertFalse(os.path.exists(self.path("x.db")))

    def test_a_command_that_signs_needs_a_place_for_its_last_head(self) -> None:
        self.assertIn("--head FILE", self.says(2, "store", "init", "x.db", *signing()[:4]))
        self.assertIn("--sign-command", self.says(2, "store", "init", "x.db", "--head", "h"))


class Restored(Stores):
    """Decided by us: what a backup lost cannot be made up for, so another log goes on."""

    def test_its_first_entry_names_the_last_head_of_the_other(self) -> None:
        reason = f"restored from {ORIGIN} {ENTRIES} {self.root()}"
        for number, other in enumerate((SIGNED, HEAD, UNSIGNED)):
            with self.subTest(other):
                name = f"{number}.db"
                text = self.says(0, "store", "init", name, "--restored-from", other)
                self.assertIn(f"first entry: {reason}\n", text)
                kinds = self.sql(name, "select kind from entry order by idx")
                self.assertEqual(kinds, [("open",), ("gap",), ("close",)])
                ((payload,),) = self.sql(
                    name, "select bytes from payload where instr(bytes, cast('gap/1' as blob))"
                )
                self.assertIn(reason.encode(), payload)
                self.assertIn("recorder", self.says(0, "runs", "list", "--store", name))
                self.says(0, "store", "check", name)

    def test_it_is_signed_by_another_key(self) -> None:
        other = ["--restored-from", SIGNED]
        refused = self.says(2, "store", "init", "x.db", *signing("new.head"), *other)
        self.assertIn(f"{ORIGIN} is the log that was restored", refused)
        key = throwaway_signer("example.invalid/after", bytes(32)).key
        vkey = vkey_text(key.name, KEY.kind, key.public)
        self.says(0, "store", "init", "x.db", *signing("new.head", vkey), *other)
        self.assertIn("last head  size 3,", self.says(0, "store", "status", "x.db"))
        self.assertTrue(os.path.exists(self.path("new.head")))

    def test_what_is_neither_store_nor_head(self) -> None:
        self.assertIn(
            "sign.py: a note", self.says(2, "store", "init", "x.db", "--restored-from", "sign.py")
        )
        self.assertIn(
            "No such file", self.says(2, "store", "init", "x.db", "--restored-from", "gone")
        )
        self.assertFalse(os.path.exists(self.path("x.db")))


if __name__ == "__main__":
    unittest.main()
