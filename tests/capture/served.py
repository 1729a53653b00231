"""A recorder's service in a process of its own, and those who tell it, for the tests of it."""

import json
import os
import signal
import socket
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest import mock

from toolreplay.capture.clock import now
from toolreplay.capture.observed import Adapter, Agent
from toolreplay.capture.service.client import ServiceRecording
from toolreplay.capture.service.wire import Hello

if TYPE_CHECKING:
    from toolreplay.records.call import JsonObject

__all__ = ["HELLO", "ROOT", "Served", "Wire", "code_of"]

ROOT = Path(__file__).parents[2]

HELLO = Hello(Adapter("mcp-wire", "mcp_stdio"), Agent(name="bot"), run="r")


class Served(unittest.TestCase):
    """Has a private folder with a store and a socket, and ends what it started."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        state = mock.patch.dict(os.environ, {"XDG_STATE_HOME": str(self.folder / "state")})
        state.start()
        self.addCleanup(state.stop)
        self.store = self.folder / "store.db"
        self.socket = self.folder / "s"

    def serve(self, *options: str) -> "subprocess.Popen[str]":
        """Start a service, and return when it listens."""
        bare = [] if "--key" in options else ["-S"]  # what signs is a package
        command = [sys.executable, *bare, "-m", "toolreplay", "recorder", "run"]
        command += ["--socket", str(self.socket), "--store", str(self.store), *options]
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(self.end, process)
        assert process.stdout is not None
        self.line = process.stdout.readline()
        if not self.line:
            self.fail(process.communicate()[1])
        return process

    def end(self, process: "subprocess.Popen[str]", number: int = signal.SIGTERM) -> int:
        """Send a signal, and return the exit status."""
        if process.poll() is None:
            process.send_signal(number)
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            self.fail("the service did not end")
        return process.returncode

    def client(self, *, denies: bool = False, **changes: Any) -> ServiceRecording:
        """Return one who tells the service."""
        return ServiceRecording(str(self.socket), HELLO._replace(**changes), now, denies=denies)

    def wire(self) -> "Wire":
        """Return a bare connection."""
        found = Wire(str(self.socket))
        self.addCleanup(found.close)
        return found


class Wire:
    """A bare connection: what is sent is what is given."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.socket.settimeout(20)
        self._file = self.socket.makefile("rb")

    def send(self, line: bytes) -> None:
        """Send bytes."""
        self.socket.sendall(line)

    def answer(self) -> "JsonObject | None":
        """Return the next answer, None where the connection has ended."""
        line = self._file.readline()
        return json.loads(line) if line else None

    def ask(self, **message: Any) -> "JsonObject | None":
        """Send a message and return the next answer."""
        self.send(json.dumps(message).encode() + b"\n")
        return self.answer()

    def hello(self, **changes: Any) -> "JsonObject | None":
        """Say hello."""
        message = {"op": "hello", "protocol": "toolreplay-recorder/1", "layer": "mcp-wire"}
        return self.ask(**{**message, "adapter": "test", **changes})

    def close(self) -> None:
        """Close the connection."""
        self._file.close()
        self.socket.close()


def code_of(client: str, body: str) -> list[str]:
    """Return the command of a process that has a client `one` of a socket and does something."""
    lines = f"""
import os, sys, time
sys.path.insert(0, {str(ROOT)!r})
from toolreplay.capture.clock import now
from toolreplay.capture.observed import Adapter, Agent, Intent, Outcome
from toolreplay.capture.service.client import ServiceRecording
from toolreplay.capture.service.wire import Hello
one = ServiceRecording({client!r}, Hello(Adapter("mcp-wire", "mcp_stdio"), Agent()), now)
{body}
"""
    return [sys.executable, "-S", "-c", lines]
