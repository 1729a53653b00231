"""Progress on standard error: one line that is written over on a terminal, a few lines elsewhere."""

import time
from typing import TextIO

__all__ = ["Progress"]

_BETWEEN_ON_TERMINAL = 0.2
_BETWEEN_ELSEWHERE = 5.0
"""Seconds; a log should not fill with it."""


class Progress:
    """Says how far a command is; what it says is ours, and safe to print."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._on_terminal = stream.isatty()
        self._between = _BETWEEN_ON_TERMINAL if self._on_terminal else _BETWEEN_ELSEWHERE
        self._next = time.monotonic() + self._between  # quick work needs none
        self._width = 0

    def say(self, text: str) -> None:
        """Say it, if the last time was long enough ago."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._between
        if self._on_terminal:
            self._write(f"\r{text:<{self._width}}")
            self._width = len(text)
        else:
            self._write(f"progress: {text}\n")

    def clear(self) -> None:
        """Take the line away, so that another can be printed there."""
        if self._width:
            self._write(f"\r{' ' * self._width}\r")
            self._width = 0

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._between = self._next = float("inf")  # nobody is there to read it
