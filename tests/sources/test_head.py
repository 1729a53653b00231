"""The beginning of an input, as sniffers see it."""

import io
import json
import unittest

from toolreplay.errors import InputError
from toolreplay.records.limits import DEFAULT, Limits
from toolreplay.sources.head import InputHead, head_of


def head(data: bytes, limits: Limits = DEFAULT) -> InputHead:
    file = io.BytesIO(data)
    found = head_of(file, limits)
    assert file.tell() == 0
    return found


class TheHead(unittest.TestCase):
    """Decided by us: at most 64 KiB, or 50 records, or one whole line."""

    def test_records_in_order_blank_and_broken_lines_left_out(self) -> None:
        found = head(b'\n{"a": 1}\n \nbroken\n[2]\n"x"\n')
        self.assertEqual(found.records, [{"a": 1}, [2], "x"])

    def test_at_most_fifty(self) -> None:
        self.assertEqual(head(b"1\n" * 200).records, [1] * 50)

    def test_at_most_64_kib_of_lines_but_one_line_however_long(self) -> None:
        line = json.dumps("x" * 30_000).encode() + b"\n"
        self.assertEqual(len(head(line * 10).records), 3)
        self.assertEqual(len(head(json.dumps("x" * 500_000).encode()).records), 1)

    def test_the_raw_bytes_are_the_first_64_kib(self) -> None:
        data = b"x" * 200_000
        self.assertEqual(head(data).raw, data[:65536])

    def test_blank_lines_before_the_first_record_hide_nothing(self) -> None:
        for count in (65_535, 65_536, 200_000):
            head = head_of(io.BytesIO(b"\n" * count + b'{"a": 1}\n'), DEFAULT)
            self.assertEqual((head.records, head.is_empty), ([{"a": 1}], False))

    def test_nothing_and_only_blanks_are_empty(self) -> None:
        for data in (b"", b"\n", b" \t\r\n\n"):
            self.assertTrue(head(data).is_empty)
        self.assertFalse(head(b"x").is_empty)

    def test_the_first_line_that_breaks_is_told_with_its_number(self) -> None:
        found = head(b"\n\nbroken\n{}\n")
        self.assertEqual(found.first_error, (3, "not valid JSON (column 1)"))

    def test_after_a_record_a_line_that_breaks_is_not(self) -> None:
        self.assertIsNone(head(b"{}\nbroken\n").first_error)

    def test_a_line_over_the_limit_is_refused(self) -> None:
        with self.assertRaisesRegex(InputError, "line 2: longer than 100 bytes"):
            head(b"{}\n" + b"x" * 101, Limits(line_bytes=100))

    def test_the_position_is_the_one_it_had(self) -> None:
        file = io.BytesIO(b"before\n{}\n")
        file.seek(7)
        self.assertEqual((head_of(file, DEFAULT).records, file.tell()), ([{}], 7))


class OneDocument(unittest.TestCase):
    """Decided by us: a document over several lines is seen by its keys to depth three."""

    def test_its_skeleton(self) -> None:
        value = {"a": {"b": {"c": {"d": 1}}}, "list": [[[[1]]]], "text": "x"}
        for indent in (1, None):
            found = head(json.dumps(value, indent=indent).encode())
            self.assertEqual(found.document, {"a": {"b": {"c": {}}}, "list": [[[]]], "text": "x"})

    def test_long_arrays_are_cut_to_fifty(self) -> None:
        found = head(json.dumps([1] * 200, indent=1).encode())
        self.assertEqual(found.document, [1] * 50)

    def test_lines_of_records_are_none(self) -> None:
        self.assertIsNone(head(b'{"a": 1}\n{"b": 2}\n').document)

    def test_what_breaks_or_is_too_large_is_none(self) -> None:
        self.assertIsNone(head(b'{\n"a": 1\n').document)
        self.assertIsNone(head(b"{\n" + b" \n" * 100 + b"}", Limits(line_bytes=50)).document)
        self.assertIsNone(head(b'{\n"a": 1, "a": 2}\n').document)
