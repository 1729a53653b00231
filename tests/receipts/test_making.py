"""`receipt make`: a transcript or session becomes a bundle that `verify` passes."""

import gzip
import json
import pathlib
import subprocess
import sys

from tests.cli import ways
from tests.cli.test_audit import InAFolder

CASES = ways.ROOT / "toolreplay" / "importers" / "claude_code" / "cases"
DIRTY = "samples/session-dirty.jsonl"
NOW = ("--now", "2026-11-30T09:00:00Z")


class Made(InAFolder):
    def make(self, *arguments: str, stdin: bytes = b"") -> ways.Ran:
        return ways.in_process("receipt", "make", *arguments, folder=self.folder, stdin=stdin)

    def seed(self, name: str = "seed", data: bytes = b"s" * 32) -> tuple[str, str]:
        (self.folder / name).write_bytes(data)
        return "--seed", name

    def ran(self, *arguments: str) -> ways.Ran:
        return ways.in_process(*arguments, folder=self.folder)


class OfATranscript(Made):
    """Decided by us."""

    def test_it_says_what_it_made_and_what_to_keep_elsewhere(self) -> None:
        ran = self.make(DIRTY, "-o", "d.run.jsonl", *self.seed(), *NOW)
        self.assertEqual((ran.status, ran.error), (0, ""))
        lines = ran.lines
        self.assertEqual(lines[0], "d.run.jsonl: 6 receipts of run session-dirty")
        self.assertRegex(lines[1], r"\Aroot: [0-9a-f]{64}\Z")
        self.assertRegex(lines[2], r"\Achain: [0-9a-f]{64}\Z")
        self.assertEqual(lines[3:], ["next: toolreplay verify d.run.jsonl"])

    def test_verify_passes_it_and_audit_finds_what_it_finds_in_the_transcript(self) -> None:
        self.make(DIRTY, "-o", "d.run.jsonl")
        self.assertEqual(self.ran("verify", "d.run.jsonl").status, 0)
        found = [
            json.loads(self.ran("audit", name, "--format", "json").out)["runs"][0]["findings"]
            for name in (DIRTY, "d.run.jsonl")
        ]
        told = [
            [(item["kind"], item["index"], item["fingerprint"]) for item in each] for each in found
        ]
        self.assertTrue(told[0])
        self.assertEqual(*told)

    def test_seed_and_moment_give_the_same_bytes_and_chance_others(self) -> None:
        for name in ("a", "b"):
            self.make(DIRTY, "-o", name, *self.seed(), *NOW)
        self.make(DIRTY, "-o", "c", *NOW)
        a, b, c = ((self.folder / name).read_bytes() for name in "abc")
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)

    def test_what_was_kept_elsewhere_shows_another_bundle(self) -> None:
        root = self.make(DIRTY, "-o", "a", "--commitment", "kept.json").lines[1].split()[1]
        kept = json.loads((self.folder / "kept.json").read_bytes())
        self.assertEqual(kept["entry_count"], 7)
        for given in (("--commitment", "kept.json"), ("--root", root)):
            self.assertEqual(self.ran("verify", "a", *given).status, 0)
        self.make(DIRTY, "-o", "b")
        for given in (("--commitment", "kept.json"), ("--root", root)):
            self.assertEqual(self.ran("verify", "b", *given).status, 1)

    def test_goal_answer_and_inline(self) -> None:
        (self.folder / "answer.txt").write_bytes(b"done\xff")
        self.make(DIRTY, "-o", "a", "--goal", "read it", "--answer", "answer.txt", "--inline", "0")
        self.assertEqual(self.ran("verify", "a").status, 0)
        data = (self.folder / "a").read_bytes()
        self.assertIn(b'"goal":"read it"', data)
        self.assertIn(b'{"b64":"ZG9uZf8=","last":true,"part":0,"piece":"', data)

    def test_standard_input_and_compressed_sources(self) -> None:
        source = (self.folder / DIRTY).read_bytes()
        (self.folder / "d.jsonl.gz").write_bytes(gzip.compress(source))
        self.assertEqual(self.make("-", "-o", "a", stdin=source).lines[0], "a: 6 receipts of run -")
        self.assertEqual(self.make("d.jsonl.gz", "-o", "b").status, 0)
        self.assertEqual(self.ran("verify", "b").status, 0)

    def test_an_empty_transcript_makes_a_closed_run_of_nothing(self) -> None:
        ran = self.make("-", "-o", "a")
        self.assertEqual((ran.status, len(ran.lines)), (0, 3))
        self.assertEqual(self.ran("verify", "a").status, 3)

    def test_the_program_itself(self) -> None:
        made = subprocess.run(
            [sys.executable, "-S", "-m", "toolreplay", "receipt", "make", str(ways.ROOT / DIRTY), "-o",
             str(self.folder / "p.run.jsonl")],
            capture_output=True, cwd=ways.ROOT, check=False,
        )  # fmt: skip
        self.assertEqual((made.returncode, made.stderr), (0, b""))


class OfASession(Made):
    """Decided by us: the session's own times, models and outcomes are in the receipts."""

    def test_every_session_is_judged_alike_before_and_after(self) -> None:
        compared = 0
        for case in sorted(path for path in CASES.iterdir() if path.is_dir()):
            source = next(case.glob("session.*"))
            made = self.make(str(source), "-o", f"{case.name}.run")
            if made.status or not (self.folder / f"{case.name}.run").is_file():
                continue  # several sessions: a folder
            compared += 1
            with self.subTest(case.name):
                self.assertIn(self.ran("verify", f"{case.name}.run").status, (0, 3))
                runs = [
                    json.loads(self.ran("audit", str(name), "--format", "json").out)["runs"]
                    for name in (source, f"{case.name}.run")
                ]
                before, after = runs[0][0], runs[1][0]
                for member in ("run", "calls", "divergence", "explained", "undetermined", "model"):
                    self.assertEqual(before[member], after[member], member)
                self.assertEqual(
                    [
                        (item["kind"], item["index"], item["fingerprint"])
                        for item in before["findings"]
                    ],
                    [
                        (item["kind"], item["index"], item["fingerprint"])
                        for item in after["findings"]
                    ],
                )

        self.assertGreaterEqual(compared, 20)

    def test_a_sealed_transcript_counts_while_its_seal_holds(self) -> None:
        self.ran("seal", DIRTY, "-o", "s.jsonl")
        self.assertEqual(self.make("s.jsonl", "-o", "a").status, 0)
        sealed = (self.folder / "s.jsonl").read_bytes().replace(b'"hits":3', b'"hits":4')
        (self.folder / "s.jsonl").write_bytes(sealed)
        ran = self.make("s.jsonl", "-o", "b")
        self.assertEqual(ran.status, 2)
        self.assertRegex(ran.error, r"\Aerror: line \d+: the seal is broken here \(see: .*\)\n\Z")
        self.assertFalse((self.folder / "b").exists())

    def test_what_the_session_lost_is_a_gap_of_the_record(self) -> None:
        source = str(CASES / "broken-lines" / "session.jsonl")
        self.assertEqual(self.make(source, "-o", "a").status, 0)
        text = self.ran("verify", "a").text
        self.assertIn("coverage", text)
        self.assertRegex(text, r"note: gap: units of the session were lost .* \(\d+\)")
        ran = self.make(source, "-o", "b", "--strict")
        self.assertEqual(ran.status, 1)
        self.assertIn("nothing was written", ran.error)
        self.assertFalse((self.folder / "b").exists())

    def test_a_session_of_several_runs_has_no_one_commitment_and_leaves_nothing(self) -> None:
        source = str(CASES / "two-sessions" / "session.jsonl")
        ran = self.make(source, "-o", "m", "--commitment", "k")
        self.assertEqual((ran.status, ran.out), (2, b""))
        self.assertIn("--commitment is for a session of one run", ran.error)
        self.assertFalse((self.folder / "m").exists())


class Refused(Made):
    """Decided by us: one line, nothing written, nothing replaced."""

    def refused(self, *arguments: str, stdin: bytes = b"") -> str:
        ran = self.make(*arguments, stdin=stdin)
        self.assertEqual((ran.status, ran.out), (2, b""), ran)
        self.assertEqual(ran.error.count("\n"), 1)
        return ran.error.strip()

    def test_what_cannot_be_made_of(self) -> None:
        self.make(DIRTY, "-o", "a")
        self.assertEqual(
            self.refused("a", "-o", "b"),
            "error: a: is evidence already (form bundle; see: toolreplay verify)",
        )
        self.assertIn("is a folder", self.refused("samples", "-o", "b"))
        self.assertIn("No such file", self.refused("gone", "-o", "b"))
        self.assertIn("index must be 0", self.refused("-", "-o", "b", stdin=b'{"index":7,"tool":"t","args":{},"response":{}}\n'))  # fmt: skip
        self.assertFalse((self.folder / "b").exists())

    def test_options_that_make_no_sense(self) -> None:
        for arguments, text in (
            ((*self.seed("short", b"x"),), "a seed has exactly 32 bytes"),
            ((*self.seed("long", b"x" * 33),), "has more than 32 bytes"),
            (("--now", "today"), "--now takes a time"),
            (("--inline", "-1"), "is not a whole number"),
            (("--inline", "٣"), "is not a whole number"),
            (("--commitment", "b"), "two outputs cannot go to one file"),
            (("-o", "-"), "-o takes a file"),
        ):
            with self.subTest(arguments):
                self.assertIn(text, self.refused(DIRTY, "-o", "b", *arguments))

    def test_an_input_is_never_replaced(self) -> None:
        before = (self.folder / DIRTY).read_bytes()
        self.assertIn("is an input", self.refused(DIRTY, "-o", DIRTY))
        self.assertIn("is an input", self.refused(DIRTY, "-o", "b", "--commitment", DIRTY))
        self.assertEqual((self.folder / DIRTY).read_bytes(), before)

    def test_a_recording_is_never_replaced(self) -> None:
        self.make(DIRTY, "-o", "a")
        before = (self.folder / "a").read_bytes()
        self.assertIn("is a recording", self.refused(DIRTY, "-o", "a"))
        self.assertEqual((self.folder / "a").read_bytes(), before)

    def test_a_value_that_has_no_form_in_receipts_is_no_way_round_them(self) -> None:
        line = json.dumps(
            {"index": 0, "tool": "\ud800", "args": {"\udfff": "\ud800"}, "response": {}}
        )
        ran = self.make("-", "-o", "a", stdin=line.encode() + b"\n")
        self.assertEqual(ran.status, 0)
        self.assertEqual(self.ran("verify", "a").status, 0)
        self.assertIn("\\u{d800}", self.ran("show", "a").text)


class TheFolder(Made):
    def test_nothing_but_the_outputs_is_left(self) -> None:
        before = {path.name for path in pathlib.Path(self.folder).iterdir()}
        self.make(DIRTY, "-o", "a", "--commitment", "k")
        after = {path.name for path in pathlib.Path(self.folder).iterdir()}
        self.assertEqual(after - before, {"a", "k"})
