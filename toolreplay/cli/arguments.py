"""What the commands' arguments share: one parser, the limits, the format of standard output."""

import argparse
from collections.abc import Iterator, Sequence
from typing import NoReturn

from toolreplay.cli.console import Console
from toolreplay.cli.nearest import did_you_mean
from toolreplay.errors import UsageError
from toolreplay.records.limits import DEFAULT, Limits
from toolreplay.reports.text.lines import WIDTH, folded

__all__ = [
    "CommandParser",
    "add_format",
    "add_limits",
    "limits_of",
    "positive",
    "refuse_two_inputs",
]


# argparse looks for translations of its own words, by a search of folders at every start; what
# toolreplay prints is English in every locale.
setattr(argparse, "_", str)  # noqa: B010 - a name the stubs do not know


class _EightyColumns(argparse.RawDescriptionHelpFormatter):
    """Help in 80 columns everywhere; asking the terminal would import shutil at each start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=WIDTH)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = ("\n".join(folded(part, indent, width)) for part in text.split("\n\n"))
        return "\n\n".join(paragraphs)


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

    def described(self) -> Iterator[tuple[Sequence[str], str]]:
        """Yield the spellings of each option with its help, as --help has it."""
        formatter = self._get_formatter()
        for action in self._actions:
            if action.option_strings:
                yield action.option_strings, formatter._expand_help(action)

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
        help=f"format of standard output ({', '.join(formats)}; default {formats[0]})",
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the flags that raise or lower the limits on what is read."""
    group = parser.add_argument_group("limits on input")
    for flag, default, what in (
        ("--max-line-bytes", DEFAULT.line_bytes, "bytes of one line"),
        ("--max-line-values", DEFAULT.line_values, "values in one line"),
        ("--max-depth", DEFAULT.depth, "levels of arrays and objects"),
        ("--max-expanded-bytes", DEFAULT.expanded_bytes, "bytes of an expanded or piped input"),
    ):
        group.add_argument(
            flag, type=positive, default=default, metavar="N", help=f"{what} (default {default})"
        )


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


def positive(text: str) -> int:
    """Parse the value of an option that is a whole number from 1."""
    if len(text) > 19 or not text.isascii() or not text.isdigit() or not 0 < int(text) < 2**62:
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is not a whole number from 1")
    return int(text)
