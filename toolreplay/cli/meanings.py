"""Everything that `explain` knows: words, audits, kinds, formats, commands and their options.

Each is described where it is made (findings/words.py, docstrings, RULES, the parsers' help), and
only gathered here. Capitals do not matter, a plural is its singular, and an option may go without its dashes.
"""

from collections.abc import Iterator
from functools import cache
from itertools import chain

from toolreplay.cli.console import Console
from toolreplay.findings.rule import Rule
from toolreplay.findings.words import WORDS
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.reports.lines import folded
from toolreplay.sources.known_formats import KNOWN_FORMATS

__all__ = ["Page", "pages_of", "words_by_group"]

Page = tuple[str, list[str]]
"""A title, and lines of at most 80 columns."""


def words_by_group() -> dict[str, list[str]]:
    """Return every word that has a page, each group in its own order."""
    groups: dict[str, list[str]] = {"audit": extensions_of("audits")}
    groups["kind of finding"] = [rule.kind for _, rule in _rules()]
    for word, meaning in WORDS.items():
        groups.setdefault(meaning.group, []).append(word)
    groups["format"] = [*extensions_of("importers"), *(word for word, _ in KNOWN_FORMATS)]
    groups["command"] = _commands()
    groups["option"] = list(_options())
    return groups


def pages_of(word: str) -> list[Page]:
    """Return a page for each meaning of a word: it may be a report line and an audit."""
    wanted = word.lower()
    for form in (wanted, wanted.removesuffix("s"), f"--{wanted}"):
        pages = list(_pages(form))
        if pages:
            return pages
    return []


def _pages(wanted: str) -> Iterator[Page]:
    for word, meaning in WORDS.items():
        if word.lower() == wanted:
            yield f"{word}: {meaning.group} ({meaning.term})", folded(meaning.meaning)
    for name in extensions_of("audits"):
        if name == wanted:
            page = load_extension("audits", name).__doc__ or ""
            yield f"{name}: audit", page.strip().splitlines()
    for audit, rule in _rules():
        if rule.kind == wanted:
            yield f"{rule.kind}: kind of finding", _of_rule(rule, audit)
    for name in extensions_of("importers"):
        if name == wanted:
            page = load_extension("importers", name).__doc__ or ""
            yield f"{name}: format that can be read", page.strip().splitlines()
    for name, title in KNOWN_FORMATS:
        if name == wanted:
            text = f"{title[0].upper()}{title[1:]}: it is recognised, and cannot be read yet."
            yield f"{name}: format without an importer", folded(text)
    if wanted in _commands():
        yield f"{wanted}: command", _of_command(wanted)
    of_commands = _options().get(wanted) if wanted.startswith("-") else None
    if of_commands is not None:
        yield f"{wanted}: option", list(_of_option(of_commands))


def _rules() -> Iterator[tuple[str, Rule]]:
    for name in extensions_of("audits"):
        for rule in load_extension("audits", name).RULES:
            yield name, rule


def _of_rule(rule: Rule, audit: str) -> list[str]:
    return [
        *folded(f"{rule.meaning[0].upper()}{rule.meaning[1:]}."),
        "",
        f"Level {rule.level}, report line `{rule.line}`, rule version {rule.version}.",
        f"How it is decided, and what it cannot see: toolreplay explain {audit}",
    ]


def _of_option(of_commands: dict[str, list[str]]) -> Iterator[str]:
    """Say what an option is, once for all commands where it is the same."""
    for number, (text, commands) in enumerate(of_commands.items()):
        if number:
            yield ""
        yield from folded(f"{', '.join(commands)}: {text}")


def _commands() -> list[str]:
    from toolreplay.cli.further import FURTHER
    from toolreplay.cli.main import COMMANDS

    return list(chain.from_iterable([*COMMANDS.values(), *FURTHER.values()]))


def _of_command(name: str) -> list[str]:
    from toolreplay.cli.main import COMMANDS, PAIRED, module_of

    if name in PAIRED:
        (what,) = (group[name] for group in COMMANDS.values() if name in group)
        what = f"{what[0].upper()}{what[1:]}."
    else:
        what = (module_of(name).__doc__ or "").partition("\n\n")[0]
    return [*folded(what), "", f"How it is used: toolreplay {name} --help"]


@cache
def _options() -> dict[str, dict[str, list[str]]]:
    """Return for each option its texts, and for each of them the commands that have it so."""
    from toolreplay.cli.further import every_command
    from toolreplay.cli.main import parser_of

    options: dict[str, dict[str, list[str]]] = {}
    for name in every_command():
        parser = parser_of(name, Console())
        for action in parser.actions:
            for flag in action.option_strings:
                texts = options.setdefault(flag, {})
                texts.setdefault(parser.help_of(action), []).append(name)
    return options
