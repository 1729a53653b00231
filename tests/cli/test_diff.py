"""diff: where two runs part."""

import gzip
import json
import os
import pathlib
import re
import tempfile
import unittest
from unittest import mock

from tests.cli import ways
from tests.cli.test_audit import WHO, InAFolder
from tests.cli.tutorial import DIGESTS, SEALED_DIRTY
from toolreplay.reports.lines import WIDTH, width_of
from toolreplay.sources.one_run import OneRun

CASES = ways.ROOT / "toolreplay" / "importers" / "claude_code" / "cases"
SESSION = str(ways.SAMPLES / "claude-session.jsonl")
TWO = str(CASES / "two-sessions" / "session.jsonl")
URL = "https://toolreplay.invalid/x"
CLEAN, DIRTY = "samples/session-clean.jsonl", "samples/session-dirty.jsonl"

Call = tuple[str, object, object]

FIRST: list[Call] = [
    ("list_dir", {"path": "docs"}, {"entries": 2}),
    ("read_file", {"path": "a.md"}, {"bytes": 1}),
    ("search", {"query": "install"}, {"hits": 3}),
    ("read_file", {"path": "b.md"}, {"bytes": 2}),
    ("write_file", {"path": "a.md"}, {"ok": True}),
    ("run_tests", {}, {"passed": True}),
]
SECOND: list[Call] = [
    ("list_dir", {"path": "docs"}, {"entries": 2}),
    ("search", {"query": "install"}, {"hits": 7}),
    ("read_file", {"path": "c.md"}, {"bytes": 9}),
    ("write_file", {"path": "a.md"}, {"ok": True}),
    ("run_tests", {}, {"passed": True}),
    ("read_file", {"path": "a.md"}, {"bytes": 4}),
]

TEXT = f"""\
A: a.jsonl
   run a · 6 calls · {WHO}
B: b.jsonl
   run b · 6 calls · {WHO}

first difference: index 1 in A, index 1 in B
same: 3 · changed: 1 · moved: 1 · dropped: 1 · added: 1

      A     B
~     2     1  search           "query": "install"
               A → "hits": 3
               B → "hits": 7
-     3        read_file        "path": "b.md"
+           2  read_file        "path": "c.md"
>     1     5  read_file        "path": "a.md" [other result]
"""

MARKDOWN = """\
**same: 3 · changed: 1 · moved: 1 · dropped: 1 · added: 1**

first difference: index 1 in A, index 1 in B

- A: `a.jsonl` · run `a` · 6 calls · LOGGED BY AGENT
- B: `b.jsonl` · run `b` · 6 calls · LOGGED BY AGENT

<details>
<summary>4 calls</summary>

- changed, index 2 in A, index 1 in B: `search` `"query": "install"`
  - A: `"hits": 3`
  - B: `"hits": 7`
- dropped, index 3 in A: `read_file` `"path": "b.md"`
- added, index 2 in B: `read_file` `"path": "c.md"`
- moved, index 1 in A, index 5 in B, with another result: `read_file` `"path": "a.md"`

</details>
"""

SAME = f"""\
A: {DIRTY}
   run session-dirty · 6 calls · {WHO}
B: {DIRTY}
   run session-dirty · 6 calls · {WHO}

first difference: none
same: 6 · changed: 0 · moved: 0 · dropped: 0 · added: 0
"""


class Compared(InAFolder):
    def diff(self, *arguments: str, stdin: bytes = b"") -> ways.Ran:
        return ways.in_process("diff", *arguments, folder=self.folder, stdin=stdin)

    def put(self, name: str, calls: list[Call]) -> str:
        lines = [
            json.dumps({"index": index, "tool": tool, "args": args, "response": response})
            for index, (tool, args, response) in enumerate(calls)
        ]
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines))
        return name

    def two(self) -> tuple[str, str]:
        return self.put("a.jsonl", FIRST), self.put("b.jsonl", SECOND)

    def document(self, *arguments: str) -> dict[str, object]:
        ran = self.diff(*arguments, "--format", "json")
        document: dict[str, object] = json.loads(ran.out)
        self.assertEqual((document["format"], document["differ"]), ("toolreplay-diff/1", ran.status == 1))  # fmt: skip
        return document

    def error(self, *arguments: str) -> str:
        ran = self.diff(*arguments)
        self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))
        return ran.error.removeprefix("error: ").rstrip("\n")


class TheThreeForms(Compared):
    """Decided by us."""

    def test_text(self) -> None:
        self.assertEqual(self.diff(*self.two()), (1, TEXT.encode(), b""))

    def test_markdown(self) -> None:
        self.assertEqual(
            self.diff(*self.two(), "--format", "markdown"), (1, MARKDOWN.encode(), b"")
        )

    def test_json(self) -> None:
        document = self.document(*self.two())
        self.assertEqual(document["first_difference"], {"a": 1, "b": 1})
        self.assertEqual(
            document["counts"], {"same": 3, "changed": 1, "moved": 1, "dropped": 1, "added": 1}
        )
        changed, dropped, added, moved = document["differences"]  # type: ignore[misc]
        self.assertEqual((changed["kind"], changed["tool"], changed["args"]), ("changed", *FIRST[2][:2]))  # fmt: skip
        self.assertEqual((changed["a"]["index"], changed["a"]["line"]), (2, 3))
        self.assertNotEqual(changed["a"]["response_sha256"], changed["b"]["response_sha256"])
        self.assertEqual((dropped["b"], added["a"], dropped["same_result"]), (None, None, None))
        self.assertEqual((moved["a"]["index"], moved["b"]["index"], moved["same_result"]), (1, 5, False))  # fmt: skip
        self.assertEqual((document["a"]["file"], document["a"]["count"]), ("a.jsonl", 6))  # type: ignore[index]

    def test_runs_that_do_not_differ(self) -> None:
        self.assertEqual(self.diff(DIRTY, DIRTY), (0, SAME.encode(), b""))
        ran = self.diff(DIRTY, DIRTY, "--format", "markdown")
        self.assertEqual((ran.status, "<details>" in ran.text), (0, False))
        self.assertEqual(self.document(DIRTY, DIRTY)["first_difference"], None)

    def test_two_empty_ones_and_one(self) -> None:
        self.assertEqual(self.diff("empty.jsonl", "empty.jsonl").status, 0)
        ran = self.diff("empty.jsonl", DIRTY)
        self.assertEqual(ran.status, 1)
        self.assertIn("first difference: A ends after 0 calls, index 0 in B", ran.lines)

    def test_the_other_way_round_says_the_same(self) -> None:
        a, b = self.two()
        one, other = self.document(a, b)["counts"], self.document(b, a)["counts"]
        self.assertEqual(one["dropped"], other["added"])  # type: ignore[index]
        self.assertEqual(one["same"], other["same"])  # type: ignore[index]

    def test_a_form_of_its_own_that_is_none(self) -> None:
        self.assertIn("invalid choice: 'xml'", self.error(CLEAN, DIRTY, "--format", "xml"))


class WhatIsCompared(Compared):
    """Decided by us: a call by its tool and arguments, a result by its response and outcome."""

    def test_the_order_of_members_and_the_spelling_of_a_line_do_not_matter(self) -> None:
        (self.folder / "a.jsonl").write_text('{"index":0,"tool":"t","args":{"a":1,"b":2},"response":{"x":"\\u00e9"}}\n')  # fmt: skip
        (self.folder / "b.jsonl").write_text('\n{"response": {"x": "é"}, "args": {"b": 2, "a": 1}, "tool": "t", "index": 0}')  # fmt: skip
        self.assertEqual(self.diff("a.jsonl", "b.jsonl").status, 0)

    def test_values_that_look_alike_are_different(self) -> None:
        for one, other in ((1, 1.0), (1, True), ("é", "e\u0301"), (0.0, -0.0)):
            a = self.put("a.jsonl", [("t", {"v": one}, {})])
            b = self.put("b.jsonl", [("t", {"v": other}, {})])
            self.assertEqual(self.diff(a, b).status, 1, (one, other))

    def test_an_outcome_is_part_of_the_result_where_both_records_say_one(self) -> None:
        ways.in_process("import", SESSION, "-o", "out.jsonl", folder=self.folder)
        self.assertEqual(self.diff(SESSION, "out.jsonl").status, 0)
        meta = self.folder / "out.jsonl.meta.jsonl"
        text = meta.read_text()
        meta.write_text(text.replace('"tool_error"', '"timeout"', 1))
        ran = self.diff(SESSION, "out.jsonl")
        self.assertEqual(ran.status, 1)
        self.assertRegex(
            ran.text, r"\n~ +4 +4  Bash .*\n +A → \[tool_error\] .*\n +B → \[timeout\] "
        )
        meta.unlink()  # a transcript alone does not say what became of a call
        self.assertEqual(self.diff(SESSION, "out.jsonl").status, 0)

    def test_compressed_and_from_standard_input(self) -> None:
        data = (self.folder / DIRTY).read_bytes()
        (self.folder / "dirty.jsonl.gz").write_bytes(gzip.compress(data))
        for a, b in (("-", "dirty.jsonl.gz"), ("dirty.jsonl.gz", "-")):
            self.assertEqual(self.diff(a, b, stdin=data).status, 0)
            ran = self.diff(a, b, stdin=data[: data.rindex(b"\n", 0, -1) + 1])
            self.assertEqual(ran.status, 1)

    def test_the_account_of_an_import_is_told_on_standard_error(self) -> None:
        ran = self.diff(SESSION, DIRTY)
        self.assertRegex(ran.error, rf"\Aaccount of {re.escape(SESSION)}: seen 25 = [^\n]*\n\Z")


class TwoSeals(Compared):
    """Decided by us: what two chains share is a matter of their digests."""

    def test_how_many_links_they_share(self) -> None:
        lines = SEALED_DIRTY.splitlines(keepends=True)
        (self.folder / "a.jsonl").write_text(SEALED_DIRTY)
        (self.folder / "b.jsonl").write_text("".join(lines[:3]))
        ran = self.diff("a.jsonl", "b.jsonl")
        self.assertEqual(ran.status, 1)
        self.assertIn("shared links: 3 (of 6 in A, 3 in B)", ran.lines)
        self.assertIn(f"last digest: {DIGESTS[2]}", ran.lines)
        self.assertEqual(
            self.document("a.jsonl", "b.jsonl")["shared_links"],
            {"links": 3, "digest": DIGESTS[2], "fit_calls": True},
        )
        self.assertIn(f"- 3 shared links, last digest `{DIGESTS[2]}`", self.diff("a.jsonl", "b.jsonl", "--format", "markdown").lines)  # fmt: skip

    def test_a_seal_and_a_transcript_share_calls_only(self) -> None:
        (self.folder / "a.jsonl").write_text(SEALED_DIRTY)
        ran = self.diff("a.jsonl", DIRTY)
        self.assertEqual((ran.status, "shared links" in ran.text), (0, False))
        self.assertIsNone(self.document("a.jsonl", DIRTY)["shared_links"])

    def test_none_at_all(self) -> None:
        (self.folder / "a.jsonl").write_text(SEALED_DIRTY)
        self.put("plain.jsonl", FIRST)
        (self.folder / "b.jsonl").write_bytes(ways.in_process("seal", "plain.jsonl", folder=self.folder).out)  # fmt: skip
        ran = self.diff("a.jsonl", "b.jsonl")
        self.assertIn("shared links: 0 (of 6 in A, 6 in B)", ran.lines)
        self.assertNotRegex(ran.text, "last digest|broken")

    def test_links_that_do_not_fit_the_calls_show_that_a_chain_is_broken(self) -> None:
        (self.folder / "a.jsonl").write_text(SEALED_DIRTY)
        line = "a chain is broken: links and calls disagree (see: toolreplay verify)"
        for old, new, status in (('"hits":3', '"hits":4', 1), (DIGESTS[3], "f" * 64, 1)):
            (self.folder / "b.jsonl").write_text(SEALED_DIRTY.replace(old, new))
            ran = self.diff("a.jsonl", "b.jsonl")
            self.assertEqual((ran.status, line in ran.lines), (status, True))
            ran = self.diff("a.jsonl", "b.jsonl", "--format", "markdown")
            self.assertIn(f"- {line}", ran.lines)
            document = self.document("a.jsonl", "b.jsonl")
            self.assertIs(document["shared_links"]["fit_calls"], False)  # type: ignore[index]


class OneOfSeveralRuns(Compared):
    """Decided by us."""

    def test_a_file_with_several_is_an_error_that_says_how_many(self) -> None:
        fact = "holds 2 runs; name one with --run (see: toolreplay show)"
        for pair in ((TWO, DIRTY), (DIRTY, TWO)):
            self.assertEqual(self.error(*pair), f"{TWO}: {fact}")

    def test_run_chooses_in_both(self) -> None:
        name = "5e550000-0000-4000-8000-000000000002"
        ran = self.diff(TWO, TWO, "--run", name)
        self.assertEqual((ran.status, ran.text.count(f"run {name}")), (0, 2))
        self.assertEqual(self.diff(TWO, DIRTY, "--run", name).status, 1)

    def test_a_name_that_fits_nothing(self) -> None:
        self.assertEqual(self.error(TWO, TWO, "--run", "another"), f"{TWO}: holds 2 runs, none of them named 'another'")  # fmt: skip
        self.assertEqual(self.error(TWO, TWO, "--run", "5e5500"), f"{TWO}: holds 2 runs, more than one of them named '5e5500'")  # fmt: skip
        self.assertEqual(self.error(CLEAN, DIRTY, "--run", "another"), "no run of A or B is named 'another'")  # fmt: skip


class WhatCannotBeCompared(Compared):
    """Decided by us: one line that says whose fault it is, and nothing on standard output."""

    def test_each(self) -> None:
        (self.folder / "notes.txt").write_text("hello\n")
        table = {
            ("samples", DIRTY): "samples: is a folder, not one run",
            (DIRTY, "samples"): "samples: is a folder, not one run",
            (DIRTY, "gone.jsonl"): "gone.jsonl: No such file or directory",
            ("-", "-"): "only one input can be standard input",
            (DIRTY, "refused-1.jsonl"): "refused-1.jsonl: line 3: missing field(s): response",
            ("refused-1.jsonl", DIRTY): "refused-1.jsonl: line 3: missing field(s): response",
            (URL, DIRTY): f"{URL}: a URL is never fetched; give a file",
        }
        for pair, message in table.items():
            for form in ("text", "json", "markdown"):
                with self.subTest(pair=pair, form=form):
                    self.assertEqual(self.error(*pair, "--format", form), message)
        self.assertRegex(self.error("notes.txt", DIRTY), r"\Anotes.txt: is not recognised: ")

    def test_a_file_that_changes_before_it_is_read_again(self) -> None:
        real = OneRun.run
        for changed in ("a.jsonl", "b.jsonl"):
            pair = self.two()
            readings: list[str] = []

            def run(one: OneRun, changed: str = changed, readings: list[str] = readings) -> object:
                readings.append(one.name)
                if readings.count(changed) == 2:
                    path = self.folder / changed
                    path.write_text(path.read_text().replace("md", "nd").replace("install", "x"))
                return real(one)

            with mock.patch.object(OneRun, "run", run):
                self.assertEqual(
                    self.error(*pair), f"{changed}: the file changed while it was read"
                )


class OneStream(unittest.TestCase):
    """Decided by us: what can be read once is not compared with its own rest."""

    @unittest.skipUnless(os.path.exists("/dev/stdin"), "needs /dev/stdin")
    def test_standard_input_under_two_names(self) -> None:
        data = (ways.SAMPLES / "session-clean.jsonl").read_bytes()
        for names in (("-", "/dev/stdin"), ("/dev/stdin", "/dev/stdin"), ("-", "-")):
            ran = ways.in_process("diff", *names, stdin=data)
            with self.subTest(names):
                self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))


class Much(Compared):
    """Decided by us: the list is bounded; so is memory (tests/hostile/test_diff_memory.py)."""

    def many(self, count: int) -> tuple[str, str]:
        made: list[list[Call]] = [
            [(side, {"n": index, "text": "x" * 50}, {}) for index in range(count)] for side in "ab"
        ]
        return self.put("a.jsonl", made[0]), self.put("b.jsonl", made[1])

    def test_200_calls_of_each_kind_are_listed_unless_all_are_asked_for(self) -> None:
        pair = self.many(230)
        ran = self.diff(*pair)
        listed = [line for line in ran.lines if line[:1] in "-+" and line]
        self.assertEqual(len(listed), 400)
        self.assertEqual(ran.lines[-2:], ["", "left out: 30 dropped, 30 added (--full lists them)"])
        ran = self.diff(*pair, "--full")
        self.assertEqual(len([line for line in ran.lines if line[:1] in "-+" and line]), 460)
        self.assertNotIn("left out", ran.text)

    def test_a_comment_has_25_and_a_document_has_all(self) -> None:
        pair = self.many(230)
        ran = self.diff(*pair, "--format", "markdown")
        self.assertEqual(len(re.findall(r"(?m)^- (?:dropped|added), ", ran.text)), 50)
        self.assertIn("left out: 205 dropped, 205 added (--full lists them)", ran.lines)
        ran = self.diff(*pair, "--format", "markdown", "--full")
        self.assertEqual(len(re.findall(r"(?m)^- (?:dropped|added), ", ran.text)), 460)
        self.assertEqual(len(self.document(*pair)["differences"]), 460)  # type: ignore[arg-type]

    def test_lines_fit_80_columns_but_for_the_headings(self) -> None:
        for pair in ((SESSION, DIRTY), self.two(), self.many(3)):
            for line in self.diff(*pair).lines:
                if not line.startswith(("A: ", "B: ", "   run ")):
                    self.assertLessEqual(width_of(line), WIDTH, line)


class NothingSteersATerminal(Compared):
    """Decided by us."""

    def test_of_a_recording_or_a_name(self) -> None:
        odd = "\x1b]0;x\x07\u202e\ud800\n"
        a = self.put("a\u202e.jsonl", [(odd, {odd: odd}, {odd: 1})])
        b = self.put("b.jsonl", [(odd, {odd: odd}, {odd: 2}), (odd, {}, {})])
        for form in ("text", "json", "markdown"):
            out = self.diff(a, b, "--format", form).text
            for character in "\x1b\x07\u202e":
                self.assertNotIn(character, out)


class ThePackageIsEnough(unittest.TestCase):
    """Decided by us: an interpreter without site packages is enough."""

    def test_as_a_process_of_its_own(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.jsonl")
            path.write_bytes((ways.ROOT / CLEAN).read_bytes())
            ran = ways.run(
                ways.as_module(), "diff", "a.jsonl", str(ways.ROOT / DIRTY), folder=folder
            )
            self.assertEqual((ran.status, ran.err), (1, b""))
