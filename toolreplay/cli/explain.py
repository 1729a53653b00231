"""Explain a word of the output: an audit, a kind of finding, a report line, an outcome, a thing.

Without a word it lists all of them.
"""

import argparse
import json

from toolreplay.cli.arguments import add_format
from toolreplay.cli.console import Console
from toolreplay.errors import UsageError
from toolreplay.findings.rule import Rule
from toolreplay.findings.words import WORDS
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.reports.lines import folded

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `explain`."""
    parser.add_argument("word", nargs="*", metavar="WORD", help="the word, as it was printed")
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what a word means, or the list of words."""
    word = " ".join(arguments.word)
    if not word:
        return _list_words(arguments.format, console)
    pages = _pages(word)
    if not pages:
        raise UsageError(f"no word '{word}' (see: toolreplay explain)")
    if arguments.format == "json":
        document = {"format": "toolreplay-explain/1", "word": word, "pages": pages}
        console.write(json.dumps(document) + "\n")
        return 0
    for number, (title, lines) in enumerate(pages):
        console.write_lines([*([""] if number else []), title, "", *lines])
    return 0


def _pages(word: str) -> list[tuple[str, list[str]]]:
    """Return (title, lines) for each meaning: a word may be a report line and an audit."""
    pages = []
    found = WORDS.get(word) or WORDS.get(word.upper()) or WORDS.get(word.lower())
    if found is not None:
        title = f"{word}: {found.group} ({found.term})"
        pages.append((title, folded(found.meaning)))
    for name in extensions_of("audits"):
        module = load_extension("audits", name)
        if name == word:
            pages.append((f"{name}: audit", (module.__doc__ or "").strip().splitlines()))
        for rule in module.RULES:
            if rule.kind == word:
                pages.append((f"{rule.kind}: kind of finding", _of_rule(rule, name)))
    for name in extensions_of("importers"):
        if name == word:
            text = (load_extension("importers", name).__doc__ or "").strip()
            pages.append((f"{name}: format that can be read", text.splitlines()))
    return pages


def _of_rule(rule: Rule, audit: str) -> list[str]:
    return [
        *folded(f"{rule.meaning[0].upper()}{rule.meaning[1:]}."),
        "",
        f"Level {rule.level}, report line `{rule.line}`, rule version {rule.version}.",
        f"How it is decided, and what it cannot see: toolreplay explain {audit}",
    ]


def _list_words(form: str, console: Console) -> int:
    groups: dict[str, list[str]] = {"audit": extensions_of("audits")}
    groups["kind of finding"] = [
        rule.kind
        for name in extensions_of("audits")
        for rule in load_extension("audits", name).RULES
    ]
    for word, meaning in WORDS.items():
        groups.setdefault(meaning.group, []).append(word)
    groups["format"] = extensions_of("importers")
    if form == "json":
        console.write(json.dumps({"format": "toolreplay-words/1", "groups": groups}) + "\n")
        return 0
    for group, words in groups.items():
        console.write_lines([f"{group}:", *folded(" · ".join(words), "  ")])
    return 0
