"""SHA-256 over named forms, against hashlib and json alone."""

import hashlib
import json
import random
import string
import unittest

from toolreplay.evidence.digest import HEX_DIGITS, call_digest, hex_of, result_digest


def form(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def random_value(chance: random.Random, depth: int = 3) -> object:
    kind = chance.randrange(8 if depth else 6)
    if kind == 0:
        return chance.choice((None, True, False))
    if kind == 1:
        return chance.randint(-(2**70), 2**70)
    if kind == 2:
        return chance.choice((0.0, -0.0, 1.0, 1e16, 1e-7, chance.random()))
    if kind < 6:
        letters = string.ascii_letters + '"\\\n\x7fé\u2028中\ud800\U0001f600'
        return "".join(chance.choice(letters) for _ in range(chance.randrange(9)))
    values = [random_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return values if kind == 6 else {f"k{n}é": value for n, value in enumerate(values)}


class Digests(unittest.TestCase):
    """Decided by the tutorial: SHA-256 of the toolreplay-1 form, lower-case hex."""

    def test_published_values_of_sha_256(self) -> None:
        """Decided by FIPS 180-4 and its examples."""
        empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        self.assertEqual((hex_of(b""), hex_of(b"abc")), (empty, abc))
        self.assertEqual(HEX_DIGITS, len(empty))

    def test_a_call_is_its_tool_and_arguments(self) -> None:
        chance = random.Random(7)
        for _ in range(300):
            tool = str(random_value(chance, 0))
            args = {"a": random_value(chance), "\ud800": random_value(chance)}
            wanted = hashlib.sha256(form({"args": args, "tool": tool})).digest()
            self.assertEqual(call_digest(tool, args), wanted)

    def test_a_result_is_its_form_and_the_length_of_it(self) -> None:
        chance = random.Random(8)
        for _ in range(300):
            response = {"r": random_value(chance)}
            wanted = hashlib.sha256(form(response)).digest(), len(form(response))
            self.assertEqual(result_digest(response), wanted)

    def test_the_order_of_members_does_not_matter_and_everything_else_does(self) -> None:
        self.assertEqual(call_digest("t", {"a": 1, "b": 2}), call_digest("t", {"b": 2, "a": 1}))
        calls = [
            ("t", {"a": value})
            for value in (1, 1.0, True, "1", [1], {"a": 1}, 0, 0.0, -0.0, False, None, "", [], {})
        ]
        calls += [("t", {}), ("T", {}), ("t ", {}), ("t", {"A": 1}), ("é", {}), ("e\u0301", {})]
        self.assertEqual(len({call_digest(*call) for call in calls}), len(calls))

    def test_tool_and_arguments_cannot_stand_in_for_each_other(self) -> None:
        self.assertNotEqual(call_digest('x","tool":"y', {}), call_digest("y", {"x": '","tool":"y'}))
