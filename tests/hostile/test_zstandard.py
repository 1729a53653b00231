"""Zstandard files, where the extra is installed: broken and oversized ones are one line."""

import unittest
from importlib.util import find_spec

from tests.hostile.pieces import GOOD, GOOD_SESSION
from tests.hostile.running import InAFolderOfItsOwn, Ran, offences, run_here


@unittest.skipUnless(find_spec("zstandard"), "needs the extra 'zstd'")
class ZstandardFiles(InAFolderOfItsOwn):
    """Decided by us: content decides what is packed, and a limit what it may expand to."""

    def setUp(self) -> None:
        import zstandard

        super().setUp()
        self.pack = zstandard.ZstdCompressor(write_checksum=True).compress

    def run_on(self, data: bytes, command: str) -> Ran:
        """Run a command on a file `x` of these bytes."""
        with open("x", "wb") as file:
            file.write(data)
        arguments = command.split()
        ran = run_here(arguments)
        self.assertEqual(offences(ran, arguments), [])
        return ran

    def test_sound_ones_are_read(self) -> None:
        for command in ("replay x", "seal x", "audit x", "show x"):
            self.assertEqual(self.run_on(self.pack(GOOD), command).status, 0)
        self.assertEqual(self.run_on(self.pack(GOOD_SESSION), "import x -o y").status, 0)
        two = b"".join(map(self.pack, GOOD.splitlines(keepends=True)))
        self.assertIn(b"calls: 2\n", self.run_on(two, "replay x").out)

    def test_every_cut_and_every_flip_is_calls_or_one_line(self) -> None:
        packed = self.pack(GOOD)
        for at in range(len(packed)):
            self.assertEqual(self.run_on(packed[:at], "replay x").status, 2 if at else 0)
            self.run_on(packed[:at] + bytes([packed[at] ^ 0x10]) + packed[at + 1 :], "audit x")

    def test_garbage_behind_and_layers_are_refused(self) -> None:
        for data in (self.pack(GOOD) + b"garbage", self.pack(self.pack(GOOD))):
            for command in ("replay x", "audit x"):
                self.assertEqual(self.run_on(data, command).status, 2)

    def test_a_bomb_stops_at_the_limit(self) -> None:
        bomb = self.pack(b"\n" * 30_000_000)
        for command in ("replay x", "audit x", "show x"):
            ran = self.run_on(bomb, f"{command} --max-expanded-bytes 1000000")
            self.assertEqual(
                ran.err,
                b"error: x: is larger than 1000000 bytes once read or expanded "
                b"(--max-expanded-bytes raises the limit)\n",
            )


if __name__ == "__main__":
    unittest.main()
