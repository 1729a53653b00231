"""A key that cannot sign is not passed over in silence: entries are kept, and somebody is told."""

import os
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.capture.talking import Talking
from tests.capture.wrapped import ROOT


class AKeyThatDoesNotSign(unittest.TestCase):
    """Decided by us after a newcomer took a store for signed."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.store = self.folder / "s.db"

    def ran(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run one command on a bare interpreter, which has nothing that signs."""
        return subprocess.run(
            [sys.executable, "-S", "-m", "toolreplay", *words],
            env={"HOME": str(self.folder), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            cwd=self.folder, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def test_record_exec_says_so(self) -> None:
        """Also when it is to be quiet."""
        for name in ("gone.key", "junk.key"):
            (self.folder / "junk.key").write_text("junk")
            done = self.ran(
                "record", "exec", "--quiet", "--store", "s.db", "--key", name, "--", "true"
            )
            self.assertEqual(done.returncode, 0)
            self.assertIn("recorded as ", done.stderr)
            self.assertIn(f", not signed: {name}: ", done.stderr)

    def test_record_mcp_says_so(self) -> None:
        """At the end of the session."""
        one = Talking(
            self.store, "--key", str(self.folder / "gone.key"), stderr=self.folder / "err"
        )
        one.call(1, "echo")
        one.wait([1])
        self.assertEqual(one.end(), 0)
        self.assertIn("recorded, not signed: ", (self.folder / "err").read_text())


if __name__ == "__main__":
    unittest.main()
