"""Redaction as a whole: which bytes are replaced, and what is said of it."""

import base64
import json
import unittest

from tests.evidence.redaction.samples import TOKEN, TOKENS
from toolreplay.evidence.redaction.redactor import Redacted, Redactor
from toolreplay.evidence.redaction.rules import Rule


def redacted(text: str, *own: Rule) -> tuple[str, tuple[tuple[str, str], ...]]:
    found = Redactor(own).redacted(text.encode())
    return found.content.decode(), found.hidden


class Replaces(unittest.TestCase):
    """Decided by us: exactly the bytes of a value, and every other byte stays."""

    def test_values_of_json_with_their_quotes(self) -> None:
        for text, view in (
            ('{"password":"x" , "n" : 1.0}\r\n', '{"password":"[redacted:credential-name]" , "n" : 1.0}\r\n'),
            ('{"api_key":123456}', '{"api_key":"[redacted:credential-name]"}'),
            (f'["a {TOKEN} b","\\u00e9"]', '["[redacted:github-token]","\\u00e9"]'),
            (f'"{TOKEN}"', '"[redacted:github-token]"'),
            (f'{{"{TOKEN}":1}}', '{"[redacted:github-token]":1}'),
            ('{"t":"{\\"secret\\":\\"a\\"}","secret":true}', '{"t":"[redacted:credential-name]","secret":true}'),
            ('["line\\npassword: hunter2\\nx"]', '["[redacted:credential-name]"]'),
            (f'["{"".join(f"{chr(92)}u{ord(each):04x}" for each in TOKEN)}"]', '["[redacted:github-token]"]'),
        ):  # fmt: skip
            self.assertEqual(redacted(text)[0], view)

    def test_the_bytes_that_were_found_in_any_other_text(self) -> None:
        for text, view in (
            (f"a {TOKEN}\n", "a [redacted:github-token]\n"),
            (f'{{"a": "{TOKEN}", "cut', '{"a": "[redacted:github-token]", "cut'),
            (f"[2026-01-01] {TOKEN}", "[2026-01-01] [redacted:github-token]"),
            ("[" * 300 + '{"password":"x"}' + "]" * 300,
             "[" * 300 + '{"password":"[redacted:credential-name]"}' + "]" * 300),
            ("x=" + base64.b64encode(TOKEN.encode()).decode() + "!", "x=[redacted:github-token]!"),
        ):  # fmt: skip
            self.assertEqual(redacted(text)[0], view)

    def test_nothing_else(self) -> None:
        for text in ("", " ", "12", "null", "{}", '{"a": [1, "b", {"token_count": 3}]}', "a text", "\0\x1b"):  # fmt: skip
            self.assertEqual(redacted(text), (text, ()))

    def test_bytes_that_are_no_text_stay(self) -> None:
        for content, view in (
            (b'{"a":"\xff\xfe","password":"\x80"}', b'{"a":"\xff\xfe","password":"[redacted:credential-name]"}'),
            (b"\xff\xc0 PASSWORD=a\x80 \xed\xa0\x80", b"\xff\xc0 PASSWORD=[redacted:credential-name] \xed\xa0\x80"),
        ):  # fmt: skip
            self.assertEqual(Redactor().redacted(content).content, view)

    def test_what_was_redacted_stays_as_it_is(self) -> None:
        for samples in TOKENS.values():
            for sample in samples:
                for text in (
                    f"a {sample} b",
                    json.dumps({"a": sample, "password": sample, sample: 1}),
                ):
                    view, hidden = redacted(text)
                    self.assertTrue(hidden)
                    self.assertEqual(redacted(view), (view, ()))


class Says(unittest.TestCase):
    """Decided by us: rule and path of each, never a value."""

    def test_paths_and_rules(self) -> None:
        text = json.dumps({"a": {TOKEN: [TOKEN]}, "password": "x"})
        self.assertEqual(
            redacted(text)[1],
            (
                ("/a/[redacted:github-token]", "github-token"),
                ("/a/[redacted:github-token]/0", "github-token"),
                ("/password", "credential-name"),
            ),
        )
        self.assertEqual(redacted(f"{TOKEN} {TOKEN} PASSWORD=a1")[1], (("", "github-token"), ("", "credential-name")))  # fmt: skip

    def test_too_many_places_are_told_as_the_whole(self) -> None:
        view, hidden = redacted(json.dumps([{"password": "x"}] * 1001))
        self.assertEqual(hidden, (("", "credential-name"),))
        self.assertEqual(view.count("[redacted:"), 1001)

    def test_the_original_is_kept_where_all_that_hid_something_want_it(self) -> None:
        own = (Rule("number", "key", "cust_*", True), Rule("name", "key", "who"))
        for text, keeps in (
            ('{"cust_no":1}', True), ('{"cust_no":1,"who":"a"}', False), ('{"who":"a"}', False),
            ('{"cust_no":1,"password":"a"}', False), ('{"a":1}', False),
        ):  # fmt: skip
            self.assertIs(Redactor(own).redacted(text.encode()).keeps_original, keeps, text)

    def test_rules_of_a_project(self) -> None:
        for text, view, rule in (
            ('{"a":{"b":[1,null,"x"]}}', '{"a":{"b":["[redacted:r]",null,"[redacted:r]"]}}', Rule("r", "path", "/a/b")),
            ('["x ACME-17"]', '["[redacted:r]"]', Rule("r", "prefix", "ACME-")),
            ("x ACME-17 y", "x [redacted:r] y", Rule("r", "prefix", "ACME-")),
            ('["Projekt \\u00dc"]', '["[redacted:r]"]', Rule("r", "contains", "Projekt Ü")),
            ('[{"t":"\\"Cust\\":1"}]', '[{"t":"[redacted:r]"}]', Rule("r", "key", "C*t")),
        ):  # fmt: skip
            self.assertEqual(redacted(text, rule)[0], view)
            self.assertEqual(redacted(view, rule), (view, ()))

    def test_a_result_without_a_hit_is_the_content_itself(self) -> None:
        content = b'{"a":1}'
        self.assertEqual(Redactor().redacted(content), Redacted(content))


if __name__ == "__main__":
    unittest.main()
