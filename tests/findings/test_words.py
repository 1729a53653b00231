"""The words of the output: each that can be printed has one sentence."""

import re
import unittest

from toolreplay.findings.check import FAILED, LINES, NOT_CHECKED, PASSED
from toolreplay.findings.result import AuditResult
from toolreplay.findings.words import WORDS
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records.call import OUTCOMES
from toolreplay.records.run import LOGGED_BY_AGENT


def words_of(group: str) -> list[str]:
    return [word for word, meaning in WORDS.items() if meaning.group == group]


class EveryWordHasASentence(unittest.TestCase):
    """Decided by us: code, glossary and output are held together here."""

    def test_the_results_of_a_check(self) -> None:
        self.assertEqual(words_of("result of a check"), [PASSED, FAILED, NOT_CHECKED])

    def test_the_report_lines(self) -> None:
        self.assertEqual(words_of("report line"), list(LINES))

    def test_the_outcomes_of_a_call(self) -> None:
        self.assertEqual(words_of("outcome of a call"), list(OUTCOMES))

    def test_the_provenance_that_is_printed(self) -> None:
        self.assertIn(LOGGED_BY_AGENT, words_of("provenance"))

    def test_the_counts(self) -> None:
        for word in words_of("count"):
            self.assertIn(word, AuditResult._fields)

    def test_each_meaning_is_whole_sentences(self) -> None:
        for word, meaning in WORDS.items():
            with self.subTest(word):
                self.assertRegex(meaning.meaning, r"\A(?:[A-Z0-9`]|toolreplay )[^\n]{15,}\.\Z")
                self.assertNotIn("  ", meaning.meaning)

    def test_each_has_its_japanese_term(self) -> None:
        for word, meaning in WORDS.items():
            with self.subTest(word):
                self.assertRegex(meaning.term, r"[\u3040-\u30ff\u4e00-\u9fff]")

    def test_commands_and_options_they_name_exist(self) -> None:
        from toolreplay.cli.main import COMMANDS

        names = {name for group in COMMANDS.values() for name in group}
        for word, meaning in WORDS.items():
            for command in re.findall(r"`(\w+) --", meaning.meaning):
                self.assertIn(command, names, word)

    def test_what_is_not_built_says_so(self) -> None:
        """Decided by us: no sentence may promise what the program does not do."""
        built = {"replay", "scope", "loop", "contents", "links", "ending", "signer", "time", "log"}
        for line in LINES:
            with self.subTest(line):
                self.assertEqual(
                    "ot built yet" in WORDS[line].meaning.replace("\n", " "), line not in built
                )

    def test_a_kind_of_finding_that_is_a_word_too_is_a_report_line(self) -> None:
        kinds = {
            rule.kind
            for name in extensions_of("audits")
            for rule in load_extension("audits", name).RULES
        }
        self.assertLessEqual(kinds & WORDS.keys(), set(LINES))
