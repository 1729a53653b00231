"""Values behind a credential's name in a text."""

import unittest

from tests.evidence.redaction.samples import LOT
from toolreplay.evidence.redaction.named import is_long_number, named_values

HIDDEN = (
    ("https://x.example/?api_key=<abc>&b=1", "<abc>"),
    ("https://x.example/?a=1&access_token=<abc>", "<abc>"),
    ("user=a&password=<hunter2>&b=c", "<hunter2>"),
    ("Server=db;User=sa;Password=<pass;word>", "<pass>"),
    ("DB_PASSWORD=<hunter2>\n", "<hunter2>"),
    ("export GITHUB_TOKEN='<abc def>'", "<abc def>"),
    ("curl --token <abc> x", "<abc>"),
    ("curl --password=<abc> x", "<abc>"),
    ('{"password": "<hunter2>", "a": 1}', "<hunter2>"),
    ('{"password": "<hunter2', "<hunter2"),
    ("{'api_key': '<it\\'s>'}", "<it\\'s>"),
    ('log {\\"password\\":\\"<hunter2>\\"}', "<hunter2>"),
    ('{"pin": 1, "password": <1234567>}', "<1234567>"),
    ("db:\n  password: <hunter2>\n  x: y", "<hunter2>"),
    ("password: <hunter2xyz>\nabc", "<hunter2xyz>"),
    ('{"text":"password: <hunter2xyz>', "<hunter2xyz>"),
    ('{"text":"db_password=<hunter2xyz>\n', "<hunter2xyz>"),
    ("Cookie: <a=b; c=d>\r\nHost: x", "<a=b; c=d>"),
    ("Authorization: <Digest username=x>", "<Digest username=x>"),
    (f"the token: <{LOT[:20]}> is", f"<{LOT[:20]}>"),
    (f"key = <{LOT[:24]}>", f"<{LOT[:24]}>"),
)

KEPT = (
    "the password: must be at least 8 characters long",
    '{"text":"password: required","b":"the password: hunter2xyz is old"}',
    "password reset; token expired, secret santa: Bob",
    "token = self.tokens.next(); api_key = os.environ['API_KEY']",
    "if password == other: pass",
    "MAX_TOKENS=4096 PWD=/home/me TOKEN_COUNT=12 TOKEN=$TOKEN PASSWORD=${PASSWORD} SECRET=",
    '{"token": 12, "password": true, "secret": null, "next_page_token": "abcdef"}',
    "--token-file x --max-tokens 12 --key-size 4096 --password --force",
    '{"password": "[redacted:credential-name]"} ?token=[redacted:jwt]&a=1',
    "Cookie: [redacted:credential-name]",
    "db:\n  password: required\n  token: string",
    "key=value key: value auth: none sort_key = created_at_descending_order",
    "primary_key: 3f2b8c1e-8d3a-4b5c-9e7f-0123456789ab",
)


class Found(unittest.TestCase):
    """Decided by us: how values are written behind names."""

    def test_what_is_hidden(self) -> None:
        for text, marked in HIDDEN:
            data = text.replace("<", "").replace(">", "").encode()
            value = marked.replace("<", "").replace(">", "").split(";word")[0].encode()
            with self.subTest(text):
                found = [data[each.start : each.end] for each in named_values(data)]
                self.assertEqual(found, [value])

    def test_what_stays(self) -> None:
        for text in KEPT:
            self.assertEqual(list(named_values(text.encode())), [], text)

    def test_numbers_are_hidden_from_six_digits_on(self) -> None:
        for text, is_long in ((b"12345", False), (b"123456", True), (b"-1.5e12345", True), (b"1e5", False), (b"123456a", False)):  # fmt: skip
            self.assertIs(is_long_number(text), is_long, text)


if __name__ == "__main__":
    unittest.main()
