"""The escape table and the shapes of a line."""

import random
import unicodedata
import unittest

from toolreplay.reports.lines import (
    WIDTH,
    columns,
    cut,
    escaped,
    folded,
    plural,
    shortened,
    width_of,
)

RANGES = (
    (0x00, 0x1F), (0x7F, 0x7F), (0x80, 0x9F), (0x200B, 0x200F), (0x2028, 0x202E),
    (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xD800, 0xDFFF), (0xFDD0, 0xFDEF),
    *((plane << 16 | 0xFFFE, plane << 16 | 0xFFFF) for plane in range(17)),
)  # fmt: skip
"""The fixed table: C0, DEL, C1, invisible and direction marks, surrogates, noncharacters."""


class TheEscapeTable(unittest.TestCase):
    """Decided by us: everywhere the same, whatever the terminal."""

    def test_exactly_these_characters_are_escaped(self) -> None:
        special = {code for first, last in RANGES for code in range(first, last + 1)}
        for first in range(0, 0x110000, 0x1000):
            codes = range(first, first + 0x1000)
            wanted = [f"\\u{{{code:x}}}" if code in special else chr(code) for code in codes]
            if escaped("".join(map(chr, codes))) != "".join(wanted):
                self.fail(f"a character from U+{first:04X} on is not printed as it should be")

    def test_each_stands_alone_in_a_longer_text(self) -> None:
        self.assertEqual(escaped("a\x1b[31mb\u202ec\ud800\ud800"), "a\\u{1b}[31mb\\u{202e}c\\u{d800}\\u{d800}")  # fmt: skip

    def test_ordinary_text_comes_back_unchanged(self) -> None:
        for text in ("", "plain", "it's \\u{1b}", "読む é e\u0301 \U0001f600", "\u00a0\u00ad"):
            self.assertEqual(escaped(text), text)

    def test_every_escaped_text_is_utf_8(self) -> None:
        for code in (0xD800, 0xDFFF, 0x10FFFF):
            escaped(chr(code)).encode("utf-8")

    def test_a_name_longer_than_any_that_helps_is_cut(self) -> None:
        self.assertEqual(shortened("x" * 200), "x" * 200)
        self.assertEqual(shortened("\x1b" * 201), "\\u{1b}" * 200 + "…")


class Widths(unittest.TestCase):
    """Decided by Unicode: East Asian wide and full-width characters take two columns."""

    def test_of_a_text(self) -> None:
        for text, width in (
            ("", 0),
            ("abc", 3),
            ("é", 1),
            ("e\u0301", 1),
            ("中文", 4),
            ("ﾊﾝ", 2),
            ("Ａ", 2),
            ("\U0001f600", 2),
            ("…", 1),
        ):
            self.assertEqual(width_of(text), width, text)


class CutToAWidth(unittest.TestCase):
    """Decided by us."""

    def test_what_fits_is_left_alone(self) -> None:
        for text, width in (("abc", 3), ("abc", 9), ("中", 2), ("", 0), ("", 5)):
            self.assertEqual(cut(text, width), text)

    def test_what_does_not_ends_in_a_mark(self) -> None:
        for text, width, wanted in (
            ("abcd", 3, "ab…"),
            ("中文字", 5, "中文…"),
            ("中文字", 4, "中…"),
            ("abc", 1, "…"),
            ("中", 1, "…"),
            ("abc…", 3, "ab…"),
        ):
            self.assertEqual(cut(text, width), wanted)

    def test_without_room_nothing_is_left(self) -> None:
        for width in (0, -1, -1000):
            self.assertEqual(cut("abc", width), "")

    def test_never_wider_and_never_endless(self) -> None:
        chance = random.Random(7)
        letters = "ab中\u0301…Ａ"
        for _ in range(2000):
            text = "".join(chance.choice(letters) for _ in range(chance.randrange(30)))
            width = chance.randrange(-3, 35)
            short = cut(text, width)
            self.assertLessEqual(width_of(short), max(width, 0))
            if width_of(text) <= width:
                self.assertEqual(unicodedata.normalize("NFC", short)[:1], unicodedata.normalize("NFC", text)[:1])  # fmt: skip


class Columns(unittest.TestCase):
    """Decided by us."""

    def test_they_are_aligned_by_width_and_the_last_is_not_padded(self) -> None:
        rows = [("a", "bb", "c"), ("中文", "b", "cc"), ("a", "b")]
        self.assertEqual(columns(rows), ["a     bb  c", "中文  b   cc", "a     b"])

    def test_some_are_set_right(self) -> None:
        rows = [("a", "1", "x"), ("b", "100", "y")]
        self.assertEqual(columns(rows, right=(1,)), ["a    1  x", "b  100  y"])

    def test_no_rows(self) -> None:
        self.assertEqual(columns([]), [])


class Folded(unittest.TestCase):
    """Decided by us: a text of our own, broken at spaces."""

    def test_into_lines_of_at_most_80_columns(self) -> None:
        text = "word " * 60
        lines = folded(text)
        self.assertEqual(" ".join(lines), text.strip())
        self.assertTrue(all(len(line) <= WIDTH for line in lines))
        self.assertTrue(all(len(line) > WIDTH - 6 for line in lines[:-1]))

    def test_with_an_indent(self) -> None:
        self.assertEqual(folded("one two three", "  ", 9), ["  one two", "  three"])

    def test_a_word_that_does_not_fit_has_a_line_of_its_own(self) -> None:
        self.assertEqual(folded("a " + "x" * 90 + " b"), ["a", "x" * 90, "b"])

    def test_line_ends_inside_are_spaces(self) -> None:
        self.assertEqual(folded("one\n two\n\nthree"), ["one two three"])
        self.assertEqual(folded(""), [])
        self.assertEqual(folded(" \n"), [])


class Plural(unittest.TestCase):
    """Decided by us."""

    def test_by_count_with_commas(self) -> None:
        for count, text in ((0, "0 calls"), (1, "1 call"), (2, "2 calls"), (2310, "2,310 calls")):
            self.assertEqual(plural(count, "call"), text)
        self.assertEqual(plural(2, "loss", "losses"), "2 losses")
