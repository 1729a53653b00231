"""The README's blocks are run, and what they print is what the page shows."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from tests.cli.ways import side_by_side
from tests.promises.readme_blocks import blocks_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST_LINES = 150


def page(name: str = "README.md") -> str:
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def run_shell(line: str, folder: str) -> "subprocess.CompletedProcess[str]":
    """Run one shell line with `python3` meaning this interpreter, bare, in a private home."""
    with tempfile.TemporaryDirectory() as home:
        launcher = os.path.join(home, "python3")
        with open(launcher, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
        os.chmod(launcher, 0o755)
        environment = {"HOME": home, "PATH": f"{home}:/usr/bin:/bin", "PYTHONPATH": ROOT}
        return subprocess.run(
            ["sh", "-c", line],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )


def wrong_answers(text: str) -> list[str]:
    """Return each command of the page's console blocks that does not print what is shown."""
    blocks = [block.text for block in blocks_of(text) if block.language == "console"]
    parts = [part.partition("\n") for block in blocks for part in block.split("$ ")[1:]]
    ran = side_by_side(lambda part: run_shell(part[0], ROOT).stdout, parts)
    return [
        f"{command}: prints {printed!r}"
        for (command, _, shown), printed in zip(parts, ran, strict=True)
        if printed.strip() != shown.strip()
    ]


class TheReadmeIsTrue(unittest.TestCase):
    """We decided that no page shows output that nothing has printed."""

    def test_the_first_two_blocks_are_the_demo_and_the_test_command(self) -> None:
        first, second = blocks_of(page())[:2]
        self.assertEqual(first.text, "python3 -m toolreplay demo\n")
        self.assertIn("pip install '.[test]' && pytest", second.text)
        self.assertTrue(second.run_elsewhere)

    def test_the_first_block_shows_the_product_at_work(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = run_shell(f"export TMPDIR={folder}; {blocks_of(page())[0].text}", ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in ("x I closed the case                   no such call", "exit 1: findings."):
            self.assertIn(f"\n{line}\n", done.stdout)

    def test_each_console_block_prints_what_it_shows(self) -> None:
        self.assertEqual(wrong_answers(page()), [])

    def test_a_page_that_shows_something_else_is_named(self) -> None:
        planted = "```console\n$ python3 -m toolreplay version\ntoolreplay 9.9.9\n```\n"
        self.assertEqual(len(wrong_answers(planted)), 1)

    def test_the_python_blocks_run(self) -> None:
        blocks = [block for block in blocks_of(page()) if block.language == "python"]
        self.assertEqual(len(blocks), 1)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "block.py"), "w", encoding="utf-8") as file:
                file.write(blocks[0].text)
            done = run_shell("python3 block.py && python3 -m toolreplay replay run.jsonl", folder)
        self.assertEqual(done.stdout, "calls: 1\ndivergence: none\nfindings: 0\n", done.stderr)

    def test_every_other_block_is_run_by_ci(self) -> None:
        others = [b for b in blocks_of(page())[1:] if b.language not in ("console", "python")]
        self.assertTrue(all(block.run_elsewhere for block in others))

    def test_the_japanese_one_has_the_same_blocks_and_commands(self) -> None:
        other = page("README.ja.md")
        self.assertEqual(blocks_of(other), blocks_of(page()))
        rows = [re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE) for text in (page(), other)]
        self.assertEqual(rows[0], rows[1])
        self.assertEqual(wrong_answers(other), [])

    def test_it_stays_short(self) -> None:
        for name in ("README.md", "README.ja.md"):
            self.assertLessEqual(len(page(name).splitlines()), MOST_LINES)

    def test_every_page_it_names_exists(self) -> None:
        names = re.findall(r"\]\((docs/[^)#]*)\)", page())
        self.assertTrue(names)
        missing = [name for name in names if not os.path.exists(os.path.join(ROOT, name))]
        self.assertEqual(missing, [])

    def test_every_command_is_named(self) -> None:
        from toolreplay.cli.main import COMMANDS

        text = page()
        names = [name for group in COMMANDS.values() for name in group]
        self.assertEqual([name for name in names if f"`{name}" not in text], [])


if __name__ == "__main__":
    unittest.main()
