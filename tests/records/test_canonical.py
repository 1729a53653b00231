"""The named canonical forms."""

import base64
import hashlib
import itertools
import json
import pathlib
import random
import sys
import unittest
from json.encoder import encode_basestring, encode_basestring_ascii
from unittest import mock

from toolreplay.errors import CanonicalError
from toolreplay.records import canonical
from toolreplay.records.call import Place, ToolCall
from toolreplay.records.canonical import (
    FORMS,
    aer1,
    call_key_text,
    link_pieces,
    link_text,
    text_of_parsed,
    toolreplay_1,
)
from toolreplay.records.jsonl import line_parser

VECTORS = (
    pathlib.Path(__file__).resolve().parents[2] / "toolreplay/evidence/aer1/vectors/canonical.json"
)

PARSE = line_parser()

VALUES = [
    None, True, False, 0, -1, 2**53 + 1, 10**40, 0.0, -0.0, 1.0, 1.5, 0.1, 1e-7, 1e-5, 0.0001, 1e15, 1e16,
    123456789012345680.0, 5e-324, 1.7976931348623157e308, "", "a", "é", "中", "\U0001f600", "\x7f", "\x80",
    "\u2028\u2029", "\ufeff", "\ufffe\uffff", "\x00\x01\x1f\b\f\n\r\t", '"\\/', "\ud800", "\udfff", "e\u0301", "\u00e9",
    [], {}, [[]], [{}], {"": ""}, {"b": 1, "a": 2, "B": 3, "A": 4, "é": 5, "\U0001f600": 6, "\ue000": 7, "\ud800": 8},
    {"a": [1, {"c": None, "b": [True, -0.0]}], "index": 0, "index2": 1}, ["x"] * 3,
]  # fmt: skip


def by_hand(value: object, ascii_only: bool) -> str:
    """Spell a value from the rules of the form, without Python's own encoder."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, list):
        return "[" + ",".join(by_hand(item, ascii_only) for item in value) + "]"
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda member: [ord(letter) for letter in member[0]])
        return (
            "{"
            + ",".join(
                by_hand(name, ascii_only) + ":" + by_hand(item, ascii_only)
                for name, item in members
            )
            + "}"
        )
    assert isinstance(value, str)
    spelt = ""
    for letter in value:
        point = ord(letter)
        if letter in '"\\':
            spelt += "\\" + letter
        elif letter in "\b\f\n\r\t":
            spelt += "\\" + "bfnrt"["\b\f\n\r\t".index(letter)]
        elif point < 0x20 or (ascii_only and 0x7F <= point < 0x10000):
            spelt += f"\\u{point:04x}"
        elif ascii_only and point >= 0x10000:
            spelt += f"\\u{0xD800 + (point - 0x10000 >> 10):04x}\\u{0xDC00 + (point - 0x10000 & 0x3FF):04x}"
        else:
            spelt += letter
    return f'"{spelt}"'


def random_value(rng: random.Random, level: int = 0) -> object:
    """Return a random JSON value that a parser could have given."""
    kind = rng.randrange(8) if level < 5 else rng.randrange(2, 8)
    if kind == 0:
        return [random_value(rng, level + 1) for _ in range(rng.randrange(4))]
    if kind == 1:
        return {random_text(rng): random_value(rng, level + 1) for _ in range(rng.randrange(4))}
    if kind == 2:
        return rng.choice([None, True, False])
    if kind == 3:
        return rng.randrange(-(10 ** rng.randrange(1, 25)), 10**20)
    if kind == 4:
        return rng.choice([1, -1]) * rng.random() * 10.0 ** rng.randrange(-320, 300)
    return random_text(rng)


def random_text(rng: random.Random) -> str:
    ranges = [
        (0, 0x20),
        (0x20, 0x7F),
        (0x7F, 0xA0),
        (0xA0, 0x800),
        (0x2000, 0x2070),
        (0xD800, 0xDC00),
        (0xE000, 0x10000),
        (0x10000, 0x110000),
    ]
    return "".join(chr(rng.randrange(*rng.choice(ranges))) for _ in range(rng.randrange(6)))


class TheFormOfTheTutorial(unittest.TestCase):
    def test_it_is_what_python_writes_with_sorted_names_and_no_white_space(self) -> None:
        """Decided by the tutorial: `json.dumps(sort_keys, separators, allow_nan=False)`."""
        for value in VALUES:
            with self.subTest(repr(value)[:60]):
                expected = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
                self.assertEqual(toolreplay_1(value), expected.encode("ascii"))
                self.assertEqual(text_of_parsed(value), expected)

    def test_it_is_what_the_rules_say_spelt_by_hand(self) -> None:
        """Decided by the tutorial; a second opinion that does not rest on Python's encoder."""
        for value in VALUES:
            with self.subTest(repr(value)[:60]):
                self.assertEqual(toolreplay_1(value).decode("ascii"), by_hand(value, True))

    def test_both_hold_for_random_values(self) -> None:
        """Decided by us: the fast encoder is used only because its bytes are these."""
        rng = random.Random(7)
        for _ in range(3000):
            value = random_value(rng)
            expected = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
            self.assertEqual(text_of_parsed(value), expected)
            self.assertEqual(expected, by_hand(value, True))

    def test_without_the_accelerator_the_bytes_are_the_same(self) -> None:
        """Decided by us: another interpreter gives the same digests."""
        with mock.patch.object(canonical, "c_make_encoder", None):
            slow = canonical._text_of_parsed(encode_basestring_ascii, allow_nan=False)
            slow_aer1 = canonical._text_of_parsed(encode_basestring, allow_nan=True)
        self.assertIsNot(slow, text_of_parsed)
        for value in VALUES:
            self.assertEqual(slow(value), text_of_parsed(value))
            self.assertEqual(slow_aer1(value), canonical.aer1_text_of_parsed(value))

    def test_names_are_sorted_by_code_point(self) -> None:
        """Decided by the tutorial; UTF-16 order (RFC 8785) would put U+1F600 before U+E000."""
        self.assertEqual(
            toolreplay_1({"\U0001f600": 1, "\ue000": 2, "é": 3, "z": 4, "Z": 5, "": 6}),
            b'{"":6,"Z":5,"z":4,"\\u00e9":3,"\\ue000":2,"\\ud83d\\ude00":1}',
        )

    def test_a_lone_surrogate_is_its_escape(self) -> None:
        """Decided by us: `toolreplay-1` has a form for what real tools cut in half."""
        self.assertEqual(toolreplay_1(["\ud800", "x\udfff"]), b'["\\ud800","x\\udfff"]')

    def test_the_form_of_what_was_parsed_is_a_fixed_point(self) -> None:
        """Decided by us: reading and writing again changes no byte."""
        for value in VALUES:
            form = toolreplay_1(value)
            self.assertEqual(toolreplay_1(PARSE(form)), form)


class TheFormOfReceipts(unittest.TestCase):
    def test_characters_outside_ascii_stand_as_they_are(self) -> None:
        """Decided by AER-1 (CAN-4, CAN-8): the opposite of `toolreplay-1`, U+007F included."""
        self.assertEqual(
            aer1({"é": "\x7f\x80\u2028\ufffe\U0001f600"}),
            '{"é":"\x7f\x80\u2028\ufffe\U0001f600"}'.encode(),
        )

    def test_only_the_escapes_that_must_be_are_used(self) -> None:
        """Decided by AER-1 (CAN-5, CAN-11): short escapes, else lower-case `\\u00xx`, `/` bare."""
        self.assertEqual(aer1('"\\/\b\f\n\r\t\x00\x1f'), b'"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f"')

    def test_it_is_what_the_rules_say_spelt_by_hand(self) -> None:
        """Decided by AER-1 (CAN-2 to CAN-10)."""
        rng = random.Random(8)
        for value in [*VALUES, *(random_value(rng) for _ in range(1500))]:
            spelt = by_hand(value, False)
            try:
                expected = spelt.encode("utf-8")
            except UnicodeEncodeError:
                with self.assertRaises(CanonicalError):
                    aer1(value)
            else:
                self.assertEqual(aer1(value), expected)
                self.assertEqual(aer1(PARSE(expected)), expected)

    def test_a_lone_surrogate_has_no_form(self) -> None:
        """Decided by AER-1 (CAN-11): there are no such UTF-8 bytes."""
        for value in ("\ud800", {"a": ["\udfff"]}, {"x\udbff": 1}):
            with self.assertRaisesRegex(
                CanonicalError, "a lone surrogate U\\+D[89A-F][0-9A-F]{2} has no form aer1"
            ):
                aer1(value)


class PublishedCases(unittest.TestCase):
    """Cases made for this project, their bytes by independent encoders: aer1/vectors."""

    def test_each_case_has_the_bytes_and_digests_of_both_forms(self) -> None:
        """Decided by AER-1, and by the tutorial for the digest form."""
        cases = json.loads(VECTORS.read_bytes())["cases"]
        self.assertGreaterEqual(len(cases), 10)
        for case in cases:
            expect = case["expect"]
            with self.subTest(case["id"]):
                self.assertEqual(case["source"], "generated")
                if expect["committed_bytes_b64"] is None:
                    with self.assertRaises(CanonicalError):
                        aer1(case["value"])
                else:
                    committed = aer1(case["value"])
                    self.assertEqual(committed, base64.b64decode(expect["committed_bytes_b64"]))
                    self.assertEqual(
                        hashlib.sha256(committed).hexdigest(), expect["committed_sha256"]
                    )
                digested = toolreplay_1(case["value"])
                self.assertEqual(digested.decode("ascii"), expect["digest_form_ascii"])
                self.assertEqual(hashlib.sha256(digested).hexdigest(), expect["digest_sha256"])


class WhatHasNoForm(unittest.TestCase):
    """Decided by us: a value turned into text anyway could share its digest with another one."""

    def check(self, value: object, message: str) -> None:
        for form in (toolreplay_1, aer1):
            with self.subTest(form.__name__):
                for wrapped in (value, [value], {"a": [value]}):
                    with self.assertRaisesRegex(CanonicalError, message):
                        form(wrapped)

    def test_nan_and_infinity(self) -> None:
        for number in ("nan", "inf", "-inf"):
            self.check(float(number), f"the number {number} has no form")

    def test_types_that_are_not_json(self) -> None:
        class Text(str):
            __slots__ = ()

        class Names(dict):
            pass

        for value in ((1, 2), {1}, b"x", 1j, object(), Text("a"), Names(), bytearray(), range(3)):
            self.check(value, f"a value of type {type(value).__name__} has no form")

    def test_member_names_that_are_not_strings(self) -> None:
        for name in (1, None, True, 1.5, b"a", (1,)):
            self.check({name: 1}, f"a member name of type {type(name).__name__} has no form")

    def test_integers_that_no_reader_would_take_back(self) -> None:
        self.assertEqual(toolreplay_1(10**4300 - 1), b"9" * 4300)
        self.assertEqual(aer1(-(10**4300) + 1), b"-" + b"9" * 4300)
        for number in (10**4300, -(10**4300), 10**9999):
            self.check(number, "an integer of more than 4300 digits has no form")

    def test_a_surrogate_pair_as_two_characters(self) -> None:
        """Its escapes are those of the one character: two values would have one spelling."""
        for text in ("\ud83d\ude00", "a\ud800\udc00b", "\ud800\ud800\udc00"):
            self.check(text, "a surrogate pair as two characters has no form")
            with self.assertRaisesRegex(CanonicalError, "pair"):
                toolreplay_1({text: 1})
        for text in ("\ude00\ud83d", "\ud83d \ude00", "\ud83d\U0001f600", "\U0001f600\ude00"):
            self.assertEqual(PARSE(toolreplay_1(text)), text)

    def test_a_value_that_holds_itself(self) -> None:
        loop: list[object] = []
        loop.append({"a": loop})
        self.check(loop, "a value that holds itself has no form")

    def test_a_value_held_twice_is_no_loop(self) -> None:
        shared = {"x": [1]}
        self.assertEqual(
            toolreplay_1([shared, shared, [shared]]), b'[{"x":[1]},{"x":[1]},[{"x":[1]}]]'
        )

    def test_values_deeper_than_any_reader_takes(self) -> None:
        def nested(levels: int) -> object:
            value: object = 1
            for level in range(levels):
                value = [value] if level % 2 else {"a": value}
            return value

        self.assertTrue(toolreplay_1(nested(512)))
        for levels in (513, 10_000, 50_000):
            with self.assertRaisesRegex(CanonicalError, "nested deeper than 512 levels"):
                toolreplay_1(nested(levels))

    def test_what_the_encoder_cannot_follow_is_an_error_of_ours(self) -> None:
        value = PARSE(b"[1]")
        for _ in range(sys.getrecursionlimit() * 100):
            value = [value]
        with self.assertRaisesRegex(
            CanonicalError, "nested deeper than the interpreter can follow"
        ):
            text_of_parsed(value)
        while value != 1:  # taken apart by hand: some interpreters free deep values on the stack
            value = value[0]

    def test_an_interpreter_set_to_write_fewer_digits_is_an_error_of_ours(self) -> None:
        before = sys.get_int_max_str_digits()
        try:
            sys.set_int_max_str_digits(640)
            with self.assertRaisesRegex(CanonicalError, "more digits than the interpreter"):
                toolreplay_1(10**1000)
        finally:
            sys.set_int_max_str_digits(before)

    def test_an_unnoticed_value_of_another_type_is_never_spelt(self) -> None:
        """True == 1 == 1.0 in Python, and they are three values."""
        self.assertEqual([toolreplay_1(value) for value in (True, 1, 1.0)], [b"true", b"1", b"1.0"])


class KeysAndLinks(unittest.TestCase):
    def test_the_call_key_is_the_form_of_args_and_tool(self) -> None:
        """Decided by the tutorial: two calls are equal when these bytes are."""
        for tool, args in itertools.product(
            ("read_file", 'é\ud800"\\', "\U0001f600"), ({}, {"b": 1, "a": [-0.0]}, {"tool": "x"})
        ):
            with self.subTest((tool, args)):
                self.assertEqual(
                    call_key_text(tool, args).encode("ascii"),
                    toolreplay_1({"args": args, "tool": tool}),
                )

    def test_a_link_is_the_form_of_its_five_members_and_the_sealed_line_that_of_six(self) -> None:
        """Decided by the tutorial: the digest covers `{args, index, prev, response, tool}`."""
        rng = random.Random(9)
        large = "x" * (1 << 20)  # a response that is a piece of its own
        for index in range(303):
            args = {random_text(rng): random_value(rng) for _ in range(3)}
            response = {random_text(rng): random_value(rng) for _ in range(3)}
            if index >= 300:
                response |= {"large": [large, large[: index - 300]]}
            tool, prev = random_text(rng) or "t", f"{rng.randrange(16**64):064x}"
            call = ToolCall(index, tool, args, response, Place(1, 0, 1))
            first, *others = link_pieces(call, prev)
            rest = b"".join(others)
            link = {"index": index, "tool": tool, "args": args, "response": response, "prev": prev}
            self.assertEqual(first + rest, toolreplay_1(link))
            self.assertEqual(link_text(call, prev).encode("ascii"), toolreplay_1(link))
            digest = hashlib.sha256(first + rest).hexdigest()
            self.assertEqual(
                first + f',"digest":"{digest}"'.encode("ascii") + rest,
                toolreplay_1({**link, "digest": digest}),
            )

    def test_the_forms_are_known_by_the_names_that_documents_use(self) -> None:
        """Decided by us: a digest always says which form it used."""
        self.assertEqual(FORMS, {"aer1": aer1, "toolreplay-1": toolreplay_1})
