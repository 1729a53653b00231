"""The streams of a command: broken, closed, full, interrupted, and in any encoding."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from typing import BinaryIO
from unittest import mock

from tests.cli import ways
from tests.cli.tutorial import FILES, lay_out
from toolreplay.errors import InputError

DIRTY = str(ways.SAMPLES / "session-dirty.jsonl")
CLEAN = str(ways.SAMPLES / "session-clean.jsonl")

LOCALE_C = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
ASCII = {"PYTHONIOENCODING": "ascii"}


class InAFolder(unittest.TestCase):
    """Each test works in a folder with the files of the golden table."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name
        lay_out(self.folder)

    def start(self, *arguments: str, **how: object) -> "subprocess.Popen[bytes]":
        """Start a command; whoever calls this waits for it."""
        process = subprocess.Popen(  # type: ignore[call-overload]
            [*ways.as_module(), *arguments],
            cwd=self.folder,
            env={"PATH": os.defpath, "PYTHONPATH": str(ways.ROOT)},
            stderr=subprocess.PIPE,
            **{"stdin": subprocess.DEVNULL, **how},
        )
        self.addCleanup(process.kill)
        return process  # type: ignore[no-any-return]

    def status_and_error(self, process: "subprocess.Popen[bytes]") -> tuple[int, bytes]:
        assert process.stderr is not None
        with process.stderr as stream:
            error = stream.read()
        return process.wait(60), error


class AReaderThatGoesAway(InAFolder):
    """Decided by us: `| head -0` must not turn a finding into a pass, nor a pass into an error."""

    def test_the_status_is_the_one_the_run_had_earned(self) -> None:
        table = (
            (["replay", CLEAN], 0),
            (["replay", DIRTY], 1),
            (["seal", DIRTY], 0),
            (["verify", "changed.jsonl"], 1),
            (["audit", DIRTY], 1),
            (["audit", DIRTY, "--only", "recompute"], 3),
            (["replay", "--help"], 0),
            ([], 2),
        )
        processes = []
        for arguments, _ in table:
            reading, writing = os.pipe()
            os.close(reading)
            processes.append(self.start(*arguments, stdout=writing))
            os.close(writing)
        for (arguments, status), process in zip(table, processes, strict=True):
            with self.subTest(arguments):
                self.assertEqual(self.status_and_error(process), (status, b""))

    def test_a_reader_that_leaves_in_the_middle_of_much_output(self) -> None:
        line = FILES["samples/session-dirty.jsonl"].splitlines()[0]
        with open(os.path.join(self.folder, "long.jsonl"), "wb") as file:
            for index in range(5000):
                file.write(line.replace(b"0", b"%d" % index, 1) + b"\n")
        process = self.start("seal", "long.jsonl", stdout=subprocess.PIPE)
        assert process.stdout is not None
        self.assertEqual(len(process.stdout.read(100)), 100)
        process.stdout.close()
        self.assertEqual(self.status_and_error(process), (0, b""))


class OutputThatCannotBeWritten(InAFolder):
    """Decided by us: whoever reads only the status must not take a lost report for a clean run."""

    COMMANDS = (["replay", CLEAN], ["seal", DIRTY], ["audit", DIRTY], ["version"], [])

    def test_a_closed_standard_output_is_one_line_and_status_2(self) -> None:
        processes = [self._start_closed(">&-", *arguments) for arguments in self.COMMANDS]
        for arguments, process in zip(self.COMMANDS, processes, strict=True):
            with self.subTest(arguments):
                self.assertEqual(
                    self.status_and_error(process), (2, b"error: standard output: is closed\n")
                )

    def test_a_command_that_prints_nothing_needs_no_standard_output(self) -> None:
        process = self._start_closed(">&-", "seal", DIRTY, "-o", "out.jsonl")
        self.assertEqual(self.status_and_error(process), (0, b""))
        with open(os.path.join(self.folder, "out.jsonl"), "rb") as file:
            self.assertEqual(file.read(), FILES["sealed.jsonl"])

    def test_without_any_stream_the_status_is_all_there_is(self) -> None:
        for arguments, status in ((["replay", "gone.jsonl"], 2), (["version"], 2)):
            with self.subTest(arguments):
                process = self._start_closed("<&- >&- 2>&-", *arguments)
                self.assertEqual(self.status_and_error(process), (status, b""))

    def test_a_closed_standard_input_is_an_input_that_cannot_be_read(self) -> None:
        process = self._start_closed("<&-", "replay", "-")
        self.assertEqual(self.status_and_error(process), (2, b"error: -: Bad file descriptor\n"))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_a_full_disk_is_one_line_and_status_2(self) -> None:
        with open("/dev/full", "wb") as full:
            processes = [self.start(*arguments, stdout=full) for arguments in self.COMMANDS]
            session = str(ways.SAMPLES / "claude-session.jsonl")
            imported = self.start("audit", session, stdout=full)
        for process in processes:
            self.assertEqual(
                self.status_and_error(process),
                (2, b"error: standard output: No space left on device\n"),
            )
        status, error = self.status_and_error(imported)
        self.assertEqual(status, 2)
        self.assertRegex(error, rb"\Aaccount: .*\nerror: standard output: No space left on device")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_a_full_disk_under_a_file_that_is_written(self) -> None:
        ran = ways.in_process("seal", DIRTY, "-o", "/dev/full", folder=self.folder)
        self.assertEqual(
            (ran.status, ran.error), (2, "error: /dev/full: No space left on device\n")
        )

    def _start_closed(self, redirection: str, *arguments: str) -> "subprocess.Popen[bytes]":
        """Start a command from a shell that closes a stream first."""
        process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" {redirection}', "sh", *ways.as_module(), *arguments],
            cwd=self.folder,
            env={"PATH": os.defpath, "PYTHONPATH": str(ways.ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(process.kill)
        return process


class AnInterrupt(InAFolder):
    """Decided by us: 130, as a shell has it, and no traceback."""

    @unittest.skipUnless(hasattr(os, "mkfifo"), "no named pipes here")
    def test_while_a_transcript_is_read(self) -> None:
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        # A shell's background job, and what it starts, may have been told to ignore interrupts.
        heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
        process = self.start("replay", pipe, stdout=subprocess.PIPE, **heard)
        self.addCleanup(process.kill)
        with open(_opened_when_read(pipe), "wb") as writing:
            writing.write(FILES["samples/session-dirty.jsonl"])
            writing.flush()
            time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            status, error = self.status_and_error(process)
        assert process.stdout is not None
        with process.stdout as stream:
            self.assertEqual((status, stream.read(), error), (130, b"", b""))

    def test_a_file_that_was_being_written_is_not_left_behind(self) -> None:
        from toolreplay.evidence.seal import seal_lines

        def interrupted(calls: object) -> object:
            lines = seal_lines(calls)  # type: ignore[arg-type]
            yield next(lines)
            raise KeyboardInterrupt

        before = set(os.listdir(self.folder))
        with mock.patch("toolreplay.cli.seal.seal_lines", interrupted):
            ran = ways.in_process("seal", DIRTY, "-o", "out.jsonl", folder=self.folder)
        self.assertEqual((ran.status, ran.out, ran.err), (130, b"", b""))
        self.assertEqual(set(os.listdir(self.folder)), before)


def _opened_when_read(pipe: str) -> int:
    """Open a named pipe once somebody reads it: then the command is in its own main function."""
    until = time.monotonic() + 30
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


class WhatWasNotForeseen(unittest.TestCase):
    """Decided by us: a bug must not look like a finding, and a report of it must be one line."""

    def failing_with(self, error: BaseException) -> ways.Ran:
        with mock.patch("toolreplay.cli.version.run", side_effect=error):
            return ways.in_process("version")

    def test_an_unexpected_exception_is_status_2_and_one_line(self) -> None:
        line = (
            b"error: unexpected RuntimeError: first\\u{a}second\\u{1b}[31m "
            b"(a defect of toolreplay; please report it with the command)\n"
        )
        self.assertEqual(self.failing_with(RuntimeError("first\nsecond\x1b[31m")), (2, b"", line))

    def test_a_very_long_one_is_cut(self) -> None:
        ran = self.failing_with(ValueError("x" * 100_000))
        self.assertEqual(ran.status, 2)
        self.assertLess(len(ran.err), 2100)
        self.assertEqual(ran.err.count(b"\n"), 1)

    @unittest.skipUnless(sys.platform == "linux", "needs a limit on memory that counts")
    def test_whatever_memory_there_is_the_end_is_one_line_or_a_result(self) -> None:
        record = '{"index": %d, "tool": "t", "args": {}, "response": {"n": %d}}\n'
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "many.jsonl")
            with open(name, "w") as file:
                file.write("".join(record % (index, index) for index in range(3000)))
            limited = "import resource, runpy, sys; size = int(sys.argv.pop(1)); resource.setrlimit(resource.RLIMIT_AS, (size, size)); runpy.run_module('toolreplay', run_name='__main__', alter_sys=True)"  # fmt: skip

            def within(megabytes: int) -> ways.Ran:
                command = [sys.executable, "-S", "-c", limited, str(megabytes << 20)]
                return ways.run(command, "replay", name, "--format", "json")

            table = (26, 32, 40)
            for megabytes, ran in zip(table, ways.side_by_side(within, table), strict=True):
                if b"resource" in ran.err or b"runpy" in ran.err or ran.status < 0:
                    continue  # too little for the interpreter itself
                with self.subTest(megabytes):
                    self.assertIn(ran.status, (1, 2), ran.err)
                    if ran.status == 2:
                        self.assertEqual(ran.out, b"")
                        self.assertEqual(ran.err.count(b"\n"), 1, ran.err)
                    else:
                        self.assertTrue(ran.out.endswith(b'"exit": 1}\n'))

    def test_memory_that_does_not_suffice(self) -> None:
        self.assertEqual(self.failing_with(MemoryError()), (2, b"", b"error: not enough memory\n"))

    def test_a_deliberate_error_is_its_own_text(self) -> None:
        self.assertEqual(
            self.failing_with(InputError("line 3", "is odd")), (2, b"", b"error: line 3: is odd\n")
        )

    def test_an_interrupt_before_anything_was_printed(self) -> None:
        self.assertEqual(self.failing_with(KeyboardInterrupt()), (130, b"", b""))


class AnyEncoding(InAFolder):
    """Decided by us: reports are UTF-8, whatever the machine they were made on was set to."""

    def test_output_is_utf_8_under_every_locale(self) -> None:
        name = "読む é \U0001f600"
        record = f'{{"index": 0, "tool": "{name}", "args": {{}}, "response": {{}}}}\n'
        with open(os.path.join(self.folder, "r.jsonl"), "wb") as file:
            file.write((record + record.replace("0", "1", 1)).encode())
        for environment in (LOCALE_C, ASCII):
            with self.subTest(environment):
                ran = ways.run(
                    ways.as_module(),
                    "replay",
                    "r.jsonl",
                    folder=self.folder,
                    environment=environment,
                )
                self.assertEqual((ran.status, ran.err), (1, b""))
                self.assertIn(f"tool '{name}' repeats", ran.out.decode("utf-8"))

    def test_errors_are_utf_8_too(self) -> None:
        record = '{"index": 0, "tool": "t", "args": {}, "response": {}, "é": 1}\n'
        ran = ways.run(ways.as_module(), "replay", "-", stdin=record.encode(), environment=ASCII)
        self.assertEqual(
            (ran.status, ran.err), (2, "error: line 1: unexpected field(s): é\n".encode())
        )


class OldInterpreters(unittest.TestCase):
    """Decided by us: one line instead of a syntax error."""

    def test_a_python_below_3_11_is_told_so(self) -> None:
        from toolreplay.__main__ import main

        with (
            mock.patch.object(sys, "version_info", (3, 9, 18)),
            mock.patch.object(sys, "stderr", mock.Mock()) as stderr,
        ):
            self.assertEqual(main(), 2)
        stderr.write.assert_called_once_with(
            "error: toolreplay needs Python 3.11 or newer, this is 3.9\n"
        )


class StandardInput(unittest.TestCase):
    """Decided by us."""

    def test_more_than_a_pipe_holds(self) -> None:
        lines = "".join(
            f'{{"index": {index}, "tool": "t{index}", "args": {{}}, "response": {{}}}}\n'
            for index in range(3000)
        )
        ran = ways.in_process("replay", "-", stdin=lines.encode())
        self.assertEqual(ran.lines[0], "calls: 3000")

    def test_a_file_that_is_half_read_already_is_read_from_there(self) -> None:
        data = FILES["samples/session-dirty.jsonl"]
        with tempfile.TemporaryFile() as file:
            file.write(b"#!header\n" + data)
            file.seek(len(b"#!header\n"))
            ran = _with_standard_input(file, "replay", "-")
        self.assertEqual(ran.lines[:3], ["calls: 6", "divergence: index 5", "findings: 2"])


def _with_standard_input(file: BinaryIO, *arguments: str) -> ways.Ran:
    done = subprocess.run(
        [*ways.as_module(), *arguments],
        stdin=file,
        capture_output=True,
        env={"PATH": os.defpath, "PYTHONPATH": str(ways.ROOT)},
        timeout=60,
        check=False,
    )
    return ways.Ran(done.returncode, done.stdout, done.stderr)
