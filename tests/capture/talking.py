"""A client of a wrapped server: sends what it likes, and keeps what comes back by id."""

import contextlib
import json
import os
import threading
from collections.abc import Iterable
from pathlib import Path

from tests.capture.wrapped import SERVER, wrapped

__all__ = ["Talking"]

Message = dict[str, object]


class Talking:
    """One session with our little server behind the wrapper."""

    def __init__(
        self,
        store: Path,
        *options: str,
        server: "list[str] | None" = None,
        stderr: "Path | str" = os.devnull,
    ) -> None:
        with open(stderr, "wb") as said:
            self.process = wrapped(store, server or SERVER, *options, stderr=said)
        self.answers: dict[object, Message] = {}
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.send({"id": "start", "method": "initialize", "params": {}})
        self.send({"id": "tools", "method": "tools/list", "params": {}})
        self.wait(["start"])

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" not in message:
                with self._changed:
                    self.answers[message["id"]] = message
                    self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def send(self, *messages: Message) -> None:
        """Send messages without waiting for anything."""
        assert self.process.stdin is not None
        data = b"".join(
            json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n" for each in messages
        )
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def call(self, number: object, tool: str, **args: object) -> None:
        """Send one call."""
        params = {"name": tool, "arguments": args}
        self.send({"id": number, "method": "tools/call", "params": params})

    def wait(self, numbers: Iterable[object], seconds: float = 60.0) -> None:
        """Wait until there are answers of these ids. Raises TimeoutError."""
        wanted = set(numbers)
        with self._changed:
            if not self._changed.wait_for(lambda: wanted <= self.answers.keys(), seconds):
                raise TimeoutError(f"{len(wanted - self.answers.keys())} answers did not come")

    def end(self, seconds: float = 60.0) -> int:
        """End the input, and wait for the wrapper."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # what was not read when it was killed
            self.process.stdin.close()
        status = self.process.wait(seconds)
        self._reader.join(seconds)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status
