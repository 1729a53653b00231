"""`record exec`: a command runs as without us, and its receipt says what came of it."""

import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import time
import unittest
from base64 import b64decode
from tempfile import TemporaryDirectory
from typing import Any

from tests.capture.recorded import payloads, receipts, runs

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-S", "-m", "toolreplay"]
RECORD = [*PROGRAM, "record", "exec"]


class ACommand(unittest.TestCase):
    """A private home: the store is made on first use."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.store = self.home / ".local" / "share" / "toolreplay" / "store.db"
        self.environment = {"PATH": os.defpath, "HOME": folder.name, "PYTHONPATH": str(ROOT)}

    def ran(self, *words: str, **how: Any) -> "subprocess.CompletedProcess[bytes]":
        how = {"cwd": self.home, "stdin": subprocess.DEVNULL, **how}
        return subprocess.run(
            words, env=self.environment, capture_output=True, check=False, timeout=60, **how
        )

    def recorded(self, *command: str, **how: Any) -> "subprocess.CompletedProcess[bytes]":
        return self.ran(*RECORD, "--", *command, **how)

    def started(self, *command: str, **how: Any) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [*RECORD, "--", *command], env=self.environment, cwd=self.home,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **how,
        )  # fmt: skip
        self.addCleanup(process.kill)
        return process

    def last(self) -> dict[str, Any]:
        """Return the receipt of the last run."""
        (receipt,) = receipts(self.store, runs(self.store)[-1])
        return receipt

    def result(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(_content(self.store, self.last()["outputs"]["result"]))
        return found


def _content(store: pathlib.Path, piece: dict[str, Any]) -> bytes:
    if "b64" in piece:
        return b64decode(piece["b64"])
    from toolreplay.sources.store import reading_of_store

    with reading_of_store(os.fspath(store)) as (connection, _):
        query = "select bytes from piece where digest = ?"
        found = connection.execute(query, (bytes.fromhex(piece["digest"]),)).fetchone()
    return bytes(found[0])


class OneReceipt(ACommand):
    """Decided by us: one command, one run, one receipt, one line how to check it."""

    def test_a_fresh_machine_records_shows_verifies_and_exports(self) -> None:
        ran = self.recorded("echo", "hello")
        self.assertEqual((ran.returncode, ran.stdout), (0, b"hello\n"))
        run = runs(self.store)[0]
        line = f"toolreplay: recorded as {run} (toolreplay verify @last)\n"
        self.assertEqual(ran.stderr.decode(), line)
        for words in (["show", "@last"], ["verify", "@last"], ["export", "@last", "-o", "x.jsonl"],
                      ["verify", "x.jsonl"]):  # fmt: skip
            with self.subTest(words):
                done = self.ran(*PROGRAM, *words)
                self.assertEqual(done.returncode, 0, done.stderr)
        kinds = [kind for kind, _ in payloads(self.store, run)]
        self.assertEqual(kinds, ["open", "start", "call", "close"])

    def test_what_is_committed(self) -> None:
        self.recorded("/bin/sh", "-c", "echo out; echo no >&2; exit 3")
        receipt = self.last()
        self.assertEqual(receipt["tool"], {"name": "sh", "version": "unknown", "scope": "exec"})
        self.assertEqual(
            json.loads(b64decode(receipt["inputs"]["args"]["b64"])),
            {
                "argv": ["/bin/sh", "-c", "echo out; echo no >&2; exit 3"],
                "cwd": os.path.realpath(self.home), "stdin": "not captured",
            },
        )  # fmt: skip
        result = {"exit_code": 3, "signal": None, "stdout": "out\n", "stderr": "no\n"}
        self.assertEqual(self.result(), result)
        self.assertEqual(receipt["outputs"]["status"], "tool_error")
        self.assertEqual(receipt["capture"]["layer"], "exec")
        self.assertEqual(receipt["issuer_claims"]["provenance_class"], "EXECUTED BY TOOLREPLAY")

    def test_two_commands_of_one_shell_are_two_runs_and_one_name_is_one_run_while_it_is_fed(
        self,
    ) -> None:
        shell = f"{' '.join(RECORD)} -- true; {' '.join(RECORD)} -- true"
        self.assertEqual(self.ran("sh", "-c", shell).returncode, 0)
        found = runs(self.store)
        self.assertEqual(len(found), 2)
        self.assertEqual(payloads(self.store, found[0])[0][1]["run_by"], "record exec")
        nested = [*RECORD, "--run", "both", "--", *RECORD, "--run", "both", "--", "true"]
        self.assertEqual(self.ran(*nested).returncode, 0)
        self.assertEqual(len(receipts(self.store, runs(self.store)[-1])), 2)

    def test_quiet_says_nothing_and_options_of_the_command_are_its_own(self) -> None:
        ran = self.ran(*RECORD, "--quiet", "--", "printf", "%s|", "", "--quiet", "--x=", "--")
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, b"|--quiet|--x=|--|", b""))

    def test_without_a_command_it_is_a_mistake(self) -> None:
        for words in ([], ["--"], ["--", ""]):
            with self.subTest(words):
                ran = self.ran(*RECORD, *words)
                self.assertEqual((ran.returncode, ran.stderr.count(b"\n")), (2, 1))
        self.assertFalse(self.store.exists())

    def test_a_word_that_is_no_utf8_is_committed(self) -> None:
        ran = self.ran(*RECORD, "--", "printf", "%s", b"\xff\xfe")  # type: ignore[arg-type]
        self.assertEqual(ran.stdout, b"\xff\xfe")
        self.assertEqual(b64decode(self.result()["stdout_base64"]), b"\xff\xfe")
        args = json.loads(b64decode(self.last()["inputs"]["args"]["b64"]))
        self.assertEqual(args["argv"][-1], "\udcff\udcfe")


class TheStreams(ACommand):
    """Standard streams byte for byte."""

    def test_bytes_pass_and_long_output_is_kept_in_its_beginning(self) -> None:
        code = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()); sys.stderr.write('e')"
        for data in (
            b"", b"no newline", b"a\r\nb\0\n", bytes(range(256)) * 100, "é ".encode() * (1 << 20),
            os.urandom(3 << 20), b"a b" * (1 << 19) + b"c" * (1 << 20), b"x" * (3 << 20),
        ):  # fmt: skip
            with self.subTest(len(data)):
                how = {"stdin": None, "input": data}
                ran = self.recorded(sys.executable, "-c", code, **how)
                self.assertEqual((ran.returncode, ran.stdout), (0, data))
                self.assertTrue(ran.stderr.startswith(b"etoolreplay: recorded"))
                result, is_cut = self.result(), len(data) > 1 << 20
                kept = result.get("stdout")
                kept = b64decode(result["stdout_base64"]) if kept is None else kept.encode("utf-8")
                first = data[: 1 << 20]
                if is_cut:
                    last = max(map(first[-(1 << 16) :].rfind, (b" ", b"\t", b"\n"))) + 1
                    first = first[: (1 << 20) - (1 << 16) + last]
                self.assertEqual(kept, first)
                self.assertEqual(self.last()["outputs"]["flags"], ["truncated"] if is_cut else [])
                if is_cut:
                    whole = {"length": len(data), "ended": True}
                    self.assertEqual(result["stdout_whole"], whole)

    def test_half_a_credential_at_the_cut_is_not_kept(self) -> None:
        token = "ghp_" + "Ab3dEf6hIj" * 3 + "Kl9mNo"
        lines = "'line\\n' * 300_000"
        code = f"import sys; sys.stdout.write(({lines})[: (1 << 20) - 20] + '\\n' + {token!r} * 3)"
        self.recorded(sys.executable, "-c", code)
        self.assertNotIn(token[:10], self.result()["stdout"])

    def test_a_reader_that_goes_away_is_told_to_the_command(self) -> None:
        shell = f"{' '.join(RECORD)} --quiet -- yes | head -1; echo ${{PIPESTATUS[0]}}"
        ran = self.ran("bash", "-c", shell)
        self.assertEqual(ran.stdout, b"y\n141\n")
        self.assertEqual(self.result()["signal"], signal.SIGPIPE)

    def test_a_stream_that_is_closed_stays_closed(self) -> None:
        shell = f"{' '.join(RECORD)} --quiet -- sh -c 'echo x 2>&- || echo closed >&2' >&-"
        ran = self.ran("sh", "-c", shell)
        self.assertEqual((ran.returncode, ran.stderr), (0, b"closed\n"))
        self.assertIsNone(self.result()["stdout"])

    def test_other_descriptors_are_the_commands_own(self) -> None:
        shell = f"echo deep | {' '.join(RECORD)} --quiet -- cat /dev/fd/9 9<&0"
        self.assertEqual(self.ran("sh", "-c", shell).stdout, b"deep\n")

    def test_what_is_left_running_is_waited_for_as_tee_does(self) -> None:
        ran = self.recorded("sh", "-c", "(sleep 0.5; echo late) & echo soon")
        self.assertEqual(ran.stdout, b"soon\nlate\n")
        self.assertEqual(self.result()["stdout"], "soon\nlate\n")

    def test_a_signal_ends_that_wait(self) -> None:
        process = self.started("sh", "-c", "sleep 30 & echo soon")
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), b"soon\n")
        time.sleep(0.3)
        process.terminate()
        self.assertEqual(process.wait(timeout=10), 0)
        self.assertFalse(self.result()["stdout_whole"]["ended"])


class HowItEnds(ACommand):
    """Its exit status is ours, and so is its death."""

    def test_statuses_and_signals(self) -> None:
        numbers = (signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGSEGV, signal.SIGUSR1)
        table = [(f"exit {status}", status, status, None) for status in (0, 1, 2, 77, 255)]
        table += [(f"kill -{int(each)} $$", -each, None, int(each)) for each in numbers]
        for script, returned, code, number in table:
            with self.subTest(script):
                ran = self.recorded("sh", "-c", script)
                self.assertEqual(ran.returncode, returned)
                result = self.result()
                self.assertEqual((result["exit_code"], result["signal"]), (code, number))
                status = "ok" if code == 0 else "tool_error"
                self.assertEqual(self.last()["outputs"]["status"], status)

    def test_what_cannot_be_started(self) -> None:
        (self.home / "plain").write_text("x")
        for word, status in (("no-such-command", 127), ("./plain", 126), (".", 126)):
            with self.subTest(word):
                ran = self.recorded(word)
                self.assertEqual(ran.returncode, status)
                self.assertTrue(ran.stderr.startswith(f"toolreplay: {word}: ".encode()))
                self.assertEqual(self.last()["outputs"]["status"], "protocol_error")
                self.assertEqual(self.result()["exit_code"], status)

    def test_signals_are_passed_on_once(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR2):
            script = f"trap 'echo got' {int(number)}; echo up; while :; do sleep 0.1; done"
            with self.subTest(number):
                process = self.started("sh", "-c", script)
                assert process.stdout is not None
                self.assertEqual(process.stdout.readline(), b"up\n")
                process.send_signal(number)
                self.assertEqual(process.stdout.readline(), b"got\n")
                process.send_signal(signal.SIGQUIT)
                out, _ = process.communicate(timeout=10)
                self.assertEqual((process.returncode, out), (-signal.SIGQUIT, b""))

    def test_what_we_were_started_to_ignore_the_command_ignores(self) -> None:
        script = f"trap '' INT; exec {' '.join(RECORD)} --quiet -- sh -c 'kill -INT $$; echo on'"
        self.assertEqual(self.ran("sh", "-c", script).stdout, b"on\n")

    def test_the_commands_signal_mask_is_ours(self) -> None:
        shell = "grep SigBlk /proc/self/status"
        direct = self.ran("sh", "-c", shell).stdout
        self.assertEqual(self.recorded("sh", "-c", shell).stdout, direct)

    def test_an_interrupt_at_a_terminal_reaches_the_command_once(self) -> None:
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        code = (
            "import os, signal, time, sys\n"
            "signal.signal(2, lambda *_: os.write(1, b'got\\n'))\n"
            "print('up', flush=True)\n"
            "end = time.monotonic() + 2\n"
            "while time.monotonic() < end: time.sleep(0.1)\n"
        )
        process = subprocess.Popen(
            ["setsid", "--ctty", *RECORD, "--quiet", "--", sys.executable, "-c", code],
            env=self.environment, cwd=self.home, stdin=follower, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        os.close(follower)
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), b"up\n")
        os.write(leader, b"\x03")
        out, _ = process.communicate(timeout=20)
        self.assertEqual((process.returncode, out), (0, b"got\n"))


class NothingCanBeRecorded(ACommand):
    """Decided by us: a recorder first, so that the command runs; with --strict it does not."""

    def setUp(self) -> None:
        super().setUp()
        (self.home / "file").write_text("")

    def test_the_command_runs_and_the_line_says_so(self) -> None:
        ran = self.ran(
            *RECORD, "--quiet", "--store", "file/x.db", "--", "sh", "-c", "echo a; exit 4"
        )
        self.assertEqual((ran.returncode, ran.stdout), (4, b"a\n"))
        self.assertRegex(ran.stderr, rb"\Atoolreplay: not recorded: .+\n\Z")

    def test_with_strict_it_does_not_run(self) -> None:
        ran = self.ran(*RECORD, "--strict", "--store", "file/x.db", "--", "touch", "ran")
        self.assertEqual((ran.returncode, ran.stdout), (2, b""))
        self.assertRegex(ran.stderr, rb"\Aerror: not recorded: .+\n\Z")
        self.assertFalse((self.home / "ran").exists())


if __name__ == "__main__":
    unittest.main()
