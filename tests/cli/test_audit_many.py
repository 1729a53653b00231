"""audit of many inputs and folders: order, totals, one status, and what is named where."""

import json
import os
import re
import shutil
import unittest
from unittest import mock

from tests.cli import ways
from tests.cli.test_audit import CLEAN, DIRTY, EMPTY, InAFolder
from tests.cli.tutorial import FILES

CLEAN_RUN = FILES["samples/session-clean.jsonl"]
DIRTY_RUN = FILES["samples/session-dirty.jsonl"]

UNREADABLE = b'{"index": 0, "tool": "t", "args": {}, "response": {}}\n\n{"index": 1, "tool": 7, "args": {}, "response": {}}\n'  # fmt: skip

TOTALS = (
    "files: {} ({} read, 0 not recognised, 0 unreadable) · runs: {} · calls: {} · "
    "findings: 0 · nothing recorded: 0"
)


def block_of(text: str, name: str, file: str) -> str:
    """Return the block of a report without its closing line, with the run's name and file."""
    block = text.rpartition("\nexit ")[0].replace(f"run {file}", f"run {name}")
    heading, _, rest = block.partition("\n")
    return f"{heading}\nfile: runs/{name}.jsonl\n{rest}"


class ManyInputs(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.runs = self.folder / "runs"
        self.runs.mkdir()

    def put(self, **files: bytes) -> None:
        """Write files below `runs`; `__` stands for a folder, and `.jsonl` is added."""
        for name, data in files.items():
            path = self.runs / f"{name.replace('__', '/')}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def names(self, *arguments: str) -> list[str]:
        """Return the runs in the order of their blocks."""
        return re.findall(r"^run (\S+) · ", self.audit(*arguments).text, re.MULTILINE)

    def ending(self, *arguments: str) -> tuple[int, list[str]]:
        """Return the status and the last two lines."""
        ran = self.audit(*arguments)
        return ran.status, ran.lines[-2:]


class TheReport(ManyInputs):
    """Decided by us: a block a run, a blank line between, the totals, one exit line."""

    def test_blocks_totals_and_one_exit_line(self) -> None:
        self.put(a=CLEAN_RUN, b=DIRTY_RUN, c=b"")
        self.assertEqual(
            self.audit("runs").text,
            block_of(CLEAN, "a", "session-clean")
            + "\n"
            + block_of(DIRTY, "b", "session-dirty")
            + "\n"
            + block_of(EMPTY, "c", "empty")
            + "\nfiles: 3 (3 read, 0 not recognised, 0 unreadable) · runs: 3 · calls: 10 · "
            "findings: 1 · nothing recorded: 1\n"
            "exit 1: findings.\n",
        )

    def test_a_folder_with_one_file_has_totals_too(self) -> None:
        self.put(a=CLEAN_RUN)
        self.assertEqual(
            self.ending("runs"),
            (
                0,
                [
                    TOTALS.format(1, 1, 1, 4),
                    "exit 0: nothing found. 2 things were not checked; none was required (--require).",
                ],
            ),
        )  # fmt: skip

    def test_large_counts_have_commas(self) -> None:
        line = b'{"index": %d, "tool": "t%d", "args": {}, "response": {}}\n'
        self.put(a=b"".join(line % (index, index) for index in range(1234)))
        self.assertIn(" · calls: 1,234 · ", self.audit("runs").text)

    def test_a_file_of_many_runs_is_one_file_and_has_no_totals_of_inputs_when_alone(self) -> None:
        case = ways.ROOT / "toolreplay/importers/claude_code/cases/two-sessions/session.jsonl"
        ran = self.audit(str(case))
        self.assertEqual(len(re.findall("^run ", ran.text, re.MULTILINE)), 2)
        self.assertRegex(ran.lines[-2], r"\Afiles: 1 \(1 read, .*runs: 2 · calls: 2 · ")

    def test_the_account_of_an_import_names_its_file(self) -> None:
        shutil.copy(ways.SAMPLES / "claude-session.jsonl", self.runs)
        self.put(a=CLEAN_RUN)
        ran = self.audit("runs")
        self.assertRegex(
            ran.error, r"\Aaccount of runs/claude-session\.jsonl: seen 25 = [^\n]+\n\Z"
        )

    def test_an_imported_run_keeps_its_outcomes_and_its_name(self) -> None:
        """The companion stands beside it and is read with it."""
        out = str(self.runs / "out.jsonl")
        ways.in_process("import", str(ways.SAMPLES / "claude-session.jsonl"), "-o", out)
        ran = self.audit("runs")
        self.assertIn(
            "run 5e551000-0000-4000-8000-000000000001 · model example-model-1 · 11 calls · ",
            ran.text,
        )
        self.assertIn("\nfindings: 3\nexplained: 1\n", ran.text)


class TheOrder(ManyInputs):
    """Decided by us: byte order of the paths, whatever the file system says."""

    def test_files_of_a_folder_all_the_way_down(self) -> None:
        self.put(b=CLEAN_RUN, a__z=CLEAN_RUN, a__b__c=CLEAN_RUN, B=CLEAN_RUN, é=CLEAN_RUN)
        (self.runs / "a-1.jsonl").write_bytes(CLEAN_RUN)  # "-" sorts before "/"
        (self.runs / "a.jsonl").write_bytes(CLEAN_RUN)  # and so does "."
        self.assertEqual(self.names("runs"), ["B", "a-1", "a", "c", "z", "b", "é"])

    def test_several_inputs_are_sorted_the_same_way_and_taken_once(self) -> None:
        self.put(b=CLEAN_RUN, a__z=CLEAN_RUN)
        (self.runs / "a-1.jsonl").write_bytes(CLEAN_RUN)
        for arguments in (
            ("runs/b.jsonl", "runs/a", "runs/a-1.jsonl"),
            ("runs/a", "runs/a-1.jsonl", "runs/b.jsonl", "runs/a"),
        ):
            self.assertEqual(self.names(*arguments), ["a-1", "z", "b"])

    def test_links_in_a_folder_are_not_followed(self) -> None:
        self.put(a=CLEAN_RUN, sub__b=CLEAN_RUN)
        os.symlink(self.folder / "samples", self.runs / "samples")
        os.symlink(self.runs, self.runs / "sub" / "loop")
        os.symlink(self.runs / "a.jsonl", self.runs / "link.jsonl")
        os.symlink(self.folder / "gone", self.runs / "dangling.jsonl")
        self.assertEqual(self.names("runs"), ["a", "b"])
        self.assertIn("files: 2 (2 read, ", self.audit("runs").text)

    def test_a_link_that_is_named_is_followed(self) -> None:
        self.put(a=CLEAN_RUN)
        os.symlink(self.runs, self.folder / "link")
        self.assertEqual(self.names("link"), ["a"])

    @unittest.skipUnless(hasattr(os, "mkfifo"), "no named pipes here")
    def test_what_is_no_file_is_not_waited_for(self) -> None:
        self.put(a=CLEAN_RUN)
        os.mkfifo(self.runs / "pipe")
        self.assertEqual(self.names("runs"), ["a"])


class TheOneStatus(ManyInputs):
    """Decided by us: 1 if anything was found, else 2 if one was unreadable, else 3, else 0."""

    def status(self, *arguments: str) -> int:
        ran = self.audit(*arguments)
        self.assertIn(f"\nexit {ran.status}: ", f"\n{ran.text}")
        return ran.status

    def test_all_clean(self) -> None:
        self.put(a=CLEAN_RUN, b=CLEAN_RUN)
        self.assertEqual(self.status("runs"), 0)

    def test_found_outweighs_unreadable(self) -> None:
        self.put(a=DIRTY_RUN, b=UNREADABLE)
        self.assertEqual(self.status("runs"), 1)

    def test_unreadable_outweighs_not_checked(self) -> None:
        self.put(a=CLEAN_RUN, b=UNREADABLE)
        self.assertEqual(self.status("runs", "--require", "signer"), 2)
        self.assertEqual(self.ending("runs")[1][-1], "exit 2: an input could not be read.")

    def test_not_checked_outweighs_clean(self) -> None:
        self.put(a=CLEAN_RUN)
        self.assertEqual(self.status("runs", "--require", "signer"), 3)
        self.assertEqual(
            self.ending("runs", "--require", "signer")[1][-1],
            "exit 3: nothing found, but not everything required was checked: signer.",
        )

    def test_a_run_of_no_calls_counts_only_when_every_run_has_none(self) -> None:
        self.put(a=CLEAN_RUN, b=b"")
        self.assertEqual(self.status("runs"), 0)
        self.put(a=b"\n", b=b"")
        self.assertEqual(self.status("runs"), 3)
        self.assertIn("nothing recorded: 2\n", self.audit("runs").text)

    def test_an_empty_folder(self) -> None:
        self.assertEqual(
            self.audit("runs").lines,
            [
                TOTALS.format(0, 0, 0, 0),
                "exit 3: no run was found, so nothing was checked.",
            ],
        )  # fmt: skip
        self.assertEqual(self.status("runs"), 3)


class WhatIsNamed(ManyInputs):
    """Decided by us."""

    def test_an_unreadable_file_with_its_line(self) -> None:
        self.put(a=CLEAN_RUN, b=UNREADABLE)
        ran = self.audit("runs")
        self.assertEqual(ran.error, "error: runs/b.jsonl: line 3: tool must be a string\n")
        self.assertIn("files: 2 (1 read, 0 not recognised, 1 unreadable) · runs: 1 · ", ran.text)

    def test_one_that_is_gone(self) -> None:
        self.put(a=CLEAN_RUN)
        ran = self.audit("runs/a.jsonl", "runs/gone.jsonl")
        self.assertEqual(
            (ran.status, ran.error), (2, "error: runs/gone.jsonl: No such file or directory\n")
        )
        self.assertIn("files: 2 (1 read, 0 not recognised, 1 unreadable) · ", ran.text)

    def test_inside_a_folder_what_is_not_recognised_is_counted_and_named_with_verbose(self) -> None:
        self.put(a=CLEAN_RUN)
        (self.runs / "README.md").write_text("# Runs\n")
        ran = self.audit("runs")
        self.assertEqual((ran.status, ran.err), (0, b""))
        self.assertIn("files: 2 (1 read, 1 not recognised, 0 unreadable) · ", ran.text)
        ran = self.audit("runs", "--verbose")
        self.assertEqual(ran.status, 0)
        self.assertRegex(ran.error, r"\Anote: runs/README\.md: is not recognised: not a [^\n]+\n\Z")

    def test_named_on_the_command_line_it_is_status_2(self) -> None:
        self.put(a=CLEAN_RUN)
        (self.runs / "README.md").write_text("# Runs\n")
        ran = self.audit("runs/a.jsonl", "runs/README.md")
        self.assertEqual(ran.status, 2)
        self.assertRegex(ran.error, r"\Aerror: runs/README\.md: is not recognised: [^\n]+\n\Z")

    def test_a_folder_that_cannot_be_listed_is_counted_and_the_rest_is_judged(self) -> None:
        self.put(a=CLEAN_RUN, closed__x=DIRTY_RUN, z=CLEAN_RUN)
        listed = os.scandir

        def scandir(path: str) -> object:
            if str(path).endswith("closed"):
                raise PermissionError(13, "Permission denied")
            return listed(path)

        with mock.patch("os.scandir", scandir):
            ran = self.audit("runs")
            self.assertEqual(self.names("runs"), ["a", "z"])
        self.assertEqual((ran.status, ran.error), (2, "error: runs/closed: Permission denied\n"))
        self.assertIn("files: 3 (2 read, 0 not recognised, 1 unreadable) · ", ran.text)

    def test_a_compressed_file_is_read_in_a_folder_too(self) -> None:
        (self.runs / "a.gz").write_bytes(FILES["dirty.gz"])
        self.assertEqual(self.names("runs"), ["a"])

    def test_standard_input_beside_files(self) -> None:
        self.put(a=CLEAN_RUN)
        ran = self.audit("-", "runs/a.jsonl", stdin=DIRTY_RUN)
        self.assertEqual(re.findall(r"^run (\S+)", ran.text, re.MULTILINE), ["-", "a"])

    def test_an_address_stops_before_anything_is_read(self) -> None:
        self.put(a=DIRTY_RUN)
        ran = self.audit("runs", "https://toolreplay.invalid/x")
        self.assertEqual((ran.status, ran.out), (2, b""))


class AsJson(ManyInputs):
    """Decided by us: the same counts, and what became of each input."""

    def test_each_input_has_its_status(self) -> None:
        self.put(a=CLEAN_RUN, b=UNREADABLE)
        (self.runs / "notes.txt").write_text("hello\n")
        report = self.json("runs")
        self.assertEqual(
            [(item["name"], item["status"], "error" in item) for item in report["inputs"]],  # type: ignore[attr-defined]
            [
                ("runs/a.jsonl", "read", False),
                ("runs/b.jsonl", "unreadable", True),
                ("runs/notes.txt", "not recognised", True),
            ],
        )
        self.assertEqual(report["inputs"][1]["error"], "line 3: tool must be a string")  # type: ignore[index]
        self.assertEqual(
            report["totals"],
            {"files": 3, "read": 1, "not_recognised": 1, "unreadable": 1, "runs": 1, "calls": 4,
             "findings": 0, "nothing_recorded": 0},
        )  # fmt: skip

    def test_an_import_has_its_account_and_a_transcript_none(self) -> None:
        (self.folder / "cut.jsonl").write_bytes(
            (ways.SAMPLES / "claude-session.jsonl").read_bytes() + b'{"type": "user"'
        )
        ran = self.audit("cut.jsonl", "samples/session-clean.jsonl", "--format", "json")
        imported, ours = json.loads(ran.out)["inputs"]
        self.assertNotIn("account", ours)
        account = imported["account"]
        self.assertEqual((account["seen"], account["truncated"], account["lost"]), (26, 1, 1))
        self.assertEqual(len(account["losses"]), 1)

    def test_an_empty_folder_is_a_whole_document(self) -> None:
        report = self.json("runs")
        self.assertEqual((report["runs"], report["inputs"], report["exit"]), ([], [], 3))

    def test_the_two_reports_count_alike(self) -> None:
        self.put(a=CLEAN_RUN, b=DIRTY_RUN, c=b"", d=UNREADABLE)
        text = self.audit("runs").lines[-2]
        totals = self.json("runs")["totals"]
        numbers = [int(number) for number in re.findall(r"\d+", text)]
        self.assertEqual(numbers, list(json.loads(json.dumps(totals)).values()))
