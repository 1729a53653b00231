"""`verify`, `audit` and `show` of receipts, timelines and closes, however they are delivered."""

import gzip
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest
from typing import Any

from tests.cli import ways
from tests.evidence.aer1.documents import cases, relinked, run
from tests.evidence.aer1.made import CONTENT, form, receipt
from tests.evidence.alone import own_run
from tests.evidence.bundle import attacks, in_a_log, made
from toolreplay.evidence.aer1.chain import check_chain

VKEY = in_a_log.vkey_of()
CLOSE = next(case["doc"] for case in cases("workflows") if case["id"] == "d-workflows-001")


class InAFolder(unittest.TestCase):
    """Files of a test, in a folder of its own."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def write(self, name: str, *documents: Any, indent: int | None = None) -> str:
        text = "\n".join(json.dumps(document, indent=indent) for document in documents)
        (self.folder / name).write_bytes(text.encode())
        return name

    def ran(self, *arguments: str, stdin: bytes = b"") -> ways.Ran:
        return ways.in_process(*arguments, folder=self.folder, stdin=stdin)

    def says(self, status: int, *arguments: str) -> str:
        found = self.ran(*arguments)
        self.assertEqual(found.status, status, found.text + found.error)
        return found.text + found.error


class OneDoor(InAFolder):
    """Decided by us: what it is says the content, not the name or the command."""

    def test_every_wrapping_gives_the_same_report(self) -> None:
        made = receipt()
        answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "_receipt": made}}
        reports = set()
        for value in (made, {"receipt": made}, {"_receipt": made}, answer, [made]):
            for indent in (None, 2):
                name = self.write("x.txt", value, indent=indent)
                reports.add(self.says(0, "verify", name))
        self.assertEqual(len(reports), 1)
        self.assertIn("passed       contents (1 of 1)\n", reports.pop())

    def test_standard_input_and_compressed(self) -> None:
        data = json.dumps(receipt(), indent=1).encode()
        self.assertEqual(self.ran("verify", "-", stdin=data).status, 0)
        (self.folder / "x.gz").write_bytes(gzip.compress(data))
        self.says(0, "verify", "x.gz")

    def test_the_heading_has_the_class_and_show_the_calls(self) -> None:
        name = self.write("calls.jsonl", *own_run.receipts())
        self.assertIn("run calls · 3 calls · LOGGED BY AGENT", self.says(0, "verify", name))
        text = self.says(0, "show", name)
        self.assertIn("look_up", text)
        self.assertIn('"n": 2', self.says(0, "show", name, "--full"))
        self.assertIn("redundant-call", self.says(1, "audit", self.write(
            "twice.jsonl", receipt(), receipt(id=own_run.identity(5)))))  # fmt: skip

    def test_a_wrong_digest_and_another_spelling(self) -> None:
        wrong = self.write("w.json", receipt(output_hash="sha256:" + "0" * 64))
        self.assertIn("index 0: broken-commitment: digest wrong: ", self.says(1, "verify", wrong))
        spelled = self.write("s.json", receipt(form(CONTENT).replace(b":", b": ", 1)))
        self.assertIn("digest ok, not canonical", self.says(1, "verify", spelled))

    def test_a_member_twice_fails_and_does_not_make_it_unreadable(self) -> None:
        data = json.dumps(receipt())[:-1] + ', "id": "x"}'
        (self.folder / "x.json").write_text(data, encoding="utf-8")
        for command in ("verify", "audit"):
            self.assertIn("stands twice in one object", self.says(1, command, "x.json"))

    def test_a_receipt_with_a_member_of_a_link_is_a_receipt(self) -> None:
        self.says(0, "verify", self.write("x.json", {**receipt(), "digest": "x", "prev": "y"}))

    def test_a_folder_is_every_file_in_it(self) -> None:
        self.write("a.json", receipt())
        self.write("b.json", *run())
        self.write("c.json", CLOSE)
        text = self.says(0, "verify", ".")
        self.assertIn("runs: 3", text)

    def test_nothing_recorded_never_passes(self) -> None:
        self.write("x.json", [])
        for form_word in ("receipts", "timeline"):
            found = self.ran("verify", "x.json", "--from", form_word)
            self.assertNotEqual(found.status, 0)
            self.assertIn("nothing was recorded", found.text)

    def test_a_timeline_and_a_close(self) -> None:
        text = self.says(0, "verify", self.write("t.json", run()))
        self.assertIn("ending (closed; deletion and rewriting by the holder not excluded)", text)
        self.assertIn(
            "ending (root of 3 steps", self.says(0, "verify", self.write("c.json", CLOSE))
        )
        broken = self.write("b.json", {**CLOSE, "merkle_root": "0" * 64})
        self.assertIn("root-mismatch", self.says(1, "verify", broken))
        both = self.write("r.json", {**receipt(output_hash="x"), **CLOSE})
        self.assertIn("broken-commitment", self.says(1, "verify", both))

    def test_hostile_text_is_escaped(self) -> None:
        evil = receipt(tool={"name": "\x1b[2J", "version": "1", "scope": "\u202e"})
        for command in ("show", "audit"):
            out = self.ran(command, self.write("x.json", {**evil, "provenance_class": "\x1b"})).out
            self.assertNotIn(b"\x1b", out)

    def test_other_reports(self) -> None:
        name = self.write("x.json", receipt(output_hash="sha256:" + "0" * 64))
        for kind in ("json", "sarif", "junit", "markdown"):
            self.assertEqual(self.ran("verify", name, "--format", kind).status, 1)


class HandedIn(InAFolder):
    """Decided by us: what was handed in is required, and cannot be passed over."""

    def setUp(self) -> None:
        super().setUp()
        facts = check_chain(run()).facts
        kept = {"job_id": "job-1", "entry_count": 6, "published_at": "2026-11-30T09:00:00Z",
                "final_entry_digest": facts.final_entry_digest}  # fmt: skip
        self.kept = self.write("kept.json", kept)
        self.timeline = self.write("t.jsonl", *run())
        self.receipt = self.write("r.json", receipt())
        self.sealed = self.write(
            "plain.jsonl", {"index": 0, "tool": "t", "args": {}, "response": {}}
        )

    def test_a_commitment(self) -> None:
        text = self.says(0, "verify", self.timeline, "--commitment", self.kept)
        self.assertIn("ending (closed, and as the commitment given says)", text)
        cut = self.write("cut.jsonl", *relinked(run()[:-1]))
        text = self.says(1, "verify", cut, "--commitment", self.kept)
        self.assertIn("truncated-run", text)

    def test_a_bad_commitment_is_one_error(self) -> None:
        for text in ("{", "[]", "{}", '{"entry_count": true}', '{"a": 1, "a": 1}'):
            (self.folder / "bad.json").write_text(text, encoding="utf-8")
            for command in ("verify", "audit"):
                found = self.ran(command, self.timeline, "--commitment", "bad.json")
                self.assertEqual((found.status, len(found.error.splitlines())), (2, 1))

    def test_a_root(self) -> None:
        close = self.write("c.json", CLOSE)
        self.says(0, "verify", close, "--root", CLOSE["merkle_root"])
        self.says(1, "verify", close, "--root", "0" * 64)
        self.says(2, "verify", close, "--root", "xyz")

    def test_verify_refuses_what_an_input_cannot_use(self) -> None:
        for arguments in (
            (self.receipt, "--commitment", self.kept), (self.receipt, "--root", "0" * 64),
            (self.timeline, "--expected-id", "x"), (self.timeline, "--core"),
        ):  # fmt: skip
            self.assertIn("is for: ", self.says(2, "verify", *arguments))

    def test_a_sealed_transcript_takes_none_of_them(self) -> None:
        sealed = self.ran("seal", self.sealed).out
        (self.folder / "sealed.jsonl").write_bytes(sealed)
        for option in (
            ("--commitment", self.kept),
            ("--key", "k"),
            ("--now", "2026-01-01T00:00:00Z"),
        ):
            self.says(2, "verify", "sealed.jsonl", *option)
            self.says(2, "verify", self.sealed, *option)
        (self.folder / "empty.jsonl").write_bytes(b"")
        self.says(2, "verify", "empty.jsonl", "--commitment", self.kept)

    def test_audit_requires_it_of_inputs_that_cannot_use_it(self) -> None:
        text = self.says(3, "audit", self.sealed, "--commitment", self.kept)
        self.assertIn("required and not checked: ending", text)
        self.says(3, "audit", self.sealed, "--expected-id", "x")
        self.says(2, "audit", self.sealed, "--commitment", self.kept, "--only", "replay")

    def test_audit_does_not_let_a_line_pass_that_the_option_could_not_be_held_against(self) -> None:
        (self.folder / "b.run.jsonl").write_bytes(own_run.bundle())
        close = self.write("c.json", CLOSE)
        root = ("--root", "0" * 64)
        for arguments in ((self.timeline, *root), (close, "--commitment", self.kept),
                          (self.timeline, "--expected-id", "x"), ("b.run.jsonl", "--expected-id", "x"),
                          (self.receipt, "--commitment", self.kept)):  # fmt: skip
            text = self.says(3, "audit", *arguments)
            self.assertIn("required and not checked: ", text)
        self.assertIn(
            "--root cannot be used for a timeline", self.says(3, "audit", self.timeline, *root)
        )
        self.write("folder.txt", receipt())
        self.assertEqual(self.ran("verify", ".", "--root", "0" * 64).status, 1)

    def test_a_key_a_policy_and_seen_heads_are_required_and_not_checked(self) -> None:
        (self.folder / "k").write_text(f"{VKEY}\n")
        (self.folder / "p").write_text(f"log {VKEY}\nquorum none\n")
        for option in (("--key", "k"), ("--policy", "p"), ("--seen", "s"), ("--seen", "none")):
            for name in (self.receipt, self.timeline):
                text = self.says(3, "verify", name, *option)
                self.assertIn("required and not checked: signer, log", text)
                self.assertIn(f"nothing here is signed, and {option[0]} was given", text)

    def test_a_mistyped_name_is_said_at_once(self) -> None:
        for option in ("--key", "--policy"):
            text = self.says(2, "verify", self.receipt, option, "not-there")
            self.assertEqual(text, "error: not-there: No such file or directory\n")

    def test_levels_clock_id_and_record(self) -> None:
        self.says(0, "verify", self.receipt, "--strict")
        self.says(2, "verify", self.receipt, "--strict", "--core")
        self.says(1, "verify", self.receipt, "--now", "2001-01-01T00:00:00Z")
        for time in ("soon", "2026-11-30T09:00:00+00:60"):
            self.says(2, "verify", self.receipt, "--now", time)
        self.says(0, "verify", self.receipt, "--expected-id", receipt()["id"])
        self.says(1, "verify", self.receipt, "--expected-id", "x")
        record = self.write("record.json", {"output_hash": receipt()["output_hash"]})
        self.assertIn("id_state: verified-resolved", self.says(0, "verify", self.receipt, "--resolved-record", record))  # fmt: skip
        many = self.write("many.jsonl", receipt(), receipt(id=own_run.identity(1)))
        self.says(2, "verify", many, "--expected-id", "x")

    def test_a_bundle_takes_commitment_and_root(self) -> None:
        (self.folder / "b.run.jsonl").write_bytes(own_run.bundle())
        self.says(0, "verify", "b.run.jsonl")
        self.says(1, "verify", "b.run.jsonl", "--commitment", self.kept)
        self.says(1, "verify", "b.run.jsonl", "--root", "0" * 64)


@unittest.skipUnless(shutil.which("bash") and shutil.which("sha256sum"), "needs a shell")
class ByHand(InAFolder):
    """Decided by us: who trusts no program can recompute a digest with the shell's own tools."""

    def check(self, name: str, index: int, wanted: str) -> None:
        lines = self.says(0, "verify", name, "--by-hand", str(index)).splitlines()
        self.assertEqual(lines[4], f"It must print {wanted}")
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", lines[2]],
            cwd=self.folder,
            capture_output=True,
            check=True,
        )
        self.assertEqual(done.stdout.decode().split()[0], wanted)

    def test_each_way_of_delivery(self) -> None:
        made = [{**one, "note": {"x": [1]}} for one in own_run.receipts()]
        digests = [one["output_hash"].removeprefix("sha256:") for one in made]
        names = {
            "array.json": json.dumps(made), "array-indented.json": json.dumps(made, indent=2),
            "it's lines.jsonl": "\n".join(map(json.dumps, made)), "-x.jsonl": "\n".join(map(json.dumps, made)),
            "escaped.json": json.dumps(made).replace("/", "\\/"),
        }  # fmt: skip
        for name, text in names.items():
            (self.folder / name).write_text(text, encoding="utf-8")
            (self.folder / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
            for index in range(3):
                given = f"./{name}" if name.startswith("-") else name
                self.check(given, index, digests[index])
                self.check(f"{given}.gz", index, digests[index])
        (self.folder / "b.run.jsonl").write_bytes(own_run.bundle())
        for index in range(3):
            self.check("b.run.jsonl", index, digests[index])

    def test_what_it_does_not_do(self) -> None:
        name = self.write("r.json", receipt())
        for arguments in ((name, "--by-hand", "1"), (name, "--by-hand", "-1"), (name, "--by-hand", "x"),
                          (name, "--by-hand", "0", "--strict"), ("-", "--by-hand", "0"),
                          (self.write("t.json", run()), "--by-hand", "0")):  # fmt: skip
            self.says(2, "verify", *arguments)


class WhatIsJudgedOnARecord(InAFolder):
    """Decided by us: nothing passes that was judged on calls of which the record does not hold."""

    def bundle(self, change: str) -> str:
        values = getattr(attacks, change)(attacks.base_of(change))
        (self.folder / "x.run.jsonl").write_bytes(made.joined(values))
        return "x.run.jsonl"

    def lines(self, name: str, *arguments: str) -> dict[str, str]:
        ran = self.ran("audit", name, "--format", "json", *arguments)
        checks = json.loads(ran.out)["runs"][0]["checks"]
        return {check["line"]: check["result"] for check in checks}

    def test_a_broken_record_lets_no_other_audit_pass(self) -> None:
        for change in ("an_amount_edited", "a_call_dropped", "the_close_dropped"):
            name = self.bundle(change)
            self.assertEqual(self.lines(name)["replay"], "not checked", change)
            self.assertEqual(self.lines(name)["loop"], "not checked", change)
            text = self.says(3, "audit", name, "--only", "replay")
            self.assertIn("replay  the record does not hold  see: toolreplay verify", text)

    def test_nothing_commits_to_the_tools_of_a_close(self) -> None:
        name = self.write("w.json", CLOSE)
        scope = {"agent": "a", "allowed_tools": ["read"]}
        lines = self.lines(name, "--scope", self.write("scope.json", scope))
        self.assertNotEqual(lines["scope"], "passed")
        self.assertIn("members of its steps", self.says(0, "verify", name))

    def test_show_says_which_calls_it_cannot_read(self) -> None:
        name = self.bundle("an_amount_edited")
        self.assertIn("[does not hold]", self.says(0, "show", name))


class WhatAnAuditorIsTold(InAFolder):
    """Decided by us."""

    def setUp(self) -> None:
        super().setUp()
        (self.folder / "x.run.jsonl").write_bytes(made.imported(2).bundle())

    def test_each_line_is_explained_on_demand(self) -> None:
        text = self.says(0, "verify", "x.run.jsonl", "--explain")
        for line in ("contents:", "links:", "ending:", "signer:", "time:", "log:"):
            self.assertIn(f"\n\n{line}\n  ", text)
        self.assertNotIn("contents:\n", self.says(0, "verify", "x.run.jsonl"))

    def test_lines_can_be_required(self) -> None:
        self.says(0, "verify", "x.run.jsonl", "--require", "contents,links")
        self.assertIn("signer", self.says(3, "verify", "x.run.jsonl", "--require", "signer"))

    def test_goal_and_answer_are_shown(self) -> None:
        text = self.says(0, "verify", "x.run.jsonl")
        self.assertIn("note: goal: refund the order\nnote: answer: done\n", text)

    def test_a_root_may_be_spelt_as_receipts_spell_digests(self) -> None:
        lines = made.apart((self.folder / "x.run.jsonl").read_bytes())
        root = next(value["workflow"]["merkle_root"] for value in lines if "workflow" in value)
        text = self.says(0, "verify", "x.run.jsonl", "--root", f"sha256:{root}")
        self.assertIn("which covers nothing else", text)
        self.assertIn("note: the root covers the calls alone", text)

    def test_another_form_than_was_wanted_is_named(self) -> None:
        for command in (("receipt", "verify"), ("chain", "verify"), ("workflow", "verify")):
            self.assertEqual(
                self.says(2, *command, "x.run.jsonl"),
                "error: x.run.jsonl: is a bundle (see: toolreplay verify)\n",
            )
        other = (self.folder / "x.run.jsonl").read_bytes().replace(b"run/1", b"run/2", 1)
        (self.folder / "y.run.jsonl").write_bytes(other)
        text = self.says(2, "verify", "y.run.jsonl")
        self.assertIn("is a bundle of another version (toolreplay-run/2), not read here", text)
        for data in (b"{}", b"[]", b"x", b""):
            (self.folder / "k.json").write_bytes(data)
            text = self.says(2, "verify", "x.run.jsonl", "--commitment", "k.json")
            self.assertIn("commitment", text)

    def test_receipts_of_a_close_may_come_in_a_bundle(self) -> None:
        self.says(0, "workflow", "export", "x.run.jsonl", "-o", "w.json")
        text = self.says(0, "workflow", "verify", "w.json", "--receipts", "x.run.jsonl")
        self.assertIn("passed       one to one (WF-6)\n", text)

    def test_a_receipt_that_contradicts_its_own_bytes_gets_a_note(self) -> None:
        receipt = {**own_run.receipts()[0], "tool": {"name": "evil", "version": "1", "scope": "s"}}
        name = self.write("r.json", receipt)
        text = self.says(0, "receipt", "verify", name)
        self.assertIn("note: own profile (IDB-10): tool is not what the committed bytes say", text)
        self.says(1, "verify", name)

    def test_help_of_a_command_by_its_name(self) -> None:
        text = self.says(0, "help", "receipt", "make")
        self.assertEqual(text, self.says(0, "receipt", "make", "--help"))
        self.assertTrue(text.startswith("usage: toolreplay receipt make"))

    def test_an_empty_file_has_nothing_to_compare_with(self) -> None:
        (self.folder / "e").write_bytes(b"")
        text = self.says(2, "verify", "e", "--root", "0" * 64)
        self.assertEqual(text, "error: e: is empty: nothing was recorded\n")

    def test_blank_lines_behind_the_end_are_refused(self) -> None:
        data = (self.folder / "x.run.jsonl").read_bytes()
        for blank in (b"\n", b"  \n\n", b" "):
            (self.folder / "b.run.jsonl").write_bytes(data + blank)
            text = self.says(2, "verify", "b.run.jsonl")
            self.assertIn("is blank, which no line of a bundle is", text)
