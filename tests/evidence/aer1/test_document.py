"""toolreplay.evidence.aer1.document"""

import contextlib
import sys
import unittest

from toolreplay.errors import InputError
from toolreplay.evidence.aer1.document import DOCUMENT_LIMITS, read_document
from toolreplay.findings.check import FAILED, PASSED


class Reading(unittest.TestCase):
    """Decided by AER-1, CLI-2; NaN is read as aer1-verify reads it."""

    def refused(self, data: bytes) -> str:
        with self.assertRaises(InputError) as caught:
            read_document(data, "r.json")
        self.assertEqual(caught.exception.where, "r.json")
        return caught.exception.what

    def test_what_is_json_is_read(self) -> None:
        for data, value in (
            (b"[]", []),
            (b' {"a": 1}\r\n', {"a": 1}),
            (b'"\\ud800"', "\ud800"),
            (b"-Infinity", float("-inf")),
            (b"1" * 4300, int("1" * 4300)),
            (b"[" * 512 + b"]" * 512, None),
        ):
            found = read_document(data)
            self.assertIsNone(found.twice)
            self.assertEqual(found.check.result, PASSED)
            if value is not None:
                self.assertEqual(found.value, value)
        self.assertIsNot(read_document(b"NaN").value, None)

    def test_what_is_not_is_refused_with_its_place(self) -> None:
        for data, what in (
            (b"", "not valid JSON (line 1, column 1)"),
            (b" \n ", "not valid JSON (line 2, column 2)"),
            (b"{", "not valid JSON (line 1, column 2)"),
            (b'{"a":1}\n x', "not valid JSON (line 2, column 2)"),
            (b'{"id": "\xff"}', "not UTF-8 (byte 9)"),
            (b'"\xed\xa0\x80"', "not UTF-8 (byte 2)"),
            (b"\xef\xbb\xbf{}", "starts with a byte order mark"),
            (b"1" * 4301, "an integer of more than 4300 digits"),
        ):
            self.assertEqual(self.refused(data), what)

    def test_the_limits_hold(self) -> None:
        for opening in (b"[", b'{"a":'):
            for levels in (513, 3000, 200_000):
                self.assertIn("nested deeper than 512 levels", self.refused(opening * levels))
        few = DOCUMENT_LIMITS._replace(line_bytes=10, line_values=3)
        for data, what in (
            (b" " * 11, "longer than 10 bytes"),
            (b"[1,2,3,4]", "more than 3 values"),
        ):
            with self.assertRaisesRegex(InputError, what):
                read_document(data, limits=few)
        self.assertEqual(read_document(b"[1,2]", limits=few).value, [1, 2])

    def test_a_stack_that_is_nearly_full_is_no_crash(self) -> None:
        def deeper(levels: int) -> str:
            return deeper(levels - 1) if levels else self.refused(b"[" * 500 + b"]" * 500)

        self.assertIn("deeper than the interpreter", deeper(sys.getrecursionlimit() - 400))

    def test_every_prefix_and_flipped_byte_is_read_or_refused(self) -> None:
        data = '{"a": [1.5, "é\\n", NaN], "b": {"c": null}}'.encode()
        for at in range(len(data)):
            for value in (
                data[:at],
                *(data[:at] + bytes([b]) + data[at + 1 :] for b in range(256)),
            ):
                with contextlib.suppress(InputError):
                    read_document(value)


class MembersTwice(unittest.TestCase):
    """Decided by us: two readers may have seen two documents (CLI-3)."""

    def test_a_member_that_stands_twice_is_named_and_the_last_one_is_read(self) -> None:
        for data, value in (
            (b'{"a":1,"a":2}', {"a": 2}),
            (b'{"a":1,"a":1}', {"a": 1}),
            (b'[{"b":{"x":0,"a":1,"\\u0061":2}}]', [{"b": {"x": 0, "a": 2}}]),
        ):
            found = read_document(data)
            self.assertEqual((found.value, found.twice), (value, "a"))
            self.assertEqual(found.check.result, FAILED)
            self.assertEqual(found.check.reason, "the member 'a' stands twice in one object")

    def test_a_long_name_makes_no_long_line(self) -> None:
        found = read_document(b'{"%s":1,"%s":2}' % (b"n" * 5000, b"n" * 5000))
        self.assertEqual(found.twice, "n" * 100 + "…")

    def test_what_is_no_json_behind_it_is_still_refused(self) -> None:
        with self.assertRaisesRegex(InputError, "not valid JSON"):
            read_document(b'[{"a":1,"a":2}')
