"""Private keys as text, in Go's form."""

import unittest

from tests.evidence.trust import ORIGIN, document, signer
from toolreplay.errors import InputError
from toolreplay.evidence.signatures.keys import PrivateKey, parse_private_key, private_key_text

SEED = bytes.fromhex(document("keys")["keys"][0]["seed_hex"])
TEXT = f"PRIVATE+KEY+{ORIGIN}+381957fa+ATtI+nEWlbGuamVNfOXykSpvm8UpYsNLnlOlzvQ15VHO"


class PrivateKeys(unittest.TestCase):
    """The form of golang.org/x/mod/sumdb/note."""

    def test_a_key_has_this_text(self) -> None:
        self.assertEqual(private_key_text(ORIGIN, SEED, signer().key.public), TEXT)
        key = PrivateKey(ORIGIN, SEED, bytes.fromhex("381957fa"))
        for text in (TEXT, f"{TEXT}\n"):
            self.assertEqual(parse_private_key(text, ""), key)

    def test_the_seed_is_shown_to_nobody(self) -> None:
        key = parse_private_key(TEXT, "")
        for text in (repr(key), str(key), f"{key}"):
            self.assertEqual(text, f"PrivateKey(name={ORIGIN!r})")

    def test_each_other_text_is_refused_without_a_word_of_it(self) -> None:
        secret = "ATtI+nEWlbGuamVNfOXykSpvm8UpYsNLnlOlzvQ15VHO"
        for text in (
            "",
            "nothing",
            signer().key.name,
            TEXT.removeprefix("PRIVATE+"),
            TEXT.removeprefix("PRIVATE+KEY+"),
            TEXT.replace(ORIGIN, ""),
            TEXT.replace(ORIGIN, "a b"),
            TEXT.replace("381957fa", "381957f"),
            TEXT.replace("381957fa", "381957fg"),
            TEXT.replace("381957fa", "38 1957fa"),
            TEXT[:-4],
            TEXT + "=",
            TEXT.replace("+ATtI", "+AjtI"),
            TEXT + "\n\n",
            f" {TEXT}",
        ):
            with self.subTest(text), self.assertRaisesRegex(InputError, "^here: ") as caught:
                parse_private_key(text, "here")
            self.assertNotIn(secret[4:20], str(caught.exception))


if __name__ == "__main__":
    unittest.main()
