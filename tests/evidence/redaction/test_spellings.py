"""Other spellings of bytes, undone."""

import base64
import json
import unittest

from toolreplay.evidence.redaction.spellings import (
    TOKEN_BYTES,
    base64_texts,
    forms_of,
    runs_in,
    unescaped,
)

TEXT = b"in the middle of the night"


class Undone(unittest.TestCase):
    """Decided by RFC 8259 section 7, RFC 3986 section 2.1 and RFC 4648."""

    def test_json_escapes(self) -> None:
        text = 'a"b\\c/d\x08\f\n\r\te\\n\\\\'
        self.assertEqual(unescaped(json.dumps(text)[1:-1].encode()), text.encode())
        self.assertEqual(unescaped(b"\\/\\u0041\\u007a\\u20ac"), b"/Az\xff")

    def test_both_kinds_of_escapes_up_to_twice(self) -> None:
        for spelt in (b"a", b"%61", b"%2561", b"\\u0061", b"\\\\u0061", b"%5Cu0061", b"\\u002561"):
            self.assertIn(b"a", list(forms_of(spelt)), spelt)
        self.assertNotIn(b"a", list(forms_of(b"%252561")))
        self.assertEqual(list(forms_of(b"100%, 5%x \\d")), [b"100%, 5%x \\d"])

    def test_base64_at_each_offset_in_both_alphabets(self) -> None:
        for before in ("", "a", "ab", "abc", "x/", '"'):
            for offset in range(3):
                for encode in (base64.b64encode, base64.urlsafe_b64encode):
                    data = before.encode() + encode(b"\xff" * offset + TEXT + b"\xfb")
                    found = b"|".join(base64_texts(b"{" + data + b"}"))
                    self.assertIn(TEXT[1:-3], found, data)

    def test_base64_over_lines(self) -> None:
        encoded = base64.encodebytes(b"\x00" * 50 + TEXT + b"\x00" * 50)
        for ending in (b"\n", b"\r\n", b"\n  "):
            found = b"|".join(base64_texts(encoded.replace(b"\n", ending)))
            self.assertIn(TEXT, found)

    def test_runs_do_not_join_over_what_parts_them(self) -> None:
        """Else a credential could be found that stands nowhere."""
        half = base64.b64encode(TEXT[:15]), base64.b64encode(TEXT[15:])
        self.assertNotIn(TEXT, b"|".join(base64_texts(b" ".join(half))))

    def test_bytes_that_are_no_text_cost_no_look(self) -> None:
        self.assertEqual(list(base64_texts(base64.b64encode(b"\xff" * 999))), [])

    def test_runs(self) -> None:
        self.assertEqual(runs_in(b"ab abcd,abcde", TOKEN_BYTES, 3), [(3, 7), (8, 13)])
        self.assertEqual(runs_in(b"", TOKEN_BYTES, 3), [])


if __name__ == "__main__":
    unittest.main()
