"""The first screen, the help of each command, and what is wrong with a command line."""

import os
import re
import unittest
from itertools import chain
from unittest import mock

from tests.cli import ways
from toolreplay.cli.console import Console
from toolreplay.cli.further import FURTHER, every_command
from toolreplay.cli.main import COMMANDS, PAIRED, module_of, parser_of, usage
from toolreplay.findings.check import LINES
from toolreplay.reports.lines import WIDTH, width_of
from toolreplay.version import __version__

NAMES = [name for name in every_command() if " " not in name]
PAIRS = [name for name in every_command() if " " in name]


class TheFirstScreen(unittest.TestCase):
    """Decided by us."""

    def test_a_bare_call_prints_it_and_ends_with_2(self) -> None:
        self.assertEqual(ways.in_process(), (2, usage().encode(), b""))

    def test_asked_for_it_ends_with_0(self) -> None:
        for word in ("--help", "-h", "help"):
            self.assertEqual(ways.in_process(word), (0, usage().encode(), b""))

    def test_it_fits_80_columns_and_a_screen(self) -> None:
        lines = usage().splitlines()
        self.assertLessEqual(len(lines), 24)
        for line in lines:
            if not line.startswith("exit: "):  # its wording is fixed, two columns over
                self.assertLessEqual(width_of(line), WIDTH, line)

    def test_it_names_each_command_that_has_a_module_and_no_other(self) -> None:
        folder = ways.ROOT / "toolreplay" / "cli"
        modules = {
            path.stem.rstrip("_")
            for path in folder.glob("*.py")
            if "def add_arguments" in path.read_text(encoding="utf-8") and path.stem != "arguments"
        }
        pairs = {module_of(name).__name__.rpartition(".")[2] for name in PAIRS}
        self.assertEqual(set(NAMES) | pairs, modules)

    def test_a_command_that_takes_a_second_word_lists_them(self) -> None:
        """Decided by us: those that matter to everybody are on the first screen, by one word."""
        firsts = {name.partition(" ")[0] for name in PAIRS}
        on_screen = {name for group in COMMANDS.values() for name in group}
        self.assertEqual(firsts & on_screen, PAIRED)
        for first in sorted(firsts):
            ran = ways.in_process(first, "--help")
            with self.subTest(first):
                self.assertEqual(ran.status, 0)
                for name in chain.from_iterable(FURTHER.values()):
                    self.assertEqual(f"  {name}  " in ran.text, name.startswith(f"{first} "), name)
                self.assertEqual(ways.in_process(first).status, 2)

    def test_it_says_what_each_exit_status_means(self) -> None:
        self.assertIn(
            "exit: 0 nothing found  1 found  2 could not run  3 something required not checked",
            usage(),
        )


class EachCommandHasHelp(unittest.TestCase):
    """Decided by us."""

    def test_it_is_the_commands_docstring_and_its_options(self) -> None:
        for name in [*NAMES, *PAIRS]:
            for flag in ("--help", "-h"):
                with self.subTest(name):
                    ran = ways.in_process(*name.split(), flag)
                    self.assertEqual((ran.status, ran.err), (0, b""))
                    self.assertTrue(ran.text.startswith(f"usage: toolreplay {name} [-h]"))
                    self.assertRegex(ran.text, r"\n\n[A-Z][^\n]{20,}")

    def test_of_verify_names_stores_and_their_runs(self) -> None:
        text = ways.in_process("verify", "--help").text
        self.assertIn("A store is judged whole", " ".join(text.split()))
        self.assertIn("a store (STORE, or STORE#RUN for one run)", " ".join(text.split()))

    def test_it_fits_80_columns_on_any_terminal(self) -> None:
        for name in [*NAMES, *PAIRS]:
            texts = set()
            for columns in ("33", "200"):
                with mock.patch.dict(os.environ, {"COLUMNS": columns}):
                    texts.add(ways.in_process(*name.split(), "--help").text)
            with self.subTest(name):
                self.assertEqual(len(texts), 1)
                for line in texts.pop().splitlines():
                    self.assertLessEqual(width_of(line), WIDTH, line)

    def test_each_option_and_argument_says_what_it_is_for(self) -> None:
        for name in [*NAMES, *PAIRS]:
            parser = parser_of(name, Console())
            for action in parser.actions:
                with self.subTest(command=name, option=action.dest):
                    self.assertRegex(parser.help_of(action), r"\A[a-z][^\n]+[^.]\Z")

    def test_the_usage_leaves_the_limits_to_their_list(self) -> None:
        for name in ("audit", "show", "verify", "import", "replay", "scope", "seal"):
            usage_line, _, rest = ways.in_process(name, "--help").text.partition("\n\n")
            with self.subTest(name):
                self.assertNotIn("--max-", usage_line)
                reading = rest.partition("\nhow the input is read:\n")[2]
                self.assertEqual(reading.count("\n  --max-"), 4 - reading.startswith("  --max-"))

    def test_options_stand_under_what_they_are_about(self) -> None:
        text = ways.in_process("audit", "--help").text
        groups = dict(re.findall(r"^([a-z ]+):\n((?:  .+\n)+)", text, re.MULTILINE))
        self.assertEqual(
            {name: re.findall(r"^  (?:-h, )?(\S+)", listed, re.MULTILINE)[:1]
             for name, listed in groups.items()},
            {"arguments": ["X"], "options": ["--help"], "what is asked": ["--only"],
             "known findings and the project file": ["--baseline"], "the report": ["--format"], "how the input is read": ["--from"]},
        )  # fmt: skip

    def test_an_option_with_choices_lists_them(self) -> None:
        for name in NAMES:
            for action in (parser := parser_of(name, Console())).actions:
                shown = f"{action.metavar or '{' + ','.join(action.choices or ()) + '}'} "
                shown += parser.help_of(action)
                for choice in action.choices or ():
                    self.assertIn(choice, shown, f"{name} {action.option_strings}")

    def test_no_line_is_broken_at_a_hyphen(self) -> None:
        for name in NAMES:
            for line in ways.in_process(name, "--help").lines:
                self.assertNotRegex(line, r"\w-\Z", name)

    def test_a_paragraph_that_is_indented_stands_as_it_is(self) -> None:
        text = ways.in_process("completion", "--help").text
        self.assertIn(
            "\n  bash   toolreplay completion bash > ~/.toolreplay.bash\n         echo", text
        )


class WhatIsWrongWithACommandLine(unittest.TestCase):
    """Decided by us: one line that names the page to look at, and status 2."""

    def test_each_mistake(self) -> None:
        see_replay = "(see: toolreplay replay --help)"
        table = (
            (["replya"], "no command 'replya'; did you mean 'replay'? (see: toolreplay --help)"),
            (["frobnicate"], "no command 'frobnicate' (see: toolreplay --help)"),
            (["--verbose"], "no command '--verbose' (see: toolreplay --help)"),
            (
                ["repl\x1b"],
                "no command 'repl\\u{1b}'; did you mean 'replay'? (see: toolreplay --help)",
            ),
            (
                ["scope", "a.jsonl"],
                "the following arguments are required: SCOPE (see: toolreplay scope --help)",
            ),
            (
                ["replay", "a", "b"],
                "unrecognized arguments: b (see: toolreplay replay --help)",
            ),
            (
                ["replay", "a", "--mut", "x"],
                f"unrecognized arguments: --mut x; did you mean '--mutator'? {see_replay}",
            ),
            (
                ["verify", "a", "--against"],
                "argument --against: expected one argument (see: toolreplay verify --help)",
            ),
            (
                ["audit", "a", "--require", "replay,tests"],
                f"no report line 'tests' (there are: {', '.join(LINES)})",
            ),
            (
                ["replay", "a", "--max-line-bytes", "1e6"],
                f"argument --max-line-bytes: '1e6' is not a whole number from 1 {see_replay}",
            ),
            (
                ["show", "a", "--calls", "1-2-3"],
                "--calls takes one index or a range, as 3 or 3-9",
            ),
        )
        for arguments, message in table:
            with self.subTest(arguments):
                self.assertEqual(
                    ways.in_process(*arguments), (2, b"", f"error: {message}\n".encode())
                )

    def test_a_choice_that_is_none_names_the_choices(self) -> None:
        for arguments in (["replay", "a", "--format", "xml"], ["audit", "a", "--only", "tests"]):
            ran = ways.in_process(*arguments)
            self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))
            self.assertRegex(ran.error, r"invalid choice: '(xml|tests)' \(choose from .+\)")

    def test_names_that_no_file_can_have(self) -> None:
        for command in ("replay", "verify", "audit", "show", "import"):
            with self.subTest(command):
                ran = ways.in_process(command, "a\0b")
                self.assertEqual(ran, (2, b"", b"error: a\\u{0}b: is not a name a file can have\n"))


class TheVersion(unittest.TestCase):
    """Decided by the tutorial: one line; the rest by us."""

    def test_it_is_one_line(self) -> None:
        self.assertEqual(ways.in_process("version").text, f"toolreplay {__version__}\n")

    def test_verbose_prints_the_digest_of_each_module_of_the_program(self) -> None:
        from hashlib import sha256

        first, *lines = ways.in_process("version", "--verbose").lines
        self.assertEqual(first, f"toolreplay {__version__}")
        listed = dict(line.split("  ")[::-1] for line in lines)
        package = ways.ROOT / "toolreplay"
        self.assertEqual(
            listed,
            {
                path.relative_to(package).as_posix(): sha256(path.read_bytes()).hexdigest()
                for path in package.rglob("*.py")
            },
        )

    def test_the_option_is_the_command_with_all_it_takes(self) -> None:
        for arguments in ((), ("--verbose",), ("--format", "json"), ("x",)):
            self.assertEqual(
                ways.in_process("--version", *arguments), ways.in_process("version", *arguments)
            )
