"""What a shell may complete: commands, their options and values, read off the real parsers.

A value without choices is known by its metavar, which is one word for one thing in all commands.
"""

import argparse
from collections.abc import Iterable
from typing import NamedTuple

from toolreplay.cli.arguments import CommandParser
from toolreplay.cli.console import Console
from toolreplay.findings.check import LINES
from toolreplay.packaged import extensions_of
from toolreplay.sources.recognise import form_words
from toolreplay.version import __version__

__all__ = [
    "FILES",
    "FOLDERS",
    "FREE",
    "LIST",
    "REPORTS",
    "WORDS",
    "Argument",
    "Command",
    "Option",
    "Value",
    "commands",
    "heading",
    "quoted",
]

WORDS = "words"
"""One of the words."""
LIST = "list"
"""Some of the words, with commas between."""
REPORTS = "reports"
"""One of the words, `=` and a file."""
FILES = "files"
FOLDERS = "folders"
FREE = "free"
"""Nothing that a shell could know."""

_KINDS = {
    "A": FILES,
    "A-B": FREE,
    "B": FILES,
    "CMD": FREE,
    "CONFIG": FILES,
    "DATE": FREE,
    "DIGEST": FREE,
    "DIR": FOLDERS,
    "FILE": FILES,
    "FILE|none": FILES,
    "FORMAT": WORDS,
    "FORMAT=FILE": REPORTS,
    "GROUP": FREE,
    "HEX": FREE,
    "ID": FREE,
    "K=V": FREE,
    "LINE[,LINE]": LIST,
    "N": FREE,
    "NAME": FREE,
    "OTHER": FILES,
    "OUT": FILES,
    "PORT": FREE,
    "RUN": FILES,
    "SCOPE": FILES,
    "SIZE|NOTE": FILES,
    "SOCKET": FILES,
    "SOURCE": FILES,
    "STORE": FILES,
    "SUM": FREE,
    "TEXT": FREE,
    "TIME": FREE,
    "TRANSCRIPT": FILES,
    "VKEY": FILES,
    "VKEY|FILE": FILES,
    "WORD": WORDS,
    "X": FILES,
}


class Value(NamedTuple):
    """What an option or argument takes: the name in its help, the kind, and its words."""

    name: str
    kind: str
    words: tuple[str, ...] = ()


class Option(NamedTuple):
    """An option, with its value if it takes one."""

    flags: tuple[str, ...]
    text: str
    value: Value | None
    repeats: bool


class Argument(NamedTuple):
    """An argument that is no option."""

    value: Value
    repeats: bool


class Command(NamedTuple):
    """One command."""

    name: str
    text: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]


def heading(shell: str) -> str:
    """Return the first line of a script: who wrote it."""
    return (
        f"# Completion of toolreplay {__version__}, written by `toolreplay completion {shell}`.\n"
    )


def quoted(words: Iterable[str]) -> str:
    """Quote words with spaces between as one, for bash and zsh."""
    return "'" + " ".join(words).replace("'", "'\\''") + "'"


def commands() -> list[Command]:
    """Return every command, in the order of the first screen, and then those of two words."""
    from toolreplay.cli.further import every_command
    from toolreplay.cli.main import parser_of

    every = [
        _command(name, text, parser_of(name, Console())) for name, text in every_command().items()
    ]
    found = [command for command in every if " " not in command.name]
    pairs = [command for command in every if " " in command.name]
    firsts = dict.fromkeys(command.name.partition(" ")[0] for command in pairs)
    return [*found, *(_joined(first, pairs) for first in firsts)]


def _joined(first: str, pairs: list[Command]) -> Command:
    """Return the commands that begin with one word as one, which takes the second as a value."""
    ours = [command for command in pairs if command.name.partition(" ")[0] == first]
    seconds = tuple(command.name.partition(" ")[2] for command in ours)
    options = {option.flags: option for command in ours for option in command.options}
    text = "; ".join(
        f"{second}: {command.text}" for second, command in zip(seconds, ours, strict=True)
    )
    word = Argument(Value("COMMAND", WORDS, seconds), False)
    file = Argument(Value("FILE", FILES), True)
    return Command(first, text, tuple(options.values()), (word, file))


def _command(name: str, text: str, parser: CommandParser) -> Command:
    options, arguments = [], []
    for action in parser.actions:
        value = None if action.nargs == 0 else _value(action)
        if action.option_strings:
            repeats = isinstance(action, argparse._AppendAction)
            flags = tuple(action.option_strings)
            options.append(Option(flags, parser.help_of(action), value, repeats))
        elif value is not None:
            arguments.append(Argument(value, action.nargs in ("+", "*")))
    return Command(name, text, tuple(options), tuple(arguments))


def _value(action: argparse.Action) -> Value:
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if action.choices is not None:
        return Value(name, WORDS, tuple(map(str, action.choices)))
    return Value(name, _KINDS.get(name, FREE), _words_of(name))


def _words_of(name: str) -> tuple[str, ...]:
    if name == "LINE[,LINE]":
        return (*LINES, "none")
    if name == "FORMAT":
        return tuple(form_words())
    if name == "FORMAT=FILE":
        return tuple(extensions_of("reports"))
    if name == "WORD":
        from toolreplay.cli.meanings import words_by_group

        listed = [word for group in words_by_group().values() for word in group]
        # A shell completes one word at a time, also of those that have several parts.
        parts = [part for word in listed if word[0] != "-" for part in word.split()]
        return tuple(dict.fromkeys(parts))
    return ()
