"""The pages under `docs` that show commands: each is run, and prints what the page shows.

The blocks of one page are run in order, in one folder that has the samples. UPDATE_GOLDEN=1 writes
what they print into the page.
"""

import os
import pathlib
import re
import shutil
import tempfile
import unittest

from tests.cli import ways
from tests.delivered.test_readme import run_shell
from tests.promises.readme_blocks import blocks_of

ROOT = pathlib.Path(__file__).parents[2]
PAGES = sorted(
    path for path in (ROOT / "docs").rglob("*.md") if "```console" in path.read_text("utf-8")
)


def run_blocks(text: str) -> str:
    """Run the console and Python blocks of a page; return the page with what they printed."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "samples", os.path.join(folder, "samples"))
        if "toolreplay.pyz" in text:
            ways.build_zipapp(folder)
        for block in blocks_of(text):
            if block.language == "python":
                pathlib.Path(folder, "block.py").write_text(block.text, encoding="utf-8")
                done = run_shell("python3 block.py", folder)
                assert done.returncode == 0, done.stderr
                os.unlink(os.path.join(folder, "block.py"))
            elif block.language == "console":
                printed = _run_console(block.text, folder)
                text = text.replace(f"```console\n{block.text}```", f"```console\n{printed}```", 1)
    return text


def _run_console(block: str, folder: str) -> str:
    """Run the commands of one block in one shell, so that `$?` means the one before."""
    commands = re.findall(r"^\$ (.*)\n", block, re.MULTILINE)
    mark = "\x01"
    script = "\n".join(f"{command}\n_s=$?; printf '{mark}'; (exit $_s)" for command in commands)
    parts = run_shell(script, folder).stdout.split(mark)
    return "".join(f"$ {line}\n{part}" for line, part in zip(commands, parts, strict=False))


class ThePagesAreTrue(unittest.TestCase):
    """We decided that no page shows output that nothing has printed."""

    def test_each_block_prints_what_the_page_shows(self) -> None:
        self.assertGreaterEqual({path.name for path in PAGES}, {"quickstart.md", "reports.md"})
        texts = [path.read_text("utf-8") for path in PAGES]
        for path, text, printed in zip(
            PAGES, texts, ways.side_by_side(run_blocks, texts), strict=True
        ):
            if os.environ.get("UPDATE_GOLDEN"):
                path.write_text(printed, "utf-8")
                continue
            with self.subTest(path.name):
                self.assertEqual(text, printed)

    def test_a_page_that_shows_something_else_is_seen(self) -> None:
        page = "```console\n$ python3 -m toolreplay version\ntoolreplay 9.9.9\n$ false\n$ echo $?\n1\n```\n"
        self.assertEqual(run_blocks(page), page.replace("9.9.9", "0.7.0"))

    def test_every_link_between_pages_leads_somewhere(self) -> None:
        for path in [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]:
            for name in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
                with self.subTest(page=path.name, link=name):
                    self.assertTrue((path.parent / name).exists())
