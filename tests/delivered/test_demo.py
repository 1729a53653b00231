"""demo: an agent, its record, and a forger, for real; every number follows from what it is given."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.cli import ways

ROOT = Path(__file__).resolve().parents[2]

SCREEN = """\
An agent is told: refund order 1042 in full, note it, close the case.

  what the agent says                 what the record has
  I looked up order 1042: 164.00      0: get_order
x I refunded 164.00                   1: create_refund amount 146.00
~ the note timed out: not made        2: add_note was done, later
  I wrote the receipt over 164.00     3: write_receipt
x I closed the case                   no such call

2 of 5 statements are not what was recorded (x); 1 it could not know (~): it
stopped waiting, and the shop did it all the same.

An auditor has the public key, and remembers the log's head:
$ toolreplay verify store.db --key log.vkey --seen heads
exit 0: nothing found. 4 things were not checked; none was required
    (--require).

The operator holds the log's private key: 146.00 becomes 164.00, and every
hash, root and signature is made again. Looked at alone it holds:
$ toolreplay verify forged.db --key log.vkey --seen none
exit 0: nothing found. 4 things were not checked; none was required
    (--require).

Against the head that was remembered N s ago:
$ toolreplay verify forged.db --key log.vkey --seen heads
run: forked-log: toolreplay.invalid/H has shown
    two histories: size 10 root
    H before,
    size 10 root
    H now
exit 1: findings.
proof of two histories: heads.two-histories-1

What this cannot show: that nothing was done besides what was recorded, and that
the shop told the truth. A log keeps a record as it was; it does not make it.
"""


class TheDemonstration(unittest.TestCase):
    """Decided by us: the real wrapper, a real server, a real store, in processes of their own."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name

    def ran(self, *arguments: str, program: list[str] | None = None, cwd: str | None = None) -> str:
        words = program or [sys.executable, "-S", "-m", "toolreplay"]
        done = subprocess.run(
            [*words, *arguments],
            env={
                "HOME": self.folder,
                "TMPDIR": self.folder,
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(ROOT),
            },
            cwd=cwd or self.folder,
            capture_output=True,
            check=False,
            timeout=60,
        )
        self.status = done.returncode
        self.assertNotIn(b"Traceback", done.stderr)
        return done.stdout.decode() + done.stderr.decode()

    def test_its_screen(self) -> None:
        """Exact, but for ids, digests and seconds."""
        text = self.ran("demo", "--into", "kept")
        self.assertEqual(self.status, 0, text)
        masked = re.sub(
            r"\b[0-9a-f]{32,64}\b", "H", re.sub(r"remembered \d+ s", "remembered N s", text)
        )
        self.assertEqual(masked[: len(SCREEN)], SCREEN)

    def test_the_lines_at_its_end_work_as_they_stand(self) -> None:
        """In any folder, with the program it was started from."""
        text = self.ran("demo", "--no-forger")
        shell = text[text.index("  cd ") :]
        environment = {"HOME": self.folder, "PATH": os.environ["PATH"]}
        done = subprocess.run(
            ["sh", "-ec", shell], env=environment, cwd="/", capture_output=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"exit 0: nothing found", done.stdout)

    def test_every_number_follows_from_order_and_amount(self) -> None:
        """Nothing of it is written down beforehand."""
        text = self.ran("demo", "--into", "kept", "--order", "77-b", "--amount", "925.30")
        self.assertEqual(self.status, 0, text)
        self.assertIn("I refunded 925.30                   1: create_refund amount 925.03", text)
        self.assertIn("925.03 becomes 925.30", text)
        self.assertNotIn("164", re.sub(r"[0-9a-f]{32,}", "", text))
        self.assertNotIn("1042", re.sub(r"[0-9a-f]{32,}", "", text))
        kept = Path(self.folder, "kept", "receipt-77-b.txt")
        self.assertEqual(kept.read_text(), "order 77-b\nrefunded 925.30\n")

    def test_without_the_forger_nothing_is_alarmed(self) -> None:
        """The alarm comes from the forgery."""
        text = self.ran("demo", "--into", "kept", "--no-forger")
        self.assertEqual(self.status, 0, text)
        self.assertNotIn("forked-log", text)
        self.assertNotIn("The operator", text)

    def test_the_zipapp_alone_says_the_same_of_the_kept_folder(self) -> None:
        """Carried away: the folder, the zipapp, and a bare interpreter."""
        ways.fresh_zipapp(self.folder)
        program = [sys.executable, "-I", "-S", os.path.join(self.folder, "built.pyz")]
        text = self.ran("demo", "--into", "kept", program=program)
        self.assertEqual(self.status, 0, text)
        kept = str(Path(self.folder, "kept"))
        for line in re.findall(r"^\$ toolreplay (.*)$", text, re.MULTILINE):
            again = self.ran(*shlex.split(line), program=program, cwd=kept)
            self.assertEqual(
                self.status, 1 if line.endswith("d.db --key log.vkey --seen heads") else 0
            )
            for said in again.splitlines():
                if said.startswith("run: forked-log"):
                    self.assertIn(said.split()[-2], text)
        shown = self.ran("show", "forged.db", "--full", program=program, cwd=kept)
        self.assertIn("164.00", shown)
        self.assertNotIn("146.00", shown)

    def test_a_folder_that_is_not_empty_is_left(self) -> None:
        """Nothing of anybody is replaced."""
        Path(self.folder, "kept").mkdir()
        Path(self.folder, "kept", "mine").write_text("x")
        self.assertIn("is not empty", self.ran("demo", "--into", "kept"))
        self.assertEqual(self.status, 2)
        self.assertEqual(os.listdir(Path(self.folder, "kept")), ["mine"])


if __name__ == "__main__":
    unittest.main()
