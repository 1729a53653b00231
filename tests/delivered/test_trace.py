"""Promise, seen from outside: the five commands open no socket and start no process."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from tests.cli import ways
from tests.cli.tutorial import lay_out

COMMANDS = (
    ["version"],
    ["replay", "samples/session-dirty.jsonl"],
    ["scope", "samples/session-dirty.jsonl", "samples/scope.json"],
    ["seal", "samples/session-dirty.jsonl"],
    ["verify", "sealed.jsonl"],
)

PROCESSES = {"execve", "execveat", "fork", "vfork", "clone", "clone3"}


def traced_calls(command: list[str], folder: str) -> list[str]:
    """Run a command under strace; return the names of its network and process calls, in order."""
    handle, log = tempfile.mkstemp(dir=folder)
    os.close(handle)
    subprocess.run(
        ["strace", "-f", "-qq", "-o", log, "-e", "trace=network,process", *command],
        cwd=folder,
        env={"PATH": os.defpath, "PYTHONPATH": str(ways.ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    with open(log, encoding="utf-8", errors="replace") as file:
        return [match[1] for line in file if (match := re.match(r"\d+ +(\w+)\(", line))]


def _cannot_trace() -> str:
    if shutil.which("strace") is None:
        return "strace is not installed"
    with tempfile.TemporaryDirectory() as folder:
        try:
            names = traced_calls([sys.executable, "-S", "-c", ""], folder)
        except OSError:
            names = []
    return "" if "execve" in names else "strace may not trace here"


class TheyStayAtHome(unittest.TestCase):
    """Decided by the tutorial; sys.executable is traced, since `python3` may be a script."""

    def setUp(self) -> None:
        why = _cannot_trace()
        if why:
            print(f"skipped: {why}", file=sys.stderr)
            self.skipTest(why)
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name
        lay_out(self.folder)

    def test_no_socket_and_one_process(self) -> None:
        def traced(arguments: list[str]) -> list[str]:
            return traced_calls([*ways.as_module(), *arguments], self.folder)

        found = ways.side_by_side(traced, COMMANDS)
        for arguments, names in zip(COMMANDS, found, strict=True):
            with self.subTest(arguments):
                self.assertEqual([name for name in names if name in PROCESSES], ["execve"])
                self.assertLessEqual(
                    set(names), PROCESSES | {"exit_group", "exit", "arch_prctl", "kill", "wait4"}
                )
                self.assertIn("exit_group", names)

    def test_a_socket_and_a_process_would_be_seen(self) -> None:
        code = "import os, _socket; _socket.socket(); os.fork() or os._exit(0)"
        names = traced_calls([sys.executable, "-S", "-c", code], self.folder)
        self.assertIn("socket", names)
        self.assertEqual(len([name for name in names if name in PROCESSES]), 2)
