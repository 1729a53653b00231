"""What a folder holds is judged once, and nothing is printed of an input that breaks."""

import os
import shutil
import tempfile
import unittest

from tests.cli import ways

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class EachFileIsJudgedOnce(unittest.TestCase):
    """We decided that naming a file beside its folder changes no count."""

    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(os.path.join(self.folder, "runs"))
        for name in ("session-clean.jsonl", "claude-session.jsonl"):
            shutil.copy(os.path.join(ROOT, "samples", name), os.path.join(self.folder, "runs"))

    def totals(self, *arguments: str) -> str:
        ran = ways.in_process("audit", *arguments, folder=self.folder)
        return ran.out.decode().splitlines()[-2]

    def test_a_file_named_beside_its_folder_is_not_judged_again(self) -> None:
        self.assertEqual(
            self.totals("runs"), self.totals("runs", "runs/session-clean.jsonl", "./runs/../runs")
        )

    def test_a_link_in_the_folder_is_judged_when_it_is_named(self) -> None:
        outside = os.path.join(self.folder, "outside.jsonl")
        shutil.copy(os.path.join(ROOT, "samples", "session-dirty.jsonl"), outside)
        os.symlink(outside, os.path.join(self.folder, "runs", "link.jsonl"))
        self.assertIn("runs: 2 ", self.totals("runs"))
        self.assertIn("runs: 3 ", self.totals("runs", "runs/link.jsonl"))

    def test_the_companion_of_an_import_is_not_counted_in_a_folder(self) -> None:
        before = self.totals("runs")
        ways.in_process(
            "import", "runs/claude-session.jsonl", "-o", "runs/out.jsonl", folder=self.folder
        )
        self.assertIn("files: 3 (3 read, 0 not recognised,", self.totals("runs"))
        self.assertIn("files: 2 (2 read, 0 not recognised,", before)

    def test_nothing_is_printed_of_an_input_whose_second_run_breaks(self) -> None:
        from unittest import mock

        from toolreplay.errors import InputError
        from toolreplay.sources.source import FileSource

        read = FileSource.runs

        def runs(source: FileSource, **more: bool) -> object:
            yield from read(source, **more)
            raise InputError("line 9", "changed while it was read")

        with mock.patch.object(FileSource, "runs", runs):
            for form in ("text", "json"):
                ran = ways.in_process(
                    "audit", "runs/session-clean.jsonl", "--format", form, folder=self.folder
                )
                self.assertEqual((ran.status, ran.out), (2, b""))
                self.assertEqual(ran.err, b"error: line 9: changed while it was read\n")


if __name__ == "__main__":
    unittest.main()
