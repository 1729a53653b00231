"""Markdown for a pull request; that a renderer makes nothing else of it: tests/schemas."""

import os
import re
import tempfile
import unittest
from pathlib import Path

from tests.cli import ways
from tests.reports.every_kind import BROKEN, INERT, write_all_audits, write_hostile
from toolreplay.reports.markdown import code


class ACodeSpan(unittest.TestCase):
    """Decided by CommonMark, section 6.1."""

    def test_it_has_a_longer_fence_than_any_inside(self) -> None:
        for text, wanted in (
            ("a", "`a`"),
            ("a`b", "``a`b``"),
            ("`", "`` ` ``"),
            ("``a", "``` ``a ```"),
            ("", "` `"),
            (" ", "` `"),
            (" a", "`  a `"),
        ):
            self.assertEqual(code(text), wanted)

    def test_it_is_one_line_and_bounded(self) -> None:
        for text in (*INERT, "\n\n", "x" * 10_000, "`" * 10_000):
            shown = code(text)
            self.assertNotIn("\n", shown)
            self.assertLess(len(shown), 2_000)


class TheReport(unittest.TestCase):
    """Decided by us: counts first, long lists folded, never longer than a comment."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)

    def text(self, *arguments: str) -> str:
        ran = ways.in_process(*arguments, "--format", "markdown", folder=str(self.folder))
        return ran.out.decode("utf-8")

    def put(self, name: str, findings: int, tool: str = "t") -> None:
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_text(
            "".join(
                f'{{"index": {number}, "tool": "{tool}", "args": {{}}, "response": {{}}}}\n'
                for number in range(findings + 1)
            )
        )

    def test_counts_stand_first(self) -> None:
        lines = self.text(*write_all_audits(self.folder)).splitlines()
        self.assertEqual(lines[0], "### toolreplay: findings")
        self.assertEqual(
            lines[2],
            "**5 findings** in 1 run · 10 calls · 1 file (0 unreadable, 0 not recognised)",
        )
        self.assertIn("* 1 × `broken-link`", lines)
        self.assertEqual(lines[-1], "exit 1")

    def test_long_lists_are_folded(self) -> None:
        self.put("few.jsonl", 10)
        self.put("many.jsonl", 11)
        self.assertNotIn("<details>", self.text("audit", "few.jsonl", "--only", "replay"))
        text = self.text("audit", "many.jsonl", "--only", "replay")
        self.assertIn("<details><summary>11 findings</summary>\n\n* index 1: ", text)
        self.assertIn("\n\n</details>\n", text)

    def test_of_many_runs_those_without_a_finding_are_only_counted(self) -> None:
        for number in range(5):
            self.put(f"runs/{number}.jsonl", number % 2)
        text = self.text("audit", "runs", "--only", "replay")
        self.assertEqual(len(re.findall("^#### run", text, re.MULTILINE)), 2)
        self.assertIn("\n3 runs without a finding.\n", text)

    def test_it_fits_a_comment_and_says_what_did_not_fit(self) -> None:
        self.put("one.jsonl", 2_000, "n" * 900)
        text = self.text("audit", "one.jsonl", "--only", "replay")
        self.assertLess(len(text), 65_536)
        more = re.search(r"\n\* and (1,[89]\d\d) more\n", text)
        assert more is not None
        listed = len(re.findall(r"^\* index ", text, re.MULTILINE))
        self.assertEqual(listed + int(more[1].replace(",", "")), 2_000)
        for number in range(200):
            self.put(f"runs/{number}.jsonl", 20)
        text = self.text("audit", "runs", "--only", "replay")
        self.assertLess(len(text), 65_536)
        shown = len(re.findall("^#### run", text, re.MULTILINE))
        self.assertIn(f"\n{200 - shown} more runs did not fit here", text)

    def test_it_fits_a_comment_whatever_files_are_called(self) -> None:
        place = b"runs/" + b"\xff" * 190
        os.makedirs(os.path.join(os.fsencode(self.folder), place))
        for number in range(12):
            name = os.path.join(os.fsencode(self.folder), place, b"`" * 180 + b"%02d" % number)
            with open(name, "w") as file:
                file.write(BROKEN)
        self.put("runs/z.jsonl", 400, "`" * 300)
        self.assertLess(len(self.text("audit", "runs", "--only", "replay")), 65_536)

    def test_inputs_that_cannot_be_read_are_counted_and_the_first_named(self) -> None:
        (self.folder / "runs").mkdir()
        for number in range(12):
            (self.folder / "runs" / f"{number:02}.jsonl").write_text(BROKEN)
        text = self.text("audit", "runs")
        self.assertEqual(text.count("could not be read: `line 2: "), 10)
        self.assertIn("* and 2 more inputs could not be read\n", text)

    def test_a_required_line_that_was_not_checked_is_said(self) -> None:
        self.put("a.jsonl", 0)
        text = self.text("audit", "a.jsonl", "--require", "scope")
        self.assertTrue(text.startswith("### toolreplay: not everything required was checked\n"))
        self.assertIn("* required, but not checked: `scope` (in 1 run)\n", text)

    def test_recorded_texts_stand_in_code_spans_only(self) -> None:
        text = self.text(*write_hostile(self.folder))
        # Without code spans nothing is left that a recording could have written.
        bare = re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", text)
        for word in ("script", "img", "example.org", "everyone", "DROP", "comment", "heading"):
            self.assertNotIn(word, bare)
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\u202e", text)
