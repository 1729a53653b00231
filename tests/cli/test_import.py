"""import: foreign sessions become strict transcripts, with an account of every part."""

import gzip
import io
import json
import os
import pathlib
import unittest

from tests.cli import ways
from tests.cli.test_audit import InAFolder
from toolreplay.records.transcript import read_transcript

SESSION = str(ways.SAMPLES / "claude-session.jsonl")
CASES = ways.ROOT / "toolreplay" / "importers" / "claude_code" / "cases"
RUN = "5e551000-0000-4000-8000-000000000001"
ACCOUNT = "account: seen 25 = mapped 22 + skipped 3 (text 2, summary 1) + truncated 0 + orphaned 0 + duplicate 0 + unreadable 0\n"  # fmt: skip


HOSTILE = ("../../escaped", "/etc/x", "..", "a\x00b", "\ud800", "a/b", "x" * 400, "CON é")


def case(name: str) -> str:
    return str(CASES / name / "session.jsonl")


def line(**members: object) -> str:
    return json.dumps(members) + "\n"


def session(**members: object) -> str:
    """Return a session of one call, with further members on each line."""
    call = {"type": "tool_use", "id": "c1", "name": "Read", "input": {"file_path": "a"}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "A"}
    return line(
        type="assistant", uuid="u1", message={"role": "assistant", "content": [call]}, **members
    ) + line(type="user", uuid="u2", message={"role": "user", "content": [result]}, **members)


class Imported(InAFolder):
    def imported(self, *arguments: str, stdin: bytes = b"") -> ways.Ran:
        return ways.in_process("import", *arguments, folder=self.folder, stdin=stdin)

    def made(self) -> list[str]:
        """Return what stands in the folder `out`, or beside it, after an import to `out…`."""
        found = [path.relative_to(self.folder).as_posix() for path in self.folder.rglob("out*")]
        found += [path.relative_to(self.folder).as_posix() for path in self.folder.glob("out/*")]
        return sorted(found)

    def records(self, name: str) -> list[dict[str, object]]:
        with open(self.folder / name, encoding="ascii") as file:
            return [json.loads(line) for line in file]


class AFolder(Imported):
    """Decided by us: every session of it, at the place it had, an account each."""

    def setUp(self) -> None:
        super().setUp()
        below = self.folder / "in" / "project"
        below.mkdir(parents=True)
        (below / "a.jsonl").write_bytes(pathlib.Path(SESSION).read_bytes())
        (below / "a.jsonl.gz").write_bytes(gzip.compress(session(sessionId="s2").encode()))
        (self.folder / "in" / "notes.txt").write_text("not a session")
        (self.folder / "in" / "strict.jsonl").write_bytes(
            (ways.SAMPLES / "session-clean.jsonl").read_bytes()
        )

    def test_each_session_is_written_where_it_stood(self) -> None:
        ran = self.imported("in", "-o", "out")
        self.assertEqual(
            ran.lines,
            [
                f"out/project/a.jsonl: 11 calls of run {RUN}",
                "out/project/a.jsonl-again: 1 call of run s2",
                "files: 4 (2 imported, 2 no session, 0 unreadable) · runs: 2 · calls: 12",
                "next: toolreplay audit out",
            ],
        )
        self.assertEqual(ran.status, 0)
        one, two = ran.error.splitlines()
        self.assertTrue(one.startswith("account of in/project/a.jsonl: seen 25 = mapped 22"), one)
        self.assertTrue(two.startswith("account of in/project/a.jsonl.gz: seen 2 = mapped 2"), two)
        for name in ("a.jsonl", "a.jsonl-again"):
            with open(self.folder / "out" / "project" / name, "rb") as file:
                self.assertTrue(list(read_transcript(file)))
        audited = ways.in_process("audit", "out", folder=self.folder)
        self.assertIn("runs: 2 · calls: 12", audited.lines[-2])

    def test_sub_agents_and_several_sessions_of_a_file_stand_there_too(self) -> None:
        (self.folder / "in" / "two.jsonl").write_text(
            session(sessionId="s3")
            + session(sessionId="s4").replace("u1", "v1").replace("u2", "v2")
        )
        ran = self.imported("in", "-o", "out")
        self.assertEqual(ran.status, 0, ran.error)
        self.assertEqual(
            sorted(path.name for path in (self.folder / "out" / "two").iterdir()),
            ["s3.jsonl", "s3.jsonl.meta.jsonl", "s4.jsonl", "s4.jsonl.meta.jsonl"],
        )

    def test_a_file_that_cannot_be_read_is_named_and_the_others_are_written(self) -> None:
        (self.folder / "in" / "broken.jsonl.gz").write_bytes(
            gzip.compress(session(sessionId="s5").encode())[:-9]
        )
        ran = self.imported("in", "-o", "out")
        self.assertEqual(ran.status, 2)
        self.assertIn("(2 imported, 2 no session, 1 unreadable)", ran.lines[-2])
        self.assertIn(
            "error: in/broken.jsonl.gz: the compressed file ends too early", ran.error.splitlines()
        )

    def test_strict_writes_nothing_of_any_where_one_has_a_loss(self) -> None:
        (self.folder / "in" / "z.jsonl").write_text(session(sessionId="s6") + line(type="novel"))
        ran = self.imported("in", "-o", "out", "--strict")
        self.assertEqual((ran.status, ran.out), (1, b""))
        self.assertIn("lost: in/z.jsonl: line 3: unknown: novel", ran.error)
        self.assertTrue(ran.error.endswith("1 loss: nothing was written\n"), ran.error)
        self.assertEqual(self.made(), [])
        os.unlink(self.folder / "in" / "z.jsonl")
        self.assertEqual(self.imported("in", "-o", "out", "--strict").status, 0)

    def test_strict_writes_nothing_where_one_cannot_be_read(self) -> None:
        (self.folder / "in" / "z.jsonl.gz").write_bytes(b"\x1f\x8b\x08")
        ran = self.imported("in", "-o", "out", "--strict")
        self.assertEqual((ran.status, ran.out), (2, b""))
        self.assertTrue(ran.error.endswith("nothing was written\n"), ran.error)
        self.assertEqual(self.made(), [])

    def test_what_cannot_be_asked_of_a_folder_is_one_line(self) -> None:
        os.mkdir(self.folder / "none")
        for arguments, said in (
            (("in",), "in: is a folder; name a folder for it with -o"),
            (("in", "-o", "-"), "in: is a folder; name a folder for it with -o"),
            (("in", "-o", "in/out"), "in/out: lies in the folder that is read"),
            (("in", "-o", "in"), "in: lies in the folder that is read"),
            (("in", "-o", "in/notes.txt"), "in/notes.txt: lies in the folder that is read"),
            (
                ("none", "-o", "out"),
                "none: holds no session that can be imported (0 imported, 0 no session, 0 unreadable)",
            ),
        ):
            with self.subTest(arguments):
                ran = self.imported(*arguments)
                self.assertEqual((ran.status, ran.out, ran.error), (2, b"", f"error: {said}\n"))
        (self.folder / "taken").write_text("")
        ran = self.imported("in", "-o", "taken")
        self.assertEqual((ran.status, ran.out), (2, b""))
        self.assertTrue(ran.error.startswith("error: taken"), ran.error)

    def test_a_place_that_is_taken_is_named_and_the_others_are_written(self) -> None:
        os.makedirs(self.folder / "out" / "project" / "a.jsonl")
        (self.folder / "in" / "z.jsonl").write_text(session(sessionId="s9"))
        ran = self.imported("in", "-o", "out")
        self.assertEqual(ran.status, 2)
        self.assertTrue(ran.error.startswith("error: out/project/a.jsonl: is a folder"), ran.error)
        self.assertIn("(1 imported, 2 no session, 0 unreadable, 2 not written)", ran.lines[-2])
        self.assertTrue((self.folder / "out" / "z.jsonl").exists())

    def test_no_name_leads_out_of_the_folder(self) -> None:
        for name in ("...jsonl", "..jsonl", ".jsonl", "...zst", "....jsonl-again"):
            other = session(sessionId="o").replace("u1", "v").replace("u2", "w")
            (self.folder / "in" / name).write_text(session(sessionId="victim") + other)
        (self.folder / "in" / "victim.jsonl").write_text(session(sessionId="x"))
        (self.folder / "victim.jsonl").write_text("precious")
        before = set(os.listdir(self.folder))
        ran = self.imported("in", "-o", "out")
        self.assertEqual(ran.status, 0, ran.error)
        self.assertEqual(set(os.listdir(self.folder)) - before, {"out"})
        self.assertEqual((self.folder / "victim.jsonl").read_text(), "precious")
        written = [line for line in ran.lines if " of run " in line]
        found = [p for p in (self.folder / "out").rglob("*") if p.is_file()]
        self.assertEqual(len(found), 2 * len(written))

    def test_nothing_is_written_where_recordings_are_read(self) -> None:
        kept = {}
        os.makedirs(self.folder / "in" / "in" / "project")
        for place in ("in/s.jsonl", "in/in/s.jsonl", "in/in/project/a.jsonl"):
            (self.folder / place).write_text(session(sessionId=place))
        for path in (self.folder / "in").rglob("*.jsonl"):
            kept[path] = path.read_bytes()
        ran = self.imported("in", "-o", ".")
        self.assertEqual(ran.status, 2)
        self.assertIn(": lies in the folder that is read\n", ran.error)
        os.mkdir(self.folder / "out")
        os.symlink("../in", self.folder / "out" / "in")
        ran = self.imported("in", "-o", "out")
        self.assertEqual(ran.status, 2)
        self.assertEqual({path: path.read_bytes() for path in kept}, kept)

    def test_one_name_that_cannot_be_written_stops_no_other(self) -> None:
        (self.folder / "in" / "project.jsonl").mkdir()
        (self.folder / "in" / "project.jsonl" / "s.jsonl").write_text(session(sessionId="s1"))
        (self.folder / "in" / "project ").write_text(session(sessionId="s2"))
        (self.folder / "in" / ("a" * 244 + ".jsonl")).write_text(session(sessionId="s3"))
        (self.folder / "in" / "z.jsonl").write_text(session(sessionId="s4"))
        ran = self.imported("in", "-o", "out")
        self.assertEqual(ran.status, 2)
        self.assertIn("1 not written", ran.lines[-2])
        self.assertTrue((self.folder / "out" / "z.jsonl").exists())

    def test_a_link_to_its_own_session_stops_no_other(self) -> None:
        os.link(self.folder / "in" / "project" / "a.jsonl", self.folder / "a.jsonl")
        (self.folder / "in" / "a.jsonl").write_text(session(sessionId="s1"))
        os.unlink(self.folder / "a.jsonl")
        os.link(self.folder / "in" / "a.jsonl", self.folder / "a.jsonl")
        ran = self.imported("in", "-o", ".")
        self.assertEqual(ran.status, 2)
        self.assertIn("error: in/a.jsonl: is the session itself\n", ran.error)
        self.assertIn("1 not written", ran.lines[-2])

    def test_a_folder_called_minus_is_not_standard_input(self) -> None:
        os.mkdir(self.folder / "-")
        data = session(sessionId="s").encode()
        ran = self.imported("-", "-o", "out.jsonl", stdin=data)
        self.assertEqual((ran.status, ran.lines[0]), (0, "out.jsonl: 1 call of run s"))

    def test_many_blank_lines_before_a_session_hide_nothing(self) -> None:
        (self.folder / "in" / "late.jsonl").write_text("\n" * 70_000 + session(sessionId="late"))
        ran = self.imported("in", "-o", "out")
        self.assertIn("out/late.jsonl: 1 call of run late", ran.lines)


class OneRun(Imported):
    """Decided by us."""

    def test_it_becomes_a_strict_transcript_and_its_companion(self) -> None:
        ran = self.imported(SESSION, "-o", "out.jsonl")
        self.assertEqual((ran.status, ran.error), (0, ACCOUNT))
        self.assertEqual(
            ran.lines, [f"out.jsonl: 11 calls of run {RUN}", "next: toolreplay audit out.jsonl"]
        )
        self.assertEqual(self.made(), ["out.jsonl", "out.jsonl.meta.jsonl"])
        with open(self.folder / "out.jsonl", "rb") as file:
            calls = list(read_transcript(file))
        self.assertEqual(len(calls), 11)
        self.assertEqual(calls[0].response, {"content": "SHIPPING = 3.90\n", "is_error": False})
        self.assertEqual(calls[10].response, {"outcome": "denied"})

    def test_the_companion_says_where_each_call_stands_in_the_session(self) -> None:
        self.imported(SESSION, "-o", "out.jsonl")
        head, *metas = self.records("out.jsonl.meta.jsonl")
        self.assertEqual(
            head,
            {
                "format": "toolreplay-meta/1",
                "imported": "claude_code",
                "run": RUN,
                "agent": None,
                "model": "example-model-1",
            },
        )
        data = pathlib.Path(SESSION).read_bytes()
        from hashlib import sha256

        for index, meta in enumerate(metas):
            start, end = meta["bytes"]  # type: ignore[misc]
            self.assertEqual(meta["index"], index)
            self.assertIn(f'"id": "{meta["call_id"]}"', data[start:end].decode())
            self.assertEqual(meta["line_sha256"], sha256(data[start:end]).hexdigest())
            self.assertEqual(meta["file"], SESSION)

    def test_audit_says_the_same_of_the_session_and_of_the_export(self) -> None:
        for name in sorted(os.listdir(CASES)):
            file = next(str(path) for path in (CASES / name).glob("session.*"))
            export = f"{name}.jsonl"
            self.imported(file, "-o", export)
            if not (self.folder / export).is_file():
                continue  # a folder of several sessions
            reports = []
            for source in (file, export):
                ran = ways.in_process("audit", source, "--format", "json", folder=self.folder)
                run = json.loads(ran.out)["runs"][0]
                reports.append(
                    (
                        run["agent"], run["model"],
                        run["calls"], run["divergence"], run["explained"], run["undetermined"],
                        [(f["kind"], f["index"], f["detail"], f["fingerprint"]) for f in run["findings"]],
                        run["checks"],
                    )
                )  # fmt: skip
            with self.subTest(name):
                self.assertEqual(*reports)

    def test_without_a_place_it_goes_to_standard_output(self) -> None:
        self.imported(SESSION, "-o", "out.jsonl")
        written = (self.folder / "out.jsonl").read_bytes()
        for arguments in ((SESSION,), (SESSION, "-o", "-")):
            self.assertEqual(self.imported(*arguments), (0, written, ACCOUNT.encode()))
        data = pathlib.Path(SESSION).read_bytes()
        self.assertEqual(self.imported("-", stdin=data).out, written)

    def test_replay_points_at_what_the_companion_knows(self) -> None:
        self.imported(SESSION, "-o", "out.jsonl")
        note = "note: out.jsonl.meta.jsonl is beside it: toolreplay audit also knows outcomes and state changes\n"  # fmt: skip
        ran = ways.in_process("replay", "out.jsonl", folder=self.folder)
        self.assertEqual((ran.status, ran.error), (1, note))
        ran = ways.in_process("scope", "out.jsonl", "samples/scope.json", folder=self.folder)
        self.assertEqual((ran.status, ran.error), (1, note))

    def test_an_older_export_is_replaced_whole(self) -> None:
        (self.folder / "out.jsonl").write_text("old\n" * 1000)
        self.imported(SESSION, "-o", "out.jsonl")
        self.assertEqual(len(self.records("out.jsonl")), 11)


class SeveralRuns(Imported):
    """Decided by us: a sub-agent's is OUT.agent-<id>, several sessions are a folder."""

    def test_sub_agents(self) -> None:
        ran = self.imported(case("sub-agents"), "-o", "out.jsonl")
        self.assertEqual(ran.status, 0)
        self.assertEqual(
            self.made(),
            [
                "out.jsonl",
                "out.jsonl.agent-Review",
                "out.jsonl.agent-Review.meta.jsonl",
                "out.jsonl.agent-a1b2",
                "out.jsonl.agent-a1b2.meta.jsonl",
                "out.jsonl.meta.jsonl",
            ],
        )
        self.assertEqual(
            ran.lines[-1],
            "next: toolreplay audit out.jsonl out.jsonl.agent-a1b2 out.jsonl.agent-Review",
        )

    def test_two_sessions(self) -> None:
        ran = self.imported(case("two-sessions"), "-o", "out")
        self.assertEqual(ran.status, 0)
        names = [f"out/5e550000-0000-4000-8000-00000000000{n}.jsonl" for n in (1, 2)]
        self.assertEqual(
            self.made(), ["out", *sorted([*names, *(f"{n}.meta.jsonl" for n in names)])]
        )
        ran = ways.in_process("audit", "out", folder=self.folder)
        self.assertIn("files: 2 (2 read, 0 not recognised, 0 unreadable) · runs: 2 · ", ran.text)

    def test_they_need_a_place(self) -> None:
        for arguments in (("two-sessions",), ("two-sessions", "-o", "-")):
            ran = self.imported(case(arguments[0]), *arguments[1:])
            self.assertEqual((ran.status, ran.out), (2, b""))
            self.assertRegex(ran.error.splitlines()[-1], r"\Aerror: .*: holds 2 runs; name a place with -o\Z")  # fmt: skip

    def test_one_session_does_not_go_into_a_folder(self) -> None:
        ran = self.imported(SESSION, "-o", "folder")
        self.assertEqual(
            ran.error.splitlines()[-1],
            "error: folder: is a folder, and this session goes to one file",
        )
        self.assertEqual((ran.status, ran.out), (2, b""))

    def test_an_id_from_a_recording_is_never_a_path(self) -> None:
        for number, hostile in enumerate(HOSTILE):
            other = session(sessionId="other").replace("c1", "c2").replace('"u', '"v')
            (self.folder / "in.jsonl").write_text(session(sessionId=hostile) + other)
            before = set(self.folder.iterdir())
            ran = self.imported("in.jsonl", "-o", f"out{number}")
            with self.subTest(hostile[:20]):
                self.assertEqual(ran.status, 0, ran.error)
                made = os.listdir(self.folder / f"out{number}")
                self.assertEqual(len(made), 4)
                for name in made:
                    self.assertRegex(name, r"\A[A-Za-z0-9_-]+\.jsonl(\.meta\.jsonl)?\Z")
                self.assertEqual(
                    set(self.folder.iterdir()), before | {self.folder / f"out{number}"}
                )

    def test_two_ids_that_would_be_one_name_are_two_files(self) -> None:
        text = session(sessionId="a/b") + session(sessionId="a:b").replace("c1", "c2")
        (self.folder / "in.jsonl").write_text(text)
        self.imported("in.jsonl", "-o", "out")
        self.assertEqual(len([name for name in self.made() if name.startswith("out/a_b-")]), 4)


class Losses(Imported):
    """Decided by us: what a reader of the export would miss."""

    def test_they_are_counted_and_the_rest_is_written(self) -> None:
        ran = self.imported(case("broken-lines"), "-o", "out.jsonl")
        self.assertEqual(ran.status, 0)
        self.assertRegex(ran.error, r"\Aaccount: seen 10 = .* truncated 1 .* unreadable 4")
        self.assertEqual(len(self.records("out.jsonl")), 1)

    def test_strict_writes_nothing_and_names_them(self) -> None:
        ran = self.imported(case("broken-lines"), "-o", "out.jsonl", "--strict")
        self.assertEqual((ran.status, ran.out, self.made()), (1, b"", []))
        _, *lost, last = ran.error.splitlines()
        self.assertTrue(lost)
        self.assertTrue(all(line.startswith("lost: line ") for line in lost), lost)
        self.assertRegex(last, r"\A\d+ losses: nothing was written\Z")

    def test_strict_without_a_loss_is_as_without_it(self) -> None:
        self.assertEqual(self.imported(SESSION, "--strict"), self.imported(SESSION))

    def test_words_of_the_file_cannot_steer_a_terminal(self) -> None:
        (self.folder / "in.jsonl").write_text(
            session(sessionId="s") + line(type="\x1b[2J\u202e", sessionId="s", uuid="u9")
        )
        ran = self.imported("in.jsonl")
        self.assertNotIn(b"\x1b", ran.err)
        self.assertIn("\\u{1b}[2J\\u{202e}", ran.error)


class WhatIsRefused(Imported):
    """Decided by us."""

    def test_what_is_ours_already(self) -> None:
        for file, form in (
            ("samples/session-dirty.jsonl", "transcript"),
            ("sealed.jsonl", "sealed transcript"),
        ):
            self.assertEqual(
                self.imported(file, "-o", "out.jsonl"),
                (2, b"", f"error: {file}: is a {form} already (see: toolreplay audit)\n".encode()),
            )

    def test_the_session_itself_is_not_written_over(self) -> None:
        data = pathlib.Path(SESSION).read_bytes()
        for file, target in (("in.jsonl", "./in.jsonl"), ("x.meta.jsonl", "x")):
            (self.folder / file).write_bytes(data)
            ran = self.imported(file, "-o", target)
            self.assertEqual((ran.status, ran.out), (2, b""))
            self.assertEqual(ran.error.splitlines()[-1], f"error: {file}: is the session itself")
            self.assertEqual((self.folder / file).read_bytes(), data)

    def test_what_is_not_recognised_and_what_is_not_there(self) -> None:
        for file in ("samples/scope.json", "gone.jsonl"):
            ran = self.imported(file, "-o", "out.jsonl")
            self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))
        self.assertEqual(self.made(), [])

    def test_a_place_that_cannot_be_written(self) -> None:
        ran = self.imported(SESSION, "-o", "nowhere/out.jsonl")
        self.assertEqual(ran.status, 2)
        self.assertEqual(
            ran.error.splitlines()[-1], "error: nowhere/out.jsonl: No such file or directory"
        )


class TheCompanion(Imported):
    """Decided by us: a forged one must not hide a call from an audit."""

    def audited_with(self, change: object) -> ways.Ran:
        self.imported(SESSION, "-o", "out.jsonl")
        path = self.folder / "out.jsonl.meta.jsonl"
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(change(lines)))  # type: ignore[operator]
        return ways.in_process("audit", "out.jsonl", folder=self.folder)

    def test_one_that_tells_of_other_calls_is_refused(self) -> None:
        table = (
            (lambda lines: lines[:-1], "ends before the call at index 10"),
            (lambda lines: [*lines, lines[-1]], "line 13: the transcript has only 11 calls"),
            (lambda lines: [lines[0], lines[2], *lines[2:]], "line 2: index must be 0"),
            (
                lambda lines: [lines[0], lines[1].replace('"ok"', '"denied"'), *lines[2:]],
                "line 2: outcome does not fit the response at index 0",
            ),
            (
                lambda lines: [*lines[:-1], lines[-1].replace('"denied"', '"ok"')],
                "line 12: outcome does not fit the response at index 10",
            ),
            (
                lambda lines: [lines[0].replace("claude_code", "nobody"), *lines[1:]],
                "line 1: no importer 'nobody'",
            ),
        )
        for change, message in table:
            with self.subTest(message):
                self.assertEqual(
                    self.audited_with(change),
                    (2, b"", f"error: out.jsonl.meta.jsonl: {message}\n".encode()),
                )


class TheExportIsStrict(unittest.TestCase):
    """Decided by us, over every case of every importer."""

    def test_replay_and_seal_take_it(self) -> None:
        for path in sorted(CASES.glob("*/session.*")):
            ran = ways.in_process("import", str(path))
            if ran.status:
                continue  # several runs
            with self.subTest(path.parent.name):
                self.assertIn(ways.in_process("replay", "-", stdin=ran.out).status, (0, 1))
                sealed = ways.in_process("seal", "-", stdin=ran.out)
                self.assertEqual(sealed.status, 0)
                self.assertEqual(len(list(read_transcript(io.BytesIO(ran.out)))), sealed.out.count(b"\n"))  # fmt: skip
