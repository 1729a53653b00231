"""Redaction of hostile texts: time grows with their length alone, and depth costs nothing."""

import base64
import json
import os
import time
import unittest

import pytest

from tests.evidence.redaction.samples import TOKEN, TOKENS
from toolreplay.evidence.redaction.named import named_values
from toolreplay.evidence.redaction.redactor import Redactor
from toolreplay.evidence.redaction.rules import TOKENS as BEGINNINGS
from toolreplay.evidence.redaction.rules import Rule

_SMALL = 1 << 17
_PIECES = (
    "key=", 'key="', "key='\"", "key: ", "password: ", "password=", "--token ", "&token=a", "?a=", "://",
    "://a:", "://a:b@", "%41", "%25", "%2541", "\\u0041", "\\n", "\\\\", "\\", '"', "'", "[", "{", '{"a":', "Bearer ",
    "Bearer aaaaaaaaaaaa1 ", "Basic ", "Basic YTpi ", "-----BEGIN PRIVATE KEY", "-----BEGIN PRIVATE KEY-----", "PRIVATE+KEY+",
    "aaaaaaaaaaaaaaaaaaaaaaaa ", "a" * 70 + "\n", "a" * 70 + "\r\n  ", "A", "=", "/", "\n", "\0", " ", "ACME-", "aACME-", '"c": ', "é",
)  # fmt: skip
OWN = (Rule("a", "prefix", "ACME-"), Rule("b", "contains", "Falcon"), Rule("c", "key", "c*d*e*"))


@pytest.mark.slow
class Time(unittest.TestCase):
    """Linear: a text of eight times the length takes about eight times as long (minutes in all)."""

    def test_repeated_pieces(self) -> None:
        redactor = Redactor(OWN)
        pieces = (*_PIECES, *(each.text.decode() for each in BEGINNINGS), TOKEN + " ")
        for piece in pieces:
            for frame in ("{}", '["{}"]', '{{"password":"{}"}}', '{{"key":["{}"]}}'):
                spent = [
                    _spent(redactor, frame.format(piece * (size // len(piece))))
                    for size in (_SMALL, 8 * _SMALL)
                ]
                with self.subTest(piece[:30], frame=frame):
                    self.assertLess(spent[1], 24 * spent[0] + 1)

    def test_the_largest_texts(self) -> None:
        """Sixteen megabytes of an image, of prose, of base64 in base64, of records."""
        size = 1 << 24
        image = base64.b64encode(os.urandom(size // 4 * 3 - 64)).decode()
        prose = "It was the best of times, it was the worst of times; a key turned. "
        records = json.dumps([{"id": at, "name": f"n{at}"} for at in range(240_000)])
        for text in (
            json.dumps({"data": image}), prose * (size // len(prose)), records,
            json.dumps([prose * (size // len(prose) - 9)]),
            base64.b64encode(image[: size // 4 * 3].encode()).decode(),
        ):  # fmt: skip
            began = time.perf_counter()
            found = Redactor().redacted(text.encode())
            self.assertLess(time.perf_counter() - began, 12)
            self.assertEqual(found.hidden, ())

    def test_a_text_of_nothing_but_names_is_hidden_whole(self) -> None:
        """Looking behind each of millions would take minutes."""
        data = b"password: " * 210_000
        self.assertEqual([each[:2] for each in named_values(data)], [(0, len(data))])
        data = f" {TOKEN}".encode() * 100_001
        self.assertEqual(Redactor().redacted(data).content, b"[redacted:github-token]")


class Depth(unittest.TestCase):
    """Nothing recurses on input."""

    def test_any_depth(self) -> None:
        for depth in (150, 250, 5000, 1_000_000):
            for opening, closing in (("[", "]"), ('{"a":', "}")):
                text = opening * depth + json.dumps(TOKEN) + closing * depth
                view = Redactor().redacted(text.encode()).content.decode()
                self.assertEqual(view, text.replace(TOKEN, "[redacted:github-token]"))

    def test_any_byte_flipped(self) -> None:
        """Whatever the bytes are, there is an answer, and what is found is hidden."""
        content = json.dumps({"a": [each for some in TOKENS.values() for each in some]}).encode()
        for at in range(0, len(content), 7):
            data = content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :]
            found = Redactor().redacted(data)
            self.assertTrue(found.hidden)
            self.assertEqual(Redactor().redacted(found.content).hidden, ())


def _spent(redactor: Redactor, text: str) -> float:
    began = time.perf_counter()
    redactor.redacted(text.encode())
    return time.perf_counter() - began


if __name__ == "__main__":
    unittest.main()
