"""A server behind `record mcp`, as its client starts it."""

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["ROOT", "SERVER", "command", "wrapped"]

ROOT = Path(__file__).parents[2]
SERVER = [sys.executable, "-I", "-S", os.fspath(Path(__file__).with_name("mcp_server.py"))]
"""Our own little server; see mcp_server.py."""


def command(store: "Path | str", server: "list[str]", *options: str) -> "list[str]":
    """Return the command that runs a server behind the wrapper."""
    code = (
        f"import sys; sys.path.insert(0, {os.fspath(ROOT)!r}); from toolreplay.__main__ import main"
    )
    start = [sys.executable, "-I", "-S", "-c", f"{code}; sys.exit(main())"]
    where = [] if "--recorder" in options else ["--store", os.fspath(store)]
    return [*start, "record", "mcp", *where, *options, "--", *server]


def wrapped(
    store: "Path | str", server: "list[str]", *options: str, **more: object
) -> "subprocess.Popen[bytes]":
    """Start a server behind the wrapper."""
    defaults = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command(store, server, *options), **(defaults | more))  # type: ignore[call-overload,no-any-return]
