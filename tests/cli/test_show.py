"""show: a readable timeline of what was recorded."""

import io
import json
import pathlib
import unittest

from tests.cli import ways
from tests.cli.test_audit import WHO, InAFolder
from toolreplay.evidence.bundle.logged import Making, write_logged_run
from toolreplay.evidence.profile.ids import Ids
from toolreplay.records.call import Place, ToolCall
from toolreplay.records.run import STRICT, RunInfo
from toolreplay.reports.lines import WIDTH, width_of

CASES = ways.ROOT / "toolreplay" / "importers" / "claude_code" / "cases"
SESSION = str(ways.SAMPLES / "claude-session.jsonl")

DIRTY = f"""\
run session-dirty · 6 calls · {WHO}

    0  list_dir         "path": "docs" → "entries": ["intro.md", "guide.md"]
    1  read_file        "path": "docs/intro.md" → "bytes": 214
    2  read_file        "path": "docs/intro.md" → "bytes": 214
    3  search           "query": "install" → "hits": 3
    4  write_file       "path": "docs/intro.md", "text": "edited" → "ok": true
    5  search           "query": "install" → "hits": 7
"""

FULL = """\
    5  search
       args: {
         "query": "install"
       }
       response: {
         "hits": 7
       }
"""


class Shown(InAFolder):
    def show(self, *arguments: str, stdin: bytes = b"") -> ways.Ran:
        return ways.in_process("show", *arguments, folder=self.folder, stdin=stdin)

    def put(self, *calls: tuple[str, object, object]) -> str:
        lines = [
            json.dumps({"index": index, "tool": tool, "args": args, "response": response})
            for index, (tool, args, response) in enumerate(calls)
        ]
        (self.folder / "run.jsonl").write_text("".join(f"{line}\n" for line in lines))
        return "run.jsonl"


class TheTimeline(Shown):
    """Decided by us: one call a line, never wider than 80 columns."""

    def test_a_transcript(self) -> None:
        self.assertEqual(self.show("samples/session-dirty.jsonl"), (0, DIRTY.encode(), b""))

    def test_a_session_has_times_outcomes_and_an_account(self) -> None:
        ran = self.show(SESSION)
        self.assertEqual((ran.status, len(ran.lines)), (0, 13))
        self.assertRegex(ran.lines[2], r"\A    0  09:00:04  Read  +\"file_path\": .* → SHIPPING = 3.90\Z")  # fmt: skip
        self.assertIn(" [tool_error] → 1 fail", ran.lines[6])
        self.assertTrue(ran.lines[12].endswith('"command": "git push origin main" [denied]'))
        self.assertRegex(ran.error, r"\Aaccount: seen 25 = ")

    def test_each_line_fits_80_columns_whatever_was_recorded(self) -> None:
        names = ["t", "t" * 17, "読" * 40, "t" * 5000, "\u202e" * 30, "e\u0301" * 100]
        values = [
            "",
            "x" * 5000,
            "中" * 300,
            {"a": [1] * 300},
            "\ud800\x1b" * 90,
            "a\n\tb  c",
            None,
        ]
        run = self.put(*((name, {"v": value}, {"v": value}) for name in names for value in values))
        for file in (run, SESSION, *map(str, sorted(CASES.glob("*/session.*")))):
            for line in self.show(file).lines:
                if not line.startswith("run "):
                    self.assertLessEqual(width_of(line), WIDTH, line)

    def test_a_call_that_has_no_result_always_shows_what_became_of_it(self) -> None:
        for case in ("denied", "cancelled-sibling", "interrupted", "missing-result", "never-run"):
            ran = self.show(str(CASES / case / "session.jsonl"))
            calls = [line for line in ran.lines if line.startswith("  ")]
            shown = [line for line in calls if line.endswith("]") and " → " not in line]
            with self.subTest(case):
                self.assertTrue(shown)
                for line in calls:
                    self.assertTrue(" → " in line or line in shown, line)

    def test_line_ends_and_runs_of_blanks_are_one_blank(self) -> None:
        run = self.put(("t", {"text": "a"}, {"content": "one\n\n  two\tthree", "is_error": False}))
        self.assertTrue(self.show(run).lines[2].endswith(" → one two three"))

    def test_nothing_of_a_recording_can_steer_a_terminal(self) -> None:
        run = self.put(("\x1b[2J", {"\u202e": "\x07"}, {"content": "\x1b]0;x\x07\ud800", "is_error": False}))  # fmt: skip
        for option in ((), ("--full",), ("--format", "json")):
            out = self.show(run, *option).out
            for byte in (0x1B, 0x07):
                self.assertNotIn(byte, out)
            self.assertNotIn("\u202e", out.decode("utf-8"))

    def test_many_runs_of_a_file_with_a_blank_line_between(self) -> None:
        ran = self.show(str(CASES / "two-sessions" / "session.jsonl"))
        self.assertEqual([line[:4] for line in ran.lines], ["run ", "", "    ", "", "run ", "", "    "])  # fmt: skip

    def test_a_folder_shows_what_is_recognised_in_it(self) -> None:
        ran = self.show("samples")
        self.assertEqual(ran.text.count("\nrun ") + 1, 5)

    def test_an_empty_transcript_and_standard_input(self) -> None:
        self.assertEqual(self.show("empty.jsonl").text, f"run empty · 0 calls · {WHO}\n\n")
        ran = self.show("-", stdin=(self.folder / "samples/session-dirty.jsonl").read_bytes())
        self.assertEqual(ran.text, DIRTY.replace("session-dirty", "-"))

    def test_nothing_is_shown_of_a_file_that_breaks_at_its_end(self) -> None:
        for form in ("text", "json"):
            ran = self.show("refused-1.jsonl", "--format", form)
            self.assertEqual(ran, (2, b"", b"error: line 3: missing field(s): response\n"))

    def test_what_is_not_recognised_is_an_error(self) -> None:
        (self.folder / "notes.txt").write_text("hello\n")
        ran = self.show("notes.txt")
        self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))


class WhatIsChosen(Shown):
    """Decided by us."""

    def indexes(self, *arguments: str) -> list[int]:
        lines = self.show("samples/session-dirty.jsonl", *arguments).lines
        self.assertIn(" · 6 calls · ", lines[0])
        return [int(line.split()[0]) for line in lines[2:]]

    def test_calls_by_index_or_range(self) -> None:
        for text, wanted in (
            ("3", [3]),
            ("1-3", [1, 2, 3]),
            ("4-", [4, 5]),
            ("0-0", [0]),
            ("4-99", [4, 5]),
            ("9", []),
        ):
            self.assertEqual(self.indexes("--calls", text), wanted, text)

    def test_a_range_that_is_none(self) -> None:
        for text in ("x", "-1", "1-2-3", "1,2", " 1", "١", "9" * 16):
            ran = self.show("samples/session-dirty.jsonl", f"--calls={text}")
            self.assertEqual(
                ran, (2, b"", b"error: --calls takes one index or a range, as 3 or 3-9\n"), text
            )

    def test_calls_of_one_tool(self) -> None:
        self.assertEqual(self.indexes("--tool", "search"), [3, 5])
        self.assertEqual(self.indexes("--tool", "Search"), [])
        self.assertEqual(self.indexes("--tool", "search", "--calls", "4-"), [5])

    def test_full_prints_arguments_and_response_whole(self) -> None:
        ran = self.show("samples/session-dirty.jsonl", "--full", "--calls", "5")
        self.assertEqual(ran.text.partition("\n\n")[2], FULL)

    def test_full_keeps_every_character_of_a_long_text(self) -> None:
        text = "line one\nline two " + "x" * 5000 + "é\u2028"
        ran = self.show(self.put(("t", {}, {"content": text})), "--full")
        self.assertIn("x" * 5000 + "é\\u{2028}", ran.text)


class AsJson(Shown):
    """Decided by us: format toolreplay-show/1; nothing is cut."""

    def document(self, *arguments: str) -> dict[str, object]:
        ran = self.show(*arguments, "--format", "json")
        self.assertEqual(ran.status, 0)
        document: dict[str, object] = json.loads(ran.out)
        self.assertEqual(document["format"], "toolreplay-show/1")
        return document

    def test_a_transcript(self) -> None:
        (run,) = self.document("samples/session-dirty.jsonl")["runs"]  # type: ignore[misc]
        data = (self.folder / "samples/session-dirty.jsonl").read_text().splitlines()
        for number, (call, line) in enumerate(zip(run["calls"], data, strict=True), 1):
            record = json.loads(line)
            self.assertEqual({name: call[name] for name in record}, record)
            self.assertEqual((call["line"], call["outcome"]), (number, None))
        self.assertEqual((run["run"], run["count"], run["form"]), ("session-dirty", 6, "transcript"))  # fmt: skip

    def test_a_session(self) -> None:
        (run,) = self.document(SESSION)["runs"]  # type: ignore[misc]
        self.assertEqual(run["count"], 11)
        self.assertEqual((run["calls"][10]["outcome"], run["calls"][10]["response"]), ("denied", {"outcome": "denied"}))  # fmt: skip
        self.assertEqual(run["calls"][0]["call_id"], "toolu_01")
        self.assertEqual(run["calls"][0]["at"], "2026-01-15T09:00:04.000Z")

    def test_the_count_is_of_all_calls_and_the_list_of_the_chosen_ones(self) -> None:
        (run,) = self.document("samples/session-dirty.jsonl", "--tool", "search")["runs"]  # type: ignore[misc]
        self.assertEqual((run["count"], [call["index"] for call in run["calls"]]), (6, [3, 5]))

    def test_a_folder_names_the_file_of_each_run_and_one_bad_file_hides_no_other(self) -> None:
        (self.folder / "runs").mkdir()
        (self.folder / "runs" / "nothing").mkdir()
        good = (ways.SAMPLES / "session-clean.jsonl").read_bytes()
        for name, data in (("a", good), ("b", good + b"{}\n"), ("c", good)):
            (self.folder / "runs" / f"{name}.jsonl").write_bytes(data)
        ran = self.show("runs")
        self.assertEqual(ran.status, 2)
        self.assertEqual(ran.error, "error: runs/b.jsonl: line 5: missing field(s): args, index, response, tool\n")  # fmt: skip
        named = [line for line in ran.lines if line.startswith("file: ")]
        self.assertEqual(named, ["file: runs/a.jsonl", "file: runs/c.jsonl"])
        said = b"error: runs/nothing: holds no run that can be shown (see: toolreplay formats)\n"
        self.assertEqual(self.show("runs/nothing"), (2, b"", said))

    def test_no_run_one_run_many_runs(self) -> None:
        for name, count in (("empty.jsonl", 1), ("samples", 5)):
            self.assertEqual(len(self.document(name)["runs"]), count)  # type: ignore[arg-type]


class MuchOutput(unittest.TestCase):
    """Decided by us: what waits is kept on disk when it is much."""

    def test_tens_of_thousands_of_calls(self) -> None:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "long.jsonl")
            text = "x" * 400
            with open(path, "w", encoding="ascii") as file:
                for index in range(15_000):
                    file.write(
                        f'{{"index": {index}, "tool": "t", "args": {{"a": "{text}"}}, "response": {{}}}}\n'
                    )
            ran = ways.in_process("show", str(path), "--format", "json")
            calls = json.loads(ran.out)["runs"][0]["calls"]
            self.assertGreater(len(ran.out), 5_000_000)
            self.assertEqual([call["index"] for call in calls], list(range(15_000)))


class Receipts(Shown):
    """Decided by us: an auditor finds a receipt by what `show --full` prints of it."""

    def setUp(self) -> None:
        super().setUp()
        how = Making("2026-11-30T09:00:00.000Z", Ids(bytes, bytes(32)))
        info = RunInfo("r", "r.jsonl", STRICT)
        call = ToolCall(0, "get_order", {"n": 1}, {"ok": True}, Place(1, 0, 1), None)
        out = io.BytesIO()
        write_logged_run(info, iter([call]), out.write, how)
        (self.folder / "one.run.jsonl").write_bytes(out.getvalue())
        receipt = json.loads(out.getvalue().splitlines()[2])["payload"]
        self.id, self.digest = receipt["id"], receipt["output_hash"].removeprefix("sha256:")

    def test_the_timeline_is_that_of_any_run(self) -> None:
        ran = self.show("one.run.jsonl")
        self.assertEqual(ran.lines[0], f"run r · 1 call · {WHO}")
        self.assertEqual(ran.lines[2], '    0  get_order        "n": 1 → "ok": true')

    def test_in_full_a_receipt_says_where_it_stands(self) -> None:
        lines = self.show("one.run.jsonl", "--full").lines
        self.assertEqual(
            lines[-4:],
            [
                f"       receipt: {self.id}",
                f"                sha256 {self.digest}",
                "                seq 1 · position 1 · line 3",
                "                LOGGED BY AGENT · layer import",
            ],
        )

    def test_json_has_the_same(self) -> None:
        document = json.loads(self.show("one.run.jsonl", "--format", "json").out)
        self.assertEqual(
            document["runs"][0]["calls"][0]["receipt"],
            {
                "receipt_id": self.id, "output_hash": self.digest,
                "provenance_class": "LOGGED BY AGENT", "seq": 1, "position": 1, "layer": "import",
            },
        )  # fmt: skip
