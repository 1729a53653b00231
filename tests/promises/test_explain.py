"""explain: every word that any output can print has its page."""

import json
import re
import unittest

from tests.cli import ways
from tests.cli.tutorial import TABLE
from tests.contracts.test_audits import CASES, KINDS, expected_of
from tests.hostile.table import ROWS
from toolreplay.cli.main import COMMANDS
from toolreplay.cli.meanings import words_by_group
from toolreplay.findings.check import LINES
from toolreplay.findings.words import WORDS
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records.call import OUTCOMES
from toolreplay.reports.lines import WIDTH, width_of
from toolreplay.sources.known_formats import KNOWN_FORMATS

NAMES = [name for group in COMMANDS.values() for name in group]
ACCOUNTS = sorted((ways.ROOT / "toolreplay" / "importers").glob("*/cases/*/account.txt"))

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")

LABEL = re.compile(r"(?:^|(?<=· ))([a-z]+(?: [a-z]+)*): ", re.MULTILINE)
"""The word before a colon at the beginning of a line or of one of its parts."""

SEE = re.compile(r"toolreplay explain ([A-Za-z][A-Za-z_ -]*)")


PLACES = {"run http"}
"""What stands in the place of a label and is the name of a run."""


def printed() -> list[str]:
    """Return every text that a golden file or table says is printed."""
    texts = [golden.out + golden.err for golden in TABLE]
    texts += [expected_of(case) for _, case in CASES]
    texts += [path.read_text(encoding="utf-8") for path in ACCOUNTS]
    return texts + [f"{row.line}\n" for row in ROWS if row.line]


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
        sent = {word.strip() for text in printed() for word in SEE.findall(text)}
        for path in (ways.ROOT / "tests").rglob("*.py"):
            sent |= set(re.findall(r"see: toolreplay explain (\w+)", path.read_text("utf-8")))
        self.assertLessEqual({"ending", "signer", "receipt"}, sent)
        for word in sorted(sent):
            explained(word)

    def test_each_line_and_kind_that_a_report_of_the_cases_prints(self) -> None:
        words = set()
        for _, case in CASES:
            text = expected_of(case)
            words |= set(re.findall(r"^(?:index \d+|run): ([a-z-]+): ", text, re.MULTILINE))
            for line in re.findall(r"^(?:passed|failed) +(.+)$", text, re.MULTILINE):
                words |= {
                    re.sub(r" \(.*", "", part) for part in line.removesuffix(" ·").split(" · ")
                }
            words |= set(re.findall(r"^(?:not checked|           )  ([a-z]+)  ", text, re.MULTILINE))  # fmt: skip
        self.assertLessEqual({"replay", "contents", "links", "ending", "signer", "scope"}, words)
        for word in sorted(words):
            explained(word)

    def test_each_outcome_line_command_and_exit_status(self) -> None:
        for word in (
            *OUTCOMES,
            *LINES,
            *NAMES,
            *(f"exit {status}" for status in (0, 1, 2, 3, 130)),
        ):
            with self.subTest(word):
                self.assertTrue(explained(word))
                self.assertEqual(explained(word.upper()), explained(word))

    def test_each_option_of_each_command(self) -> None:
        """Decided by us: an option has its page with or without its dashes."""
        for name in NAMES:
            text = ways.in_process(name, "--help").text
            for option in re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE):
                if option == "--format":
                    continue  # an option of `explain` itself
                with self.subTest(command=name, option=option):
                    page = explained(option)
                    self.assertTrue(page.startswith(f"{option}: option\n\n"))
                    self.assertRegex(page, rf"(?m)^(.+, )?{name}(, |:)")
        self.assertTrue(explained("format").startswith("--format: option\n\n"))
        self.assertTrue(explained("unexplained-only").startswith("--unexplained-only: option\n"))

    def test_each_option_that_an_output_names(self) -> None:
        texts = [text for text in printed() if "unrecognized arguments: " not in text]
        options = {option for text in texts for option in OPTION.findall(text)}
        self.assertLessEqual({"--scope", "--max-depth", "--require"}, options)
        for option in sorted(options - {"--help", "--format"}):
            with self.subTest(option):
                explained(option)

    def test_each_label_that_an_output_prints(self) -> None:
        labels = {label for text in printed() for label in LABEL.findall(text)} - PLACES
        self.assertLessEqual(
            {"calls", "divergence", "findings", "chain", "expected", "found", "explained",
             "account", "first broken link", "error", "note", "lost", "files", "not checked"},
            labels,
        )  # fmt: skip
        for label in sorted(labels):
            with self.subTest(label):
                explained(label)

    def test_each_part_of_an_account(self) -> None:
        for part in ("seen", "mapped", "skipped", "truncated", "orphaned", "duplicate",
                     "unreadable", "unknown types", "unknown tools", "losses", "loss"):  # fmt: skip
            self.assertIn("part of an account", explained(part.replace("losses", "loss")))

    def test_a_plural_is_its_singular(self) -> None:
        self.assertEqual(explained("findings"), explained("finding"))
        self.assertEqual(explained("redundant-calls"), explained("redundant-call"))
        self.assertIn("links: report line", explained("links"))

    def test_a_format_that_is_only_recognised(self) -> None:
        for word, title in KNOWN_FORMATS:
            self.assertEqual(
                " ".join(explained(word).split()),
                f"{word}: format without an importer {title[0].upper()}{title[1:]}: "
                "it is recognised, and cannot be read yet.",
            )

    def test_a_command_says_what_it_does_and_where_its_help_is(self) -> None:
        page = explained("verify")
        self.assertEqual(
            page,
            "verify: command\n\nVerify a record: is it intact, and who says so?\n\n"
            "How it is used: toolreplay verify --help\n",
        )


class ThePages(unittest.TestCase):
    """Decided by us."""

    def test_they_fit_80_columns(self) -> None:
        for word in [word for group in words_by_group().values() for word in group]:
            if word in ("-h", "--help", "--format"):
                continue  # options of `explain` itself
            for line in explained(word).splitlines():
                self.assertLessEqual(width_of(line), WIDTH, f"{word}: {line}")

    def test_without_a_word_all_of_them_are_listed_by_group(self) -> None:
        text = explained()
        listed = set(re.split(r" · | ·\n|\n", re.sub(r"^  ", "", text, flags=re.MULTILINE)))
        for group in words_by_group().values():
            self.assertLessEqual(set(group), listed)
        flat = " ".join(text.split())
        for word in [*WORDS, *KINDS, *extensions_of("audits"), *extensions_of("importers"), *NAMES]:
            self.assertIn(word, flat)
        self.assertLessEqual({"audit:", "kind of finding:", "report line:", "format:"}, listed)
        for line in text.splitlines():
            self.assertLessEqual(width_of(line), WIDTH)

    def test_a_word_that_is_none(self) -> None:
        for words in (("frobnicate",), ("not", "a", "word"), ("x\x1b",), (" ",)):
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
