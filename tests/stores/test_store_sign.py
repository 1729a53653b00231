"""store sign: an unsigned store gets its key, and a head is published when somebody asks."""

import os
import unittest
from importlib.util import find_spec

from tests.stores.recording import ORIGIN, Recorded, record
from tests.stores.stored import HEAD, SIGNED, UNSIGNED, VKEY, Stores, signing
from toolreplay.evidence.signatures.throwaway import throwaway_signer
from toolreplay.evidence.tlog.note import vkey_text

HAS_PACKAGE = find_spec("cryptography") is not None


def vkey_of(name: str, seed: bytes) -> str:
    """Return the public key of a name."""
    key = throwaway_signer(name, seed).key
    return vkey_text(key.name, key.kind, key.public)


class AnUnsignedStore(Stores):
    """Decided by us."""

    def test_it_gets_its_key_and_a_head(self) -> None:
        text = self.says(0, "store", "sign", UNSIGNED, *signing("u.head"))
        self.assertEqual(
            text.splitlines(),
            [
                f"signed by: {VKEY}",
                f"new head: size 14, root {self.root(UNSIGNED)}",
                "remembered in: u.head",
                f"next: toolreplay verify {UNSIGNED} --key VKEY",
            ],
        )
        asked = ["--key", VKEY, "--seen", "none", "--require", "signer"]
        verified = self.says(0, "verify", f"{UNSIGNED}#refund-42", *asked)
        self.assertIn(f"signer ({ORIGIN})", verified)

    def test_the_key_must_have_the_name_of_the_log(self) -> None:
        refused = self.says(
            2, "store", "sign", UNSIGNED, *signing("u.head", vkey_of("other", bytes(32)))
        )
        self.assertEqual(
            refused,
            f"{UNSIGNED}: is the log {ORIGIN}, and the key is that of other "
            f"(toolreplay key new --name {ORIGIN})",
        )
        self.assertIn("signed by  nobody", self.says(0, "store", "status", UNSIGNED))

    def test_a_key_that_has_signed_before_is_not_given_to_it(self) -> None:
        """Decided by us: that the store says it is unsigned may be somebody's doing."""
        refused = self.says(2, "store", "sign", UNSIGNED, *signing(HEAD))
        self.assertTrue(
            refused.startswith(f"{HEAD}: is a head that this key has signed, "), refused
        )

    def test_without_anything_that_signs(self) -> None:
        self.assertIn("store sign needs --key FILE", self.says(2, "store", "sign", UNSIGNED))


class ASignedStore(Stores):
    """Decided by us."""

    def test_its_head_is_published_where_entries_stand_behind_it(self) -> None:
        self.assertTrue(
            self.says(0, "store", "sign", SIGNED, *signing()).startswith("head: size 14, ")
        )
        with self.place().open() as store:
            Recorded(store, "r-1").open()
        text = self.says(0, "store", "sign", SIGNED, *signing())
        self.assertTrue(text.startswith(f"new head: size 15, root {self.root()}\n"), text)

    def test_another_key_of_its_name(self) -> None:
        other = signing("x.head", vkey_of(ORIGIN, bytes([1]) * 32))
        self.assertIn("by another key of that name", self.says(2, "store", "sign", SIGNED, *other))

    def test_one_that_was_rolled_back_is_refused_with_1(self) -> None:
        """The one error that ends with 1: it was looked at, and found."""
        there = self.place()
        there.sql(
            "delete from leaf where idx = 13",
            "delete from checkpoint where size = 14",
            checked=False,
        )
        refused = self.ran("store", "sign", SIGNED, *signing())
        self.assertEqual((refused.status, refused.out), (1, b""))
        self.assertEqual(
            refused.error,
            f"error: {SIGNED}: has 13 entries, and a head of 14 was signed: it was rolled back, "
            f"cut, or is another store of this key (the head: {HEAD}); what goes on from a backup "
            "is a new log: toolreplay store init NEW --restored-from\n",
        )
        asked = ["-o", "x", *signing()]
        self.assertEqual(self.ran("export", f"{SIGNED}#refund-42", *asked).status, 1)

    def test_a_head_file_that_was_lost_is_written_again(self) -> None:
        os.unlink(self.path(HEAD))
        self.says(0, "store", "sign", SIGNED, *signing())
        with open(self.path(HEAD), encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines()[:2], [ORIGIN, "14"])


@unittest.skipUnless(HAS_PACKAGE, "needs the package cryptography (extra sign)")
class WithAKeyFile(Stores):
    """Decided by us: the last head is remembered beside the key."""

    def test_a_store_of_its_own_from_key_to_head(self) -> None:
        vkey = self.says(0, "key", "new", "--name", "example.invalid/own", "-o", "own.key").rstrip()
        text = self.says(0, "store", "init", "own.db", "--key", "own.key")
        self.assertIn(f"origin: example.invalid/own\nsigned by: {vkey}\n", text)
        self.assertIn("no head yet", self.says(0, "store", "sign", "own.db", "--key", "own.key"))
        with self.place("own.db").open() as store:
            record(store, "r-1")
        text = self.says(0, "export", "own.db#r-1", "-o", "x.run.jsonl", "--key", "own.key")
        self.assertIn("log: example.invalid/own, size 6\n", text)
        self.assertTrue(os.path.exists(self.path("own.key.head")))
        asked = ["--key", vkey, "--seen", "none", "--require", "signer"]
        self.says(0, "verify", "x.run.jsonl", *asked)
        refused = self.says(2, "store", "init", "second.db", "--key", "own.key")
        self.assertIn("another log needs another key", refused)

    def test_another_name_than_that_of_a_signed_log(self) -> None:
        self.says(0, "key", "new", "--name", "example.invalid/own", "-o", "own.key")
        refused = self.says(2, "store", "sign", SIGNED, "--key", "own.key")
        self.assertTrue(refused.endswith(f"(its heads are signed by {VKEY})"), refused)


if __name__ == "__main__":
    unittest.main()
