"""What is found in bytes, in which spelling, and what of a text is hidden for it."""

import base64
import json
import unittest
from urllib.parse import quote_from_bytes

from tests.evidence.redaction.samples import HEX, LOT, TOKEN, TOKENS
from toolreplay.evidence.redaction.finder import Finder
from toolreplay.evidence.redaction.rules import Rule

BASIC = base64.b64encode(b"me:hunter2").decode()
FOUND = {
    "url-password": ["https://me:hunter2@x.example/a", "postgres://u:p@ss@db/x", "redis://:x1@h:6379"],
    "bearer-token": ["Bearer " + LOT[:20], "bearer " + HEX, "-H 'X: Bearer a1b2c3d4e5f6'"],
    "basic-credential": ["Basic " + BASIC, "basic  " + BASIC],
    "credential-name": ["?api_key=abc", "X_TOKEN=abc"],
    "random-credential": [f'{{"key": "{LOT[:24]}"}}'],
    **TOKENS,
}  # fmt: skip

BENIGN = (
    HEX, "sha256:" + HEX, "3f2b8c1e-8d3a-4b5c-9e7f-0123456789ab",
    "data:image/png;base64," + base64.b64encode(bytes(range(256))).decode(),
    "https://x.example:8080/a@b/c:d?e=f&page_token=abc#g", "mailto:me@x.example", "git@x.example:a/b",
    "https://me@x.example/", "ssh://git@x.example:22/a", "https:" + "//u:${PASSWORD}@x.example",
    "sk-learn-and-other-libraries-of-python", "task-" + LOT[:30], "disk-0123456789abcdef0123456789",
    "AKIA", "AKIAIOSFODNN7", "AIzaShort", "xoxo-hugs-and-kisses-for-all", "npm_config_registry_url_of_this",
    "hf_transfer_enabled_by_default_in_all", "pypi-publish-action-for-continuous-integration",
    "eyJhbGciOiJIUzI1NiJ9", "self.eyJabcdefgh.b", "SG.com", "ghp_tooshort", "github_pat_short",
    "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\nMII",
    "Bearer authentication", "bearer of bad news", "Basic authentication", "basic training", "Basic 12345678",
    "PRIVATE+KEY+", "xoxb-abc", "glpat-x", "import secrets; secrets.token_hex(16)",
)  # fmt: skip


def spellings(text: bytes) -> dict[str, bytes]:
    """Return a text in each spelling, most of them with something before and behind."""
    made = {
        "percent": "".join(f"%{byte:02X}" for byte in text).encode(),
        "json": "".join(f"\\u{byte:04x}" for byte in text).encode(),
        "json in json": json.dumps(json.dumps({"a": text.decode()})).encode(),
        "quoted": quote_from_bytes(text, safe="").encode(),
    }
    for offset in range(3):
        made[f"base64 {offset}"] = base64.b64encode(b'"' * offset + text + b'"')
        made[f"url {offset}"] = base64.urlsafe_b64encode(b"~" * offset + text + b'"')
    return made


class InBytes(unittest.TestCase):
    """Decided by the makers of the credentials, RFC 3986, RFC 6750 and RFC 7617."""

    def setUp(self) -> None:
        self.finder = Finder()

    def test_each_rule_finds_its_own(self) -> None:
        for rule, samples in FOUND.items():
            for sample in samples:
                for text in (sample, f"x: {sample}", f"({sample})\n"):
                    self.assertEqual(self.finder.rule_in(text.encode()), rule, text)

    def test_benign_neighbours_are_not_found(self) -> None:
        for text in BENIGN:
            self.assertEqual(self.finder.rule_in(text.encode()), "", text)

    def test_each_spelling_of_each_spelling(self) -> None:
        for first, once in spellings(TOKEN.encode()).items():
            self.assertEqual(self.finder.rule_in(once), "github-token", first)
            for second, twice in spellings(once).items():
                if second == "json in json":
                    continue  # that is two more
                self.assertEqual(self.finder.rule_in(twice), "github-token", (first, second))

    def test_each_rule_finds_its_own_in_base64(self) -> None:
        for rule, samples in TOKENS.items():
            for sample in samples:
                text = base64.b64encode(f" {sample} ".encode())
                self.assertEqual(self.finder.rule_in(text), rule, sample)


class OfATextIsHidden(unittest.TestCase):
    """Decided by us: the bytes that were found, or the least that says them."""

    def hidden(self, text: str, *own: Rule) -> list[str]:
        data = text.encode("utf-8", "surrogateescape")
        return [data[each.start : each.end].decode() for each in Finder(own).places_in(data)]

    def test_the_bytes_that_were_found(self) -> None:
        self.assertEqual(self.hidden(f"a {TOKEN}, b {TOKEN}."), [TOKEN, TOKEN])
        self.assertEqual(self.hidden("https:" + "//me:hunter2@h/ Bearer a1b2c3d4e5f6"), ["hunter2", "a1b2c3d4e5f6"])  # fmt: skip
        key = TOKENS["private-key"][1]
        self.assertEqual(self.hidden(f"a\n{key}\nb"), [key])
        self.assertEqual(self.hidden(f"a\n{key[:40]}"), [key[:40]])

    def test_the_run_the_word_or_the_line_that_says_it_otherwise(self) -> None:
        run = base64.b64encode(f"xy{TOKEN}".encode()).decode()
        percent = TOKEN.replace("_", "%5F")
        lines = base64.encodebytes(b"a" * 70 + TOKEN.encode()).decode()
        for text, hidden in (
            (f"a {run} b", run), (f"a={percent} b", f"a={percent}"), (f"a:\n{lines}\n", lines.strip()),
            ("x\ntoken%3D%20" + LOT[:20] + "\ny", "token%3D%20" + LOT[:20]),
        ):  # fmt: skip
            self.assertEqual(self.hidden(text), [hidden], text)

    def test_all_of_it_where_nothing_less_is_enough(self) -> None:
        text = "password%3A%20\n" + LOT[:30]
        self.assertIn(self.hidden(text), ([text], []))

    def test_rules_of_a_project(self) -> None:
        for text, hidden, rule in (
            ("a ACME-17x b XACME-18", ["ACME-17x"], Rule("r", "prefix", "ACME-")),
            ("a\nb Projekt Ü c\nd", ["b Projekt Ü c"], Rule("r", "contains", "Projekt Ü")),
            ('{"cust_no": 17, "x": "cust_no"} \'cust_id\': \'a\'', ["17", "a"], Rule("r", "key", "cust_*")),
        ):  # fmt: skip
            self.assertEqual(self.hidden(text, rule), hidden, text)

    def test_texts_are_looked_at_in_groups(self) -> None:
        texts = [b"a"] * 1000
        texts[0] = texts[517] = texts[999] = TOKEN.encode()
        found = Finder().hits_in(texts)
        self.assertEqual(found, [(at, "github-token") for at in (0, 517, 999)])
        self.assertIsNone(Finder().hits_in(texts, most=2))


if __name__ == "__main__":
    unittest.main()
