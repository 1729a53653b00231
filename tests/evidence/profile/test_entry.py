"""What commits to an entry, and how its kind is known."""

import hashlib
import unittest

from toolreplay.evidence.profile.entry import KINDS, SALT_BYTES, commit_of, kind_by_profile


class TheCommitment(unittest.TestCase):
    """Decided by us: SHA-256("toolreplay/commit/v1" LF || salt || payload)."""

    def test_it_is_worked_out_by_hand(self) -> None:
        salt, payload = bytes(range(SALT_BYTES)), b'{"a":1}'
        wanted = hashlib.sha256(b"toolreplay/commit/v1\n" + salt + payload).digest()
        self.assertEqual(commit_of(salt, payload), wanted)

    def test_each_bit_of_salt_and_payload_is_in_it(self) -> None:
        salt, payload = bytes(SALT_BYTES), b"{}"
        whole = salt + payload
        seen = {commit_of(salt, payload)}
        for bit in range(8 * len(whole)):
            data = bytearray(whole)
            data[bit // 8] ^= 1 << bit % 8
            seen.add(commit_of(bytes(data[:SALT_BYTES]), bytes(data[SALT_BYTES:])))
        self.assertEqual(len(seen), 8 * len(whole) + 1)


class ItsKind(unittest.TestCase):
    """Decided by us: an entry's own bytes say what it is."""

    def test_by_profile(self) -> None:
        table = {
            "toolreplay/open/1": "open",
            "toolreplay/intent/1": "start",
            "toolreplay/gap/1": "gap",
            "toolreplay/observation/1": "observe",
            "toolreplay/erase/1": "erase",
        }
        for profile, kind in table.items():
            self.assertEqual(kind_by_profile({"profile": profile}), kind)
            self.assertIn(kind, KINDS)

    def test_without_one_it_is_a_receipt(self) -> None:
        self.assertEqual(kind_by_profile({}), "receipt")
        self.assertEqual(kind_by_profile({"profile": None}), "receipt")

    def test_what_nobody_knows_has_none(self) -> None:
        for profile in ("toolreplay/open/2", "toolreplay/1", "", 1, ["toolreplay/open/1"], {}):
            self.assertIsNone(kind_by_profile({"profile": profile}))


if __name__ == "__main__":
    unittest.main()
