"""Explain a word of the output, or of the command line.

An audit or a format (its page of the manual), a kind of finding, a report line, an outcome, a
provenance, a thing, an exit status ("exit 3"), a command, an option ("--require"). Capitals do
not matter. Without a word it lists all of them.
"""

import argparse
import json

from toolreplay.cli.arguments import add_format
from toolreplay.cli.console import Console
from toolreplay.cli.meanings import pages_of, words_by_group
from toolreplay.cli.nearest import did_you_mean
from toolreplay.errors import UsageError
from toolreplay.reports.lines import WIDTH

__all__ = ["add_arguments", "run"]

_MOST_NEAR = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `explain`."""
    parser.add_argument("word", nargs="*", metavar="WORD", help="the word, as it was printed")
    add_format(parser)
    # `explain --require` asks for the page of an option that is not ours.
    parser.set_defaults(take_unknown=True)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what a word means, or the list of words."""
    word = " ".join([*arguments.word, *arguments.unknown])
    if not word:
        return _list_words(arguments.format, console)
    pages = pages_of(" ".join(word.split()))
    if not pages:
        known = [item for group in words_by_group().values() for item in group]
        near = did_you_mean(word, known, _MOST_NEAR)
        raise UsageError(f"no word '{word}'{near} (see: toolreplay explain)")
    if arguments.format == "json":
        document = {"format": "toolreplay-explain/1", "word": word, "pages": pages}
        console.write(json.dumps(document) + "\n")
        return 0
    for number, (title, lines) in enumerate(pages):
        console.write_lines([*([""] if number else []), title, "", *lines])
    return 0


def _list_words(form: str, console: Console) -> int:
    groups = words_by_group()
    if form == "json":
        console.write(json.dumps({"format": "toolreplay-words/1", "groups": groups}) + "\n")
        return 0
    for group, words in groups.items():
        console.write_lines([f"{group}:", *_listed(words)])
    return 0


def _listed(words: list[str]) -> list[str]:
    """Set words in lines; one of several parts stays together, and no line begins with a dot."""
    lines = [f"  {words[0]}"]
    for word in words[1:]:
        lines[-1] += " ·"
        if len(lines[-1]) + 1 + len(word) + len(" ·") <= WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(f"  {word}")
    return lines
