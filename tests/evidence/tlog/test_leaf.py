"""The leaf: one spelling for one leaf, and nothing else is read."""

import unittest

from toolreplay.evidence.tlog.leaf import (
    FIRST_PREV,
    LEAF_BYTES,
    Leaf,
    LeafError,
    leaf_bytes,
    parse_leaf,
)

LEAF = Leaf(
    log="toolreplay.invalid/0123456789abcdef0123456789abcdef",
    run="01937f8a-0000-7000-8000-000000000001",
    entry=1,
    kind="call",
    at=1790000001500000,
    commit=bytes(range(32)),
    prev=FIRST_PREV,
    size=69,
)
SPELT = (
    b"toolreplay/entry/v1\n"
    b'{"at":1790000001500000,"commit":"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",'
    b'"kind":"call","log":"toolreplay.invalid/0123456789abcdef0123456789abcdef",'
    b'"prev":"0000000000000000000000000000000000000000000000000000000000000000",'
    b'"run":"01937f8a-0000-7000-8000-000000000001","seq":1,"size":69,"v":1}\n'
)


class TheTwoLines(unittest.TestCase):
    """Decided by us: toolreplay/entry/v1."""

    def test_a_leaf_has_this_spelling(self) -> None:
        self.assertEqual(leaf_bytes(LEAF), SPELT)
        self.assertEqual(parse_leaf(SPELT), LEAF)

    def test_each_extreme_is_read_back(self) -> None:
        for change in (
            {"at": 0, "entry": 0, "size": 0},
            {"at": 2**53 - 1, "entry": 2**53 - 1, "size": 2**53 - 1},
            {"log": "é.example/日本"},
            {"log": "a"},
            {"run": "a" * 128},
            {"run": "A.z_0-9"},
            {"kind": "observe"},
        ):
            with self.subTest(change):
                leaf = LEAF._replace(**change)
                self.assertEqual(parse_leaf(leaf_bytes(leaf)), leaf)

    def test_what_no_leaf_can_say_is_not_written(self) -> None:
        for change in (
            {"at": -1},
            {"at": 2**53},
            {"entry": 2**53},
            {"size": -1},
            {"commit": b""},
            {"commit": bytes(33)},
            {"prev": bytes(31)},
            {"log": ""},
            {"log": 'a"b'},
            {"log": "a\\b"},
            {"log": "a\nb"},
            {"log": "\ud800"},
            {"log": "a" * LEAF_BYTES},
            {"run": ""},
            {"run": "a" * 129},
            {"run": "a b"},
            {"run": "é"},
            {"kind": ""},
            {"kind": "Call"},
            {"kind": 'x","v":1'},
        ):
            with self.subTest(change), self.assertRaises(LeafError):
                leaf_bytes(LEAF._replace(**change))

    def test_the_longest_leaf(self) -> None:
        rest = len(SPELT) - len(LEAF.log)
        for length, fits in ((65_535, True), (65_536, False)):
            data = SPELT.replace(LEAF.log.encode(), b"a" * (length - rest))
            with self.subTest(length):
                self.assertEqual(len(data), length)
                if fits:
                    self.assertEqual(leaf_bytes(parse_leaf(data)), data)
                else:
                    with self.assertRaisesRegex(LeafError, "more than 65,535 bytes"):
                        parse_leaf(data)

    def test_a_member_cannot_pass_for_others(self) -> None:
        with self.assertRaises(LeafError):
            leaf_bytes(LEAF._replace(log='a","prev":"' + "0" * 64))

    def test_each_other_spelling_is_refused(self) -> None:
        for name, data in {
            "no last LF": SPELT[:-1],
            "two LF": SPELT + b"\n",
            "CRLF": SPELT.replace(b"\n", b"\r\n"),
            "a blank": SPELT.replace(b'"v":1', b'"v": 1'),
            "another version": SPELT.replace(b'"v":1', b'"v":2'),
            "another first line": SPELT.replace(b"entry/v1", b"entry/v2"),
            "a leading zero": SPELT.replace(b'"seq":1', b'"seq":01'),
            "a fraction": SPELT.replace(b'"seq":1', b'"seq":1.0'),
            "a number as text": SPELT.replace(b'"seq":1', b'"seq":"1"'),
            "upper-case hex": SPELT.replace(b"0a0b0c", b"0A0B0C"),
            "an escape": SPELT.replace(b'"call"', b'"c\\u0061ll"'),
            "a member more": SPELT.replace(b',"v":1', b',"v":1,"w":1'),
            "a member less": SPELT.replace(b',"size":69', b""),
            "a member twice": SPELT.replace(b'"seq":1', b'"seq":1,"seq":1'),
            "another order": SPELT.replace(b'"seq":1,"size":69', b'"size":69,"seq":1'),
            "not UTF-8": SPELT.replace(b"toolreplay.invalid", b"\xff"),
            "over the limit": SPELT.replace(b"toolreplay.invalid", b"a" * LEAF_BYTES),
            "a signature behind": SPELT + "\n— a AAAAAAAA\n".encode(),
            "nothing": b"",
        }.items():
            with self.subTest(name):
                self.assertNotEqual(data, SPELT)
                with self.assertRaises(LeafError):
                    parse_leaf(data)

    def test_every_changed_byte_is_another_leaf_or_none(self) -> None:
        for place in range(len(SPELT)):
            for change in (0x01, 0x20, 0x80):
                data = bytearray(SPELT)
                data[place] ^= change
                try:
                    self.assertNotEqual(parse_leaf(bytes(data)), LEAF)
                except LeafError:
                    continue


if __name__ == "__main__":
    unittest.main()
