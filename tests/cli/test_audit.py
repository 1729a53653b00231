"""audit of one input: the block, what is required, and the same as JSON."""

import hashlib
import json
import os
import pathlib
import shutil
import tempfile
import unittest

from tests.cli import ways
from tests.cli.tutorial import SEALED_DIRTY, lay_out
from tests.hostile.running import IN_MEMORY
from toolreplay.findings.check import LINES
from toolreplay.packaged import extensions_of

WHO = "LOGGED BY AGENT (by the agent's own program)"

NO_SCOPE = "scope     no scope given  add --scope scope.json\n"

CONTENTS = """\
contents  a transcript carries no commitments
                       see: toolreplay explain receipt
"""

CLEAN = f"""\
run session-clean · 4 calls · {WHO}

findings: 0

passed       replay · loop
not checked  {NO_SCOPE}\
             {CONTENTS}
exit 0: nothing found. 2 things were not checked; none was required (--require).
"""

DIRTY = f"""\
run session-dirty · 6 calls · {WHO}

findings: 1
explained: 1
index 2: redundant-call: tool 'read_file' repeats the identical call at index 1 with no state change between them

passed       loop
failed       replay (1 finding)
not checked  {NO_SCOPE}\
             {CONTENTS}
exit 1: findings. 2 things were not checked; none was required (--require).
"""

DIRTY_IN_SCOPE = f"""\
run session-dirty · 6 calls · {WHO}

findings: 2
explained: 1
index 2: redundant-call: tool 'read_file' repeats the identical call at index 1 with no state change between them
index 4: permission-overreach: tool 'write_file' is not in the declared scope for agent 'docs-reader'

passed       loop
failed       replay (1 finding) · scope (1 finding)
not checked  {CONTENTS}
exit 1: findings. 1 thing was not checked; none was required (--require).
"""

EMPTY = f"""\
run empty · 0 calls · {WHO}

findings: 0

not checked: nothing was recorded

exit 3: nothing was recorded, so nothing was checked.
"""

SEALED = f"""\
run sealed · 6 calls · {WHO}

findings: 1
explained: 1
index 2: redundant-call: tool 'read_file' repeats the identical call at index 1 with no state change between them

passed       loop · contents (6 of 6) · links
failed       replay (1 finding)
not checked  scope   no scope given           add --scope scope.json
             ending  no head to compare with  see: toolreplay explain ending
             signer  a seal has no signature  see: toolreplay explain signer

exit 1: findings. 3 things were not checked; none was required (--require).
"""

SESSION_LINES = """\
findings: 3
explained: 1
index 5: loop: 3 calls repeat those 1 before them with the same results and brought nothing new (231 bytes of results, 50.0 s)
index 9: non-determinism: tool 'WebFetch' returned a different response than the identical call at index 8
index 9: redundant-call: tool 'WebFetch' repeats the identical call at index 8 with no state change between them

failed       replay (2 findings) · loop (1 finding)
""".splitlines()


class InAFolder(unittest.TestCase):
    """Each test works in a folder with the files of the golden table."""

    maxDiff = None

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory(dir=IN_MEMORY)
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        lay_out(self.folder)

    def audit(self, *arguments: str, stdin: bytes = b"") -> ways.Ran:
        return ways.in_process("audit", *arguments, folder=self.folder, stdin=stdin)

    def json(self, *arguments: str) -> dict[str, object]:
        ran = self.audit(*arguments, "--format", "json")
        document: dict[str, object] = json.loads(ran.out)
        self.assertEqual(document["exit"], ran.status)
        return document


class TheBlock(InAFolder):
    """Decided by us: heading, findings, each line under passed, failed or not checked, exit."""

    def test_a_clean_transcript_without_a_scope(self) -> None:
        self.assertEqual(self.audit("samples/session-clean.jsonl"), (0, CLEAN.encode(), b""))

    def test_one_with_findings(self) -> None:
        self.assertEqual(self.audit("samples/session-dirty.jsonl"), (1, DIRTY.encode(), b""))

    def test_one_with_a_scope(self) -> None:
        ran = self.audit("samples/session-dirty.jsonl", "--scope", "samples/scope.json")
        self.assertEqual(ran, (1, DIRTY_IN_SCOPE.encode(), b""))

    def test_nothing_recorded(self) -> None:
        self.assertEqual(self.audit("empty.jsonl"), (3, EMPTY.encode(), b""))
        ran = self.audit("blank.jsonl", "--scope", "samples/scope.json")
        self.assertEqual(ran, (3, EMPTY.replace("empty", "blank").encode(), b""))

    def test_a_sealed_transcript(self) -> None:
        self.assertEqual(self.audit("sealed.jsonl"), (1, SEALED.encode(), b""))

    def test_a_broken_seal_is_a_finding_among_the_others(self) -> None:
        ran = self.audit("changed.jsonl")
        self.assertEqual(ran.status, 1)
        self.assertIn(
            "\nindex 3: broken-link: the digest of this link should be 34d19a9d", ran.text
        )
        self.assertIn(
            "\nfailed       replay (1 finding) · contents · links (1 finding)\n", ran.text
        )

    def test_a_session_of_an_agent_program(self) -> None:
        ran = self.audit("samples/claude-session.jsonl")
        self.assertEqual(ran.status, 1)
        self.assertEqual(
            ran.lines[0],
            "run 5e551000-0000-4000-8000-000000000001 · model example-model-1 · 11 calls · " + WHO,
        )
        self.assertEqual(ran.lines[2:9], SESSION_LINES)
        self.assertRegex(ran.error, r"\Aaccount: seen 25 = mapped 22 \+ skipped 3 .*\n\Z")

    def test_the_name_of_a_run_is_the_base_name_without_suffixes(self) -> None:
        data = (self.folder / "samples/session-clean.jsonl").read_bytes()
        for file, name in (
            ("folder/a.b.jsonl", "a.b"),
            ("noending", "noending"),
            (".hidden", ".hidden"),
            ("x.jsonl.gz", "x"),
        ):
            (self.folder / file).write_bytes(data)
            self.assertEqual(self.audit(file).lines[0], f"run {name} · 4 calls · {WHO}")

    def test_standard_input_is_called_a_dash(self) -> None:
        ran = self.audit("-", stdin=(self.folder / "samples/session-clean.jsonl").read_bytes())
        self.assertEqual(ran, (0, CLEAN.replace("session-clean", "-").encode(), b""))

    def test_one_call_is_no_plural(self) -> None:
        (self.folder / "one.jsonl").write_bytes(
            b'{"index": 0, "tool": "t", "args": {}, "response": {}}\n'
        )
        self.assertEqual(self.audit("one.jsonl").lines[0], f"run one · 1 call · {WHO}")

    def test_a_name_that_could_steer_a_terminal_is_escaped(self) -> None:
        name = "a\x1b[31m\u202eb.jsonl"
        shutil.copy(self.folder / "samples/session-clean.jsonl", self.folder / name)
        self.assertEqual(
            self.audit(name).lines[0], f"run a\\u{{1b}}[31m\\u{{202e}}b · 4 calls · {WHO}"
        )

    def test_no_other_verdict_word_is_printed(self) -> None:
        words = r"(?i)\b(valid|invalid|success|ok|warning|error|pass|fail|clean|good|bad|safe)\b"
        for file in ("samples/session-clean.jsonl", "sealed.jsonl", "changed.jsonl", "empty.jsonl"):
            text = self.audit(file).text
            self.assertNotRegex(text[text.index("\n") :], words)


class WhatIsRequired(InAFolder):
    """Decided by us: what was handed in, or what --require names."""

    def closing(self, *arguments: str) -> tuple[int, str]:
        ran = self.audit(*arguments)
        self.assertEqual(ran.err, b"")
        return ran.status, ran.lines[-1]

    def test_an_audit_that_is_asked_for_by_name_is(self) -> None:
        self.assertEqual(
            self.closing("samples/session-clean.jsonl", "--only", "scope"),
            (3, "exit 3: nothing found, but required and not checked: scope."),
        )
        self.assertEqual(
            self.closing("samples/session-clean.jsonl", "--only", "replay"),
            (0, "exit 0: nothing found."),
        )
        self.assertEqual(
            self.closing("samples/session-clean.jsonl", "--only", "recompute"),
            (3, "exit 3: nothing found, but required and not checked: contents."),
        )

    def test_only_runs_nothing_else(self) -> None:
        ran = self.audit("samples/session-dirty.jsonl", "--only", "loop")
        self.assertEqual((ran.status, ran.lines[2:6]), (0, ["findings: 0", "", "passed       loop", ""]))  # fmt: skip

    def test_several_may_be_named(self) -> None:
        ran = self.audit("samples/session-dirty.jsonl", "--only", "loop", "--only", "replay")
        self.assertEqual(ran.status, 1)
        self.assertIn("passed       loop\nfailed       replay (1 finding)\n", ran.text)

    def test_require_names_lines_instead(self) -> None:
        self.assertEqual(
            self.closing("samples/session-clean.jsonl", "--require", "replay,loop"),
            (0, "exit 0: nothing found. 2 things were not checked; none was required (--require)."),
        )
        self.assertEqual(
            self.closing("samples/session-clean.jsonl", "--require", " contents , scope"),
            (3, "exit 3: nothing found, but required and not checked: scope, contents."),
        )

    def test_a_line_that_no_audit_answers_is_not_checked_either(self) -> None:
        for line in ("signer", "world", "time"):
            self.assertEqual(
                self.closing("samples/session-clean.jsonl", "--require", line),
                (3, f"exit 3: nothing found, but required and not checked: {line}."),
            )

    def test_each_report_line_may_be_named(self) -> None:
        for line in LINES:
            self.assertIn(self.audit("empty.jsonl", "--require", line).status, (3,))

    def test_a_finding_outweighs_what_was_required_and_the_line_says_both(self) -> None:
        self.assertEqual(
            self.closing("samples/session-dirty.jsonl", "--require", "signer"),
            (1, "exit 1: findings. 3 things were not checked; required: signer."),
        )

    def test_nothing_may_be_required(self) -> None:
        self.assertEqual(
            self.audit("sealed.jsonl", "--only", "loop", "--require", "none").status, 0
        )

    def test_a_sealed_transcript_requires_its_own_links(self) -> None:
        self.assertEqual(self.json("sealed.jsonl")["runs"][0]["required"], ["contents", "links"])  # type: ignore[index]

    def test_a_scope_that_is_handed_in_is(self) -> None:
        runs = self.json("samples/session-clean.jsonl", "--scope", "samples/scope.json")["runs"]
        self.assertEqual(runs[0]["required"], ["scope"])  # type: ignore[index]

    def test_every_audit_can_be_named(self) -> None:
        for name in extensions_of("audits"):
            self.assertIn(self.audit("samples/session-clean.jsonl", "--only", name).status, (0, 3))


class Options(InAFolder):
    """Decided by us."""

    def test_further_mutators_explain_and_excuse(self) -> None:
        (self.folder / "run.jsonl").write_text(
            '{"index": 0, "tool": "get", "args": {}, "response": {"r": 1}}\n'
            '{"index": 1, "tool": "deploy", "args": {}, "response": {}}\n'
            '{"index": 2, "tool": "get", "args": {}, "response": {"r": 2}}\n'
        )
        self.assertEqual(self.audit("run.jsonl").status, 1)
        (self.folder / "tools.txt").write_text("deploy\n")
        for option in (("--mutator", "deploy"), ("--mutators", "tools.txt")):
            ran = self.audit("run.jsonl", *option)
            self.assertEqual((ran.status, ran.lines[3]), (0, "explained: 1"))

    def test_mutators_from_standard_input_hold_for_every_run(self) -> None:
        """The list is read once, before the first run."""
        run = (
            b'{"index": 0, "tool": "a", "args": {}, "response": {}}\n'
            b'{"index": 1, "tool": "a", "args": {}, "response": {}}\n'
        )
        for name in ("one.jsonl", "two.jsonl"):
            (self.folder / name).write_bytes(run)
        ran = self.audit("one.jsonl", "two.jsonl", "--mutators", "-", stdin=b"a\n")
        self.assertEqual((ran.status, ran.text.count("findings: 0\n")), (0, 2))

    def test_a_list_of_mutators_that_is_not_there_is_the_error_of_no_input(self) -> None:
        ran = self.audit("samples", "--mutators", "gone.txt")
        self.assertEqual(ran, (2, b"", b"error: gone.txt: No such file or directory\n"))

    def test_two_inputs_cannot_be_standard_input(self) -> None:
        for arguments in (("-", "--scope", "-"), ("-", "--mutators", "-")):
            self.assertEqual(
                self.audit(*arguments), (2, b"", b"error: only one input can be standard input\n")
            )

    def test_the_form_can_be_forced(self) -> None:
        (self.folder / "extra.jsonl").write_text('{"index": 0, "tool": "t"}\n')
        self.assertRegex(self.audit("extra.jsonl").error, "is not recognised")
        self.assertEqual(
            self.audit("extra.jsonl", "--from", "transcript"),
            (2, b"", b"error: line 1: missing field(s): args, response\n"),
        )
        self.assertEqual(
            self.audit("samples/session-dirty.jsonl", "--from", "sealed"),
            (2, b"", b"error: line 1: missing field(s): digest, prev\n"),
        )

    def test_limits_hold(self) -> None:
        ran = self.audit("samples/session-dirty.jsonl", "--max-line-bytes", "50")
        self.assertEqual(
            (ran.status, ran.error),
            (2, "error: line 1: longer than 50 bytes (--max-line-bytes raises the limit)\n"),
        )


class WhatCannotBeRead(InAFolder):
    """Decided by us: a single input is one line of error, and no report."""

    def refused(self, name: str, data: bytes | None = None) -> str:
        if data is not None:
            (self.folder / name).write_bytes(data)
        ran = self.audit(name)
        self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))
        return ran.error.removeprefix("error: ").rstrip("\n")

    def test_a_file_that_is_not_there(self) -> None:
        self.assertEqual(self.refused("gone.jsonl"), "gone.jsonl: No such file or directory")

    def test_a_line_that_breaks(self) -> None:
        self.assertEqual(self.refused("refused-1.jsonl"), "line 3: missing field(s): response")

    def test_an_address_is_never_fetched(self) -> None:
        self.assertEqual(
            self.refused("https://toolreplay.invalid/run.jsonl"),
            "https://toolreplay.invalid/run.jsonl: a URL is never fetched; give a file",
        )

    def test_a_run_of_a_store_that_is_not_there(self) -> None:
        for name in ("@last", "@last-3"):
            where = "/nonexistent/toolreplay/store.db is not there"
            self.assertEqual(
                self.refused(name), f"{name} is a run of a store, and {where} (--store STORE)"
            )
        self.assertEqual(self.refused("store.db#run-1"), "store.db: is not there")

    def test_a_format_that_is_known_by_name_only_says_so(self) -> None:
        self.assertEqual(
            self.refused("x.json", b'{"resourceSpans": []}'),
            "x.json: is an OTLP trace export, which has no importer yet (see: toolreplay formats)",
        )

    def test_anything_else_names_the_nearest_forms_and_why_each_failed(self) -> None:
        importer = "Claude Code session (no line has a type with sessionId, uuid or message blocks)"
        table = (
            (b"hello\n", "transcript (line 1: not valid JSON (column 1))"),
            (b"[1]\n", "transcript (a record must be an object)"),
            (b'{"a": 1}\n', "transcript (missing field(s): args, index, response, tool)"),
            (b"\x01\x02\x03\xff", "transcript (line 1: not UTF-8 (byte 4 of the line))"),
        )
        for data, why in table:
            with self.subTest(data):
                self.assertEqual(
                    self.refused("x", data), f"x: is not recognised: not a {why}; not a {importer}"
                )

    def test_the_companion_of_an_import_is_no_input_of_its_own(self) -> None:
        ways.in_process(
            "import", "samples/claude-session.jsonl", "-o", "out.jsonl", folder=self.folder
        )
        self.assertEqual(
            self.refused("out.jsonl.meta.jsonl"),
            "out.jsonl.meta.jsonl: is the companion of an imported transcript",
        )


class AsJson(InAFolder):
    """Decided by us: one document of format toolreplay-report/1; its schema is shipped."""

    def test_it_says_what_the_block_says(self) -> None:
        report = self.json("samples/session-dirty.jsonl", "--scope", "samples/scope.json")
        self.assertEqual(report["format"], "toolreplay-report/1")
        (run,) = report["runs"]  # type: ignore[misc]
        for name, value in (
            ("run", "session-dirty"),
            ("form", "transcript"),
            ("calls", 6),
            ("divergence", None),
            ("explained", 1),
            ("undetermined", 0),
            ("agent", None),
            ("model", None),
            ("provenance", "LOGGED BY AGENT"),
        ):
            self.assertEqual(run[name], value, name)
        self.assertEqual(
            [(finding["index"], finding["kind"]) for finding in run["findings"]],
            [(2, "redundant-call"), (4, "permission-overreach")],
        )
        self.assertEqual(
            [(check["line"], check["result"]) for check in run["checks"]],
            [
                ("replay", "failed"),
                ("scope", "failed"),
                ("loop", "passed"),
                ("contents", "not checked"),
            ],
        )
        self.assertEqual(report["totals"], {
            "files": 1, "read": 1, "not_recognised": 0, "unreadable": 0, "runs": 1, "calls": 6,
            "findings": 2, "nothing_recorded": 0,
        })  # fmt: skip

    def test_an_input_is_named_with_the_digest_of_its_bytes(self) -> None:
        data = (self.folder / "samples/session-dirty.jsonl").read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        for name in ("samples/session-dirty.jsonl", "dirty.gz"):
            self.assertEqual(
                self.json(name)["inputs"], [{"name": name, "sha256": digest, "status": "read"}]
            )

    def test_each_finding_says_where_it_stands(self) -> None:
        (run,) = self.json("samples/session-dirty.jsonl")["runs"]  # type: ignore[misc]
        line = (self.folder / "samples/session-dirty.jsonl").read_bytes().splitlines(keepends=True)[2]  # fmt: skip
        where = run["findings"][0]["where"]
        self.assertEqual((where["file"], where["line"]), ("samples/session-dirty.jsonl", 3))
        self.assertEqual(where["byte_range"], [207, 207 + len(line)])
        self.assertEqual(where["line_sha256"], hashlib.sha256(line).hexdigest())

    def test_it_is_ascii_and_a_run_a_line(self) -> None:
        name = "é\u2028.jsonl"
        shutil.copy(self.folder / "samples/session-dirty.jsonl", self.folder / name)
        ran = self.audit(name, "empty.jsonl", "--format", "json")
        self.assertTrue(ran.out.isascii())
        lines = [line for line in ran.text.split("\n") if line.startswith('  {"run": ')]
        self.assertEqual(len(lines), 2)
        self.assertEqual(json.loads(ran.out)["runs"][1]["file"], name)

    def test_of_nothing_recorded_it_says_so_in_the_totals(self) -> None:
        report = self.json("empty.jsonl")
        self.assertEqual((report["exit"], report["totals"]["nothing_recorded"]), (3, 1))  # type: ignore[index]

    def test_it_has_no_time_and_no_place_of_its_own(self) -> None:
        first = self.audit("samples/session-dirty.jsonl", "--format", "json").text
        self.assertNotIn(os.fspath(self.folder), first)
        self.assertEqual(first, self.audit("samples/session-dirty.jsonl", "--format", "json").text)


class TheTutorialsCommandsAsJson(InAFolder):
    """Decided by us: the same document; the status is that of the lines."""

    def ran(self, *arguments: str) -> dict[str, object]:
        ran = ways.in_process(*arguments, "--format", "json", folder=self.folder)
        lines = ways.in_process(*arguments, folder=self.folder)
        document: dict[str, object] = json.loads(ran.out)
        self.assertEqual((ran.status, document["exit"]), (lines.status, lines.status))
        return document

    def test_replay_tells_which_calls_may_have_changed_state(self) -> None:
        (run,) = self.ran("replay", "samples/session-dirty.jsonl")["runs"]  # type: ignore[misc]
        self.assertEqual(run["divergence"], 5)
        redundant, different = run["findings"]
        self.assertNotIn("state_changes_between", redundant)
        self.assertEqual(different["state_changes_between"], {"count": 1, "first": [4]})

    def test_replay_of_a_read_that_differs_for_no_recorded_reason(self) -> None:
        (run,) = self.ran("replay", "twice-different.jsonl")["runs"]  # type: ignore[misc]
        self.assertEqual(
            [finding.get("state_changes_between") for finding in run["findings"]],
            [{"count": 0, "first": []}, None, {"count": 0, "first": []}, None, None],
        )

    def test_replay_unexplained_only(self) -> None:
        (run,) = self.ran("replay", "samples/session-dirty.jsonl", "--unexplained-only")["runs"]  # type: ignore[misc]
        self.assertEqual((len(run["findings"]), run["explained"]), (1, 1))

    def test_scope(self) -> None:
        (run,) = self.ran("scope", "samples/session-dirty.jsonl", "samples/scope.json")["runs"]  # type: ignore[misc]
        self.assertEqual([finding["kind"] for finding in run["findings"]], ["permission-overreach"])

    def test_verify_of_each_kind_of_chain(self) -> None:
        for file in ("sealed.jsonl", "changed.jsonl", "tail-cut.jsonl", "empty.jsonl"):
            with self.subTest(file):
                self.ran("verify", file)
        (run,) = self.ran("verify", "changed.jsonl")["runs"]  # type: ignore[misc]
        self.assertEqual([finding["kind"] for finding in run["findings"]], ["broken-link"])

    def test_required_lines_add_up(self) -> None:
        for arguments in (("--require", "scope", "--require", "replay"), ("--require", "replay", "--require", "scope"), ("--require", "scope,replay")):  # fmt: skip
            ran = self.audit("samples/session-clean.jsonl", *arguments)
            self.assertEqual(ran.status, 3, arguments)
        ran = self.audit("samples/session-clean.jsonl", "--require", "none,replay")
        said = b"error: --require none stands alone: nothing else can be required with it\n"
        self.assertEqual(ran, (2, b"", said))

    def test_losses_of_an_import_can_be_required_away(self) -> None:
        data = (ways.SAMPLES / "claude-session.jsonl").read_bytes()
        for name, more, status in (("whole", b"", 0), ("cut", b'{"type": "user"', 3)):
            (self.folder / f"{name}.jsonl").write_bytes(data + more)
            ways.in_process("import", f"{name}.jsonl", "-o", f"{name}.out", folder=self.folder)
            for file in (f"{name}.jsonl", f"{name}.out"):
                ran = self.audit(file, "--only", "recompute", "--require", "coverage")
                with self.subTest(file):
                    self.assertEqual(ran.status, status, ran.text)
                    said = "coverage (nothing of the session was lost)" if not more else "1 unit of the session was lost"  # fmt: skip
                    self.assertIn(said, ran.text)
        ran = self.audit("samples/session-clean.jsonl", "--require", "coverage")
        self.assertIn("coverage  no audit of this input answers it", ran.text)

    def test_a_scope_that_no_audit_would_read_is_refused(self) -> None:
        ran = self.audit(
            "samples/session-dirty.jsonl", "--only", "loop", "--scope", "samples/scope.json"
        )
        said = b"error: --scope is for the audit 'scope', which --only leaves out\n"
        self.assertEqual(ran, (2, b"", said))

    def test_verify_against_a_head(self) -> None:
        for file in ("sealed.jsonl", "tail-cut.jsonl", "changed.jsonl", "empty.jsonl"):
            with self.subTest(file):
                (run,) = self.ran("verify", file, "--against", "head.txt")["runs"]  # type: ignore[misc]
                (ending,) = [check for check in run["checks"] if check["line"] == "ending"]
                self.assertEqual(ending["result"], "passed" if file == "sealed.jsonl" else "failed")
                self.assertIn("ending", run["required"])  # a head was handed in


class VerifyOfOtherThings(InAFolder):
    """Decided by us: the block, with contents required."""

    def test_a_session_commits_to_nothing(self) -> None:
        ran = ways.in_process("verify", "samples/claude-session.jsonl", folder=self.folder)
        self.assertEqual(ran.status, 3)
        self.assertEqual(
            ran.lines[-1], "exit 3: nothing found, but required and not checked: contents."
        )

    def test_a_session_from_standard_input_is_read_once(self) -> None:
        data = (self.folder / "samples/claude-session.jsonl").read_bytes()
        for form in ("text", "json"):
            ran = ways.in_process("verify", "-", "--format", form, folder=self.folder, stdin=data)
            self.assertEqual(ran.status, 3)
            self.assertIn("11 calls" if form == "text" else '"calls": 11', ran.text)

    def test_what_is_not_recognised_is_one_error(self) -> None:
        (self.folder / "notes.txt").write_text("hello\n")
        ran = ways.in_process("verify", "notes.txt", folder=self.folder)
        self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))

    def test_a_folder_is_each_file_in_it(self) -> None:
        ran = ways.in_process("verify", "samples", folder=self.folder)
        self.assertEqual(ran.status, 3)
        self.assertIn("exit 3: nothing found, but not everything", ran.out.decode())

    def test_a_head_is_for_sealed_transcripts(self) -> None:
        ran = ways.in_process(
            "verify", "samples/claude-session.jsonl", "--expect-count", "1", folder=self.folder
        )
        self.assertEqual(
            ran,
            (
                2,
                b"",
                (
                    b"error: --against and --expect-\xe2\x80\xa6 are about sealed transcripts "
                    b"(of receipts: --commitment FILE)\n"
                ),
            ),
        )

    def test_the_rest_of_a_long_list_of_unusual_lines_is_counted(self) -> None:
        lines = SEALED_DIRTY.splitlines()
        spaced = [line.replace(",", " ,") for line in lines]
        text = "\n".join(spaced * 4) + "\n"
        (self.folder / "many.jsonl").write_text(text)
        ran = ways.in_process("verify", "many.jsonl", "--explain", folder=self.folder)
        self.assertEqual(ran.status, 1)  # the copies do not follow from each other
        self.assertIn("\nline 20 is not in canonical form; ", ran.text)
        self.assertIn("\nand 4 more lines\n", ran.text)
