"""The commands over a store, given one in which bytes were changed at random: never a defect.

Whatever they make of it, they end with a status of theirs and with one line where they could not look.
"""

import os
import pathlib
import random
import shutil
import tempfile
import unittest

from tests.cli import ways

COMMANDS = (
    "store status s.db",
    "store status s.db --format json",
    "store check s.db",
    "store repair s.db",
    "store prove s.db --index 5",
    "store prove s.db --since 5",
    "store prove s.db#refund-42 --entry 2",
    "store export s.db --db c.db",
    "store export s.db --tiles t",
    "store erase s.db#read-mail --all --payload --reason x",
    "store init n.db --restored-from s.db",
    "runs list outcome:*error --store s.db",
    "runs show s.db#refund-42",
    "runs show s.db#01a22baf-0a10-7c3e-9d55-3f0a6f2b91c4 --format json",
    "runs close --abandoned --store s.db",
    f"runs link s.db#refund-42 {ways.SAMPLES / 'claude-session.jsonl'}",
    "export s.db#refund-42 -o x.run.jsonl",
    "show @last --store s.db",
    "verify s.db",
)
ROUNDS = 60


def changed(data: bytes, chance: random.Random) -> bytes:
    """Return a file with a few bytes flipped, wiped, moved, or with its end cut off."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 3, 10))):
        at, length = chance.randrange(len(found)), chance.randrange(1, 200)
        match chance.randrange(4):
            case 0:
                found[at] ^= 1 << chance.randrange(8)
            case 1:
                found[at] = chance.randrange(256)
            case 2:
                found[at : at + length] = bytes(len(found[at : at + length]))
            case 3:
                start = chance.randrange(len(found) - length)
                found[at : at + length] = found[start : start + len(found[at : at + length])]
    return bytes(found[: chance.randrange(len(found))] if chance.random() < 0.05 else found)


class Damaged(unittest.TestCase):
    """Decided by us."""

    def test_each_command_ends_as_it_should(self) -> None:
        data = (ways.SAMPLES / "store.db").read_bytes()
        chance = random.Random(2026)
        found: dict[str, set[int]] = {command: set() for command in COMMANDS}
        for number in range(ROUNDS):
            damaged = changed(data, chance)
            for command in COMMANDS:
                with tempfile.TemporaryDirectory(dir=_in_memory()) as folder:
                    pathlib.Path(folder, "s.db").write_bytes(damaged)
                    ran = ways.in_process(*command.split(), folder=folder)
                with self.subTest(number=number, command=command):
                    self.assertIn(ran.status, (0, 1, 2, 3), ran)
                    self.assertNotIn("defect of toolreplay", ran.error)
                    if ran.status == 2 and command != "verify s.db":
                        self.assertEqual((ran.out, ran.err.count(b"\n")), (b"", 1), ran)
                    found[command].add(ran.status)
        self.assertEqual(found["store check s.db"], {0, 1, 2})
        self.assertTrue(all({0, 2} <= statuses for statuses in found.values()), found)


def _in_memory() -> str | None:
    return "/dev/shm" if os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free else None


if __name__ == "__main__":
    unittest.main()
