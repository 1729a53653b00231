"""selftest: the shipped cases and the known answers, and that each of them can fail."""

import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from tests.cli import ways
from tests.cli.tutorial import CHANGED_HITS, DIGESTS
from tests.contracts.test_audits import CASES as AUDIT_CASES
from tests.contracts.test_importers import CASES as IMPORTER_CASES
from tests.hostile.running import IN_MEMORY
from tests.promises.test_offline import reaches_out
from toolreplay.cli import known_answers
from toolreplay.cli.answers import Difference, differences
from toolreplay.packaged import extensions_of
from toolreplay.reports.lines import WIDTH, width_of

KNOWN = ("sha-256", "canonical-form", "digests-of-the-sample", "intact-chain", "flipped-byte",
         "cut-tail")  # fmt: skip

WATCH_WRITES = """
import os
home = os.environ["TMPDIR"] + os.sep
def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        path, mode, flags = arguments
        writes = mode and set(mode) & set("wax+") or flags and flags & (os.O_WRONLY | os.O_RDWR)
        if writes and not (os.path.realpath(os.fsdecode(path)) + os.sep).startswith(home):
            os.write(2, b"\\n@writes " + os.fsencode(path) + b"\\n")
    elif event in ("os.mkdir", "os.rename", "os.link", "os.symlink"):
        if not os.path.realpath(os.fsdecode(arguments[0])).startswith(home):
            os.write(2, b"\\n@" + event.encode() + b" " + os.fsencode(arguments[0]) + b"\\n")
sys.addaudithook(watch)
from toolreplay.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@functools.cache
def whole() -> ways.Ran:
    """Run everything once; several tests look at it."""
    return ways.in_process("selftest")


class ItPasses(unittest.TestCase):
    """Decided by us: whoever has the program can see that it is the one that was tested."""

    maxDiff = None

    def test_each_case_and_each_known_answer_is_one_line(self) -> None:
        ran = whole()
        self.assertEqual((ran.status, ran.err), (0, b""))
        groups = {"known-answers": list(KNOWN)}
        for name, case in [*AUDIT_CASES, *IMPORTER_CASES]:
            groups.setdefault(name, []).append(case.name)
        lines = []
        for name, cases in groups.items():
            lines += [f"{name}: {len(cases)} of {len(cases)} passed"]
            lines += [f"  passed  {case}" for case in cases]
        total = sum(map(len, groups.values()))
        self.assertEqual(ran.lines, [*lines, f"selftest: {total} passed, 0 failed"])

    def test_one_can_be_named(self) -> None:
        for name in ("known-answers", *extensions_of("audits"), *extensions_of("importers")):
            ran = ways.in_process("selftest", "--only", name)
            with self.subTest(name):
                self.assertEqual(ran.status, 0)
                self.assertRegex(ran.lines[0], rf"\A{name}: (\d+) of \1 passed\Z")
                self.assertEqual(len([line for line in ran.lines if line[0] != " "]), 2)
        both = ways.in_process("selftest", "--only", "scope", "--only", "loop")
        self.assertEqual([line for line in both.lines if ": " in line][:2],
                         ["loop: 10 of 10 passed", "scope: 6 of 6 passed"])  # fmt: skip

    def test_the_known_answers_are_those_of_the_tutorial(self) -> None:
        self.assertEqual(known_answers._DIGESTS, DIGESTS)
        self.assertEqual(known_answers._BROKEN, CHANGED_HITS)

    def test_json_says_the_same(self) -> None:
        document = json.loads(ways.in_process("selftest", "--format", "json").out)
        lines = [
            line
            for group in document["groups"]
            for line in (
                f"{group['name']}: {len(group['tests'])} of {len(group['tests'])} passed",
                *(f"  {test['result']}  {test['name']}" for test in group["tests"]),
            )
        ]
        self.assertEqual(lines, whole().lines[:-1])
        self.assertEqual(document["failed"], 0)

    def test_the_folder_it_is_started_in_does_not_matter_and_stays_as_it_was(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "here")
            place.mkdir()
            (place / "transcript.jsonl").write_text("not one of ours")
            with mock.patch.object(tempfile, "tempdir", folder):
                self.assertEqual(ways.in_process("selftest", folder=place).status, 0)
            self.assertEqual(os.listdir(folder), ["here"])
            self.assertEqual(os.listdir(place), ["transcript.jsonl"])

    def test_it_opens_no_socket_and_starts_no_process(self) -> None:
        self.assertEqual(reaches_out(ways.ROOT, "selftest", ["selftest"]), [])

    def test_it_writes_below_the_temporary_folder_only(self) -> None:
        with tempfile.TemporaryDirectory() as made:
            folder = os.path.realpath(made)
            command = [sys.executable, "-S", "-B", "-c", "import sys\n" + WATCH_WRITES, "selftest"]
            done = subprocess.run(
                command, cwd=ways.ROOT, capture_output=True, timeout=60, check=False,
                env={"PATH": os.defpath, "TMPDIR": folder, "PYTHONPATH": str(ways.ROOT)},
            )  # fmt: skip
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(os.listdir(folder), [])

    def test_the_zipapp_has_the_same_to_say(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            ran = ways.run(ways.build_zipapp(folder), "selftest", folder=folder)
        self.assertEqual((ran.status, ran.err), (0, b""))
        self.assertEqual(ran.text, whole().text)


class ItFails(unittest.TestCase):
    """Decided by us: a test that has never been red proves nothing. Offenders are planted in a copy."""

    copy: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        made = tempfile.TemporaryDirectory(dir=IN_MEMORY)
        cls.addClassCleanup(made.cleanup)
        cls.copy = pathlib.Path(made.name)
        for name in ("toolreplay", "samples"):
            shutil.copytree(
                ways.ROOT / name, cls.copy / name, ignore=shutil.ignore_patterns("__pycache__")
            )

    def replaced(self, path: pathlib.Path, old: bytes, new: bytes) -> None:
        """Change a file of the copy until the test has ended."""
        data, times = path.read_bytes(), path.stat()
        assert old in data, path
        # With the time it had, so that the copy's bytecode is known to be of this content again.
        self.addCleanup(os.utime, path, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.addCleanup(path.write_bytes, data)
        path.write_bytes(data.replace(old, new, 1))

    def away(self, path: pathlib.Path) -> None:
        """Take a file or folder out of the copy until the test has ended."""
        beside = path.rename(self.copy / "away")
        self.addCleanup(beside.rename, path)

    def selftest(self, *arguments: str) -> ways.Ran:
        environment = {"PYTHONPATH": str(self.copy), "TMPDIR": str(self.copy)}
        return ways.run(
            ways.as_module(),
            "selftest",
            *arguments,
            folder=self.copy,
            environment=environment,
        )

    def failed(self, *names: str, only: str = "") -> list[str]:
        """Run it, which must fail for these names only; return the lines below the failed."""
        ran = self.selftest(*(("--only", only) if only else ()))
        self.assertEqual((ran.status, ran.err), (1, b""), ran.text)
        found = [line.split()[1] for line in ran.lines if line.startswith("  failed  ")]
        self.assertEqual(found, list(names))
        self.assertRegex(ran.lines[-1], rf"\Aselftest: \d+ passed, {len(names)} failed\Z")
        for line in ran.lines:
            self.assertLessEqual(width_of(line), WIDTH)
        return [line for line in ran.lines if line.startswith("   ")]

    def test_a_planted_expectation_of_an_audit(self) -> None:
        self.replaced(self.copy / "toolreplay/audits/loop/cases/period-two/expected.txt",
                 b"findings: 1\n", b"findings: 2\n")  # fmt: skip
        self.assertEqual(
            self.failed("period-two"),
            [
                "          expected.txt, line 3",
                "            expected: findings: 2",
                "            found:    findings: 1",
            ],
        )

    def test_a_planted_expectation_of_an_importer(self) -> None:
        case = self.copy / "toolreplay/importers/claude_code/cases/plain"
        self.replaced(case / "account.txt", b"account: seen ", b"account: seen 1")
        expected = (case / "expected.jsonl").read_bytes()
        self.replaced(case / "expected.jsonl", expected, expected + b"{}\n")
        lines = self.failed("plain", only="claude_code")
        self.assertEqual(lines[0], "          account.txt, line 1")
        self.assertRegex(lines[1], r"expected: account: seen 1\d+ = mapped ")
        self.assertRegex(lines[2], r"found:    account: seen \d = mapped ")
        self.assertIn("expected: {}", lines[4])

    def test_a_line_too_few_and_a_file_too_many(self) -> None:
        case = self.copy / "toolreplay/importers/claude_code/cases/plain"
        self.away(case / "account.txt")
        (case / "expected.9.jsonl").write_bytes(b"{}\n")
        self.addCleanup((case / "expected.9.jsonl").unlink)
        lines = self.failed("plain", only="claude_code")
        self.assertEqual(lines[1], "            expected: (no such line)")
        self.assertEqual(
            lines[3:],
            [
                "          expected.9.jsonl, line 1",
                "            expected: {}",
                "            found:    (no such line)",
            ],
        )

    def test_a_changed_input(self) -> None:
        path = self.copy / "toolreplay/audits/recompute/cases/intact/sealed.jsonl"
        self.replaced(path, b'"index":0', b'"index":9')
        self.assertIn("          expected.txt, line 3", self.failed("intact", only="recompute"))

    def test_a_difference_far_into_a_line_can_be_seen(self) -> None:
        path = self.copy / "toolreplay/importers/claude_code/cases/plain/account.txt"
        self.replaced(path, b"unreadable 0", b"unreadable \x1b[31m")
        lines = self.failed("plain", only="claude_code")
        self.assertTrue(lines[1].startswith("            expected: …"), lines)
        self.assertTrue(lines[1].endswith("unreadable \\u{1b}[31m"), lines)
        self.assertTrue(lines[2].endswith("unreadable 0"), lines)

    def test_a_program_that_judges_wrongly(self) -> None:
        self.replaced(self.copy / "toolreplay/findings/gate.py", b"FOUND = 1", b"FOUND = 3")
        ran = self.selftest("--only", "scope")
        self.assertEqual(ran.status, 3)  # the program's own statuses are as wrong as the rest
        self.assertIn("exit status, line 1", ran.text)

    def test_a_program_that_digests_wrongly(self) -> None:
        self.replaced(self.copy / "toolreplay/evidence/seal.py",
                 b'FIRST_PREV = "0" * 64', b'FIRST_PREV = "1" * 64')  # fmt: skip
        ran = self.selftest("--only", "known-answers")
        self.assertEqual(ran.status, 1)
        failed = [line for line in ran.lines if line.startswith("  failed  ")]
        self.assertEqual(failed, ["  failed  digests-of-the-sample", "  failed  flipped-byte"])

    def test_a_program_that_finds_no_flipped_byte(self) -> None:
        self.replaced(self.copy / "toolreplay/cli/verify_seal.py",
                 b"    broken, checker, unusual = ", b"    _, checker, unusual = ")  # fmt: skip
        self.replaced(self.copy / "toolreplay/cli/verify_seal.py",
                 b"    console.write_lines(chain_lines(broken))", b"    broken = None\n    console.write_lines(chain_lines(broken))")  # fmt: skip
        ran = self.selftest("--only", "known-answers")
        self.assertEqual(ran.status, 1)
        self.assertIn("  failed  flipped-byte\n", ran.text)
        self.assertIn("expected: chain: broken\n            found:    chain: intact\n", ran.text)

    def test_a_program_that_breaks_fails_that_case_and_runs_the_others(self) -> None:
        self.replaced(
            self.copy / "toolreplay/audits/loop/__init__.py", b"def start(", b"def begin("
        )
        ran = self.selftest()
        self.assertEqual((ran.status, ran.err), (1, b""))
        self.assertIn("loop: 0 of 10 passed\n", ran.text)
        self.assertIn("scope: 6 of 6 passed\n", ran.text)
        self.assertIn("found:    error: unexpected AttributeError: ", ran.text)
        self.assertIn("claude_code: 26 of 26 passed\n", ran.text)

    def test_nothing_to_test_is_no_pass(self) -> None:
        """Decided by us: what could not run ends with 2, and prints no half of a result."""
        self.away(self.copy / "toolreplay/importers/claude_code/cases")
        message = (
            b"error: importers/claude_code/cases: no cases came with this copy of toolreplay\n"
        )
        self.assertEqual(self.selftest(), (2, b"", message))
        self.assertEqual(self.selftest("--only", "loop").status, 0)

    def test_no_sample_is_no_pass(self) -> None:
        self.away(self.copy / "samples")
        message = b"error: samples: no samples came with this copy of toolreplay\n"
        self.assertEqual(self.selftest(), (2, b"", message))

    def test_no_place_for_files_is_no_pass(self) -> None:
        with mock.patch.object(tempfile, "tempdir", str(self.copy / "gone")):
            ran = ways.in_process("selftest")
        self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))
        self.assertTrue(ran.error.endswith(": No such file or directory\n"))


class WhereItDiffers(unittest.TestCase):
    """Decided by us: the first line of each part, and a part that is missing is no empty part."""

    def test_each_kind_of_difference(self) -> None:
        table: tuple[tuple[bytes | None, bytes | None, list[Difference]], ...] = (
            (b"a\nb\n", b"a\nb\n", []),
            (b"a\nb\n", b"a\nc\n", [Difference("x", 2, "b", "c")]),
            (b"a\n", b"a", [Difference("x", 2, "", None)]),
            (b"a", b"a\r", [Difference("x", 1, "a", "a\r")]),
            (b"", None, [Difference("x", 1, "", None)]),
            (None, b"", [Difference("x", 1, None, "")]),
            (b"\xff", b"\xfe", [Difference("x", 1, "\\xff", "\\xfe")]),
            ("\u2028\n".encode(), b"\n", [Difference("x", 1, "\u2028", "")]),
        )
        for expected, found, wrong in table:
            one, other = ({} if data is None else {"x": data} for data in (expected, found))
            self.assertEqual(differences(one, other), wrong)
