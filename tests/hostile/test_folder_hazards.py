"""A folder as it is found in the wild: damaged, unknown, changing, odd names, closed to us."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tests.cli import ways
from tests.cli.test_audit_many import CLEAN_RUN, DIRTY_RUN, UNREADABLE, ManyInputs
from toolreplay.sources import source

FORMATS = ("text", "json", "sarif", "junit", "markdown")
COUNTS = (
    "files: {} ({} read, {} not recognised, {} unreadable) · runs: {} · calls: {} · findings: {} · "
    "nothing recorded: {}"
)


class AMixedFolder(ManyInputs):
    """Decided by the contract: counts are always printed, and what is found outweighs."""

    def setUp(self) -> None:
        super().setUp()
        self.put(good=CLEAN_RUN, damaged=UNREADABLE, empty=b"", deep__dirty=DIRTY_RUN)
        (self.runs / "notes.txt").write_text("hello\n")

    def test_good_damaged_unknown_and_empty_files(self) -> None:
        ran = self.audit("runs")
        self.assertEqual(ran.status, 1)
        self.assertEqual(ran.lines[-2], COUNTS.format(5, 3, 1, 1, 3, 10, 1, 1))
        self.assertEqual(ran.lines[-1], "exit 1: findings. 1 input could not be read.")
        self.assertEqual(ran.error, "error: runs/damaged.jsonl: line 3: tool must be a string\n")
        os.unlink(self.runs / "deep" / "dirty.jsonl")
        self.assertEqual(self.ending("runs")[0], 2)
        os.unlink(self.runs / "damaged.jsonl")
        self.assertEqual(self.ending("runs")[0], 0)
        os.unlink(self.runs / "good.jsonl")
        self.assertEqual(self.ending("runs")[0], 3)

    def test_each_report_ends_with_the_same_status(self) -> None:
        statuses = {self.audit("runs", "--format", form).status for form in FORMATS}
        self.assertEqual(statuses, {1})

    def test_reports_do_not_depend_on_the_order_of_inputs(self) -> None:
        files = [f"runs/{name}" for name in ("good.jsonl", "damaged.jsonl", "empty.jsonl", "deep", "notes.txt")]  # fmt: skip
        for form in FORMATS:
            one = self.audit(*files, "--format", form)
            other = self.audit(*reversed(files), "--format", form)
            self.assertEqual((one.status, one.out), (other.status, other.out), form)

    def test_a_file_that_vanishes_before_it_is_read_is_counted(self) -> None:
        opened = source.open_seekable

        def open_seekable(name: str, *others: object) -> object:
            if name.endswith("good.jsonl"):
                os.unlink(self.runs / "good.jsonl")
            return opened(name, *others)  # type: ignore[arg-type]

        with mock.patch.object(source, "open_seekable", open_seekable):
            ran = self.audit("runs")
        self.assertEqual(ran.lines[-2], COUNTS.format(5, 2, 1, 2, 2, 6, 1, 1))
        self.assertIn("error: runs/good.jsonl: No such file or directory\n", ran.error)

    def test_a_file_that_grows_while_it_is_read_is_read_as_it_stands_then(self) -> None:
        read = source.read_transcript

        def read_transcript(*arguments: object) -> object:
            for number, call in enumerate(read(*arguments)):  # type: ignore[arg-type]
                if number == 0:
                    with open(self.runs / "good.jsonl", "ab") as file:
                        file.write(b'{"index": 4, "tool": "t", "args"')
                yield call

        with mock.patch.object(source, "read_transcript", read_transcript):
            ran = self.audit("runs")
        self.assertIn(ran.status, (1, 2))
        self.assertTrue(ran.lines[-2].startswith("files: 5 "))

    def test_a_loop_of_links_is_not_followed(self) -> None:
        before = self.audit("runs").lines[-2]
        os.symlink("..", self.runs / "deep" / "up")
        os.symlink("self", self.runs / "self")
        self.assertEqual(self.audit("runs").lines[-2], before)

    def test_names_of_any_bytes(self) -> None:
        for name in (b"\xff.jsonl", b"a\nb.jsonl", b"\x1b[31m.jsonl", "\u202e.jsonl".encode()):
            with open(os.path.join(os.fsencode(self.runs), name), "wb") as file:
                file.write(CLEAN_RUN)
        for form in FORMATS:
            ran = self.audit("runs", "--format", form)
            self.assertEqual(ran.status, 1, form)
            for byte in (b"\x1b", "\u202e".encode(), b"\xff", b"a\nb"):
                self.assertNotIn(byte, ran.out, form)
        self.assertEqual(self.audit("runs").lines[-2], COUNTS.format(9, 7, 1, 1, 7, 26, 1, 1))


_AS_NOBODY = """
import os, sys
from toolreplay.cli.main import main
# The interpreter's own folder may be closed to others: all that is needed is loaded before.
out, err = os.dup(1), os.dup(2)
null = os.open(os.devnull, os.O_WRONLY)
os.dup2(null, 1), os.dup2(null, 2)
main(["audit", "runs/a.jsonl", "gone"])
os.dup2(out, 1), os.dup2(err, 2)
os.setgroups([]), os.setgid(65534), os.setuid(65534)
sys.exit(main(["audit", "runs"]))
"""


@unittest.skipUnless(hasattr(os, "geteuid") and os.geteuid() == 0, "needs another uid to try it")
class UnderAnotherUid(unittest.TestCase):
    """Decided by us: what may not be read is an input that cannot be read."""

    def test_without_read_permission(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            runs = Path(folder, "runs")
            (runs / "closed").mkdir(parents=True)
            (runs / "a.jsonl").write_bytes(CLEAN_RUN)
            (runs / "b.jsonl").write_bytes(DIRTY_RUN)
            (runs / "closed" / "c.jsonl").write_bytes(DIRTY_RUN)
            os.chmod(runs / "b.jsonl", 0o600)
            os.chmod(runs / "closed", 0o700)
            # The checkout may be closed to others too.
            code = Path(folder, "code")
            shutil.copytree(ways.ROOT / "toolreplay", code / "toolreplay")
            for path in [code, *code.rglob("*")]:
                os.chmod(path, 0o755)
            ran = subprocess.run(
                [sys.executable, "-S", "-c", _AS_NOBODY],
                cwd=folder,
                capture_output=True,
                check=False,
                env={"PATH": os.defpath, "PYTHONPATH": str(code)},
                timeout=60,
            )
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertEqual(
            ran.stderr.decode(),
            "error: runs/b.jsonl: Permission denied\nerror: runs/closed: Permission denied\n",
        )
        self.assertEqual(
            ran.stdout.decode().splitlines()[-2], COUNTS.format(3, 1, 0, 2, 1, 4, 0, 0)
        )
