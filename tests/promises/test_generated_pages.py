"""Pages that are made from the program: commands from their help, audits from their docstrings.

UPDATE_GOLDEN=1 writes them anew.
"""

import os
import pathlib
import unittest

from tests.cli import ways
from toolreplay.cli.further import further
from toolreplay.cli.main import COMMANDS
from toolreplay.packaged import extensions_of, load_extension

DOCS = pathlib.Path(__file__).parents[2] / "docs"


def commands_page() -> str:
    """Return the page of all commands, each with the help it prints."""
    lines = [
        "# Commands",
        "",
        "What `toolreplay COMMAND --help` prints, for each command.",
    ]
    for group, commands in COMMANDS.items():
        lines += ["", f"## {group}"]
        for name in commands:
            text = ways.in_process(name, "--help").text.rstrip()
            lines += ["", f"### {name}", "", "```text", text, "```"]
    for group, commands in further().items():
        lines += ["", f"## {group}"]
        for name in commands:
            text = ways.in_process(*name.split(), "--help").text.rstrip()
            lines += ["", f"### {name}", "", "```text", text, "```"]
    return "\n".join(lines) + "\n"


def audit_page(name: str) -> str:
    """Return the page of one audit: its manual page, and its kinds with level and version."""
    module = load_extension("audits", name)
    lines = [f"# {name}", "", "```text", (module.__doc__ or "").rstrip(), "```", ""]
    lines += ["| kind | line | level | version | meaning |", "|---|---|---|---|---|"]
    for rule in module.RULES:
        meaning = f"{rule.meaning[0].upper()}{rule.meaning[1:]}."
        lines.append(
            f"| `{rule.kind}` | `{rule.line}` | {rule.level} | {rule.version} | {meaning} |"
        )
    lines += ["", "The version grows whenever the same run could get another answer."]
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """Return every generated page by its path below `docs`."""
    made = {"commands.md": commands_page()}
    made |= {f"audits/{name}.md": audit_page(name) for name in extensions_of("audits")}
    return made


class TheyAreWhatTheProgramSays(unittest.TestCase):
    """We decided that code and page have one source."""

    def test_each_page(self) -> None:
        for path, text in pages().items():
            page = DOCS / path
            if os.environ.get("UPDATE_GOLDEN"):
                page.write_text(text, encoding="utf-8")
            with self.subTest(path):
                self.assertEqual(page.read_text(encoding="utf-8"), text)

    def test_no_page_of_an_audit_that_is_gone(self) -> None:
        found = {path.stem for path in (DOCS / "audits").glob("*.md")}
        self.assertEqual(found, set(extensions_of("audits")))
