"""The bounded line reader and the strict parser of one line."""

import io
import itertools
import json
import os
import random
import re
import subprocess
import sys
import unittest

from toolreplay.errors import InputError
from toolreplay.records.jsonl import JSON_BLANKS, LineError, line_parser, lines_of
from toolreplay.records.limits import Limits

PARSE = line_parser()


def refused(line: bytes, limits: Limits | None = None) -> str:
    """Return the fact with which a line is refused; an accepted line is a failure."""
    parse = PARSE if limits is None else line_parser(limits)
    try:
        value = parse(line)
    except LineError as error:
        return str(error)
    raise AssertionError(f"accepted as {value!r:.80}")


class LinesOfAFile(unittest.TestCase):
    def lines(self, data: bytes, most: int = 10) -> list[tuple[int, int, bytes]]:
        return list(lines_of(io.BytesIO(data), Limits(line_bytes=most)))

    def test_each_line_has_its_number_and_its_place(self) -> None:
        """Decided by us: a finding names the bytes it stands on."""
        data = b"{}\n\n[1]\r\n7"
        lines = self.lines(data)
        self.assertEqual(lines, [(1, 0, b"{}\n"), (3, 4, b"[1]\r\n"), (4, 9, b"7")])
        for _, start, line in lines:
            self.assertEqual(data[start : start + len(line)], line)

    def test_an_offset_can_be_given(self) -> None:
        """Decided by us: a reader that begins later in a file still names places in the file."""
        self.assertEqual(
            list(lines_of(io.BytesIO(b"1\n2\n"), start=100)), [(1, 100, b"1\n"), (2, 102, b"2\n")]
        )

    def test_an_empty_file_has_no_line(self) -> None:
        """Decided by JSON Lines: a line ends in LF, and there is none."""
        self.assertEqual(self.lines(b""), [])

    def test_only_lf_ends_a_line(self) -> None:
        """Decided by RFC 8259: U+2028, U+2029 and U+0085 may stand raw in a string; a CR is a blank."""
        for between in ("\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\r", "\x1e"):
            with self.subTest(repr(between)):
                self.assertEqual(len(self.lines(f"1{between}2".encode())), 1)

    def test_a_line_of_exactly_the_limit_is_read_whatever_ends_it(self) -> None:
        """Decided by us: the limit counts the bytes of the line, not its ending."""
        for ending in (b"", b"\n", b"\r\n"):
            with self.subTest(ending):
                line = b"1234567890" + ending
                self.assertEqual(self.lines(line), [(1, 0, line)])
                self.assertEqual(
                    self.lines(line + b"\n2")[0], (1, 0, line) if ending else (1, 0, line + b"\n")
                )

    def test_a_line_one_byte_over_the_limit_is_refused_whatever_ends_it(self) -> None:
        """Decided by us: the message names the place and the flag."""
        for ending in (b"", b"\n", b"\r\n", b"\r", b"\r\r\n"):
            with self.subTest(ending), self.assertRaises(InputError) as caught:
                self.lines(b"1\n12345678901" + ending)
            self.assertEqual(
                str(caught.exception),
                "line 2: longer than 10 bytes (--max-line-bytes raises the limit)",
            )

    def test_a_cr_that_is_not_part_of_the_ending_counts(self) -> None:
        """Decided by us: only one CR before the LF belongs to the ending."""
        self.assertEqual(len(self.lines(b"123456789\r\r\n")), 1)
        for data in (b"1234567890\r\r\n", b"1234567890\r"):
            with self.subTest(data), self.assertRaises(InputError):
                self.lines(data)

    def test_no_more_than_the_limit_is_read_of_a_line_that_is_too_long(self) -> None:
        """Decided by us: a file of one endless line costs no memory."""

        class Endless(io.BytesIO):
            asked = 0

            def readline(self, size: int | None = -1, /) -> bytes:
                assert size is not None and 0 < size <= 13
                self.asked += 1
                return b"x" * size

        file = Endless()
        with self.assertRaises(InputError):
            list(lines_of(file, Limits(line_bytes=10)))
        self.assertEqual(file.asked, 1)

    def test_blank_lines_are_counted_and_passed_over_however_many(self) -> None:
        """Decided by us: a file of a million of them takes no million steps."""
        chosen = random.Random(7)
        blanks = (b"\n", b"\r\n", b"  \n", b"\t \r\n")
        for count in (0, 1, 255, 256, 257, 3000):
            run = b"".join(chosen.choice(blanks) for _ in range(count))
            data = run + b"1\n" + run + run + b" 2\n\x0b\n" + run + b"   "
            wanted, start = [], 0
            for number, line in enumerate(data.split(b"\n"), 1):
                if line.strip(b" \t\r"):
                    wanted.append((number, start, line + b"\n"))
                start += len(line) + 1
            for size in (1, 7, 1 << 20):
                with self.subTest(count=count, size=size):
                    file = io.BufferedReader(io.BytesIO(data), size)  # type: ignore[arg-type]
                    self.assertEqual(list(lines_of(file, Limits(line_bytes=10))), wanted)

    def test_a_blank_line_over_the_limit_is_refused(self) -> None:
        for before in (0, 255, 256, 300):
            file = io.BufferedReader(io.BytesIO(b"\n" * before + b" " * 11 + b"\n1\n"))  # type: ignore[arg-type]
            with self.subTest(before), self.assertRaises(InputError) as caught:
                list(lines_of(file, Limits(line_bytes=10)))
            self.assertTrue(str(caught.exception).startswith(f"line {before + 1}: longer"))

    def test_lines_before_the_long_one_are_yielded(self) -> None:
        """Decided by us: reading is a stream."""
        lines = lines_of(io.BytesIO(b"1\n2\n" + b"3" * 11), Limits(line_bytes=10))
        self.assertEqual([line for _, _, line in itertools.islice(lines, 2)], [b"1\n", b"2\n"])
        with self.assertRaises(InputError):
            next(lines)


class WhatIsAccepted(unittest.TestCase):
    def test_the_values_of_json(self) -> None:
        """Decided by RFC 8259, section 3."""
        table = {
            b"null": None, b"true": True, b"false": False, b"0": 0, b"-1": -1, b"1.5": 1.5, b"1e2": 100.0,
            b"1E+2": 100.0, b'""': "", b"[]": [], b"{}": {}, b'{"a":[1,{"b":null}]}': {"a": [1, {"b": None}]},
            b'"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"': '"\\/\b\f\n\r\t\u00e9', '"é中\U0001f600"'.encode(): "é中\U0001f600",
        }  # fmt: skip
        for line, value in table.items():
            with self.subTest(line):
                parsed = PARSE(line)
                self.assertEqual(parsed, value)
                self.assertIs(type(parsed), type(value))

    def test_blanks_around_the_value(self) -> None:
        """Decided by RFC 8259, section 2: space, tab, LF and CR, so CR LF is no concern of ours."""
        for before, after in itertools.product((b"", b" ", b"\t", b"\r", b"\r\n \t"), repeat=2):
            with self.subTest((before, after)):
                self.assertEqual(PARSE(before + b'{"a": 1}' + after), {"a": 1})
        self.assertEqual(sorted(JSON_BLANKS), sorted(b" \t\r\n"))

    def test_line_separators_raw_inside_a_string(self) -> None:
        """Decided by RFC 8259, section 7: only U+0000 to U+001F must be escaped."""
        text = "\u2028\u2029\u0085\x7f\ufeff\ufffe"
        self.assertEqual(PARSE(f'"{text}"'.encode()), text)

    def test_lone_surrogates_in_escapes_are_kept(self) -> None:
        """Decided by us: real tools cut strings in the middle of a pair."""
        self.assertEqual(PARSE(b'["\\ud800","\\udfff","a\\ud83d","\\ud83dx\\ude00"]'),
                         ["\ud800", "\udfff", "a\ud83d", "\ud83dx\ude00"])  # fmt: skip
        self.assertEqual(PARSE(b'{"\\ud800":1}'), {"\ud800": 1})

    def test_a_surrogate_pair_in_escapes_is_one_character(self) -> None:
        """Decided by RFC 8259, section 7."""
        self.assertEqual(PARSE(b'"\\ud83d\\ude00"'), "\U0001f600")
        self.assertEqual(PARSE(b'"\\ud83d\\ud83d\\ude00\\ude00"'), "\ud83d\U0001f600\ude00")

    def test_numbers_keep_their_kind(self) -> None:
        """Decided by the tutorial: 1, 1.0 and true are three values, -0.0 has its sign."""
        table = (
            (b"1", "1"),
            (b"1.0", "1.0"),
            (b"true", "True"),
            (b"-0.0", "-0.0"),
            (b"-0", "0"),
            (b"1e-400", "0.0"),
        )
        for line, shown in table:
            self.assertEqual(repr(PARSE(line)), shown)
        self.assertEqual(PARSE(b"9007199254740993"), 2**53 + 1)

    def test_composed_and_decomposed_names_are_two_members(self) -> None:
        """Decided by us: nothing is normalised, what looks alike is not the same."""
        self.assertEqual(len(PARSE('{"\u00e9":1,"e\u0301":2}'.encode())), 2)


class WhatIsRefused(unittest.TestCase):
    def test_text_that_is_not_json(self) -> None:
        """Decided by RFC 8259; the column counts from the first character that is not blank."""
        table = {
            b"": "not valid JSON (the line ends in the middle of a value)",
            b" \r\n": "not valid JSON (the line ends in the middle of a value)",
            b"{'a':1}": "not valid JSON (column 2)",
            b'  {"a" 1}\n': "not valid JSON (column 6)",
            b'{"a":1,}': "not valid JSON (column 8)",
            b"[1,]": "not valid JSON (column 4)",
            b"[,1]": "not valid JSON (column 2)",
            b'{"a":tru}': "not valid JSON (column 6)",
            b"{a:1}": "not valid JSON (column 2)",
            b'{1:"a"}': "not valid JSON (column 2)",
            b"// note": "not valid JSON (column 1)",
            b"undefined": "not valid JSON (column 1)",
            b"+1": "not valid JSON (column 1)",
            b".5": "not valid JSON (column 1)",
            b"-": "not valid JSON (column 1)",
            "\uff11".encode(): "not valid JSON (column 1)",
            b"\x0b{}": "not valid JSON (column 1)",
            b"\xc2\xa0{}": "not valid JSON (column 1)",
            b'"\\x41"': "not valid JSON (column 2)",
            b'"\\u12"': "not valid JSON (column 3)",
            b'"\\u+123"': "not valid JSON (column 3)",
            b'"\\u 123"': "not valid JSON (column 3)",
        }
        for line, fact in table.items():
            with self.subTest(line):
                self.assertEqual(refused(line), fact)

    def test_more_than_one_value(self) -> None:
        """Decided by JSON Lines: a line is one value."""
        table = {
            b"{}{}": "more text after the value (column 3)",
            b"{} x": "more text after the value (column 3)",
            b"{}\x0c": "more text after the value (column 3)",
            b"{}\x00": "more text after the value (column 3)",
            b"01": "more text after the value (column 2)",
            b"1.": "more text after the value (column 2)",
            b"1e": "more text after the value (column 2)",
            b"0x10": "more text after the value (column 2)",
            b"1_000": "more text after the value (column 2)",
        }
        for line, fact in table.items():
            with self.subTest(line):
                self.assertEqual(refused(line), fact)

    def test_a_line_that_was_cut_is_called_cut_wherever_it_was(self) -> None:
        """Decided by us: a torn last line is the commonest damage, and the message says so."""
        whole = '{"index": 0, "tool": "t\\u00e9\\n", "args": {"a": [1, -2.5e3, true, null]}, "response": {"é": "x"}}'
        inside_a_token = re.compile(r"(\\(u[0-9a-f]{0,4})?|\b(t|tr|tru|n|nu|nul)|-|\d\.|\de)$")
        for length in range(1, len(whole)):
            with self.subTest(whole[:length]):
                fact = refused(whole[:length].encode())
                self.assertTrue(fact.startswith("not valid JSON ("), fact)
                if not inside_a_token.search(whole[:length]):
                    self.assertIn("the line ends ", fact)

    def test_a_line_cut_inside_a_character(self) -> None:
        """Decided by RFC 3629."""
        self.assertEqual(refused('{"a":"é'.encode()[:-1]), "not UTF-8 (byte 7 of the line)")

    def test_a_raw_control_character_in_a_string(self) -> None:
        """Decided by RFC 8259, section 7."""
        for byte in range(0x20):
            with self.subTest(byte):
                self.assertEqual(
                    refused(b'{"a":"x' + bytes([byte]) + b'"}'),
                    "a raw control character in a string (column 8)",
                )

    def test_bytes_that_are_not_utf8(self) -> None:
        """Decided by RFC 3629: overlong forms, raw surrogates and bytes past U+10FFFF included."""
        for bad in (b"\xff", b"\x80", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
                    b"\xf8\x88\x80\x80\x80", b"\xe9", b"\xc3"):  # fmt: skip
            with self.subTest(bad):
                self.assertEqual(refused(b'{"a":"' + bad + b'"}'), "not UTF-8 (byte 7 of the line)")

    def test_a_byte_order_mark(self) -> None:
        """Decided by RFC 8259, section 8.1: a mark is not to be added; we refuse rather than skip."""
        fact = "starts with a byte order mark (save the file as UTF-8 without one)"
        self.assertEqual(refused(b"\xef\xbb\xbf{}"), fact)
        self.assertEqual(refused(b'\xef\xbb\xbf{"a":1}\r\n'), fact)
        self.assertIn("not valid JSON", refused(b" \xef\xbb\xbf{}"))

    def test_utf16_is_named_as_the_cause(self) -> None:
        """Decided by us: a shell that re-encodes what it redirects is the usual reason."""
        for text in ('{"index": 0, "tool": "t"}', '{"a":"読む、書く、調べる"}', "{}"):
            for form, mark in itertools.product(
                ("utf-16-le", "utf-16-be"), (b"", b"\xff\xfe", b"\xfe\xff")
            ):
                if mark and (mark == b"\xff\xfe") != (form == "utf-16-le"):
                    continue
                data = mark + (text + "\r\n").encode(form)
                line = next(lines_of(io.BytesIO(data)))[2]
                with self.subTest((text, form, mark)):
                    self.assertTrue(refused(line).startswith("the file is UTF-16, not UTF-8"), line)

    def test_nul_bytes_alone_are_not_called_utf16(self) -> None:
        """Decided by us: a hole that a crash left in a file is another cause."""
        self.assertEqual(refused(b"\x00" * 8), "not valid JSON (column 1)")
        self.assertEqual(
            refused(b'{"a":1}' + b"\x00" * 4096), "more text after the value (column 8)"
        )

    def test_constants_that_are_not_json(self) -> None:
        """Decided by RFC 8259, section 6; Python's own parser takes them."""
        for word in ("NaN", "Infinity", "-Infinity"):
            self.assertEqual(refused(f'{{"a":[{word}]}}'.encode()), f"{word} is not JSON")
        for word in ("-NaN", "nan", "inf", "+Infinity"):
            self.assertIn("not valid JSON", refused(word.encode()))

    def test_a_number_that_overflows(self) -> None:
        """Decided by us: infinity could not be written back."""
        for number in ("1e309", "-1e309", "1e999999999", "1" * 400 + ".0", "1.8e308"):
            self.assertEqual(refused(f"[{number}]".encode()), "a number overflows to infinity")
        self.assertEqual(PARSE(b"1.7976931348623157e308"), 1.7976931348623157e308)


class DuplicateMembers(unittest.TestCase):
    def test_a_duplicate_at_any_depth(self) -> None:
        """Decided by us: two readers could judge two different records (RFC 8259, section 4)."""
        for line in (
            '{"path":1,"path":2}',
            '[{"path":1,"path":1}]',
            '{"a":{"b":[{"c":1,"path":{},"path":[]}]}}',
        ):
            self.assertEqual(refused(line.encode()), "duplicate field 'path'")

    def test_a_duplicate_by_another_spelling_of_the_same_name(self) -> None:
        """Decided by us: names are compared after their escapes are read."""
        for other in ("p\\u0061th", "\\u0070\\u0061\\u0074\\u0068", "pa\\u0074h"):
            self.assertEqual(
                refused(f'{{"path":1,"{other}":2}}'.encode()), "duplicate field 'path'"
            )
        self.assertEqual(
            refused('{"\U0001f600":1,"\\ud83d\\ude00":2}'.encode()), "duplicate field '\U0001f600'"
        )
        self.assertEqual(refused(b'{"\\ud800":1,"\\uD800":2}'), "duplicate field '\ud800'")
        self.assertEqual(refused(b'{"":1,"":2}'), "duplicate field ''")
        self.assertEqual(refused(b'{"a/b":1,"a\\/b":2}'), "duplicate field 'a/b'")

    def test_the_first_name_that_comes_twice_is_named(self) -> None:
        """Decided by us: an inner object is complete before the outer one."""
        self.assertEqual(refused(b'{"a":1,"b":2,"b":3,"a":4}'), "duplicate field 'b'")
        self.assertEqual(refused(b'{"a":1,"x":{"y":1,"y":2},"a":4}'), "duplicate field 'y'")

    def test_equal_names_in_different_objects_are_no_duplicates(self) -> None:
        """Decided by RFC 8259, section 4."""
        self.assertEqual(
            PARSE(b'{"a":{"a":[{"a":1},{"a":2}]}}'), {"a": {"a": [{"a": 1}, {"a": 2}]}}
        )

    def test_a_long_name_does_not_make_a_long_message(self) -> None:
        """Decided by us: a hostile line must not fill the terminal."""
        name = "x" * 100_000
        self.assertEqual(
            refused(f'{{"{name}":1,"{name}":2}}'.encode()), f"duplicate field '{'x' * 100}…'"
        )


class Depth(unittest.TestCase):
    """Decided by us: nesting is bounded before anything is parsed; only real brackets count."""

    FACT = "nested deeper than 200 levels (--max-depth raises the limit)"

    def test_exactly_the_limit_is_read_and_one_more_is_not(self) -> None:
        for depth in (1, 2, 15, 16, 17, 100, 200, 300):
            limits = Limits(depth=depth)
            fact = self.FACT.replace("200", str(depth))
            for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
                inside = b"1"
                with self.subTest((depth, opening)):
                    line_parser(limits)(opening * depth + inside + closing * depth)
                    over = opening * (depth + 1) + inside + closing * (depth + 1)
                    self.assertEqual(refused(over, limits), fact)

    def test_kinds_of_brackets_count_alike(self) -> None:
        deep = b'[{"a":' * 100 + b"1" + b"}]" * 100
        PARSE(deep)
        self.assertEqual(refused(b"[" + deep + b"]"), self.FACT)
        self.assertEqual(refused(b'{"a":' + deep + b"}"), self.FACT)

    def test_a_wide_record_is_not_deep(self) -> None:
        wide = {"rows": [{"a": [], "b": {"c": [[], {}]}} for _ in range(5000)]}
        self.assertEqual(PARSE(json.dumps(wide).encode()), wide)

    def test_a_wide_record_with_one_deep_place_is_deep(self) -> None:
        for before, after in ((500, 0), (0, 500), (250, 250)):
            line = (
                b"[" + b'{"a":[]},' * before + b"[" * 200 + b"]" * 200 + b',{"a":[]}' * after + b"]"
            )
            self.assertEqual(refused(line), self.FACT)
            shallower = line.replace(b"[" * 200 + b"]" * 200, b"[" * 199 + b"]" * 199)
            self.assertEqual(len(PARSE(shallower)), before + after + 1)

    def test_brackets_in_strings_are_no_levels(self) -> None:
        brackets = "[" * 300 + "{" * 300
        for text in (
            brackets,
            '"' + brackets,
            "\\" + brackets,
            brackets + "\\",
            '\\"' + brackets + '\\"',
            "é" + brackets,
        ):
            for place in ({"a": text}, {text: 1}, [text, text], {"a": [{text: [text]}], "b": text}):
                with self.subTest((text[:4], place.__class__.__name__)):
                    for ascii_only in (True, False):
                        self.assertEqual(
                            PARSE(json.dumps(place, ensure_ascii=ascii_only).encode()), place
                        )

    def test_brackets_in_strings_hide_no_level(self) -> None:
        """Whatever stands in strings before, between and after: the real levels are counted."""
        closers = "]" * 300 + "}" * 300
        for text in (
            "",
            closers,
            '"' + closers,
            closers + "\\",
            '\\"' + closers,
            '""',
            '\\\\"',
            "a" * 50 + closers,
        ):
            string = json.dumps(text).encode()
            deep = (b"[" + string + b",") * 201 + b"1" + b"]" * 201
            with self.subTest(text[:4]):
                self.assertEqual(refused(deep), self.FACT)
                self.assertEqual(refused(b"[" * 201 + string + b"]" * 201), self.FACT)
                self.assertEqual(
                    refused(b"[" + string + b"," + b"[" * 200 + b"]" * 200 + b"]"), self.FACT
                )

    def test_escapes_before_a_quote_in_any_number(self) -> None:
        """An even run of backslashes ends before the quote, an odd one takes it along."""
        for count in range(9):
            text = "\\" * count + '"' + "]" * 250
            line = b'["",' + json.dumps(text).encode() + b"," + b"[" * 200 + b"]" * 200 + b"]"
            with self.subTest(count):
                self.assertEqual(refused(line), self.FACT)
                # The same with the text at the end of its string.
                line = (
                    b"["
                    + json.dumps("]" * 250 + "\\" * count).encode()
                    + b","
                    + b"[" * 200
                    + b"]" * 200
                    + b"]"
                )
                self.assertEqual(refused(line), self.FACT)

    def test_strings_across_the_chunks_of_the_scanner(self) -> None:
        """The scanner cuts its work at a megabyte, in the middle of a string or at its quote."""
        for shift in (-3, -2, -1, 0, 1, 2):
            filler = "]" * ((1 << 20) + shift - 8)
            line = b'["' + filler.encode() + b'","[[",' + b"[" * 200 + b"]" * 200 + b"]"
            with self.subTest(shift):
                self.assertEqual(refused(line), self.FACT)
                shallow = line.replace(b"[" * 200 + b"]" * 200, b"[" * 199 + b"]" * 199)
                self.assertEqual(len(PARSE(shallow)), 3)

    def test_brackets_that_do_not_match_are_an_error_and_no_crash(self) -> None:
        for line in (
            b"]" * 300 + b"[" * 300,
            b"[" * 150 + b"}" * 150,
            b"[}" * 300,
            b"{]" * 300,
            b"}{" * 300,
            b'["' + b"[" * 999,
        ):
            with self.subTest(line[:4]):
                self.assertIn("not valid JSON", refused(line))

    def test_a_very_deep_line_costs_no_stack(self) -> None:
        for bracket in (b"[", b'{"a":', b'[{"":'):
            self.assertEqual(refused(bracket * 100_000), self.FACT)

    def test_past_what_the_interpreter_can_follow_the_raised_limit_is_an_error_all_the_same(
        self,
    ) -> None:
        fact = refused(b"[" * 200_000 + b"]" * 200_000, Limits(depth=1_000_000))
        self.assertEqual(fact, "nested deeper than the interpreter can follow")

    def test_agrees_with_a_plain_count_on_random_values(self) -> None:
        """Our own oracle: a recursive count over the parsed value."""
        rng = random.Random(7)
        texts = ["", "[", "]", '"', "\\", '\\"', "[]{}", '"]', "a", "é[", "\\\\", '""']

        def value(level: int) -> object:
            kind = rng.randrange(4) if level < 9 else 3
            if kind == 0:
                return [value(level + 1) for _ in range(rng.randrange(3))]
            if kind == 1:
                return {
                    rng.choice(texts) + str(i): value(level + 1) for i in range(rng.randrange(3))
                }
            return rng.choice(texts)

        def depth_of(item: object) -> int:
            if isinstance(item, dict):
                return 1 + max(map(depth_of, item.values()), default=0)
            if isinstance(item, list):
                return 1 + max(map(depth_of, item), default=0)
            return 0

        parsers = [line_parser(Limits(depth=most)) for most in range(12)]
        for _ in range(1500):
            item = value(0)
            line = json.dumps(item, ensure_ascii=rng.random() < 0.5).encode()
            for most, parse in enumerate(parsers):
                if depth_of(item) <= most:
                    self.assertEqual(parse(line), item)
                else:
                    with self.assertRaises(LineError):
                        parse(line)


class Values(unittest.TestCase):
    """Decided by us: values are bounded on the bytes; `[`, `{`, `,` and `:` outside strings count."""

    FACT = "more than 50 values (--max-line-values raises the limit)"
    FEW = Limits(line_values=50)

    def test_exactly_the_limit_is_read_and_one_more_is_not(self) -> None:
        parse = line_parser(self.FEW)
        blanks = b" " * 100
        self.assertEqual(len(parse(b"[" + b"1," * 49 + b"1]" + blanks)), 50)
        self.assertEqual(refused(b"[" + b"1," * 50 + b"1]" + blanks, self.FEW), self.FACT)
        members = b",".join(b'"%d":1' % number for number in range(25))
        self.assertEqual(len(parse(b"{" + members + b"}")), 25)
        self.assertEqual(refused(b'[{"a":1},{' + members + b"}]", self.FEW), self.FACT)

    def test_marks_in_strings_do_not_count(self) -> None:
        parse = line_parser(self.FEW)
        for text in (
            "[{,:" * 100,
            '"' + ",:" * 100,
            "\\" + "," * 100,
            "," * 100 + "\\",
            '\\"' + "," * 100,
        ):
            with self.subTest(text[:4]):
                self.assertEqual(
                    parse(json.dumps([text, {text: text}]).encode()), [text, {text: text}]
                )

    def test_strings_hide_no_mark(self) -> None:
        for text in ('"', "\\", '\\"', "\\\\", '""', "x"):
            line = b"[" + json.dumps(text).encode() + b"," + b"1," * 50 + b"1]"
            with self.subTest(text):
                self.assertEqual(refused(line, self.FEW), self.FACT)

    def test_a_line_that_is_too_wide_is_not_built_first(self) -> None:
        """A line of 3 MB with 1.5 million values is refused in a moment, and unparsed."""
        self.assertEqual(
            refused(b"[" + b"0," * 1_500_000 + b"}"),
            "more than 1000000 values (--max-line-values raises the limit)",
        )


class Integers(unittest.TestCase):
    FACT = "an integer of more than 4300 digits"

    def test_4300_digits_are_read_and_4301_are_not(self) -> None:
        """Decided by CPython's default (CVE-2020-10735); the sign does not count."""
        for sign in ("", "-"):
            self.assertEqual(PARSE(f"{sign}{'9' * 4300}".encode()), int(sign + "9" * 4300))
            self.assertEqual(refused(f'{{"a":[{sign}{"9" * 4301}]}}'.encode()), self.FACT)
        self.assertEqual(refused(b"1" + b"0" * 1_000_000), self.FACT)

    def test_the_digits_of_other_numbers_do_not_count(self) -> None:
        """Decided by us: a float has at most 17 digits that matter."""
        self.assertEqual(PARSE(b"0." + b"3" * 5000), 1 / 3)
        self.assertEqual(PARSE(f'"{"9" * 5000}"'.encode()), "9" * 5000)

    def test_the_environment_does_not_change_what_is_accepted(self) -> None:
        """Decided by us: the same file is a transcript on every machine."""
        code = (
            "import sys; sys.path[0] = sys.argv[1]\n"
            "from toolreplay.records.jsonl import line_parser, LineError\n"
            "for digits in (4300, 4301):\n"
            "    try: print(len(hex(line_parser()(b'9' * digits))))\n"
            "    except LineError as error: print(error)\n"
        )
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        expected = f"{len(hex(10**4300 - 1))}\n{self.FACT}\n"
        for setting in (None, "0", "4300", "4301", "100000"):
            with self.subTest(setting):
                environment = {"PYTHONINTMAXSTRDIGITS": setting} if setting is not None else {}
                done = subprocess.run(
                    [sys.executable, "-S", "-B", "-c", code, root],
                    env=environment, capture_output=True, text=True, check=True,
                )  # fmt: skip
                self.assertEqual(done.stdout, expected)

    def test_an_interpreter_set_to_read_fewer_digits_says_so(self) -> None:
        """Decided by us: the commands set the limit themselves; a program that uses the package may not."""
        before = sys.get_int_max_str_digits()
        try:
            sys.set_int_max_str_digits(640)
            fact = refused(b"[" + b"9" * 641 + b"]", Limits())
            self.assertEqual(line_parser()(b"9" * 640), int("9" * 640))
        finally:
            sys.set_int_max_str_digits(before)
        self.assertEqual(
            fact,
            "an integer of more than 640 digits "
            "(the interpreter was started with this limit: PYTHONINTMAXSTRDIGITS)",
        )


class OneParserManyLines(unittest.TestCase):
    def test_a_refused_line_leaves_nothing_behind(self) -> None:
        """Decided by us: one parser is made for a whole reading."""
        parse = line_parser()
        for line in (b'{"a":1,"a":2}', b"[[[", b'{"b":NaN}', b"\xff"):
            with self.assertRaises(LineError):
                parse(line)
            self.assertEqual(parse(b'{"a":1,"b":[2]}'), {"a": 1, "b": [2]})

    def test_two_parsers_have_their_own_limits(self) -> None:
        """Decided by us: limits are arguments, never a global."""
        wide, narrow = line_parser(Limits(depth=3)), line_parser(Limits(depth=1))
        self.assertEqual(wide(b"[[1]]"), [[1]])
        with self.assertRaises(LineError):
            narrow(b"[[1]]")
        self.assertEqual(wide(b"[[1]]"), [[1]])
