"""What looks drawn by lot, and what does not."""

import unittest

from tests.evidence.redaction.samples import HEX, LOT
from toolreplay.evidence.redaction.randomness import is_path, is_placeholder, looks_random


class Looks(unittest.TestCase):
    """Decided by us, on what stands in real arguments."""

    def test_keys_do(self) -> None:
        for text in (LOT[:16], LOT[:32], LOT, "x7f9-k2m4-p8q1-r5t3", LOT[:40] + "=="):
            self.assertTrue(looks_random(text.encode()), text)

    def test_names_paths_prose_and_digests_do_not(self) -> None:
        for text in (
            "", "short1A", "photos/2024/summer-holiday.jpg", "internationalization",
            "get_user_by_id_from_cache", "an ordinary sentence of words", "2026-01-01T00:00:00Z",
            "1234567890123456", "aaaaaaaaaaaaaaaaaaaaaaaa", HEX, HEX[:40], "sha256:" + HEX,
            "3f2b8c1e-8d3a-4b5c-9e7f-0123456789ab", "must-be-at-least-eight",
        ):  # fmt: skip
            self.assertFalse(looks_random(text.encode()), text)

    def test_digests_do_where_they_are_asked_for(self) -> None:
        self.assertTrue(looks_random(HEX.encode(), digests=True))
        self.assertFalse(looks_random(b"1" * 40, digests=True))

    def test_what_only_stands_for_a_value(self) -> None:
        for text in ("", "***", "${TOKEN}", "$TOKEN", "{{ secret }}", "<your api key>", "None", "true", "%PASS%"):  # fmt: skip
            self.assertTrue(is_placeholder(text.encode()), text)
        for text in ("hunter2", "$ecret", "a***", "x" * 500):
            self.assertFalse(is_placeholder(text.encode()), text)

    def test_paths(self) -> None:
        for text in ("/home/x/.ssh/id_rsa", "~/key.pem", "./a", "../a/b", "C:\\Users\\x", "/run/secrets"):  # fmt: skip
            self.assertTrue(is_path(text.encode()), text)
        for text in ("hunter2", "/hunter2", "a/b", "/a+b/c"):
            self.assertFalse(is_path(text.encode()), text)


if __name__ == "__main__":
    unittest.main()
