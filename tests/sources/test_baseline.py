"""The baseline file."""

import os
import tempfile
import unittest

from toolreplay.errors import InputError
from toolreplay.sources.baseline import baseline_lines, read_baseline

GOOD = b'{"fingerprint": "0123456789abcdef", "kind": "odd", "detail": "d"}\n'


class TheBaseline(unittest.TestCase):
    """Decided by us."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.name = os.path.join(made.name, "b.jsonl")

    def read(self, data: bytes) -> frozenset[str]:
        with open(self.name, "wb") as file:
            file.write(data)
        return read_baseline(self.name)

    def test_what_is_written_is_read(self) -> None:
        entries = [("b" * 16, "odd", "\x1b \ud800 é"), ("a" * 16, "even", "x")]
        lines = list(baseline_lines(sorted(entries)))
        self.assertEqual(self.read(b"".join(lines)), {"a" * 16, "b" * 16})
        self.assertTrue(lines[0].startswith(b'{"fingerprint": "aaaa'))
        self.assertTrue(all(line.isascii() for line in lines))

    def test_the_order_in_which_findings_came_does_not_matter(self) -> None:
        entries = [("a" * 16, "odd", text) for text in ("c", "b", "d")]
        self.assertEqual(list(baseline_lines(entries)), list(baseline_lines(reversed(entries))))
        self.assertEqual(len(list(baseline_lines(entries))), 1)

    def test_an_empty_one_knows_nothing(self) -> None:
        self.assertEqual(self.read(b""), frozenset())
        self.assertEqual(self.read(b"\n"), frozenset())

    def test_another_line_is_refused_by_its_number(self) -> None:
        for line, said in (
            (b"{}\n", "must have exactly fingerprint, kind, detail"),
            (b"[]\n", "must have exactly fingerprint, kind, detail"),
            (GOOD.replace(b'"d"', b'"d", "x": 1'), "must have exactly fingerprint, kind, detail"),
            (GOOD.replace(b'"d"', b"7"), "fingerprint, kind, detail must be strings"),
            (GOOD.replace(b"0123", b"012"), "fingerprint must be 16 lower-case hex digits"),
            (GOOD.replace(b"abcdef", b"ABCDEF"), "fingerprint must be 16 lower-case hex digits"),
            (b"{", "not valid JSON (the line ends in the middle of a value)"),
        ):
            with self.subTest(line), self.assertRaises(InputError) as caught:
                self.read(GOOD + b"\n" + line)
            self.assertEqual(str(caught.exception), f"{self.name}: line 3: {said}")

    def test_one_that_is_not_there_is_an_error(self) -> None:
        for name in ("gone", "a\0b", os.path.dirname(self.name)):
            with self.subTest(name), self.assertRaises(InputError) as caught:
                read_baseline(name)
            self.assertEqual(caught.exception.where, name)
