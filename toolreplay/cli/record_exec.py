"""Run one command and record it: one run, one receipt, and a line that says how to check it.

The command reads and prints as without us, byte for byte; its exit status is ours, and where a
signal kills it we die by the same. What it prints is recorded up to 1 MiB of each stream, what it
reads is not. Its output goes through a pipe, so a program that prints otherwise to a terminal
(colours, progress) does not take it for one.

  toolreplay record exec -- make test
  toolreplay show @last

A command that is not found ends with 127, one that cannot be executed with 126.
"""

import argparse
import shlex
import sys

from toolreplay.capture.exec import ADAPTER, run_recorded
from toolreplay.capture.observed import Recording
from toolreplay.cli.console import Console
from toolreplay.cli.mirroring import ended_as
from toolreplay.cli.recording import add_recording, recorder_of
from toolreplay.errors import StoreError, UnsignedError, UsageError
from toolreplay.recording import folder_of_process

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `record exec`."""
    parser.add_argument(
        "command", nargs=argparse.REMAINDER, metavar="-- CMD ARG",
        help="the command and its arguments, behind --",
    )  # fmt: skip
    add_recording(parser)
    parser.add_argument(
        "--quiet", action="store_true", help="say nothing at the end, unless it was not recorded"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command and return its exit status; where a signal killed it, do not return."""
    argv = arguments.command[arguments.command[:1] == ["--"] :]
    if not argv or not argv[0]:
        raise UsageError("record exec takes a command behind -- (record exec -- make test)")
    recorder = recorder_of(arguments, ADAPTER, own_run="record exec")
    # None is the interpreter's own sign: it was closed before the start.
    streams = [number for number, each in ((1, sys.stdout), (2, sys.stderr)) if each is not None]
    ended = run_recorded(argv, folder_of_process(), streams, recorder)
    if ended.error:
        console.note(f"toolreplay: {argv[0]}: {ended.error}")
    _say(arguments, console, recorder)
    return ended_as(-ended.signal if ended.signal else ended.exit_code or 0, console)


def _say(arguments: argparse.Namespace, console: Console, recorder: Recording) -> None:
    """Close the run, and say what it is and how to check it, or why there is none."""
    run, failure, unsigned = recorder.run, recorder.failure, ""
    try:
        recorder.finish()
    except UnsignedError as error:
        unsigned = f", {error}"
    except StoreError as error:  # the command has run, and its status is what counts
        failure = failure or str(error)
    if run is None or failure:
        console.note(f"toolreplay: not recorded: {failure or 'nothing was kept'}")
    elif unsigned or not arguments.quiet:
        if arguments.recorder is not None:
            check = f"in the store of {arguments.recorder}"
        else:
            store = "" if arguments.store is None else f" --store {shlex.quote(arguments.store)}"
            check = f"toolreplay verify @last{store}"
        console.note(f"toolreplay: recorded as {run}{unsigned} ({check})")
