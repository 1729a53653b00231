"""Receipts, timelines and closes with bytes and values changed: always an answer, never a crash."""

import json
import pathlib
import random
import tempfile
import unittest

from tests.cli import ways
from tests.evidence.aer1.documents import HOSTILE, cases, run
from tests.evidence.aer1.made import receipt
from tests.evidence.alone import own_run

ROUNDS = 50
CLOSE = next(case["doc"] for case in cases("workflows") if case["id"] == "d-workflows-001")
STATUSES = {0, 1, 2, 3}


class AnyBytes(unittest.TestCase):
    """Decided by us: whatever comes in, one answer comes out, and no control byte."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.path = pathlib.Path(holder.name, "x.json")

    def check(self, data: bytes, *commands: tuple[str, ...]) -> set[int]:
        self.path.write_bytes(data)
        found = set()
        for command in commands:
            ran = ways.in_process(*command, "x.json", folder=self.path.parent)
            self.assertIn(ran.status, STATUSES, data)
            self.assertNotIn(b"unexpected ", ran.err.split(b"field(s)")[0], data)
            self.assertFalse({0x1B, 0x7F, 0} & set(ran.out + ran.err), data)
            found.add(ran.status)
        return found

    def test_changed_bytes(self) -> None:
        dice = random.Random(5)
        for value, command in (
            ([receipt(), receipt(id="y")], ("receipt", "verify")), (run(), ("chain", "verify")),
            (CLOSE, ("workflow", "verify")), (own_run.receipts(), ("receipt", "verify")),
            ({"result": {"_receipt": receipt()}}, ("receipt", "verify")),
        ):  # fmt: skip
            good, seen = json.dumps(value).encode(), set()
            for _ in range(ROUNDS):
                data = bytearray(good)
                for _ in range(dice.randint(1, 3)):
                    at = dice.randrange(len(data))
                    data[at : at + dice.randint(0, 2)] = bytes(
                        [dice.randrange(256)] * dice.randint(0, 2)
                    )
                seen |= self.check(bytes(data), ("verify",), ("show",), command)
            self.assertLessEqual({1, 2}, seen)

    def test_changed_values(self) -> None:
        dice = random.Random(6)
        values = [value for value in HOSTILE if _can_be_written(value)]
        for value, command in (
            (receipt(), ("receipt", "verify")), (run()[0], ("chain", "verify")),
            (CLOSE, ("workflow", "verify")), (CLOSE["steps"][0], None), (own_run.receipts()[0], None),
        ):  # fmt: skip
            for name in value:
                changed = {**value, name: dice.choice(values)}
                if value is CLOSE["steps"][0]:
                    changed = {**CLOSE, "steps": [changed, *CLOSE["steps"][1:]]}
                commands = [
                    ("verify",),
                    ("audit",),
                    ("show", "--full"),
                    *([command] if command else []),
                ]
                self.check(json.dumps(changed).encode(), *commands)


def _can_be_written(value: object) -> bool:
    try:
        json.dumps(value)
    except (ValueError, RecursionError):
        return False
    return True
