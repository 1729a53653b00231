"""The words that `wrap` puts before a server's command: this program, and how it is to record."""

import argparse
import os
import subprocess
import sys

from toolreplay.cli.arguments import CommandParser
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import default_store
from toolreplay.cli.itself import own_command
from toolreplay.cli.recording import add_recording, labels_of
from toolreplay.cli.wrapping.found import Found
from toolreplay.errors import UsageError

__all__ = ["own_program", "recording_words", "words_before"]

_PATHS = frozenset({"FILE", "SOCKET"})
_START_SECONDS = 60


def own_program() -> list[str]:
    """Return the words that start this program from anywhere. Raises UsageError where none do."""
    command = own_command()
    if "-I" not in command:
        raise UsageError(
            "this is a checkout, and whoever works in it would change what records: build one "
            "file with .ci/build-pyz, and let that wrap (python3 dist/toolreplay.pyz wrap …)"
        )
    if not os.path.isabs(command[0]):
        raise UsageError("the interpreter does not know its own path")
    if "-m" in command and not _starts(command):
        raise UsageError(
            "this program is installed where an isolated interpreter does not look "
            f"({sys.executable} -I): install it in a virtual environment, or use the zipapp"
        )
    return command


def _starts(command: list[str]) -> bool:
    try:
        done = subprocess.run(  # noqa: S603 - the words that started this very program
            [*command, "version"],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=_START_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def recording_words(arguments: argparse.Namespace) -> list[str]:
    """Return the options of `add_recording` that were given, for a start anywhere.

    Paths are absolute, and the store is always named: a client starts its servers in folders and
    environments of its own. Raises UsageError.
    """
    labels_of(arguments)
    words = _store(arguments)
    parser = CommandParser("record mcp", "", Console())
    passed_over = {"store", *(action.dest for action in parser.actions)}
    add_recording(parser)
    for action in parser.actions:
        value = getattr(arguments, action.dest, None)
        if action.dest in passed_over or value is None or value == action.default:
            continue
        flag = action.option_strings[0]
        if action.nargs == 0:
            words.append(flag)
            continue
        for text in value if isinstance(value, list) else [value]:
            words += _option(flag, os.path.abspath(text) if action.metavar in _PATHS else text)
    return words


def _store(arguments: argparse.Namespace) -> list[str]:
    if getattr(arguments, "recorder", None) is not None:  # the service has a store of its own
        return [] if arguments.store is None else _option("--store", arguments.store)
    store = default_store(arguments)
    if store is None:
        raise UsageError("no store is known (--store STORE)")
    return _option("--store", os.path.abspath(store))


def words_before(server: Found, program: list[str], recording: list[str]) -> list[str]:
    """Return all words that stand before the command of a server. Raises UsageError."""
    named = _option("--server", server.name) if _is_word(server.name) else []
    for word in (*program, *recording):
        if not _is_word(word):
            raise UsageError(f"'{word[:200]}' is not a text that a configuration can hold")
    return [*program, "record", "mcp", *named, *recording, "--"]


def _is_word(text: str) -> bool:
    """Whether a text can be handed on: a name of a server may be what no argument of a program is."""
    try:
        return "\0" not in text and text != "--" and bool(text.encode())
    except UnicodeEncodeError:
        return False


def _option(flag: str, value: str) -> list[str]:
    """Spell an option; a value that looks like one, or like the end of them, stands behind `=`."""
    return [f"{flag}={value}"] if value.startswith("-") else [flag, value]
