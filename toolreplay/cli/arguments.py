"""What the commands' arguments share: one parser, the limits, the format of standard output."""

import argparse
import os
import stat
from collections.abc import Iterable, Sequence
from typing import NoReturn

from toolreplay.cli.console import Console
from toolreplay.cli.nearest import did_you_mean
from toolreplay.errors import UsageError
from toolreplay.records.limits import DEFAULT, Limits
from toolreplay.reports.lines import WIDTH, folded

__all__ = [
    "CommandParser",
    "add_format",
    "add_limits",
    "limits_of",
    "positive",
    "refuse_two_inputs",
    "whole_number",
]


_IN_OUR_WORDS = {
    "positional arguments": "arguments",
    "show this help message and exit": "print this help",
}


def _worded(text: str) -> str:
    return _IN_OUR_WORDS.get(text, text)


# argparse looks for translations of its own words, by a search of folders at every start.
setattr(argparse, "_", _worded)  # noqa: B010 - a name the stubs do not know


class _EightyColumns(argparse.RawDescriptionHelpFormatter):
    """Help in 80 columns everywhere; asking the terminal would import shutil at each start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=WIDTH)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        """Show what a command is mostly called with; the limits stand in a list of their own."""
        shown = [item for item in actions if not "".join(item.option_strings).startswith("--max-")]
        super().add_usage(usage, shown, groups, prefix)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Fold each paragraph; one that is indented is no prose and stands as it is."""
        return "\n\n".join(
            part.rstrip() if part.startswith(" ") else "\n".join(folded(part, indent, width))
            for part in text.split("\n\n")
        )

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Break at spaces only: `--require` must not be cut at a hyphen."""
        return folded(text, "", width)


class CommandParser(argparse.ArgumentParser):
    """A parser whose help is the command's docstring and whose errors are one line."""

    def __init__(self, name: str, text: str, console: Console) -> None:
        super().__init__(
            prog=f"toolreplay {name}",
            description=text,
            formatter_class=_EightyColumns,
            allow_abbrev=False,
        )
        self._console = console

    def parsed(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse the words behind the command's name. Raises UsageError for one too many."""
        found, unknown = self.parse_known_args(words)
        if getattr(found, "take_unknown", False):
            found.unknown = unknown
        elif unknown:
            flag = next((word for word in unknown if word.startswith("-")), "")
            near = did_you_mean(flag.partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return found

    @property
    def actions(self) -> Sequence[argparse.Action]:
        """The options and arguments, in the order they were added."""
        return self._actions

    def help_of(self, action: argparse.Action) -> str:
        """Return the help of an option or argument as --help has it, on one line."""
        return self._get_formatter()._expand_help(action)

    def _check_value(self, action: argparse.Action, value: object) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += did_you_mean(str(value), map(str, action.choices or ()))
            raise

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing usage: the main module prints one line."""
        raise UsageError(f"{message} (see: {self.prog} --help)")

    def print_help(self, file: object = None) -> None:  # noqa: ARG002 - argparse's own signature
        """Print the help in UTF-8 through the console."""
        self._console.write(self.format_help())
        self._console.flush()


def add_format(parser: argparse.ArgumentParser, formats: Sequence[str] = ("text", "json")) -> None:
    """Add `--format`, the format of standard output."""
    parser.add_argument(
        "--format",
        choices=formats,
        default=formats[0],
        help=f"format of standard output (default {formats[0]})",
    )


def add_limits(
    parser: argparse.ArgumentParser, forms: Sequence[str] = ()
) -> argparse._ArgumentGroup:
    """Add the flags that say how the input is read: its limits, and where it may have one its form.

    `forms` are the words that `--from` takes; without them there is no such flag. Returns the group.
    """
    group = parser.add_argument_group("how the input is read")
    if forms:
        group.add_argument(
            "--from",
            dest="form",
            choices=forms,
            metavar="FORMAT",
            help=f"read it as this format, whatever it looks like: {', '.join(forms)}",
        )
    for flag, default, what in (
        ("--max-line-bytes", DEFAULT.line_bytes, "most bytes in one line"),
        ("--max-line-values", DEFAULT.line_values, "most values in one line"),
        ("--max-depth", DEFAULT.depth, "most levels of arrays and objects"),
        ("--max-expanded-bytes", DEFAULT.expanded_bytes, "most bytes when expanded or piped"),
    ):
        group.add_argument(
            flag, type=positive, default=default, metavar="N", help=f"{what} (default {default})"
        )
    return group


def limits_of(arguments: argparse.Namespace) -> Limits:
    """Return the limits that the flags of `add_limits` ask for."""
    return Limits(
        arguments.max_line_bytes,
        arguments.max_line_values,
        arguments.max_depth,
        arguments.max_expanded_bytes,
    )


def refuse_two_inputs(*names: str | None) -> None:
    """Raise UsageError where two arguments name standard input: the second would find it empty."""
    if names.count("-") > 1:
        raise UsageError("only one input can be standard input")
    seen: set[tuple[int, int]] = set()
    for name in names:
        stream = _stream_of(name) if name else None
        if stream is not None and stream in seen:
            raise UsageError(f"{name}: is given twice, and can be read only once")
        if stream is not None:
            seen.add(stream)


def _stream_of(name: str) -> tuple[int, int] | None:
    """Return what tells a pipe from others (`-` and /dev/stdin may be one), None of what is none."""
    try:
        found = os.fstat(0) if name == "-" else os.stat(name)
    except (OSError, ValueError):
        return None
    is_stream = stat.S_ISFIFO(found.st_mode) or stat.S_ISSOCK(found.st_mode)
    return (found.st_dev, found.st_ino) if is_stream else None


def positive(text: str) -> int:
    """Parse the value of an option that is a whole number from 1."""
    if len(text) > 19 or not text.isascii() or not text.isdigit() or not 0 < int(text) < 2**62:
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is not a whole number from 1")
    return int(text)


def whole_number(text: str) -> int:
    """Parse the value of an option that is a whole number from 0."""
    if len(text) > 15 or not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is not a whole number")
    return int(text)
