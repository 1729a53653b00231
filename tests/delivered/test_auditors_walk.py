"""The auditor's walk: the zipapp alone, a bundle alone, on a bare interpreter that reaches nothing.

Each attack is made on the file, its end line recomputed, and named by the program as it stands in
the archive.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from tests.cli import ways
from tests.evidence.bundle import attacks, made
from tests.evidence.bundle.test_checking import FOUND, attacked

_INSIDE = """
import json, os, sys
pyz, names = sys.argv[1], sys.argv[2:]
sys.path[:] = [pyz, *(path for path in sys.path if "site-packages" not in path)]
def refuse(event, arguments):
    if event.startswith(("socket.", "subprocess.Popen", "os.exec", "os.fork", "os.system")):
        os.write(2, f"reached out: {event}".encode())
        os._exit(99)
sys.addaudithook(refuse)
from toolreplay.cli.console import KeptConsole
from toolreplay.cli.failures import answered
from toolreplay.cli.main import run_command
import toolreplay
assert toolreplay.__file__.startswith(pyz), toolreplay.__file__
for name in names:
    console = KeptConsole()
    status = answered(lambda: run_command(["verify", name], console), console)
    print(json.dumps([name, status, console.out.decode(), console.err.decode()]))
"""
"""One interpreter for all attacks: starting the archive for each would be most of the time."""


class TheWalk(unittest.TestCase):
    """Decided by us: whoever is handed a file and distrusts everybody needs nothing else."""

    def setUp(self) -> None:
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.zipapp = ways.build_zipapp(self.folder)
        (self.folder / "run.jsonl").write_bytes(made.imported(4).bundle())

    def ran(self, *arguments: str) -> ways.Ran:
        return ways.run(self.zipapp, *arguments, folder=self.folder)

    def test_verify_show_and_by_hand(self) -> None:
        ran = self.ran("verify", "run.jsonl")
        self.assertEqual((ran.status, ran.error), (0, ""))
        self.assertIn("contents (4 of 4) · links", ran.text)
        self.assertIn("cutting and rewriting by the holder not excluded", ran.text)
        self.assertEqual(len(self.ran("show", "run.jsonl").lines), 6)
        lines = self.ran("verify", "run.jsonl", "--by-hand", "2").lines
        command = next(line for line in lines if line.startswith("sed "))
        digest = re.search(r"[0-9a-f]{64}", lines[-1])
        assert digest is not None
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, capture_output=True, check=True
        )
        self.assertIn(digest[0], done.stdout.decode())

    def test_each_attack_is_named_by_the_archive(self) -> None:
        for name in FOUND:
            (self.folder / f"{name}.jsonl").write_bytes(made.joined(attacked(name)))
        files = [str(self.folder / f"{name}.jsonl") for name in FOUND]
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _INSIDE, self.zipapp[-1], *files],
            capture_output=True, check=False, cwd=self.folder,
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        told = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(told), len(FOUND))
        for (name, wanted), (_, status, text, error) in zip(FOUND.items(), told, strict=True):
            with self.subTest(name):
                self.assertEqual((status, error), (1, ""))
                kinds = re.findall(r"^(?:index \d+|run): ([a-z-]+): ", text, re.MULTILINE)
                self.assertEqual(sorted(kinds), sorted(kind for kind, _, _ in wanted))

    def test_a_tail_cut_and_closed_again_is_named_by_what_was_kept_elsewhere(self) -> None:
        whole = made.apart(made.imported(attacks.CALLS).bundle())
        kept = next(value["commitment"] for value in whole if "commitment" in value)
        root = next(value["workflow"]["merkle_root"] for value in whole if "workflow" in value)
        (self.folder / "kept.json").write_text(json.dumps(kept))
        (self.folder / "cut.jsonl").write_bytes(made.joined(attacks.closed_again()))
        alone = self.ran("verify", "cut.jsonl")
        self.assertEqual(alone.status, 0)
        self.assertIn("cutting and rewriting by the holder not excluded", alone.text)
        for given, kind in (
            (("--commitment", "kept.json"), "truncated-run"),
            (("--root", root), "root-mismatch"),
        ):
            ran = self.ran("verify", "cut.jsonl", *given)
            self.assertEqual(ran.status, 1)
            self.assertIn(f"run: {kind}: ", ran.text)
