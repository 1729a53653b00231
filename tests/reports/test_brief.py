"""A recorded value on one line, and two of them from where they part."""

import unittest

from toolreplay.reports.brief import MOST_CHARACTERS, brief, content_of, parting


class Brief(unittest.TestCase):
    """Decided by us."""

    def test_a_text_is_bare_and_an_object_without_its_outer_braces(self) -> None:
        for value, text in (
            ("a b", "a b"), ({"a": 1}, '"a": 1'), ({}, ""), ([1, "x"], '[1, "x"]'), (None, "null"),
            ("a\n\t b", "a b"), ("\x1b[2J", "\\u{1b}[2J"), ("é\u202e", "é\\u{202e}"),
        ):  # fmt: skip
            self.assertEqual(brief(value), text)

    def test_it_is_never_long(self) -> None:
        for value in ("x" * 10**6, {"a": "x" * 10**6}, ["x"] * 10**5):
            self.assertLessEqual(len(brief(value)), MOST_CHARACTERS)

    def test_the_wrapping_of_an_import_is_looked_through(self) -> None:
        self.assertEqual(content_of({"content": "x", "is_error": False}), "x")
        self.assertEqual(content_of({"content": "x"}), {"content": "x"})


class Parting(unittest.TestCase):
    """Decided by us: two responses are shown from shortly before they differ."""

    def test_short_ones_whole(self) -> None:
        self.assertEqual(parting({"hits": 3}, {"hits": 7}), ('"hits": 3', '"hits": 7'))
        wrapped = [{"content": text, "is_error": False} for text in ("a", "b")]
        self.assertEqual(parting(*wrapped), ("a", "b"))

    def test_long_ones_from_twenty_characters_before(self) -> None:
        same = "x" * 10_000
        found = parting({"content": f"{same}12", "is_error": False}, {"content": f"{same}3", "is_error": False})  # fmt: skip
        self.assertEqual(found, (f"…{'x' * 20}12", f"…{'x' * 20}3"))
        for text in parting({"a": same, "b": "y" * 10_000}, {"a": same, "b": "z" * 10_000}):
            self.assertLessEqual(len(text), MOST_CHARACTERS + 1)

    def test_one_that_the_other_only_goes_on_from(self) -> None:
        same = "x" * 100
        self.assertEqual(parting({"a": same}, {"a": same, "b": 1})[0][-2:], 'x"')

    def test_the_order_of_members_is_no_difference(self) -> None:
        long = "x" * 100
        self.assertEqual(
            parting({"z": 1, "a": long}, {"a": long, "z": 2})[0], f'…{"x" * 12}", "z": 1'
        )

    def test_where_only_the_wrapping_differs_it_is_shown(self) -> None:
        found = parting({"content": "x", "is_error": False}, {"content": "x", "is_error": True})
        self.assertEqual(found, ('"content": "x", "is_error": false', '"content": "x", "is_error": true'))  # fmt: skip

    def test_equal_ones_come_back_from_their_start(self) -> None:
        self.assertEqual(parting({"a": "x" * 99}, {"a": "x" * 99})[0], f'"a": "{"x" * 99}"')

    def test_nothing_of_a_recording_can_steer_a_terminal(self) -> None:
        for text in parting({"a": "\x1b\u202e"}, {"a": "\x1b\u202e\ud800\n"}):
            self.assertNotRegex(text, "[\x00-\x1f\u202e\ud800]")
