"""Notes and keys, against the vectors of Go's own reader, and the rules of C2SP signed-note."""

import unittest

from tests.evidence.trust import ORIGIN, cases, document, signer, unpacked
from toolreplay.errors import InputError
from toolreplay.evidence.signatures.sign import sign_note
from toolreplay.evidence.tlog.cosignature import signature_holds
from toolreplay.evidence.tlog.note import (
    ED25519,
    ED25519_COSIGNATURE,
    ML_DSA_44_COSIGNATURE,
    NOTE_BYTES,
    SIGNATURES,
    Note,
    NoteSignature,
    NoteVerdict,
    VerifierKey,
    is_key_name,
    key_id_of,
    note_bytes,
    parse_note,
    parse_vkey,
    signed_by,
    vkey_text,
)

TEXT = b"one line\n"


def opened(data: bytes, vkeys: list[str]) -> tuple[Note, NoteVerdict]:
    note = parse_note(data, "note")
    return note, signed_by(note, [parse_vkey(text, "key") for text in vkeys], signature_holds)


class Vectors(unittest.TestCase):
    """Decided by C2SP signed-note; the values are those of golang.org/x/mod/sumdb/note."""

    def test_each_note(self) -> None:
        found = cases("notes")
        self.assertEqual(len(found), 45)
        for case in found:
            expect = case["expect"]
            with self.subTest(case["id"], desc=case["desc"]):
                try:
                    note, verdict = opened(unpacked(case["note_b64"]), case["vkeys"])
                except InputError:
                    self.assertFalse(expect["ok"])
                    continue
                self.assertEqual(verdict.is_accepted, expect["ok"])
                if expect["ok"]:
                    self.assertEqual(note.text, unpacked(expect["text_b64"]))
                    names = [f"{key.name}+{key.key_id.hex()}" for key in verdict.signers]
                    self.assertEqual(sorted(names), sorted(expect["verified"]))

    def test_the_keys_of_the_vectors(self) -> None:
        found = document("keys")
        log = parse_vkey(found["log_vkey"], "key")
        self.assertEqual(log, signer().key)
        witness = parse_vkey(found["witness_vkey"], "key")
        self.assertEqual(
            (witness.kind, witness.public), (ED25519_COSIGNATURE, signer("witness1").key.public)
        )
        for text in (found["log_vkey"], found["witness_vkey"]):
            key = parse_vkey(text, "key")
            self.assertEqual(vkey_text(key.name, key.kind, key.public), text)


class TheThreeRules(unittest.TestCase):
    """C2SP signed-note, "Signatures"."""

    def setUp(self) -> None:
        self.key, self.other = signer().key, signer("other", "other.example").key
        self.good = self.line(signer().sign(TEXT), self.key)
        self.good_too = self.line(signer("other", "other.example").sign(TEXT), self.other)
        self.bad = self.good._replace(signature=bytes(64))

    def line(self, signature: bytes, key: VerifierKey) -> NoteSignature:
        return NoteSignature(key.name, key.key_id, signature)

    def verdict(self, lines: list[NoteSignature], keys: list[VerifierKey]) -> NoteVerdict:
        return signed_by(parse_note(note_bytes(TEXT, lines), "note"), keys, signature_holds)

    def test_a_signature_of_an_unknown_key_is_ignored_even_a_bad_one(self) -> None:
        for line in (
            self.bad._replace(name="other.example"),
            self.bad._replace(key_id=self.other.key_id),
        ):
            self.assertTrue(self.verdict([line, self.good], [self.key]).is_accepted)

    def test_a_bad_signature_of_a_known_key_spoils_the_note(self) -> None:
        both = [self.key, self.other]
        for lines in ([self.bad, self.good_too], [self.good_too, self.bad]):
            found = self.verdict(lines, both)
            self.assertEqual(found, NoteVerdict((self.other,), (self.key,), ()))
            self.assertFalse(found.is_accepted)

    def test_a_key_with_a_good_and_a_bad_signature_did_not_sign(self) -> None:
        for lines in ([self.good, self.bad], [self.bad, self.good]):
            found = self.verdict(lines, [self.key])
            self.assertEqual(found, NoteVerdict((), (self.key,), ()))

    def test_without_a_good_signature_the_note_is_worth_nothing(self) -> None:
        for keys in ([], [self.other]):
            found = self.verdict([self.good], keys)
            self.assertEqual(found, NoteVerdict((), (), ()))
            self.assertFalse(found.is_accepted)

    def test_what_cannot_be_checked_is_neither_good_nor_bad(self) -> None:
        note = Note(TEXT, (self.good, self.good_too))
        found = signed_by(
            note, [self.key, self.other], lambda key, *_: True if key == self.key else None
        )
        self.assertEqual(found, NoteVerdict((self.key,), (), (self.other,)))
        self.assertTrue(found.is_accepted)
        unchecked = signed_by(note, [self.other], lambda *_: None)
        self.assertFalse(unchecked.is_accepted)


class ReadingNotes(unittest.TestCase):
    """C2SP signed-note, "Format"."""

    def test_what_is_written_is_read_back(self) -> None:
        lines = [NoteSignature(f"é{number}.example", b"abcd", b"x" * 64) for number in range(16)]
        for text in (b"\n", TEXT, b"a\n\nb\n", "日本\n".encode()):
            self.assertEqual(parse_note(note_bytes(text, lines), ""), Note(text, tuple(lines)))

    def test_a_hundred_signatures_are_read_and_no_more(self) -> None:
        lines = [NoteSignature("a", b"abcd", b"x")] * SIGNATURES
        self.assertEqual(len(parse_note(note_bytes(TEXT, lines), "").signatures), 100)
        with self.assertRaises(ValueError):
            note_bytes(TEXT, [*lines, lines[0]])

    def test_a_note_over_the_limit_is_refused_before_anything_else(self) -> None:
        with self.assertRaisesRegex(InputError, "^big: a note of more than 1,000,000 bytes"):
            parse_note(b"a" * (NOTE_BYTES + 1), "big")

    def test_each_fault_is_named_with_its_place(self) -> None:
        good = sign_note(TEXT, signer())
        for fact, data in {
            "must end with LF": good[:-1],
            "control character": good.replace(b" line", b"\tline"),
            "is not UTF-8": b"\xff" + good,
            "without a signature": TEXT,
            "with more than": good + good.split(b"\n\n")[1] * SIGNATURES,
            "not `— name base64`": good.replace("—".encode(), b"-"),
            "is not standard base64": good[:-2] + b"\n",
            "unused bits": good[:-3] + b"9=\n",
            "without a signature behind the key id": TEXT + "\n— a AAAAAA==\n".encode(),
        }.items():
            with self.subTest(fact), self.assertRaisesRegex(InputError, f"^here: .*{fact}"):
                parse_note(data, "here")

    def test_what_could_not_be_read_back_is_not_written(self) -> None:
        line = NoteSignature("a", b"abcd", b"x")
        for text, lines in (
            (b"no line ending", [line]),
            ("a\n\n— b AAAAAAAA".encode(), [line]),
            (b"\x07\n", [line]),
            (TEXT, []),
            (TEXT, [line._replace(name="a b")]),
            (TEXT, [line._replace(name="a+b")]),
            (TEXT, [line._replace(signature=b"")]),
        ):
            with self.subTest(text=text, lines=lines), self.assertRaises(ValueError):
                note_bytes(text, lines)

    def test_names_of_keys(self) -> None:
        for name in ("a", "example.com/log", "日本.example", "é"):
            self.assertTrue(is_key_name(name))
        for name in ("", "a b", "a+b", "a\u00a0b", "a\u2028", "a\u3000", "a\x85", "a\x1b", "a\n"):
            self.assertFalse(is_key_name(name), ascii(name))


class ReadingKeys(unittest.TestCase):
    """C2SP signed-note, "Verifier keys"; which keys are refused is decided by us."""

    def vkey(self, public: bytes, kind: int = ED25519, name: str = ORIGIN) -> str:
        return vkey_text(name, kind, public)

    def test_a_key_of_a_cosigner_is_read(self) -> None:
        public = signer().key.public
        for kind, data in ((ED25519_COSIGNATURE, public), (ML_DSA_44_COSIGNATURE, bytes(1312))):
            key_id = key_id_of(ORIGIN, kind, data)
            self.assertEqual(
                parse_vkey(self.vkey(data, kind), ""), VerifierKey(ORIGIN, key_id, kind, data)
            )

    def test_a_key_that_can_bind_nobody_is_refused(self) -> None:
        over = (2**255 - 19 + 3).to_bytes(32, "little")  # 3 is on the curve
        for name, public in {
            "the neutral point": bytes([1]) + bytes(31),
            "all zero, of order 4": bytes(32),
            "of order 8": bytes.fromhex(
                "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
            ),
            "not canonical": over,
            "on no curve": bytes([2]) + bytes(31),
        }.items():
            for kind in (ED25519, ED25519_COSIGNATURE):
                with self.subTest(name, kind=kind), self.assertRaisesRegex(InputError, "usable"):
                    parse_vkey(self.vkey(public, kind), "")

    def test_each_fault_is_named(self) -> None:
        good = self.vkey(signer().key.public)
        name, key_id, encoded = good.split("+", 2)
        for fact, text in (
            ("not a verifier key", "nothing"),
            ("not a verifier key", f"a b+{key_id}+{encoded}"),
            ("not that of its name", f"{name}+00000000+{encoded}"),
            ("not that of its name", f"other+{key_id}+{encoded}"),
            ("not that of its name", f"{name}+{key_id[:7]}+{encoded}"),
            ("not that of its name", f"{name}+{key_id}\u00b9+{encoded}"),
            ("not standard base64", good[:-1]),
            ("type 0x02", self.vkey(bytes(32), 2)),
            ("type 0xff", self.vkey(bytes(32), 0xFF)),
            ("type 0x00", f"{name}+{key_id}+AA=="),
            ("of 31 bytes", self.vkey(bytes(31))),
            ("more than 4,096 characters", self.vkey(bytes(4000))),
            ("not Unicode", f"\ud800+{key_id}+{encoded}"),
        ):
            with self.subTest(fact), self.assertRaisesRegex(InputError, f"^key: .*{fact}"):
                parse_vkey(text, "key")


if __name__ == "__main__":
    unittest.main()
