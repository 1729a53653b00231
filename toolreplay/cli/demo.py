"""See it work in a minute, with nothing installed: real commands on the shipped samples.

Judges a transcript, seals it, changes one byte and finds it, then judges a session file in Claude
Code's shape. Everything runs in a folder of its own: a temporary one, or DIR with --into, where
the files stay for you to try.
"""

import argparse
import os
import re

from toolreplay.cli.console import Console
from toolreplay.errors import OutputError, UsageError
from toolreplay.packaged import data_file
from toolreplay.reports.lines import escaped

__all__ = ["add_arguments", "run"]

_SAMPLES = ("session-dirty.jsonl", "session-clean.jsonl", "scope.json", "claude-session.jsonl")

_ENDING = """
What this cannot show: who wrote these files, whether the calls ever happened,
and whether calls are missing. A transcript is the agent's own story, and a
seal keeps a story from being changed later; it does not make it true.

Next, if you
  build an agent   toolreplay audit YOUR-RUN.jsonl --scope scope.json
                   (exit 1 stops the build; why: toolreplay explain replay)
  use Claude Code  toolreplay sessions    then    toolreplay audit FILE
  check a run      toolreplay verify sealed.jsonl --against head.txt
  compare models   toolreplay audit FOLDER --format json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `demo`."""
    parser.add_argument("--into", metavar="DIR", help="a new or empty folder, which is kept")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the demonstration; it fails when a command does not do what it is to show."""
    if arguments.into is None:
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="toolreplay-demo-") as folder:
            _in_folder(folder, console)
        console.write("\nThe files are gone; `toolreplay demo --into DIR` keeps them.\n")
        return 0
    try:
        os.makedirs(arguments.into, exist_ok=True)
        if os.listdir(arguments.into):
            raise UsageError(f"{arguments.into}: is not empty")
    except OSError as error:
        raise OutputError(arguments.into, error.strerror or str(error)) from None
    except ValueError:
        raise OutputError(arguments.into, "is not a name a file can have") from None
    _in_folder(arguments.into, console)
    console.write(f"\nThe files are in {escaped(arguments.into)}.\n")
    return 0


def _in_folder(folder: str, console: Console) -> None:
    before = os.getcwd()
    samples = [(name, data_file(f"samples/{name}")) for name in _SAMPLES]
    os.chdir(folder)
    done = False
    try:
        for name, data in samples:
            with open(name, "wb") as file:
                file.write(data)
        _show(console)
        done = True
    finally:
        if not done:  # the folder was empty, and can be used for another try
            for name in os.listdir():
                os.unlink(name)
        os.chdir(before)


def _show(console: Console) -> None:
    steps = _Steps(console)
    steps.say("1. A transcript of six calls. Would a rerun have seen the same?")
    steps.command("replay session-dirty.jsonl", 1)
    steps.say("\n2. Seal it: each call carries the digest of the one before.")
    steps.command("seal session-dirty.jsonl -o sealed.jsonl --head head.txt", 0)
    steps.command("verify sealed.jsonl", 0)
    steps.say("\n3. Change one byte: the search at index 3 now says 4 hits instead of 3.")
    _flip("sealed.jsonl", b'"hits":3', "changed.jsonl", b'"hits":4')
    steps.command("verify changed.jsonl", 1)
    steps.say(
        "\n4. A session file in Claude Code's shape (made up by us: it never ran).\n"
        "   Reading fees.py twice is explained by the edit in between; the loop is not."
    )
    steps.command("audit claude-session.jsonl", 1)
    steps.say("\n5. What does that finding mean?")
    steps.command("explain non-determinism", 0)
    steps.say(_ENDING.rstrip("\n"))


def _flip(source: str, old: bytes, target: str, new: bytes) -> None:
    with open(source, "rb") as file:
        data = file.read()
    with open(target, "wb") as file:
        file.write(data.replace(old, new, 1))


class _Steps:
    """Prints what is done and does it, with the command line's own main function."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def say(self, text: str) -> None:
        self._console.write(f"{text}\n")

    def command(self, line: str, expected: int) -> None:
        """Run one command in this process. Raises when its exit status is not as announced."""
        from toolreplay.cli.main import run_command

        self._console.write(f"$ toolreplay {line}\n")
        status = run_command(re.split(r"\s+", line), self._console)
        if status != expected:
            raise UsageError(f"the demonstration failed: `{line}` ended with {status}")
