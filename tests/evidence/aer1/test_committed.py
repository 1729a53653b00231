"""toolreplay.evidence.aer1.committed"""

import base64
import json
import sys
import time
import unittest
from json.encoder import encode_basestring
from unittest import mock

from tests.evidence.aer1.made import CONTENT, form, hash_of
from toolreplay.evidence.aer1 import committed
from toolreplay.evidence.aer1.committed import (
    DEEPEST,
    Committed,
    has_constants,
    is_output_hash,
    read_committed,
)
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.records import canonical

NAMES = ["base64", "UTF-8", "committed JSON", "canonical form", "output_hash form", "digest"]
CANONICAL = (
    "null", "[]", "{}", '""', "0", "-1", "1.5", "-0.0", "1e+16", "1e-05", "5e-324",
    "1.2345678901234568e+17", "12345678901234567890123", '"/"', '"\\n\\b\\f\\r\\t\\"\\\\"',
    '"\\u001f"', '"\x7f\x85\u2028\u2029\uffff"', '"\U0001f600"', '{"\ue000":1,"\U0001f600":2}',
    '{"a":{"b":1,"c":2},"b":[{"x":0}]}', "NaN", "[Infinity,-Infinity]", "1" * 4300,
)  # fmt: skip
NOT_CANONICAL = (
    " 1", "1\n", "[1, 2]", '{"a": 1}', '{"b":1,"a":2}', '{"a":1,"a":2}', '{"a":1,"a":1}', "1e5",
    "1.50", "-0", "0e0", "1E400", "1e16", '"\\/"', '"\\u0041"', '"\\u001F"', '"\\u007f"',
    '"\\ud83d\\ude00"', '"\\ud800"', '"\\u00e9"', '{"\U0001f600":2,"\ue000":1}',
)  # fmt: skip
NO_JSON = (
    "", " ", "plain", "\ufeff{}", "{}{}", "[1,]", '{"a"}', "01", "1.", '"\n"', '"a', "nul", "'a'",
    "1" * 4301, "-" + "1" * 4301,
)  # fmt: skip


def read(text: str | bytes) -> Committed:
    data = text if isinstance(text, bytes) else text.encode()
    return read_committed(base64.b64encode(data).decode(), hash_of(data))


def results(found: Committed) -> dict[str, str]:
    return {check.name: check.result for check in found.checks}


class TheForm(unittest.TestCase):
    """Decided by AER-1, CAN-1 to CAN-13."""

    def test_what_is_its_own_form_passes(self) -> None:
        for text in CANONICAL:
            with self.subTest(text[:40]):
                found = read(text)
                self.assertEqual(results(found), dict.fromkeys(NAMES, PASSED))
                self.assertEqual(found.data, text.encode())
                self.assertEqual(repr(found.value), repr(json.loads(text)))

    def test_another_spelling_fails_the_form_and_not_the_digest(self) -> None:
        for text in NOT_CANONICAL:
            with self.subTest(text):
                found = read(text)
                self.assertEqual(
                    results(found), {**dict.fromkeys(NAMES, PASSED), "canonical form": FAILED}
                )
                self.assertTrue(found.is_json)

    def test_what_is_no_json_has_no_form(self) -> None:
        for text in NO_JSON:
            with self.subTest(text[:40]):
                found = read(text)
                wanted = {"committed JSON": FAILED, "canonical form": NOT_CHECKED}
                self.assertEqual(results(found), {**dict.fromkeys(NAMES, PASSED), **wanted})
                self.assertFalse(found.is_json)

    def test_the_reason_says_where_and_shows_nothing(self) -> None:
        for text, reason in (
            ('{"é":"secret", "ü":1}', "differs from its canonical form (byte 16 of 23)"),
            ('{"secret":1,"secret":1}', "an object has a member twice"),
            ('["secret",é]', "not JSON (byte 11 of 13)"),
            ('["secret"]x', "not JSON (more text after byte 10)"),
            ("1" * 4301, "an integer of more digits than a reader takes back"),
        ):
            found = read(text)
            self.assertEqual([c.reason for c in found.checks if c.result == FAILED], [reason])
            self.assertNotIn("secret", repr(found.checks))

    def test_constants_are_seen_outside_strings_only(self) -> None:
        for text in ("NaN", "[1,-Infinity]", '{"a\\"":Infinity}', '["\\\\",NaN]'):
            self.assertTrue(has_constants(text.encode()), text)
        for text in ('"NaN"', '{"Infinity":"\\"NaN"}', "1", '["\\\\","NaN"]'):
            self.assertFalse(has_constants(text.encode()), text)

    def test_bytes_in_order_have_no_constant(self) -> None:
        for text, in_order in (('["NaN"]', True), ("[NaN]", False), ('{"a":-Infinity}', False)):
            found = read(text)
            self.assertEqual([check.result for check in found.checks], [PASSED] * 6, text)
            self.assertEqual(found.is_in_order, in_order, text)


class TheDigest(unittest.TestCase):
    """Decided by AER-1, REC-11 and HSH-1."""

    def test_each_flipped_bit_of_the_bytes_is_a_wrong_digest(self) -> None:
        data = form(CONTENT)
        wanted = hash_of(data)
        for at in range(len(data)):
            for bit in range(8):
                changed = bytearray(data)
                changed[at] ^= 1 << bit
                found = read_committed(base64.b64encode(changed).decode(), wanted)
                self.assertEqual(results(found)["digest"], FAILED)
                self.assertFalse(found.has_right_digest)

    def test_each_flipped_digit_of_the_hash_is_a_wrong_digest(self) -> None:
        data = form(CONTENT)
        text, wanted = base64.b64encode(data).decode(), hash_of(data)
        for at in range(7, len(wanted)):
            other = wanted[:at] + ("1" if wanted[at] == "0" else "0") + wanted[at + 1 :]
            found = read_committed(text, other)
            self.assertEqual(results(found), {**dict.fromkeys(NAMES, PASSED), "digest": FAILED})

    def test_the_form_of_a_hash_is_exact(self) -> None:
        good = hash_of(b"")
        self.assertTrue(is_output_hash(good))
        for other in (
            None, 5, [], "", good + "\n", good.upper(), good[7:], good[:-1], "md5:abc",
            good.replace("sha256", "sha512"), "sha256:" + "\u0661" * 64, "sha256:" + "g" * 64,
        ):  # fmt: skip
            self.assertFalse(is_output_hash(other), other)
            wanted = {"output_hash form": FAILED, "digest": FAILED}
            found = read_committed("", other)
            self.assertEqual({name: results(found)[name] for name in wanted}, wanted)


class TheBytes(unittest.TestCase):
    """Decided by AER-1, B64-1 to B64-4 and UTF-1."""

    def test_bytes_that_are_not_utf_8_fail_though_their_digest_is_right(self) -> None:
        for data in (
            b"\xff",
            b'"\xc0\xaf"',
            b'"\xed\xa0\x80"',
            b'"\xf4\x90\x80\x80"',
            b'"\xe2\x82',
        ):
            found = read(data)
            self.assertEqual(results(found)["UTF-8"], FAILED)
            self.assertEqual(results(found)["digest"], PASSED)
            self.assertFalse(found.is_utf_8 or found.is_json)

    def test_another_spelling_of_the_base64_leaves_the_bytes(self) -> None:
        for text, data in (("MR==", b"1"), ("MTI=", b"12"), ("MTJ=", b"12"), ("MTIz=", b"123")):
            found = read_committed(text, hash_of(data))
            wanted = PASSED if text == "MTI=" else FAILED
            self.assertEqual(results(found), {**dict.fromkeys(NAMES, PASSED), "base64": wanted})
            self.assertEqual(found.data, data)

    def test_what_is_no_base64_has_no_bytes(self) -> None:
        for text in (None, 1, [], "MQ", "MQ=", "M Q=", "MQ==\n", "-_==", "\ud800", "é", "MQ==="):
            found = read_committed(text, hash_of(b"1"))
            self.assertIsNone(found.data)
            self.assertEqual((results(found)["base64"], results(found)["digest"]), (FAILED, FAILED))


class HostileBytes(unittest.TestCase):
    """Decided by us: too deep is an answer, and no input takes time out of proportion."""

    def test_the_limit_of_depth_is_fixed(self) -> None:
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            inner = opening[1:] and "1"
            levels = DEEPEST
            found = read(opening * levels + inner + closing * levels)
            self.assertEqual(results(found), dict.fromkeys(NAMES, PASSED))
            for levels in (DEEPEST + 1, 3000, 100_000):
                found = read(opening * levels + inner + closing * levels)
                self.assertEqual(results(found)["committed JSON"], FAILED)
                self.assertIn("too deep", found.checks[2].reason)
                self.assertEqual(results(found)["digest"], PASSED)

    def test_a_stack_that_is_nearly_full_is_an_answer_too(self) -> None:
        text = "[" * DEEPEST + "]" * DEEPEST
        limit = sys.getrecursionlimit()

        def deeper(levels: int) -> Committed:
            return deeper(levels - 1) if levels else read(text)

        found = deeper(limit - 500)
        self.assertIn("deeper than the interpreter", found.checks[2].reason)

    def test_brackets_in_strings_are_no_levels(self) -> None:
        self.assertEqual(results(read('"' + "[" * 5000 + '"')), dict.fromkeys(NAMES, PASSED))

    def test_megabytes_of_anything_take_no_long_time(self) -> None:
        start = time.perf_counter()
        size = 400_000
        for text in (
            "[" * size, "[]" * size, '{"a":' * size, '"' * size, "\\" * size, "1" * size,
            "[" + "1," * size + "2 ]", '"' + "\\u0041" * size + '"', " " * size, "[" + '"",' * size,
        ):  # fmt: skip
            read(text)
        self.assertLess(time.perf_counter() - start, 20)

    def test_digits_are_counted_whatever_the_interpreter_was_set_to(self) -> None:
        before = sys.get_int_max_str_digits()
        try:
            sys.set_int_max_str_digits(0)
            self.assertEqual(results(read("1" * 4300)), dict.fromkeys(NAMES, PASSED))
            self.assertEqual(results(read("1" * 4301))["committed JSON"], FAILED)
            sys.set_int_max_str_digits(640)
            self.assertEqual(results(read("1" * 641))["committed JSON"], FAILED)
        finally:
            sys.set_int_max_str_digits(before)

    def test_without_the_accelerator_nothing_changes(self) -> None:
        with mock.patch.object(canonical, "c_make_encoder", None):
            text_of = canonical._text_of_parsed(encode_basestring, allow_nan=True)
        with mock.patch.object(committed, "aer1_text_of_parsed", text_of):
            for text in CANONICAL:
                self.assertEqual(results(read(text)), dict.fromkeys(NAMES, PASSED), text[:40])
            for text in NOT_CANONICAL:
                self.assertEqual(results(read(text))["canonical form"], FAILED, text)
