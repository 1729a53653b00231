"""What of a JSON text is hidden, where it stands, and by which path it is named."""

import json
import unittest
from collections.abc import Sequence

from tests.evidence.redaction.samples import HEX, LOT, TOKEN
from toolreplay.evidence.redaction.finder import Finder
from toolreplay.evidence.redaction.json_text import (
    begins_json,
    has_suspect_names,
    hidden_in,
    is_json,
)
from toolreplay.evidence.redaction.rules import Rule, path_of

BY_NAME = (
    ({"password": "a", "max_tokens": 4096, "token_count": 12}, ["/password"]),
    ({"api_key": 123456, "token": 12345, "secret": True, "cookie": None, "pwd": ""}, ["/api_key"]),
    ({"headers": {"Authorization": "x", "Accept": "y", "Set-Cookie": ["a=b", "c"]}},
     ["/headers/Authorization", "/headers/Set-Cookie/0", "/headers/Set-Cookie/1"]),
    ({"properties": {"password": {"type": "string", "description": "The password."}}}, []),
    ({"credentials": {"user": "me", "value": LOT[:20]}}, ["/credentials/value"]),
    ([{"name": "API_KEY", "value": "a"}, {"name": "PORT", "value": "8080"}], ["/0/value"]),
    ({"key": LOT[:24], "auth": "none", "keys": ["created_at"]}, ["/key"]),
    ({"key": HEX, "session_id": "3f2b8c1e-8d3a-4b5c-9e7f-0123456789ab", "sha256": HEX}, []),
    ({"next_page_token": LOT, "progressToken": 1234567, "secret_santa": "Bob"}, []),
    ({"password": "${DB_PASSWORD}", "private_key": "/home/me/.ssh/id_rsa", "token": "<token>"}, []),
    ({"password": "[redacted:credential-name]", "a": "[redacted:jwt]"}, []),
    ({"a/b": {"~": {"password": "x"}}}, ["/a~1b/~0/password"]),
    ([[["x", {"secret": ["a", ["b"]]}]]], ["/0/0/1/secret/0", "/0/0/1/secret/1/0"]),
    ("DB_PASSWORD=hunter2", [""]),
)  # fmt: skip


def paths_in(value: object, own: Sequence[Rule] = (), **spelling: object) -> list[str]:
    content = json.dumps(value, **spelling).encode()  # type: ignore[arg-type]
    own_paths = [(path_of(rule.value) or (), rule.name) for rule in own if rule.kind == "path"]
    markers = frozenset(["[redacted:credential-name]", "[redacted:jwt]"])
    return [each.path for each in hidden_in(content, Finder(own), own_paths, markers)]


class Hides(unittest.TestCase):
    """Decided by us; the paths by RFC 6901."""

    def test_values_for_the_names_they_stand_under(self) -> None:
        for value, paths in BY_NAME:
            self.assertEqual(paths_in(value), paths, value)
            self.assertEqual(paths_in(value, indent=1), paths, value)

    def test_values_for_what_they_say(self) -> None:
        value = {"a": [1, f"x {TOKEN} y", {"b": json.dumps({"c": TOKEN})}], "d": "e"}
        self.assertEqual(paths_in(value), ["/a/1", "/a/2/b"])

    def test_names_for_what_they_say(self) -> None:
        """They are parted by numbers, so that an object stays one of as many members."""
        value = {TOKEN: {"password": "x"}, f"a{TOKEN}": 1, "[redacted:github-token]": 2}
        self.assertEqual(
            paths_in(value),
            [
                "/[redacted:github-token 2]",
                "/[redacted:github-token 2]/password",
                "/[redacted:github-token 3]",
            ],
        )

    def test_duplicates_are_all_hidden(self) -> None:
        content = b'{"password":"a","password":"b"}'
        self.assertEqual(len(hidden_in(content, Finder(), [], frozenset())), 2)

    def test_what_a_path_or_a_name_of_a_project_says(self) -> None:
        value = {"a": [{"b": None, "c": 1}, {"b": {"x": True, "y": "z"}}], "cust_no": 1}
        self.assertEqual(paths_in(value, [Rule("r", "path", "/a/*/b")]), ["/a/1/b/x", "/a/1/b/y"])
        self.assertEqual(paths_in(value, [Rule("r", "path", "/a/0")]), ["/a/0/c"])
        self.assertEqual(paths_in(value, [Rule("r", "key", "cust_*")]), ["/cust_no"])
        self.assertEqual(len(paths_in(value, [Rule("r", "path", "")])), 4)

    def test_a_path_that_is_too_long_names_what_encloses_the_place(self) -> None:
        self.assertEqual(paths_in({"a": {"b" * 2000: {"password": "x"}}}), ["/a"])

    def test_a_name_that_has_no_form_is_spelt_in_a_path(self) -> None:
        self.assertEqual(paths_in({"\ud800": {"password": "x"}}), ["/\\u{d800}/password"])


class Looks(unittest.TestCase):
    """Decided by RFC 8259, and by the limits of what is read."""

    def test_what_is_json(self) -> None:
        for text, begins, parses in (
            (b"{}", True, True), (b' \n["a"]', True, True), (b'"\xff"', True, True), (b"", False, False),
            (b" ", False, False), (b"12", False, False), (b"[2026-01-01] x", True, False),
            (b'{"a":', True, False), (b"[" * 300 + b"]" * 300, True, False), (b"[" * 99_999, True, False),
            (b"[" + b"1," * 1_000_001 + b"1]", True, False), (b"[" + b"9" * 5000 + b"]", True, False),
        ):  # fmt: skip
            with self.subTest(text[:20]):
                self.assertIs(begins_json(text), begins)
                self.assertIs(is_json(text), parses)

    def test_names_that_are_suspect(self) -> None:
        for text, suspect in (
            (b'{"a":"password"}', False), (b'{"password":1}', True), (b'{"p\\u0061ssword" : 1}', True),
            (b'{"a":"\\"password\\":1"}', False), (b'[{"name":"password","value":""}]', True),
        ):  # fmt: skip
            self.assertIs(has_suspect_names(text, Finder()), suspect, text)


if __name__ == "__main__":
    unittest.main()
