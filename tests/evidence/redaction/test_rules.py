"""The rules: each is described, each finds its own, and a project's are judged."""

import re
import time
import unittest

from tests.evidence.redaction.samples import TOKENS as SAMPLES
from toolreplay.evidence.redaction.rules import (
    BARE,
    BY_MARK,
    LEAST_TOKEN,
    RULE_NAME,
    SHIPPED,
    TOKENS,
    Rule,
    fault_of_rule,
    glob_matches,
    marker_of,
    path_of,
)
from toolreplay.evidence.redaction.spellings import TOKEN_BYTES


class TheShippedOnes(unittest.TestCase):
    """Decided by the makers of the credentials, whose beginnings they are."""

    def test_each_has_a_name_that_a_marker_can_carry(self) -> None:
        for name in SHIPPED:
            self.assertTrue(RULE_NAME.fullmatch(name), name)
        self.assertEqual(marker_of("jwt"), "[redacted:jwt]")

    def test_each_beginning_belongs_to_a_rule_and_is_looked_for(self) -> None:
        """One that were in no table would never be found."""
        looked_for = {*BARE, *(each for _, some in BY_MARK for each in some)}
        self.assertEqual(looked_for, set(TOKENS))
        self.assertLessEqual({each.rule for each in TOKENS}, SHIPPED.keys())

    def test_each_sample_is_found_whole_by_its_own_rule(self) -> None:
        for rule in {each.rule for each in TOKENS}:
            for sample in SAMPLES[rule]:
                text = f"a {sample}, b".encode()
                found = [hit[0] for each in TOKENS if each.rule == rule for hit in each.find(text)]
                with self.subTest(rule, sample=sample):
                    self.assertIn(sample.encode(), found)
                    run = max(re.findall(b"x+", text.translate(TOKEN_BYTES)), key=len)
                    self.assertGreaterEqual(len(run), LEAST_TOKEN)

    def test_no_pattern_goes_back_and_forth(self) -> None:
        """A text of nothing but a beginning is the worst there is for each."""
        for each in TOKENS:
            for text in (each.text, each.text + b"a", b"a" + each.text, each.text + b"."):
                data = text * (20_000 // len(text))
                began = time.perf_counter()
                sum(1 for _ in each.find(data))
                with self.subTest(each.text):
                    self.assertLess(time.perf_counter() - began, 0.5)


class ThoseOfAProject(unittest.TestCase):
    """Decided by us: no expressions of users, whose time nobody could bound."""

    def test_good_ones(self) -> None:
        for rule in (
            Rule("a", "key", "customer_*"),
            Rule("a-1", "path", ""),
            Rule("x" * 32, "path", "/a/*/b~0c~1d"),
            Rule("a", "prefix", "ACME-"),
            Rule("a", "contains", "Projekt Ü"),
        ):
            self.assertEqual(fault_of_rule(rule), "", rule)

    def test_bad_ones(self) -> None:
        for rule, fault in (
            (Rule("", "key", "a"), "name must be"),
            (Rule("A", "key", "a"), "name must be"),
            (Rule("a]", "key", "a"), "name must be"),
            (Rule("x" * 33, "key", "a"), "name must be"),
            (Rule("jwt", "key", "a"), "name is that of a shipped rule"),
            (Rule("a", "regex", "a"), "finds by key, path, prefix, contains"),
            (Rule("a", "key", "**"), "key must have a letter or more"),
            (Rule("a", "prefix", "AC"), "prefix must have three characters or more"),
            (Rule("a", "contains", "x" * 1001), "contains must have 1000 characters or fewer"),
            (Rule("a", "path", "a/b"), "path must be a JSON pointer, as /a/*/b"),
            (Rule("a", "path", "/a~2"), "path must be a JSON pointer, as /a/*/b"),
            (Rule("a", "contains", "redacted:"), "contains would find what is hidden already"),
        ):
            with self.subTest(rule):
                self.assertTrue(fault_of_rule(rule).startswith(fault), fault_of_rule(rule))

    def test_pointers_are_those_of_rfc_6901(self) -> None:
        """The examples of its section 5, and what is none."""
        for pointer, path in (
            ("", ()), ("/foo/0", ("foo", "0")), ("/", ("",)), ("/a~1b", ("a/b",)),
            ("/m~0n", ("m~n",)), ("/~01", ("~1",)), ("foo", None), ("/~", None),
        ):  # fmt: skip
            self.assertEqual(path_of(pointer), path, pointer)

    def test_globs(self) -> None:
        for glob, name, matches in (
            ("a", "a", True), ("a", "ab", False), ("a*", "ab", True), ("*a", "ba", True),
            ("a*a", "a", False), ("a*a", "aa", True), ("a*b*c", "a-b-c", True),
            ("a*b*c", "a-c-b", False), ("*b*b*", "ab", False), ("*", "", True),
        ):  # fmt: skip
            self.assertIs(glob_matches(glob.split("*"), name), matches, (glob, name))


if __name__ == "__main__":
    unittest.main()
