"""Proofs of two histories: what convicts, and that nothing convicts a log that only grew."""

import json
import unittest

from tests.evidence.tlog.small_world import changed_paths
from tests.evidence.trust import ORIGIN, Tree, signer
from toolreplay.errors import InputError
from toolreplay.evidence.signatures.sign import Signer, sign_note
from toolreplay.evidence.tlog.checkpoint import checkpoint_text
from toolreplay.evidence.tlog.merkle import EMPTY_ROOT, consistency_path, seeded_path
from toolreplay.evidence.tlog.two_histories import (
    Conviction,
    TwoHistories,
    is_conviction,
    parse_two_histories,
    two_histories_bytes,
)

TOLD, OTHER = Tree(20), Tree(20, "another story")
KEY = signer().key


def proof_of(old: int, size: int, tree: Tree = OTHER) -> TwoHistories:
    """Say that one tree was signed at the older size, and another at the newer."""
    path = None if old == size else tuple(seeded_path(old, size, tree.read))
    return TwoHistories((TOLD.head(old), tree.head(size)), path)


class Convictions(unittest.TestCase):
    """Decided by us: one key, one origin, and a contradiction that anyone can compute."""

    def test_two_roots_for_one_size(self) -> None:
        found = is_conviction(proof_of(7, 7), [KEY])
        self.assertTrue(found.is_proved)
        self.assertEqual(found.key, KEY)
        self.assertIn(f"{ORIGIN} signed two roots for size 7", found.reason)

    def test_a_larger_head_that_begins_with_another_root(self) -> None:
        for old, size in ((3, 7), (4, 7), (8, 16), (1, 2), (19, 20), (16, 20)):
            with self.subTest(old=old, size=size):
                proof = proof_of(old, size)
                found = is_conviction(proof, [KEY])
                self.assertTrue(found.is_proved, found.reason)
                self.assertIn(OTHER.root(old).hex(), found.reason)
                turned = proof._replace(notes=(proof.notes[1], proof.notes[0]))
                self.assertTrue(is_conviction(turned, [KEY]).is_proved)

    def test_a_log_that_only_grew_is_convicted_by_nothing(self) -> None:
        """That no path at all gives an older tree another root, test_merkle shows exhaustively."""
        tried = 0
        for old, size in ((1, 1), (3, 7), (4, 7)):
            path = seeded_path(old, size, TOLD.read)
            both = TOLD.head(old), TOLD.head(size)
            for changed in (None, path, [], *changed_paths(path, [OTHER.root(old)])):
                shown = None if changed is None else tuple(changed)
                tried += 1
                self.assertFalse(is_conviction(TwoHistories(both, shown), [KEY]).is_proved)
        self.assertGreater(tried, 40)

    def refused(self, proof: TwoHistories, keys: list, reason: str) -> None:
        found = is_conviction(proof, keys)
        self.assertEqual(found, Conviction(False, found.reason))
        self.assertIn(reason, found.reason)

    def test_both_heads_must_be_signed_by_one_given_key(self) -> None:
        other = signer("other")
        mixed = TwoHistories((TOLD.head(7), OTHER.head(7, by=other)), None)
        for keys in ([], [KEY], [other.key], [KEY, other.key]):
            self.refused(mixed, keys, "no key given signed both heads")
        self.refused(proof_of(7, 7), [other.key], "no key given signed both heads")

    def test_an_edited_head_convicts_nobody(self) -> None:
        first = TOLD.head(7)
        edited = first.replace(first.split(b"\n")[2], OTHER.head(7).split(b"\n")[2])
        self.refused(TwoHistories((first, edited), None), [KEY], "no key given signed both heads")

    def test_heads_of_two_logs_do_not_contradict(self) -> None:
        both = TwoHistories((TOLD.head(7), OTHER.head(7, origin="b.example")), None)
        self.refused(both, [KEY], "of two logs")

    def test_each_other_thing_that_is_no_contradiction_is_named(self) -> None:
        consistent = TwoHistories((TOLD.head(4), TOLD.head(9)), tuple(seeded_path(4, 9, TOLD.read)))
        self.refused(consistent, [KEY], "begins the one of 9")
        self.refused(TwoHistories((TOLD.head(7), TOLD.head(7)), None), [KEY], "the same root")
        with_path = proof_of(7, 7)._replace(path=(bytes(32),))
        self.refused(with_path, [KEY], "a path stands between heads of one size")
        self.refused(proof_of(4, 9)._replace(path=None), [KEY], "does not lead to the root")
        rfc = tuple(consistency_path(4, 9, OTHER.read))
        self.refused(proof_of(4, 9)._replace(path=rfc), [KEY], "does not lead to the root")
        self.refused(TwoHistories((b"x", TOLD.head(7)), None), [KEY], "a note must end with LF")
        no_head = sign_note(b"hello\n", signer())
        self.refused(TwoHistories((no_head, no_head), None), [KEY], "at least three lines")

    def test_an_empty_head_contradicts_no_larger_one(self) -> None:
        empty = sign_note(checkpoint_text(ORIGIN, 0, EMPTY_ROOT), signer())
        for path in (None, (), (bytes(32),)):
            proof = TwoHistories((empty, TOLD.head(7)), path)
            self.refused(proof, [KEY], "does not lead to the root")

    def test_lines_behind_the_head_are_no_contradiction(self) -> None:
        def with_line(by: Signer, line: bytes) -> bytes:
            return sign_note(checkpoint_text(ORIGIN, 7, TOLD.root(7)) + line, by)

        both = TwoHistories((with_line(signer(), b"a\n"), with_line(signer(), b"b\n")), None)
        self.refused(both, [KEY], "the same root")


class TheFile(unittest.TestCase):
    """Decided by us: toolreplay-two-histories/1."""

    def test_it_is_read_as_it_was_written(self) -> None:
        longest = proof_of(3, 9)._replace(path=(bytes(32),) * 64)
        for proof in (proof_of(7, 7), proof_of(4, 9), proof_of(3, 9), longest):
            data = two_histories_bytes(proof)
            self.assertEqual(parse_two_histories(data, ""), proof)
            value = json.loads(data)
            self.assertEqual(sorted(value), ["format", "notes", "path"])
            self.assertTrue(data.startswith(b'{"format":"toolreplay-two-histories/1","notes":["'))
            self.assertTrue(data.endswith(b"}\n"))

    def test_each_other_spelling_is_refused(self) -> None:
        good = two_histories_bytes(proof_of(4, 9))
        value = json.loads(good)

        def spelt(**change: object) -> bytes:
            text = json.dumps({**value, **change}, separators=(",", ":"), sort_keys=True)
            return text.encode() + b"\n"

        self.assertEqual(spelt(), good)
        for name, data in {
            "no LF": good[:-1],
            "two lines": good + good,
            "a blank": good.replace(b":", b": ", 1),
            "not JSON": b"nothing\n",
            "a list": b"[]\n",
            "nothing": b"",
            "a member more": spelt(more=1),
            "a member twice": good.replace(b',"path"', b',"path":null,"path"'),
            "another format": spelt(format="toolreplay-two-histories/2"),
            "one note": spelt(notes=value["notes"][:1]),
            "three notes": spelt(notes=[*value["notes"], "AAAA"]),
            "notes that are none": spelt(notes="AA"),
            "notes that are a number": spelt(notes=2),
            "a path that is a number": spelt(path=2),
            "a note of another kind": spelt(notes=[1, 2]),
            "a note with unused bits": spelt(notes=["AAB=", "AAAA"]),
            "a path of text": spelt(path="00"),
            "upper-case hex": spelt(path=[value["path"][0].upper()]),
            "a short hash": spelt(path=["00"]),
            "a number in the path": spelt(path=[0]),
            "65 hashes": spelt(path=["00" * 32] * 65),
            "an escape": good.replace(b"toolreplay", b"\\u0074oolreplay"),
            "deep": b"[" * 10_000 + b"\n",
        }.items():
            with self.subTest(name), self.assertRaisesRegex(InputError, "^here: "):
                parse_two_histories(data, "here")


if __name__ == "__main__":
    unittest.main()
