"""The project file: what it may say, and that a slip is said."""

import os
import tempfile
import unittest

from toolreplay.errors import InputError
from toolreplay.findings.suppression import Suppression
from toolreplay.sources.project import (
    NO_PROJECT,
    Project,
    find_project,
    is_day,
)

KINDS = frozenset({"odd", "even"})
WHOLE = """
scope = "scope.json"
mutators = ["apply_patch"]
require = ["replay", "scope"]
baseline = "known/b.jsonl"

[[suppress]]
fingerprint = "0123456789abcdef"
reason = "a clock"
until = 2026-12-31

[[suppress]]
kind = "odd"
tool = "t"
reason = "r"
until = "2027-01-01"
"""


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(made.name)

    def put(self, name: str, text: str) -> None:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)


class WhereItIs(InAFolder):
    """Decided by us: this folder only, and a flag wins."""

    def test_without_one_there_is_none(self) -> None:
        self.assertEqual(find_project(None, KINDS), NO_PROJECT)

    def test_its_own_file_wins_over_the_table_in_pyproject(self) -> None:
        self.put("pyproject.toml", '[tool.toolreplay]\nscope = "p.json"\n')
        self.assertEqual(find_project(None, KINDS), Project("pyproject.toml", "p.json"))
        self.put("toolreplay.toml", 'scope = "t.json"\n')
        self.assertEqual(find_project(None, KINDS), Project("toolreplay.toml", "t.json"))
        self.assertEqual(find_project("none", KINDS), NO_PROJECT)

    def test_a_pyproject_without_the_table_is_none(self) -> None:
        for text in ("", "[tool.other]\n", '[project]\nname = "toolreplay"\n', "tool = 3 # toolreplay\n"):  # fmt: skip
            self.put("pyproject.toml", text)
            self.assertEqual(find_project(None, KINDS), NO_PROJECT, text)

    def test_no_folder_above_is_looked_at(self) -> None:
        self.put("toolreplay.toml", 'scope = "t.json"\n')
        os.mkdir("below")
        os.chdir("below")
        self.assertEqual(find_project(None, KINDS), NO_PROJECT)

    def test_paths_are_from_the_folder_of_the_file(self) -> None:
        os.mkdir("ci")
        self.put("ci/gate.toml", 'scope = "s.json"\nbaseline = "/abs/b"\n')
        project = find_project("ci/gate.toml", KINDS)
        self.assertEqual((project.scope, project.baseline), ("ci/s.json", "/abs/b"))

    def test_one_that_is_named_must_be_there(self) -> None:
        for name in ("gone.toml", ".", "a\0b"):
            with self.subTest(name), self.assertRaises(InputError) as caught:
                find_project(name, KINDS)
            self.assertEqual(caught.exception.where, name)


class WhatItSays(InAFolder):
    """Decided by us."""

    def test_everything(self) -> None:
        self.put("toolreplay.toml", WHOLE)
        one, two = "toolreplay.toml: suppress entry 1", "toolreplay.toml: suppress entry 2"
        self.assertEqual(
            find_project(None, KINDS),
            Project(
                "toolreplay.toml",
                "scope.json",
                ("apply_patch",),
                ("replay", "scope"),
                "known/b.jsonl",
                (
                    Suppression(one, "0123456789abcdef", None, None, "a clock", "2026-12-31"),
                    Suppression(two, None, "odd", "t", "r", "2027-01-01"),
                ),
            ),
        )

    def test_a_slip_is_said_and_nothing_is_silently_of_no_use(self) -> None:
        entry = '[[suppress]]\nkind = "odd"\nreason = "r"\nuntil = 2026-12-31\n'
        for text, said in (
            ("scope = 3\n", "scope must be a path"),
            ('baseline = ""\n', "baseline must be a path"),
            ('mutators = "x"\n', "mutators must be a list of names"),
            ("mutators = [1]\n", "mutators must be a list of names"),
            ('require = ["repaly"]\n', "require: no report line 'repaly' (there are: replay, "),
            ('scpoe = "x"\n', "unknown key 'scpoe' (there are: scope, "),
            ('job = "x"\n', "job is not read yet"),
            ("scope = \n", "not valid TOML: "),
            ("suppress = 3\n", "suppress must be tables: [[suppress]]"),
            ("suppress = [3]\n", "suppress must be tables: [[suppress]]"),
            (entry.replace("odd", "odds"), "suppress entry 1: no kind 'odds' (there are: even, "),
            (entry.replace("kind", "knd"), "suppress entry 1: unknown key 'knd' (there are: "),
            (entry.replace('reason = "r"\n', ""), "suppress entry 1: reason is missing"),
            (entry.replace('"r"', '" "'), "suppress entry 1: reason must be a text"),
            (entry.replace("until = 2026-12-31\n", ""), "suppress entry 1: until is missing"),
            (entry.replace("2026-12-31", '"2026-02-30"'), "suppress entry 1: until must be a day, "),
            (entry.replace("2026-12-31", '"soon"'), "suppress entry 1: until must be a day, "),
            (entry.replace("2026-12-31", "2026-12-31T10:00:00"), "suppress entry 1: until must be"),
            (entry.replace('kind = "odd"', ""), "suppress entry 1: needs a fingerprint or a kind"),
            (entry + 'fingerprint = "0123456789abcdef"\n', "suppress entry 1: needs a fingerprint"),
            (entry.replace('kind = "odd"', 'fingerprint = "x"'), "suppress entry 1: fingerprint must"),
            (entry + entry.replace("odd", "x"), "suppress entry 2: no kind 'x'"),
            (entry.replace('kind = "odd"', 'fingerprint = "0123456789abcdef"\ntool = "t"'),
             "suppress entry 1: tool goes with kind"),
        ):  # fmt: skip
            self.put("toolreplay.toml", text)
            with self.subTest(text), self.assertRaises(InputError) as caught:
                find_project(None, KINDS)
            self.assertTrue(
                str(caught.exception).startswith(f"toolreplay.toml: {said}"), caught.exception
            )

    def test_the_table_of_pyproject_must_be_a_table(self) -> None:
        self.put("pyproject.toml", "[tool]\ntoolreplay = 3\n")
        with self.assertRaises(InputError) as caught:
            find_project(None, KINDS)
        self.assertEqual(str(caught.exception), "pyproject.toml: tool.toolreplay must be a table")

    def test_what_looks_long_is_looked_at_once(self) -> None:
        for text in ("x = 0x" + "f" * 400_000, "# " + "a-" * 300_000, "x = '" + "0_" * 300_000 + "'",
                     "#" + '"' * 500_000, "#" + "' a" * 200_000, "# " + "a. " * 15 + "b " * 200_000):  # fmt: skip
            self.put("toolreplay.toml", f"{text}\nnonsense = 1\n")
            with self.assertRaises(InputError):  # in a moment: it was minutes
                find_project(None, KINDS)

    def test_a_pipe_that_nobody_named_is_not_waited_for(self) -> None:
        os.mkfifo("toolreplay.toml")
        with self.assertRaises(InputError) as caught:
            find_project(None, KINDS)
        self.assertIn("is no file", str(caught.exception))

    def test_hostile_files_are_one_error(self) -> None:
        dots = b".".join([b"a"] * 20_000)
        for data in (
            dots + b" = 1",
            b"[" + dots + b"]",
            b"x = {" + dots + b" = 1}",
            b'"a" . ' * 30 + b"b=1",
            b"x = " + b"1" * 5000,
            b"[[suppress]]\nuntil." + dots[:5000] + b"=1",
            b"[[suppress]]\nreason='r'\nkind='odd'\nuntil = [1]",
            b"\xff",
            b"a = " + b"[" * 100_000,
            b"x" * (1 << 20) + b"x",
            b"\x00",
            b"a=1\r",
        ):
            with open("toolreplay.toml", "wb") as file:
                file.write(data)
            with self.subTest(data[:9]), self.assertRaises(InputError) as caught:
                find_project(None, KINDS)
            self.assertEqual(caught.exception.where, "toolreplay.toml")


class ADay(unittest.TestCase):
    def test_is_one_of_the_calendar(self) -> None:
        for text in ("2026-12-31", "2028-02-29", "0001-01-01"):
            self.assertTrue(is_day(text))
        for text in ("", "2026-13-01", "2027-02-29", "2026-1-1", "20261231", "2026-12-31 ", "٢٠٢٦-12-31"):  # fmt: skip
            self.assertFalse(is_day(text), text)
