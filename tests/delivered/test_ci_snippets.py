"""The two snippets of docs/ci.md: their commands are run, in the layout they are written for."""

import json
import pathlib
import re
import shutil
import tempfile
import textwrap
import unittest

from tests.cli import ways
from tests.delivered.test_readme import run_shell

PAGE = (ways.ROOT / "docs" / "ci.md").read_text("utf-8")


class TheSnippetsWork(unittest.TestCase):
    """We decided that nobody copies a command that was never run."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        for place in ("base/tools", "tools", "runs"):
            (self.folder / place).mkdir(parents=True)
        zipapp = ways.build_zipapp(self.folder / "tools")[-1]
        shutil.copy(zipapp, self.folder / "base" / "tools")
        shutil.copy(ways.SAMPLES / "scope.json", self.folder / "base")
        shutil.copy(ways.SAMPLES / "session-dirty.jsonl", self.folder / "runs" / "a.jsonl")
        (self.folder / "base" / "baseline.jsonl").write_text("")
        # What the agent may have left there must not be read.
        (self.folder / "toolreplay.toml").write_text('mutators = ["read_file"]\n')

    def run_in_folder(self, script: str) -> int:
        return run_shell(script, str(self.folder)).returncode

    def test_the_step_of_the_workflow(self) -> None:
        found = re.search(r"run: \|\n((?: {10}.*\n)+)", PAGE)
        assert found is not None
        script = textwrap.dedent(found[1])
        self.assertEqual(self.run_in_folder(script), 1)
        log = json.loads((self.folder / "runs.sarif").read_bytes())
        self.assertEqual(len(log["runs"][0]["results"]), 2)
        self.assertIn("**2 findings**", (self.folder / "runs.md").read_text())
        known = (
            "python3 -I -S tools/toolreplay.pyz audit runs --config none --scope base/scope.json"
        )
        self.run_in_folder(f"{known} --write-baseline base/baseline.jsonl")
        self.assertEqual(self.run_in_folder(script), 0)

    def test_the_hook(self) -> None:
        entry = re.search(r"entry: (.*)", PAGE)
        files = re.search(r"files: (.*)", PAGE)
        assert entry is not None
        assert files is not None
        self.assertRegex("runs/a.jsonl", files[1])
        self.assertIn("pass_filenames: false", PAGE)
        self.assertEqual(self.run_in_folder(entry[1]), 1)
        shutil.copy(ways.SAMPLES / "session-clean.jsonl", self.folder / "runs" / "a.jsonl")
        self.assertEqual(self.run_in_folder(entry[1]), 0)
