"""The word page says of each word what the program says; UPDATE_GOLDEN=1 writes it anew."""

import os
import pathlib
import unittest

from toolreplay.findings.words import WORDS
from toolreplay.packaged import extensions_of, load_extension

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "glossary.md"


def glossary() -> str:
    """Return the page, made from the words, the audits and their kinds."""
    lines = [
        "# Words",
        "",
        "Each word that reports and commands print. `toolreplay explain WORD` says the same.",
    ]
    group = ""
    for word, entry in WORDS.items():
        if entry.group != group:
            group = entry.group
            lines += [
                "",
                f"## {group.capitalize()}",
                "",
                "| word | meaning | 日本語 |",
                "|---|---|---|",
            ]
        lines.append(f"| {word} | {entry.meaning} | {entry.term} |")
    lines += ["", "## Kind of finding", "", "| kind | audit | meaning |", "|---|---|---|"]
    for name in extensions_of("audits"):
        for rule in load_extension("audits", name).RULES:
            meaning = f"{rule.meaning[0].upper()}{rule.meaning[1:]}."
            lines.append(f"| {rule.kind} | {name} | {meaning} |")
    return "\n".join(lines) + "\n"


class TheWordPageIsMadeFromTheWords(unittest.TestCase):
    """We decided that code, page and output have one source."""

    def test_the_page_is_what_the_words_give(self) -> None:
        if os.environ.get("UPDATE_GOLDEN"):
            PAGE.write_text(glossary(), encoding="utf-8")
        self.assertEqual(PAGE.read_text(encoding="utf-8"), glossary())

    def test_each_word_has_a_sentence_and_a_term(self) -> None:
        for word, entry in WORDS.items():
            with self.subTest(word):
                self.assertTrue(entry.meaning.endswith("."))
                self.assertTrue(entry.term)
                self.assertNotIn("|", entry.meaning)


if __name__ == "__main__":
    unittest.main()
