"""Baseline, suppressions and project file, as `audit` takes them."""

import json
import os
import random
import unittest

from tests.cli import ways
from tests.cli.test_audit import InAFolder


def run_of(*tools: str) -> bytes:
    return "".join(
        json.dumps({"index": index, "tool": tool, "args": {}, "response": {}}) + "\n"
        for index, tool in enumerate(tools)
    ).encode()


class Known(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        os.mkdir(self.folder / "runs")
        self.put("runs/a.jsonl", run_of("x", "x", "y"))
        self.put("runs/b.jsonl", run_of("y", "y"))

    def put(self, name: str, data: bytes) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_bytes(data)

    def audit(self, *arguments: str, stdin: bytes = b"") -> ways.Ran:
        return ways.in_process("audit", *arguments, folder=self.folder, stdin=stdin)

    def found(self, *arguments: str) -> list[str]:
        """Return the tools that findings are about."""
        ran = self.audit("runs", *arguments, "--format", "json")
        report = json.loads(ran.out)
        return sorted(
            finding["detail"].split("'")[1] for run in report["runs"] for finding in run["findings"]
        )


class ABaseline(Known):
    """Decided by us: it leaves exactly the findings whose fingerprint it does not have."""

    def test_one_from_a_folder_leaves_what_is_new_in_the_changed_folder(self) -> None:
        ran = self.audit("runs", "--write-baseline", "b.jsonl")
        self.assertEqual(ran.status, 1)
        self.assertIn("baseline of 2 known findings written to b.jsonl\n", ran.error)
        self.assertEqual(self.found("--baseline", "b.jsonl"), [])
        self.put("runs/new.jsonl", run_of("z", "z", "x", "x"))  # z is new, x is known by now
        os.rename(self.folder / "runs/a.jsonl", self.folder / "runs/renamed.jsonl")
        self.put("runs/b.jsonl", run_of("other", "y", "y"))  # it has moved in a file that grew
        self.assertEqual(self.found("--baseline", "b.jsonl"), ["z"])
        ran = self.audit("runs", "--baseline", "b.jsonl")
        self.assertEqual(ran.status, 1)
        self.assertEqual(
            ran.lines[-3], "suppressed: 3 (baseline 3, suppressions 0, expired 0) · b.jsonl"
        )

    def test_a_third_repetition_is_another_finding(self) -> None:
        self.audit("runs", "--write-baseline", "b.jsonl")
        self.put("runs/a.jsonl", run_of("x", "x", "x"))
        found = self.found("--baseline", "b.jsonl", "--only", "replay")
        self.assertEqual(found, ["x"])

    def test_it_does_not_depend_on_the_order_of_inputs(self) -> None:
        files = [f"runs/{number}.jsonl" for number in range(8)]
        for number, file in enumerate(files):
            self.put(file, run_of(*random.Random(number).choices("xyz", k=9)))
        written = set()
        for seed in range(5):
            random.Random(seed).shuffle(files)
            self.audit(*files, "--write-baseline", "b.jsonl")
            written.add((self.folder / "b.jsonl").read_bytes())
        self.assertEqual(len(written), 1)

    def test_everything_known_is_exit_0_and_each_report_says_so(self) -> None:
        self.audit("runs", "--write-baseline", "b.jsonl")
        for form in ("text", "json", "sarif", "junit", "markdown"):
            ran = self.audit("runs", "--baseline", "b.jsonl", "--format", form)
            with self.subTest(form):
                self.assertEqual(ran.status, 0, ran.error)
                said = b'"baseline": 2' if form == "json" else b"(baseline 2, suppressions 0, expired 0)"  # fmt: skip
                self.assertIn(said, ran.out)
                self.assertIn(b"b.jsonl", ran.out)

    def test_a_broken_seal_stays_broken(self) -> None:
        ways.in_process("seal", "runs/a.jsonl", "-o", "s.jsonl", folder=self.folder)
        data = (self.folder / "s.jsonl").read_bytes().replace(b'"y"', b'"z"')
        self.put("s.jsonl", data)
        self.audit("s.jsonl", "--write-baseline", "b.jsonl")
        ran = self.audit("s.jsonl", "--baseline", "b.jsonl")
        self.assertEqual(ran.status, 1)
        self.assertIn("failed       contents · links", ran.lines)
        self.assertEqual(ran.lines[-1].partition(".")[0], "exit 1: a check failed")

    def test_one_that_cannot_be_read_or_written_is_one_line(self) -> None:
        self.put("bad.jsonl", b"{}\n")
        for arguments, said in (
            (("--baseline", "gone"), b"error: gone: No such file or directory\n"),
            (("--baseline", "bad.jsonl"),
             b"error: bad.jsonl: line 1: must have exactly fingerprint, kind, detail\n"),
        ):  # fmt: skip
            self.assertEqual(self.audit("runs", *arguments), (2, b"", said))
        ran = self.audit("runs", "--write-baseline", "no/such/b.jsonl")
        self.assertEqual(ran.status, 2)
        self.assertTrue(ran.error.endswith("error: no/such/b.jsonl: No such file or directory\n"))


class TheProjectFile(Known):
    """Decided by us: flags win, its use is printed, and an end is an end."""

    def project(self, text: str) -> None:
        self.put("toolreplay.toml", text.encode())

    def test_it_gives_scope_mutators_and_required_lines(self) -> None:
        self.put("conf/scope.json", b'{"agent": "a", "allowed_tools": ["x"]}')
        self.project('scope = "conf/scope.json"\nmutators = ["x"]\nrequire = ["log"]\n')
        ran = self.audit("runs/a.jsonl")
        self.assertIn("permission-overreach", ran.text)
        self.assertNotIn("redundant-call", ran.text)
        self.put("scope.json", b'{"agent": "a", "allowed_tools": ["x", "y"]}')
        ran = self.audit("runs/a.jsonl", "--scope", "scope.json")
        self.assertEqual(ran.status, 3)
        self.assertEqual(ran.lines[-1], "exit 3: nothing found, but required and not checked: log.")
        ran = self.audit("runs/a.jsonl", "--scope", "scope.json", "--require", "none")
        self.assertEqual(ran.status, 0)
        self.assertIn(
            "suppressed: 0 (baseline 0, suppressions 0, expired 0) · toolreplay.toml", ran.lines
        )

    def test_none_and_another_file(self) -> None:
        self.project("nonsense = 1\n")
        self.assertEqual(self.audit("runs").status, 2)
        self.assertEqual(self.audit("runs", "--config", "none").status, 1)
        self.put("ci.toml", b'mutators = ["x", "y"]\n')
        self.assertEqual(self.audit("runs", "--config", "ci.toml").status, 0)

    def test_a_suppression_holds_until_its_day_and_then_is_said_to_have_ended(self) -> None:
        self.project(
            '[[suppress]]\nkind = "redundant-call"\ntool = "x"\nreason = "r"\nuntil = 2026-06-30\n'
            '[[suppress]]\nkind = "loop"\nreason = "r"\nuntil = 2026-12-31\n'
        )
        ran = self.audit("runs", "--today", "2026-06-30")
        self.assertEqual((ran.status, ran.text.count("index ")), (1, 1 + 1))
        self.assertIn(
            "suppressed: 1 (baseline 0, suppressions 1, expired 0) · toolreplay.toml · today 2026-06-30",
            ran.lines,
        )
        self.assertEqual(
            ran.error, "note: toolreplay.toml: suppress entry 2: no finding needed it\n"
        )
        ran = self.audit("runs", "--today", "2026-07-01")
        self.assertIn(
            "suppressed: 0 (baseline 0, suppressions 0, expired 1) · toolreplay.toml · today 2026-07-01",
            ran.lines,
        )
        self.assertIn(
            "note: toolreplay.toml: suppress entry 1: expired, it held until 2026-06-30\n",
            ran.error,
        )

    def test_a_slip_is_exit_2(self) -> None:
        self.project('[[suppress]]\nkind = "redundant"\nreason = "r"\nuntil = 2026-06-30\n')
        ran = self.audit("runs")
        self.assertEqual((ran.status, ran.out), (2, b""))
        self.assertTrue(
            ran.error.startswith("error: toolreplay.toml: suppress entry 1: no kind 'redundant'")
        )

    def test_the_tutorials_commands_do_not_read_it(self) -> None:
        self.project("nonsense = 1\n")
        self.assertEqual(ways.in_process("replay", "runs/b.jsonl", folder=self.folder).status, 1)

    def test_a_day_that_is_none(self) -> None:
        ran = self.audit("runs", "--today", "tomorrow")
        said = b"error: --today takes a day, as 2026-12-31, not 'tomorrow'\n"
        self.assertEqual(ran, (2, b"", said))


class FurtherReports(Known):
    """Decided by us: written whole, before the exit status is known."""

    def test_several_at_once_are_those_of_format(self) -> None:
        ran = self.audit("runs", "--report", "sarif=r.sarif", "--report", "json=r.json", "--report", "junit=r.xml")  # fmt: skip
        self.assertEqual(ran.status, 1)
        self.assertTrue(ran.lines[-1].startswith("exit 1"))
        for form, name in (("sarif", "r.sarif"), ("json", "r.json"), ("junit", "r.xml")):
            alone = self.audit("runs", "--format", form)
            self.assertEqual((self.folder / name).read_bytes(), alone.out, form)

    def test_a_single_input_that_breaks_leaves_no_file(self) -> None:
        self.put("bad.jsonl", run_of("x") + b"{}\n")
        ran = self.audit("bad.jsonl", "--report", "json=r.json")
        self.assertEqual((ran.status, ran.out), (2, b""))
        self.assertFalse((self.folder / "r.json").exists())

    def test_what_cannot_be_is_one_line(self) -> None:
        for arguments, said in (
            (("--report", "json"), "argument --report: 'json' is not FORMAT=FILE"),
            (("--report", "json="), "argument --report: 'json=' is not FORMAT=FILE"),
            (("--report", "yaml=x"), "argument --report: no report 'yaml'"),
            (("--format", "yaml"), "argument --format: no report 'yaml'"),
            (("--report", "json=x", "--report", "sarif=x"), "two outputs cannot go to one file"),
            (("--report", "json=no/such/file"), "no/such/file: No such file or directory"),
        ):  # fmt: skip
            ran = self.audit("runs", *arguments)
            with self.subTest(arguments):
                self.assertEqual((ran.status, ran.out), (2, b""))
                self.assertTrue(ran.error.startswith(f"error: {said}"), ran.error)

    def test_a_report_never_replaces_an_input(self) -> None:
        ran = self.audit("runs/a.jsonl", "--report", "json=./runs/a.jsonl")
        said = b"error: ./runs/a.jsonl: is an input, and would be replaced\n"
        self.assertEqual(ran, (2, b"", said))

    def test_no_output_replaces_what_is_read_nor_a_recording(self) -> None:
        self.put("scope.json", b'{"agent": "a", "allowed_tools": ["x", "y"]}')
        self.put("b.jsonl", b"")
        self.put("toolreplay.toml", b'mutators = ["q"]\n')
        ways.in_process("seal", "runs/a.jsonl", "-o", "s.jsonl", "--head", "head", folder=self.folder)  # fmt: skip
        kept = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        for arguments, said in (
            (("runs/a.jsonl", "--write-baseline", "runs/a.jsonl"), "runs/a.jsonl: is an input"),
            (("runs", "--report", "json=runs/a.jsonl"), "runs/a.jsonl: is a recording"),
            (("runs", "--write-baseline", "s.jsonl"), "s.jsonl: is a recording"),
            (("runs", "--scope", "scope.json", "--report", "json=scope.json"), "scope.json: is an"),
            (("runs", "--baseline", "b.jsonl", "--report", "json=b.jsonl"), "b.jsonl: is an input"),
            (("runs", "--report", "json=toolreplay.toml"), "toolreplay.toml: is an input"),
            (("runs", "--report", "json=o", "--write-baseline", "./o"), "two outputs cannot go"),
            (("runs", "--report", "junit=-"), "argument --report: '-' is for --format"),
        ):
            ran = self.audit(*arguments)
            with self.subTest(arguments):
                self.assertEqual((ran.status, ran.out), (2, b""))
                self.assertTrue(ran.error.startswith(f"error: {said}"), ran.error)
        ran = ways.in_process("verify", "s.jsonl", "--against", "head", "--report", "json=head", folder=self.folder)  # fmt: skip
        self.assertEqual(ran, (2, b"", b"error: head: is an input, and would be replaced\n"))
        self.assertEqual({path: path.read_bytes() for path in kept}, kept)

    def test_a_baseline_that_cannot_be_written_stops_before_anything_is_printed(self) -> None:
        ran = self.audit("runs/a.jsonl", "--write-baseline", "no/such/b")
        self.assertEqual(ran, (2, b"", b"error: no/such/b: No such file or directory\n"))

    def test_a_report_in_the_folder_that_is_read_does_not_count_itself(self) -> None:
        ran = self.audit("runs", "--report", "json=runs/r.json")
        self.assertTrue(ran.lines[-2].startswith("files: 2 (2 read, 0 not recognised"), ran.text)
        self.assertNotIn(b"partial", (self.folder / "runs/r.json").read_bytes())

    def test_a_report_and_a_baseline_of_an_earlier_run_are_replaced(self) -> None:
        for _ in range(2):
            ran = self.audit("runs", "--report", "json=r.json", "--report", "sarif=r.sarif", "--write-baseline", "b.jsonl", "--config", "none")  # fmt: skip
            self.assertEqual(ran.status, 1, ran.error)
        ran = self.audit("runs", "--baseline", "b.jsonl", "--write-baseline", "b.jsonl")
        self.assertEqual(ran.status, 0, ran.error)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_exit_2(self) -> None:
        ran = self.audit("runs", "--report", "json=/dev/full")
        self.assertEqual(ran.status, 2)
        self.assertIn("error: /dev/full: No space left on device\n", ran.error)

    def test_verify_writes_them_too(self) -> None:
        ways.in_process("seal", "runs/a.jsonl", "-o", "s.jsonl", folder=self.folder)
        ran = ways.in_process("verify", "s.jsonl", "--report", "junit=r.xml", folder=self.folder)
        self.assertEqual((ran.status, ran.out), (0, b"chain: intact\n"))
        self.assertIn(b'testcase name="links"', (self.folder / "r.xml").read_bytes())
