"""See it work in a few seconds, with nothing installed: an agent, its record, and a forger.

A scripted agent refunds an order in a small shop: an MCP server in a process of its own, with a
database and files, behind `toolreplay record mcp`. What the agent says afterwards is set beside
what was recorded. Then the operator, who holds the log's key, rewrites the amount and computes
every hash, root and signature again; only the head that somebody remembers shows it. Nothing of it
is imitated, and no model is asked. The folder with all of it is kept.
"""

import argparse
import os
import re
import shlex
import time
from collections.abc import Callable
from tempfile import mkdtemp
from textwrap import wrap

from toolreplay.cli.console import Console, KeptConsole
from toolreplay.cli.demonstration.agent import mistaken, work
from toolreplay.cli.demonstration.forger import forge
from toolreplay.cli.demonstration.screen import FALSE, UNKNOWING, compared, lines_of
from toolreplay.cli.demonstration.stage import Stage
from toolreplay.cli.itself import own_command, own_environment, own_line
from toolreplay.errors import OutputError, UsageError
from toolreplay.findings.gate import CLEAN
from toolreplay.records.limits import DEFAULT
from toolreplay.reports.lines import escaped
from toolreplay.sources.source import FileSource

__all__ = ["add_arguments", "run"]

_DECISIVE = ("run: ", "proof of ", "exit ")
"""How the lines begin by which a command says what it found; the rest is there when it is typed."""

_ENDING = """
What this cannot show: that nothing was done besides what was recorded, and that
the shop told the truth. A log keeps a record as it was; it does not make it.

Next, if you
  build an agent   toolreplay record mcp -- YOUR-SERVER    then    audit @last
  use Claude Code  toolreplay sessions    then    toolreplay audit FILE
  check a run      toolreplay verify FILE --key VKEY --seen HEADS
  compare models   toolreplay audit FOLDER --format json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `demo`."""
    parser.add_argument(
        "--into", metavar="DIR", help="a new or empty folder, instead of one in /tmp"
    )
    parser.add_argument("--order", default="1042", metavar="ID", help="the order (default: 1042)")
    parser.add_argument(
        "--amount", default="164.00", metavar="SUM", help="what it cost (default: 164.00)"
    )
    parser.add_argument("--no-forger", action="store_true", help="leave the log as it is")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the demonstration; it fails when a part of it does not do what it is to show."""
    order, amount = arguments.order, arguments.amount
    if not re.fullmatch(r"[A-Za-z0-9-]{1,12}", order):
        raise UsageError("--order takes 1 to 12 letters, digits and hyphens")
    if not re.fullmatch(r"[0-9]{2,7}\.[0-9]{2}", amount):
        raise UsageError("--amount takes a sum as 164.00")
    mistaken(amount)
    stage = Stage(_folder(arguments.into), order, amount)
    say = console.write
    say(f"An agent is told: refund order {order} in full, note it, close the case.\n")
    recorded = [*own_command(), "record", "mcp", *stage.recording()]
    statements = work([*recorded, "--", *stage.shop()], own_environment(), order)
    stage.sign()
    signed_at = time.monotonic()
    source = FileSource(f"{stage.store}#{stage.run}", DEFAULT)
    calls = [call for run in source.runs() for call in run.calls]
    told = compared(statements, calls)
    console.write_lines(["", *lines_of(told)])
    false = sum(each.mark == FALSE for each in told)
    unknowing = sum(each.mark == UNKNOWING for each in told)
    say(f"\n{false} of {len(told)} statements are not what was recorded (x); ")
    say(
        f"{unknowing} it could not know (~): it\nstopped waiting, and the shop did it all the same.\n"
    )
    steps = _Steps(console, stage.folder)
    say("\nAn auditor has the public key, and remembers the log's head:\n")
    steps.command("verify store.db --key log.vkey --seen heads", CLEAN)
    if not arguments.no_forger:
        _forge(stage, steps, say, signed_at, str(calls[1].args["amount"]))
    say(_ENDING)
    say(f"\nAll of it is kept in {escaped(stage.folder)}. To check it without us:\n")
    say(f"  cd {escaped(shlex.quote(stage.folder))}\n  {escaped(own_line())} \\\n")
    say("    verify store.db --key log.vkey\n")
    return 0


def _forge(
    stage: Stage, steps: "_Steps", say: Callable[[str], object], signed_at: float, sent: str
) -> None:
    say(
        f"\nThe operator holds the log's private key: {sent} becomes {stage.amount}, and every\n"
        "hash, root and signature is made again. Looked at alone it holds:\n"
    )
    forge(stage.store, stage.forged, stage.run_id(), stage.forging_key(), sent, stage.amount)
    steps.command("verify forged.db --key log.vkey --seen none", CLEAN)
    seconds = max(1, round(time.monotonic() - signed_at))
    say(f"\nAgainst the head that was remembered {seconds} s ago:\n")
    steps.command("verify forged.db --key log.vkey --seen heads", 1)


def _folder(into: str | None) -> str:
    if into is None:
        return mkdtemp(prefix="toolreplay-demo-")
    try:
        os.makedirs(into, exist_ok=True)
        if os.listdir(into):
            raise UsageError(f"{into}: is not empty")
    except OSError as error:
        raise OutputError(into, error.strerror or str(error)) from None
    except ValueError:
        raise OutputError(into, "is not a name a file can have") from None
    return os.path.abspath(into)


class _Steps:
    """Runs commands with the command line's own main function, and prints the lines that matter."""

    def __init__(self, console: Console, folder: str) -> None:
        self._console = console
        self._folder = folder

    def command(self, line: str, expected: int) -> None:
        """Run one command in the folder. Raises when its exit status is not as announced."""
        from toolreplay.cli.main import run_command

        kept, before = KeptConsole(), os.getcwd()
        os.chdir(self._folder)
        try:
            status = run_command(line.split(), kept)
        finally:
            os.chdir(before)
        self._console.write(f"$ toolreplay {line}\n")
        printed = bytes(kept.out + kept.err).decode().splitlines()
        for text in printed:
            if text.startswith(_DECISIVE):
                self._console.write_lines(wrap(text, 79, subsequent_indent="    "))
        if status != expected:
            raise UsageError(f"the demonstration failed: `{line}` ended with {status}")
