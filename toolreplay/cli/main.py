"""Find the command, import that module only, and map what happens to an exit status.

0 nothing found · 1 found · 2 could not run · 3 something required was not checked · 130 interrupted
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import chain, repeat
from types import ModuleType

from toolreplay.cli.console import Console
from toolreplay.cli.failures import answered
from toolreplay.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:  # it brings argparse, which the first screen does without
    from toolreplay.cli.arguments import CommandParser

__all__ = ["COMMANDS", "PAIRED", "main", "module_of", "parser_of", "run_command", "usage"]

COMMANDS = {
    "Look at a run": {
        "show": "the calls, in order",
        "audit": "judge it: against itself and its scope",
        "verify": "is the record intact, and who says so?",
        "diff": "where did two runs part?",
        "explain": "what does this finding or word mean?",
    },
    "The tutorial": {
        "replay": "which calls repeat, and which came back different?",
        "scope": "were only permitted tools used?",
        "seal": "chain the calls of a transcript with digests",
        "version": "print the version",
    },
    "Record": {
        "record": "record the calls of a server, or one command",
        "wrap": "record all servers in a client's configuration",
        "recorder": "run, status: a service that records for others",
        "doctor": "are calls recorded? what is missing?",
        "runs": "list, show, close, link: what a store has recorded",
    },
    "Bring and take": {
        "sessions": "the sessions of agent programs on this machine",
        "import": "write foreign sessions as strict transcripts",
        "formats": "what can be read",
        "export": "a run of a store as one file for an auditor",
        "store": "make, look at, check, sign, prove, copy, erase",
        "key": "make a key that signs, print its public part",
    },
    "This program": {
        "demo": "see it work in a minute, with nothing installed",
        "selftest": "does it still give the answers it was shipped with?",
        "conformance": "what of AER-1 we agree with, case by case",
        "completion": "complete its words in bash, zsh or fish",
    },
}
"""The first screen: the commands that work, by group. Each is a module of this folder, but for those
of PAIRED."""

_NAMES_ALONE = frozenset({"The tutorial", "This program"})
"""Groups of which the first screen has the names alone: it fits one of 24 lines."""

PAIRED = frozenset({"key", "record", "recorder", "runs", "store"})
"""Commands that take a second word: pairs stand in further.py, as do words left out above."""

_MODULES = {"import": "import_", "receipt make": "making"}
"""Where a module has another name than its command."""


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status; prints one line for whatever goes wrong."""
    if hasattr(sys, "set_int_max_str_digits"):
        from toolreplay.records.limits import INTEGER_DIGITS

        sys.set_int_max_str_digits(INTEGER_DIGITS)
    console = Console()

    def run() -> int:
        status = run_command(list(arguments), console)
        console.flush()
        return status

    status = answered(run, console)
    console.close()
    return status


def run_command(arguments: list[str], console: Console) -> int:
    """Run one command and return its exit status; whatever goes wrong is raised."""
    if not arguments:
        console.write(usage())
        return 2
    ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
    for word in ours:
        if not word or (word.startswith("--") and word.partition("=")[1:] == ("=", "")):
            raise UsageError(
                f"an argument is empty{f' ({word})' if word else ''}: is a variable unset?"
            )
    name = arguments[0]
    if name == "help" and len(arguments) > 1:
        return run_command([*arguments[1:], "--help"], console)
    if name in ("-h", "--help", "help"):
        console.write(usage())
        return 0
    if name == "--version":
        name = "version"
    rest = arguments[1:]
    if name in PAIRED or not any(name in group for group in COMMANDS.values()):
        from toolreplay.cli.further import command_of

        known = [*chain.from_iterable(COMMANDS.values()), "--help", "--version"]
        name, rest = command_of(arguments, known, console)
        if not name:
            return 0
    module = module_of(name)
    parsed = parser_of(name, console).parsed(rest)
    status: int = module.run(parsed, console)
    return status


def module_of(name: str) -> ModuleType:
    """Import the module of one command, and of no other."""
    return import_module(f"toolreplay.cli.{_MODULES.get(name, name.replace(' ', '_'))}")


def parser_of(name: str, console: Console) -> "CommandParser":
    """Return the parser of one command, with all its arguments."""
    from toolreplay.cli.arguments import CommandParser

    module = module_of(name)
    parser = CommandParser(name, module.__doc__ or "", console)
    module.add_arguments(parser)
    return parser


def usage() -> str:
    """Return the first screen."""
    lines = ["usage: toolreplay COMMAND …          toolreplay COMMAND --help", ""]
    for group, commands in COMMANDS.items():
        if group in _NAMES_ALONE:
            lines.append(f"{group:<15} {'  '.join(commands)}")
            continue
        for title, (name, what) in zip(chain([group], repeat("")), commands.items()):  # noqa: B905
            lines.append(f"{title:<15} {name:<12} {what}")
    lines += [
        "X may be a file (.gz, .zst), a folder, -, STORE#RUN, a run's name, or @last.",
        "exit: 0 nothing found  1 found  2 could not run  3 something required not checked",
    ]
    return "".join(f"{line}\n" for line in lines)
