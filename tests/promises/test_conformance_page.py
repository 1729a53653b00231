"""Promise: docs/conformance.md says what the program knows; UPDATE_GOLDEN=1 writes its tables anew."""

import os
import pathlib
import re
import unittest

from toolreplay.cli.conformance import tally_of
from toolreplay.evidence.aer1.drafts import DRAFTS, OPEN, READER
from toolreplay.evidence.aer1.rules import GROUPS, RULES, group_of

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "conformance.md"


def rules_table() -> list[str]:
    tally = tally_of(None)
    lines = []
    for group, title in GROUPS.items():
        lines += [
            "",
            f"### {title[0].upper()}{title[1:]}",
            "",
            "| rule | what it asks | cases |",
            "|---|---|---|",
        ]
        lines += [
            f"| {rule} | {sentence} | {sum(tally.rules[rule]) or '–'} |"
            for rule, sentence in RULES.items()
            if group_of(rule) == group
        ]
    return lines[1:]


def drafts_table() -> list[str]:
    rows = [f"| -{change.draft} | {change.what} | {change.known_from} |" for change in DRAFTS]
    return ["| draft | what | how that is known |", "|---|---|---|", *rows]


PARTS = {
    "open": lambda: [f"* {what}" for what in OPEN],
    "drafts": drafts_table,
    "rules": rules_table,
}


def with_parts(text: str) -> str:
    """Return the page with each generated part behind its mark, up to the next `<!-- end -->`."""
    for name, made in PARTS.items():
        body = "\n".join(["", *made(), ""])
        text = re.sub(
            rf"<!-- {name} -->.*?<!-- end -->",
            lambda _, name=name, body=body: f"<!-- {name} -->\n{body}\n<!-- end -->",
            text,
            flags=re.DOTALL,
        )
    return text


class ThePage(unittest.TestCase):
    """Decided by us: a claim of conformance is made of what runs."""

    def test_its_tables_are_the_programs(self) -> None:
        text = PAGE.read_text(encoding="utf-8")
        if os.environ.get("UPDATE_GOLDEN"):
            PAGE.write_text(with_parts(text), encoding="utf-8")
        self.assertEqual(with_parts(text), text)
        for name in PARTS:
            self.assertIn(f"<!-- {name} -->", text)

    def test_its_first_paragraph_says_which_draft_and_which_reader(self) -> None:
        first = " ".join(PAGE.read_text(encoding="utf-8").split("\n\n")[1].split())
        for words in ("The current draft is **-26**", "could not be had", READER, "-05 to -08"):
            self.assertIn(words, first)

    def test_every_case_agrees(self) -> None:
        self.assertEqual(tally_of(None).differing, [])
