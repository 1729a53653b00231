"""Everything is written, or the command says that it was not."""

import os
import shutil
import subprocess
import tempfile
import time
import unittest

from tests.cli import ways

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIRTY = os.path.join(ROOT, "samples", "session-dirty.jsonl")
CLEAN = os.path.join(ROOT, "samples", "session-clean.jsonl")


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def environment(self, **more: str) -> dict[str, str]:
        return {"PATH": os.defpath, "PYTHONPATH": ROOT, **more}

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)


class StandardStreams(InAFolder):
    """We decided this: half an output with a good status is the worst answer of all."""

    @unittest.skipUnless(hasattr(os, "set_blocking"), "no such streams here")
    def test_a_stream_without_a_buffer_that_takes_a_part_only_gets_the_rest_or_an_error(
        self,
    ) -> None:
        with open(self.path("many.jsonl"), "w", encoding="utf-8") as file:
            for index in range(3000):
                file.write(
                    f'{{"index": {index}, "tool": "t", "args": {{"n": {index}}}, "response": {{}}}}\n'
                )
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        process = subprocess.Popen(
            [*ways.as_module(), "seal", self.path("many.jsonl")],
            env=self.environment(PYTHONUNBUFFERED="1"),
            stdout=writing,
            stderr=subprocess.PIPE,
        )
        os.close(writing)
        _, error = process.communicate(timeout=60)
        with open(reading, "rb") as pipe:
            taken = len(pipe.read())
        self.assertLess(taken, 600_000)
        self.assertEqual(process.returncode, 2)
        self.assertTrue(error.startswith(b"error: standard output: "), error)

    @unittest.skipUnless(hasattr(os, "set_blocking"), "no such streams here")
    def test_an_input_that_does_not_wait_is_read_to_its_end(self) -> None:
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        process = subprocess.Popen(
            [*ways.as_module(), "replay", "-"],
            env=self.environment(),
            stdin=reading,
            stdout=subprocess.PIPE,
        )
        os.close(reading)
        with open(DIRTY, "rb") as file, open(writing, "wb", buffering=0) as pipe:
            for line in file:
                pipe.write(line)
                time.sleep(0.05)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(
            out.splitlines()[:3], [b"calls: 6", b"divergence: index 5", b"findings: 2"]
        )

    def test_an_error_that_cannot_be_printed_keeps_the_status(self) -> None:
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        for arguments, status in ((["replay", "gone"], 2), (["audit", DIRTY], 1)):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [*ways.as_module(), *arguments],
                    env=self.environment(),
                    stdout=subprocess.DEVNULL,
                    stderr=full,
                    check=False,
                )
            self.assertEqual(done.returncode, status)


class Seals(InAFolder):
    """We decided this: what `seal` writes, `verify` reads, and a head is never ahead of its file."""

    def test_a_line_that_would_be_too_long_once_sealed_is_refused(self) -> None:
        with open(self.path("wide.jsonl"), "w", encoding="utf-8") as file:
            file.write(
                '{"index": 0, "tool": "t", "args": {}, "response": {"x": "%s"}}\n' % ("あ" * 200)
            )
        ran = ways.in_process("seal", "wide.jsonl", "--max-line-bytes", "1000", folder=self.folder)
        self.assertEqual((ran.status, ran.out), (2, b""))
        self.assertTrue(
            ran.err.startswith(b"error: index 0: sealed it is longer than 1000"), ran.err
        )

    def test_a_head_stays_when_the_output_cannot_be_written(self) -> None:
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        ways.in_process("seal", CLEAN, "-o", "s.jsonl", "--head", "h", folder=self.folder)
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [*ways.as_module(), "seal", DIRTY, "--head", "h"],
                cwd=self.folder,
                env=self.environment(),
                stdout=full,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        self.assertEqual(done.returncode, 2)
        ran = ways.in_process("verify", "s.jsonl", "--against", "h", folder=self.folder)
        self.assertEqual(ran.status, 0)


class Folders(InAFolder):
    """We decided this: what a writer that was killed has left is nobody's run."""

    def test_an_unfinished_file_is_counted_and_its_name_hides_no_run(self) -> None:
        shutil.copy(CLEAN, self.path("a.jsonl"))
        with open(self.path(".toolreplay.12.0.partial"), "wb") as file:
            file.write(b'{"index": 0, "too')
        ran = ways.in_process("audit", ".", folder=self.folder)
        self.assertEqual(ran.status, 0)
        self.assertIn(b"files: 2 (1 read, 1 not recognised, ", ran.out)
        for name in (".toolreplay.x.partial", ".toolreplay.1.0.partial.jsonl"):
            shutil.copy(DIRTY, self.path(name))
        os.mkdir(self.path(".toolreplay.2.0.partial"))
        shutil.copy(DIRTY, self.path(".toolreplay.2.0.partial/run"))
        ran = ways.in_process("audit", ".", folder=self.folder)
        self.assertEqual(ran.status, 1)
        self.assertIn(b"files: 5 (4 read, 1 not recognised, ", ran.out)

    def test_an_audit_named_twice_runs_once(self) -> None:
        ran = ways.in_process(
            "audit", DIRTY, "--only", "loop", "--only", "loop", folder=self.folder
        )
        self.assertIn(b"passed       loop\n", ran.out)

    def test_a_list_of_no_lines_is_refused(self) -> None:
        for empty in (",", " "):
            ran = ways.in_process("audit", DIRTY, "--require", empty, folder=self.folder)
            self.assertEqual(ran.status, 2)


class ManyCopiesInOneLine(InAFolder):
    """We decided this: time grows with the length of a line, not with its square."""

    def test_each_call_of_a_line_is_digested_once(self) -> None:
        import io
        import json
        from unittest import mock

        from toolreplay.importers.claude_code import read
        from toolreplay.importers.claude_code.files import SessionFile
        from toolreplay.records.account import Account
        from toolreplay.records.limits import DEFAULT

        blocks = [
            {"type": "tool_use", "id": f"c{n}", "name": "Read", "input": {"n": n}}
            for n in range(200)
        ]
        line = {
            "type": "assistant", "sessionId": "s", "uuid": "u",
            "message": {"id": "m", "content": blocks + blocks},
        }  # fmt: skip
        file = io.BytesIO(json.dumps(line).encode())
        account = Account()
        with mock.patch.object(SessionFile, "record", autospec=True) as again:
            again.side_effect = AssertionError("the line was read again")
            list(read(file, DEFAULT, account))
        self.assertEqual((account.calls, account.duplicate), (200, 200))


if __name__ == "__main__":
    unittest.main()
