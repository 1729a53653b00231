"""explain: every word that any output can print has its page."""

import json
import re
import unittest

from tests.cli import ways
from tests.cli.tutorial import TABLE
from tests.contracts.test_audits import CASES, KINDS, expected_of
from toolreplay.findings.words import WORDS
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.reports.lines import WIDTH, width_of

SEE = re.compile(r"toolreplay explain ([A-Za-z][A-Za-z_ -]*)")


def explained(*words: str) -> str:
    """Return the page of a word; it must have one."""
    ran = ways.in_process("explain", *words)
    assert (ran.status, ran.err) == (0, b""), (words, ran)
    return ran.text


class EveryWordHasAPage(unittest.TestCase):
    """Decided by us: no output sends its reader to a page that is not there."""

    def test_each_word_of_the_glossary(self) -> None:
        for word, meaning in WORDS.items():
            with self.subTest(word):
                page = explained(word)
                self.assertIn(f"{word}: {meaning.group} ({meaning.term})\n\n", page)
                self.assertIn(meaning.meaning.split()[0], page)
                self.assertEqual(explained(*word.split()), page)

    def test_capitals_do_not_matter(self) -> None:
        self.assertIn("provenance", explained("logged", "by", "agent"))
        self.assertIn("report line", explained("Replay"))

    def test_each_kind_of_finding(self) -> None:
        for kind, audit in KINDS.items():
            with self.subTest(kind):
                page = explained(kind)
                self.assertIn(f"{kind}: kind of finding\n\n", page)
                self.assertIn(f"How it is decided, and what it cannot see: toolreplay explain {audit}\n", page)  # fmt: skip

    def test_each_audit_is_its_manual_page(self) -> None:
        for name in extensions_of("audits"):
            page = explained(name)
            self.assertIn(f"{name}: audit\n\n", page)
            self.assertIn(load_extension("audits", name).__doc__.strip(), page)

    def test_each_format_that_can_be_read(self) -> None:
        for name in extensions_of("importers"):
            self.assertIn("What it cannot tell us", explained(name))

    def test_a_word_of_several_meanings_has_all_of_them(self) -> None:
        page = explained("loop")
        titles = [line for line in page.splitlines() if re.match(r"loop: [a-z ]+( \(|$)", line)]
        self.assertEqual(
            titles, ["loop: report line (ループ)", "loop: audit", "loop: kind of finding"]
        )

    def test_each_word_that_the_program_sends_its_reader_to(self) -> None:
        sent = set()
        for path in (ways.ROOT / "toolreplay").rglob("*.py"):
            for word in SEE.findall(path.read_text(encoding="utf-8")):
                sent.add(word.strip())
        sent -= {"WORD"}
        self.assertLessEqual({"ending", "signer", "receipt", "replay", "scope"}, sent)
        for word in sorted(sent):
            with self.subTest(word):
                explained(word)

    def test_each_word_that_an_output_sends_its_reader_to(self) -> None:
        texts = [golden.out + golden.err for golden in TABLE]
        texts += [expected_of(case) for _, case in CASES]
        sent = {word.strip() for text in texts for word in SEE.findall(text)}
        self.assertLessEqual({"ending", "signer", "receipt"}, sent)
        for word in sorted(sent):
            explained(word)

    def test_each_line_and_kind_that_a_report_of_the_cases_prints(self) -> None:
        words = set()
        for _, case in CASES:
            text = expected_of(case)
            words |= set(re.findall(r"^(?:index \d+|run): ([a-z-]+): ", text, re.MULTILINE))
            for line in re.findall(r"^(?:passed|failed) +(.+)$", text, re.MULTILINE):
                words |= {re.sub(r" \(.*", "", part) for part in line.split(" · ")}
            words |= set(re.findall(r"^(?:not checked|           )  ([a-z]+)  ", text, re.MULTILINE))  # fmt: skip
        self.assertLessEqual({"replay", "contents", "links", "ending", "signer", "scope"}, words)
        for word in sorted(words):
            explained(word)


class ThePages(unittest.TestCase):
    """Decided by us."""

    def test_they_fit_80_columns(self) -> None:
        words = [*WORDS, *KINDS, *extensions_of("audits")]
        for word in words:
            for line in explained(word).splitlines():
                self.assertLessEqual(width_of(line), WIDTH, f"{word}: {line}")

    def test_without_a_word_all_of_them_are_listed_by_group(self) -> None:
        text = explained()
        listed = set(re.split(r" · |\n", re.sub(r"^  ", "", text, flags=re.MULTILINE)))
        flat = " ".join(text.split())
        for word in [*WORDS, *KINDS, *extensions_of("audits"), *extensions_of("importers")]:
            self.assertIn(word, flat)
        self.assertLessEqual({"audit:", "kind of finding:", "report line:", "format:"}, listed)
        for line in text.splitlines():
            self.assertLessEqual(width_of(line), WIDTH)

    def test_a_word_that_is_none(self) -> None:
        for words in (("drift",), ("not", "a", "word"), ("x\x1b",), (" ",)):
            ran = ways.in_process("explain", *words)
            self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))
            self.assertRegex(ran.error, r"\Aerror: no word '.*' \(see: toolreplay explain\)\n\Z")

    def test_json(self) -> None:
        document = json.loads(ways.in_process("explain", "loop", "--format", "json").out)
        self.assertEqual((document["format"], document["word"]), ("toolreplay-explain/1", "loop"))
        self.assertEqual(len(document["pages"]), 3)
        words = json.loads(ways.in_process("explain", "--format", "json").out)
        self.assertEqual(words["format"], "toolreplay-words/1")
        self.assertEqual(set(words["groups"]["kind of finding"]), set(KINDS))
        listed = {word for group in words["groups"].values() for word in group}
        self.assertLessEqual(set(WORDS), listed)
