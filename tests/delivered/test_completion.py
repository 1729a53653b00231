"""completion: what real shells make of the scripts; a shell that is not there is passed over."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

from tests.cli import ways
from toolreplay.cli.main import COMMANDS, PAIRED
from toolreplay.cli.shells.words import _KINDS, FREE, commands
from toolreplay.findings.check import LINES
from toolreplay.packaged import extensions_of
from toolreplay.sources.recognise import form_words

NAMES = [name for group in COMMANDS.values() for name in group if name not in PAIRED]
FIRSTS = ["record", "runs", "recorder", "store", "receipt", "chain", "workflow", "key"]
SHELLS = ("bash", "zsh", "fish")
SECONDS = 20

ASK_BASH = """\
source ./.completion
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_toolreplay
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script_of(shell: str) -> str:
    ran = ways.in_process("completion", shell)
    assert (ran.status, ran.err) == (0, b""), ran
    return ran.text


class InAShell(unittest.TestCase):
    """Puts the scripts into a folder with a few files."""

    shell = ""

    def setUp(self) -> None:
        if self.shell and shutil.which(self.shell) is None:
            self.skipTest(f"{self.shell} is not installed here")
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        for name in ("run.jsonl", "run two.jsonl", "scope.json"):
            (self.folder / name).write_text("")
        (self.folder / "runs").mkdir()
        if self.shell:
            (self.folder / ".completion").write_text(script_of(self.shell), encoding="utf-8")

    def started(self, *command: str) -> str:
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=SECONDS, check=False,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout


class Bash(InAShell):
    """Decided by us: the completions that bash itself computes."""

    shell = "bash"

    def completed(self, *words: str) -> list[str]:
        out = self.started("bash", "--norc", "-uc", ASK_BASH, "bash", *words)
        return [line for line in out.splitlines() if line]

    def test_commands(self) -> None:
        self.assertEqual(self.completed("toolreplay", ""), [*NAMES, *FIRSTS, "--help", "--version"])
        self.assertEqual(self.completed("toolreplay", "se"), ["seal", "sessions", "selftest"])
        self.assertEqual(self.completed("toolreplay", "--v"), ["--version"])
        self.assertEqual(self.completed("toolreplay", "x"), [])

    def test_the_options_of_each_command_are_those_of_its_help(self) -> None:
        for name in NAMES:
            text = ways.in_process(name, "--help").text
            options = re.findall(r"^  (-\w)?(?:, )?(?:(--[a-z-]+))?", text, re.MULTILINE)
            listed = {flag for flags in options for flag in flags if flag}
            with self.subTest(name):
                self.assertEqual(set(self.completed("toolreplay", name, "-")), listed)

    def test_the_values_of_an_option(self) -> None:
        table = (
            (("--format", ""), extensions_of("reports")),
            (("--format", "j"), ["json", "junit"]),
            (("--format", "=", "j"), ["json", "junit"]),
            (("--format", "="), extensions_of("reports")),
            (("--only", ""), extensions_of("audits")),
            (("--from", ""), form_words()),
            (("--require", "re"), ["replay"]),
            (("--require", "replay,lo"), ["replay,loop", "replay,log"]),
            (("--require", "replay,scope,en"), ["replay,scope,ending"]),
            (("--report", "j"), ["json=", "junit="]),
            (("--report", "json", "=", "sc"), ["scope.json"]),
            (("--mutator", ""), []),
            (("--max-depth", ""), []),
            (("--scope", "sc"), ["scope.json"]),
            (("--verbose", "sc"), ["scope.json"]),
        )
        for words, expected in table:
            with self.subTest(words):
                self.assertEqual(self.completed("toolreplay", "audit", "x", *words), expected)
        self.assertEqual(self.completed("toolreplay", "audit", "--require", ""), [*LINES, "none"])

    def test_no_file_name_is_ever_run(self) -> None:
        for name in ("\n${x:=$(touch PWNED)}", "z\n$((x[$(touch${IFS}PWNED)]))", "z\n`touch PWNED`", "$(touch PWNED)", "~$(touch PWNED)"):  # fmt: skip
            (self.folder / name).write_text("")
        for words in (("toolreplay", "audit", ""), ("toolreplay", "audit", "--baseline", "")):
            found = self.completed(*words)
            # A part of a name that is no file is not offered; bash would expand it.
            self.assertTrue(all((self.folder / name).exists() for name in found), found)
        self.assertFalse((self.folder / "PWNED").exists())

    def test_files_also_those_with_spaces(self) -> None:
        self.assertEqual(
            sorted(self.completed("toolreplay", "audit", "ru")),
            ["run two.jsonl", "run.jsonl", "runs"],
        )
        self.assertEqual(self.completed("toolreplay", "scope", "run.jsonl", "sc"), ["scope.json"])
        self.assertEqual(self.completed("toolreplay", "seal", "-o", "run.j"), ["run.jsonl"])
        self.assertEqual(self.completed("toolreplay", "demo", "--into", "r"), ["runs"])
        self.assertEqual(self.completed("toolreplay", "version", "r"), [])

    def test_words_and_shells(self) -> None:
        self.assertEqual(self.completed("toolreplay", "completion", ""), list(SHELLS))
        self.assertEqual(self.completed("toolreplay", "explain", "redund"), ["redundant-call"])
        self.assertEqual(self.completed("toolreplay", "explain", "not", "checke"), ["checked"])
        self.assertEqual(self.completed("toolreplay", "selftest", "--only", "lo"), ["loop"])

    def test_what_is_typed_is_never_run(self) -> None:
        for typed in ("$(touch made)", "`touch made`", "'", '"', "\\", "*", "-- -"):
            for words in ((typed,), ("audit", typed), ("audit", "--only", typed), (typed, "")):
                self.completed("toolreplay", *words)
        self.assertFalse((self.folder / "made").exists())

    def test_it_is_registered_for_the_command(self) -> None:
        out = self.started("bash", "--norc", "-c", "source ./.completion; complete -p toolreplay")
        self.assertEqual(out, "complete -F _toolreplay toolreplay\n")


class Fish(InAShell):
    """Decided by us: the completions that fish itself computes."""

    shell = "fish"

    def completed(self, line: str) -> list[str]:
        ask = "source ./.completion; complete -C $argv[1]"
        out = self.started("fish", "--no-config", "-c", ask, line)
        return sorted(entry.split("\t")[0] for entry in out.splitlines())

    def test_each_kind(self) -> None:
        table = (
            ("toolreplay se", ["seal", "selftest", "sessions"]),
            ("toolreplay audit --on", ["--only"]),
            ("toolreplay audit --only l", ["loop"]),
            ("toolreplay audit --only=l", ["--only=loop"]),
            ("toolreplay audit --require replay,lo", ["replay,log", "replay,loop"]),
            ("toolreplay audit --report j", ["json="]),
            ("toolreplay audit --scope sc", ["scope.json"]),
            ("toolreplay audit run.", ["run.jsonl"]),
            ("toolreplay seal -o run.", ["run.jsonl"]),
            ("toolreplay demo --into ru", ["runs/"]),
            ("toolreplay completion ", sorted(SHELLS)),
            ("toolreplay explain redund", ["redundant-call"]),
            ("toolreplay explain audit --re", []),
            ("toolreplay version ru", []),
        )
        for line, expected in table:
            with self.subTest(line):
                self.assertEqual(self.completed(line), expected)


class Zsh(InAShell):
    """Decided by us: what the line of a zsh at a terminal is after the tabulator."""

    shell = "zsh"

    def setUp(self) -> None:
        super().setUp()
        self.process, self.terminal = pty.fork()
        if not self.process:  # here we are the shell's own process
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {
                "PATH": os.environ["PATH"], "HOME": str(self.folder), "TERM": "dumb",
                "LC_ALL": "C.UTF-8",
            })  # fmt: skip
        self.addCleanup(self.end)
        self.type("PROMPT= RPROMPT= PS2=; unsetopt zle_bracketed_paste prompt_cr prompt_sp\n"
                  "autoload -U compinit; compinit -u -D; . ./.completion; setopt no_list_beep\n"
                  "show() { print -r -- \"<<$BUFFER>>\"; BUFFER= }; zle -N show\n"
                  "bindkey '^X' show; bindkey '^I' complete-word; print rea''dy\n")  # fmt: skip
        self.read_until(r"ready\r?\n")

    def end(self) -> None:
        os.close(self.terminal)
        os.waitpid(self.process, 0)

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def read_until(self, pattern: str) -> str:
        text, until = "", time.monotonic() + SECONDS
        while time.monotonic() < until:
            if select.select([self.terminal], [], [], 0.1)[0]:
                text += os.read(self.terminal, 65536).decode("utf-8", "replace")
            elif re.search(pattern, text):
                return text
        raise AssertionError(text)

    def completed(self, line: str) -> str:
        self.type(f"{line}\t\x18")
        return re.findall(r"<<(.*)>>", self.read_until(r"<<.*>>"))[-1]

    def test_each_kind(self) -> None:
        table = (
            ("toolreplay aud", "toolreplay audit "),
            ("toolreplay audit --on", "toolreplay audit --only="),
            ("toolreplay audit --only l", "toolreplay audit --only loop "),
            ("toolreplay audit --only=l", "toolreplay audit --only=loop "),
            ("toolreplay audit --require replay,en", "toolreplay audit --require replay,ending,"),
            ("toolreplay audit --report j", "toolreplay audit --report json="),
            ("toolreplay audit --report json=sc", "toolreplay audit --report json=scope.json"),
            ("toolreplay audit --scope sc", "toolreplay audit --scope scope.json"),
            ("toolreplay audit run.", "toolreplay audit run.jsonl"),
            ("toolreplay scope run.jsonl sc", "toolreplay scope run.jsonl scope.json"),
            ("toolreplay seal -o run.", "toolreplay seal -o run.jsonl"),
            ("toolreplay demo --into ru", "toolreplay demo --into runs/"),
            ("toolreplay completion f", "toolreplay completion fish "),
            ("toolreplay explain redund", "toolreplay explain redundant-call "),
            ("toolreplay version ru", "toolreplay version ru"),
        )
        for line, expected in table:
            with self.subTest(line):
                self.assertEqual(self.completed(line).rstrip(" "), expected.rstrip(" "))


class TheScripts(unittest.TestCase):
    """Decided by us: made from the parsers, so a new command or option is in them."""

    def test_every_value_is_of_a_known_kind(self) -> None:
        names = set()
        for command in commands():
            for item in (*command.options, *command.arguments):
                if item.value is not None and not item.value.words:
                    names.add(item.value.name)
        self.assertLessEqual(names, _KINDS.keys())
        self.assertLessEqual({"FILE", "X", "NAME"}, names)
        self.assertEqual(_KINDS["NAME"], FREE)

    def test_each_names_every_command_and_option(self) -> None:
        for shell in SHELLS:
            text = script_of(shell)
            for command in commands():
                self.assertIn(command.name, text)
                for option in command.options:
                    for flag in option.flags:
                        spelt = flag if shell != "fish" else f"-{flag[1:2].replace('-', 'l')} "
                        self.assertIn(spelt.strip(), text, f"{shell}: {command.name}")

    def test_they_are_the_same_each_time_and_start_no_program(self) -> None:
        for shell in SHELLS:
            text = script_of(shell)
            self.assertEqual(text, script_of(shell))
            self.assertNotRegex(text, r"\$\(toolreplay|`toolreplay [a-z]+ -|eval")
            self.assertRegex(text, rf"(?m)^# Completion of toolreplay .+ completion {shell}`\.$")
            self.assertTrue(text.endswith("\n"))

    def test_the_help_says_how_each_is_installed(self) -> None:
        text = ways.in_process("completion", "--help").text
        for shell in SHELLS:
            self.assertRegex(text, rf"(?m)^  {shell} +.+\n +.+\n(\n|$)")
            self.assertIn(f"toolreplay completion {shell} > ~/", text)

    def test_another_shell(self) -> None:
        ran = ways.in_process("completion", "bahs")
        self.assertEqual((ran.status, ran.out), (2, b""))
        self.assertIn("; did you mean 'bash'? (see: toolreplay completion --help)", ran.error)
