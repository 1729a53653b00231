"""The declared scope."""

import json
import pathlib
import unittest

from toolreplay.errors import DeclarationError
from toolreplay.records.limits import Limits
from toolreplay.records.scope import Scope, parse_scope

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "samples" / "scope.json"

GOOD = {"agent": "docs-reader", "allowed_tools": ["read_file", "list_dir"]}


def refused(value: object, limits: Limits | None = None) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    try:
        scope = parse_scope(data, "s.json", *([limits] if limits else []))
    except DeclarationError as error:
        return str(error)
    raise AssertionError(f"accepted: {scope!r}")


class ScopeFiles(unittest.TestCase):
    def test_the_sample_is_read(self) -> None:
        """Decided by the tutorial."""
        self.assertEqual(
            parse_scope(SAMPLE.read_bytes(), "scope.json"),
            Scope("scope.json", "docs-reader", frozenset({"read_file", "list_dir", "search"})),
        )

    def test_it_may_be_laid_out_over_lines(self) -> None:
        """Decided by RFC 8259: a scope is one JSON document, not a line."""
        data = json.dumps(GOOD, indent=2).replace("\n", "\r\n").encode() + b"\r\n\r\n"
        self.assertEqual(parse_scope(data, "s.json").agent, "docs-reader")

    def test_names_are_kept_exactly(self) -> None:
        """Decided by the tutorial: matched exactly and case-sensitively."""
        names = ["Read", "read", " read", "\u00e9", "e\u0301", "", "*"]
        scope = parse_scope(json.dumps({"agent": "", "allowed_tools": names}).encode(), "s.json")
        self.assertEqual(scope.allowed_tools, set(names))
        self.assertEqual(scope.agent, "")

    def test_no_tool_at_all_may_be_allowed(self) -> None:
        """Decided by us: an empty list permits nothing."""
        self.assertEqual(
            parse_scope(b'{"agent":"a","allowed_tools":[]}', "s").allowed_tools, frozenset()
        )

    def test_members_are_exactly_two(self) -> None:
        """Decided by the tutorial; a misspelt rule must not be a rule that is not applied."""
        self.assertEqual(
            refused({**GOOD, "denied_tools": [], "a": 1}),
            "s.json: unexpected field(s): a, denied_tools",
        )
        self.assertEqual(refused({}), "s.json: missing field(s): agent, allowed_tools")
        self.assertEqual(refused({"agent": "a"}), "s.json: missing field(s): allowed_tools")

    def test_types(self) -> None:
        """Decided by the tutorial."""
        for value in (None, [], "x", 1):
            self.assertEqual(refused(value), "s.json: a scope must be an object")
        for value in (None, 1, ["a"], {}):
            self.assertEqual(refused({**GOOD, "agent": value}), "s.json: agent must be a string")
        for value in (None, "read_file", {}, ["read_file", 1], [None], [["x"]]):
            self.assertEqual(
                refused({**GOOD, "allowed_tools": value}),
                "s.json: allowed_tools must be an array of strings",
            )

    def test_what_the_line_parser_refuses_is_refused_with_the_name_of_the_file(self) -> None:
        """Decided by us: one strict parser for everything that is declared."""
        table = {
            b'{"agent":"a","agent":"b","allowed_tools":[]}': "duplicate field 'agent'",
            b"\xef\xbb\xbf{}": "starts with a byte order mark (save the file as UTF-8 without one)",
            b"{} {}": "more text after the value (column 3)",
            b"\xff": "not UTF-8 (byte 1 of the line)",
        }
        for data, fact in table.items():
            self.assertEqual(refused(data), f"s.json: {fact}")

    def test_limits_hold_here_too(self) -> None:
        """Decided by us."""
        self.assertEqual(refused(GOOD, Limits(line_bytes=10)), "s.json: longer than 10 bytes")
        self.assertIn("nested deeper than 1 levels", refused(GOOD, Limits(depth=1)))

    def test_a_toml_scope_is_named_as_not_read_yet(self) -> None:
        """Decided by us: never taken for broken JSON."""
        with self.assertRaisesRegex(DeclarationError, "^scope.toml: TOML scopes are not read yet$"):
            parse_scope(b"agent = 'a'", "scope.toml")

    def test_hostile_names_do_not_make_a_long_message(self) -> None:
        """Decided by us."""
        self.assertLess(len(refused({**GOOD, "x" * 100_000: 1})), 300)
