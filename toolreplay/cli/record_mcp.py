"""Run an MCP server that speaks over standard input and output, and record the calls of its tools.

It stands between a client and the server: whatever either of them sends reaches the other byte for
byte, and of each `tools/call` a receipt is kept. In a client's configuration it stands before the
server's own command.

  toolreplay record mcp -- npx -y @modelcontextprotocol/server-memory

The server's standard error and environment are ours, its exit status becomes ours, and where a
signal kills it we die by the same. A command that is not found ends with 127, one that cannot be
executed with 126.
"""

import argparse
import sys
from collections.abc import Callable

from toolreplay.capture.mcp_stdio.wrapper import run_server
from toolreplay.capture.signals import holding_signals
from toolreplay.capture.starting import CANNOT_EXECUTE, NOT_FOUND
from toolreplay.cli.console import Console
from toolreplay.cli.mirroring import ended_as
from toolreplay.cli.recording import add_recording, denies, labels_of
from toolreplay.errors import ToolReplayError, UnsignedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:  # loaded when the server is on its way
    from toolreplay.capture.later import LaterRecording
    from toolreplay.capture.mcp_stdio.tap import Tap
    from toolreplay.capture.observed import Recording

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `record mcp`."""
    parser.add_argument(
        "command", nargs=argparse.REMAINDER, metavar="-- CMD ARG",
        help="the server's command and its arguments, behind --",
    )  # fmt: skip
    add_recording(parser)
    parser.add_argument(
        "--server", metavar="NAME",
        help="what the server is called (default: what it calls itself)",
    )  # fmt: skip


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the server and return its exit status; where a signal killed it, do not return."""
    argv = arguments.command[arguments.command[:1] == ["--"] :]
    if not argv or not argv[0]:
        raise UsageError("record mcp takes a server's command behind -- (record mcp -- CMD ARG)")
    if sys.stdin is None or sys.stdout is None:  # the interpreter's own sign: one was closed
        raise UsageError("record mcp needs standard input and output, which are closed")
    labels_of(arguments)
    recordings: list[LaterRecording] = []

    def make_tap() -> "Tap":
        from toolreplay.capture.later import LaterRecording
        from toolreplay.capture.mcp_stdio.session import Session
        from toolreplay.capture.mcp_stdio.tap import Tap

        is_strict = denies(arguments)
        recordings.append(LaterRecording(lambda: _recording(arguments), denies=is_strict))
        return Tap(Session(arguments.server), recordings[0], say, is_strict=is_strict)

    def when_open() -> None:
        recordings[0].prepare()

    def say(text: str) -> None:
        console.note(f"toolreplay: {text}")

    with holding_signals() as held:
        try:
            status = run_server(argv, held, make_tap, when_open)
        except OSError as error:
            say(f"{argv[0]}: {error.strerror or error}")
            return NOT_FOUND if isinstance(error, FileNotFoundError) else CANNOT_EXECUTE
        for recording in recordings:
            _finish(recording, say)
    return ended_as(status, console)


def _recording(arguments: argparse.Namespace) -> "Recording":
    from toolreplay.capture.observed import Adapter
    from toolreplay.cli.recording import recorder_of

    return recorder_of(arguments, Adapter("mcp-wire", "mcp_stdio"))


def _finish(recording: "LaterRecording", say: Callable[[str], None]) -> None:
    """Close the run; say so where something of it was not recorded."""
    failure = recording.failure
    try:
        recording.finish()
    except UnsignedError as error:
        say(f"recorded, {error}")
    except ToolReplayError as error:  # the server has ended, and its status is what counts
        failure = failure or str(error)
    if failure:
        say(f"not everything was recorded: {failure}")
