"""Every row of the table, in this process; those about the process's own streams in one apart."""

import gc
import os
import re
import shutil
import sys
import tempfile
import unittest
from unittest import mock

from tests.cli.ways import EVERY
from tests.hostile.files import FILES, make, nested
from tests.hostile.pieces import sealed_with, session_with, strict_with
from tests.hostile.running import IN_MEMORY, Ran, offences, run_apart, run_here
from tests.hostile.table import COMMANDS, ROWS, Row

APART = 499
"""Every so manieth row is run in a process of its own as well, with a bare interpreter."""

LEVELS = 6
"""Folders, one in the other, that are watched while something is written into the innermost."""

ENDING = re.compile(r"(.*?)(?: < (\S+))?(?: > (\S+))?", re.DOTALL)


def parts_of(row: Row) -> tuple[list[str], str | None, str | None]:
    """Return a row's arguments, its standard input and its standard output."""
    found = ENDING.fullmatch(COMMANDS.get(row.command, row.command))
    assert found is not None
    line, stdin, stdout = found.groups()
    words = [word.replace("{}", row.file) for word in line.split(" ")]
    arguments = ["" if word == "EMPTY" else word for word in words]
    for name in (row.file, *words, *((stdin or "").split()), *((stdout or "").split())):
        if name in FILES:
            make(name)
    filled = [text and text.replace("{}", row.file) for text in (stdin, stdout)]
    return arguments, filled[0], filled[1]


def said(row: Row, ran: Ran) -> str | None:
    """Say what a row got that the table does not say, or None."""
    if ran.status != row.exit:
        return f"status {ran.status}, not {row.exit}: {ran.err[-300:].decode('utf-8', 'replace')}"
    if row.line is None:
        return None
    lines = ran.err.decode("utf-8", "replace").split("\n")
    if row.exit != 2 or any(map(os.path.isdir, (row.file,))) or " no-such" in row.command:
        lines += ran.out.decode("utf-8", "replace").split("\n")
    if row.line in lines:
        return None
    if "…" in row.line:
        pattern = re.compile(".*".join(map(re.escape, row.line.split("…"))))
        if any(map(pattern.fullmatch, lines)):
            return None
    return f"no line {row.line!r} in {ran.err[:600]!r} {ran.out[:600]!r}"


def names_around(folder: str, levels: int) -> set[tuple[int, str]]:
    """Return the names in a folder and in those above it, with how far above."""
    found = set()
    for level in range(levels):
        found |= {(level, name) for name in os.listdir(folder)}
        folder = os.path.join(folder, "..")
    return found


def remove(folder: str) -> None:
    """Remove the test's folder, in which one folder is too deep for `rmtree` and one is closed."""
    deep = os.path.join(folder, *["above"] * (LEVELS - 1), "deep")
    closed = os.path.join(os.path.dirname(deep), "locked", "below")
    if os.path.isdir(closed):
        os.chmod(closed, 0o700)
    while os.path.isdir(os.path.join(deep, "d")):
        os.rename(os.path.join(deep, "d"), os.path.join(folder, "next"))
        shutil.rmtree(deep)
        os.rename(os.path.join(folder, "next"), deep)
    shutil.rmtree(folder)


class EveryRow(unittest.TestCase):
    """The statuses and lines are decided by us; that a status of 2 is one line, by the contract."""

    maxDiff = None

    def setUp(self) -> None:
        folder = tempfile.mkdtemp(prefix="hostile-", dir=IN_MEMORY)
        self.addCleanup(remove, folder)
        self.addCleanup(os.chdir, os.getcwd())
        # Room above, for whatever might climb out.
        os.makedirs(os.path.join(folder, *["above"] * (LEVELS - 1)))
        os.chdir(os.path.join(folder, *["above"] * (LEVELS - 1)))
        os.mkdir("sealed-off", 0o500)

    def run_row(self, row: Row, *, apart: bool) -> None:
        arguments, stdin, stdout = parts_of(row)
        writes = "-o" in arguments or "--head" in arguments
        if writes:
            shutil.rmtree("out", ignore_errors=True)
            os.mkdir("out")
        before = names_around(".", LEVELS) if writes else set()
        if stdout or apart:
            ran = run_apart(arguments, stdin or os.devnull, stdout)
        else:
            ran = run_here(arguments, stdin or os.devnull)
        self.assertIsNone(said(row, ran))
        self.assertEqual(offences(ran, arguments), [])
        if writes:
            self.assertEqual(names_around(".", LEVELS) - before, set())

    def test_every_row_ends_as_the_table_says(self) -> None:
        self.assertEqual(len(set(ROWS)), len(ROWS))
        self.addCleanup(gc.enable)
        without = mock.patch.dict(sys.modules, {"zstandard": None})  # whether installed or not
        self.enterContext(without)
        for number, row in enumerate(ROWS):
            if number % EVERY:
                continue
            if number % 500 == 0:
                gc.collect()
            command = COMMANDS.get(row.command, row.command)
            with self.subTest(file=row.file[:80], command=command[:120]):
                self.run_row(row, apart=False)
                if (
                    number % APART == 0
                    and "zstandard" not in row.file
                    and "\0" not in row.file
                    and "\ud800" not in row.file
                ):
                    self.run_row(row, apart=True)

    def test_every_file_is_in_a_row(self) -> None:
        named = {row.file for row in ROWS}
        named |= {word for row in ROWS for word in row.command.split(" ")}
        beside = {f"{name}.meta.jsonl" for name in named}
        root = set() if os.getuid() else {"locked", "locked.jsonl"}
        self.assertEqual(sorted(FILES.keys() - named - beside - root), [])

    def test_what_is_deeper_than_the_interpreter_can_follow_is_one_line(self) -> None:
        """How deep that is differs from one interpreter to the next; nothing else may."""
        self.addCleanup(gc.enable)
        make("scope.json")
        for levels in (600, 980, 3_000, 20_000):
            for name, form, around in (
                ("deep.jsonl", strict_with, 2), ("deep.session.jsonl", session_with, 5),
                ("deep.sealed.jsonl", sealed_with, 2),
            ):  # fmt: skip
                with open(name, "wb") as file:
                    file.write(nested(levels, form, around=around))
                for word in ("replay", "seal", "audit", "show", "full", "show json", "audit json",
                             "verify", "print"):  # fmt: skip
                    row = Row(name, f"{COMMANDS[word]} --max-depth {levels}", 0)
                    with self.subTest(file=name, levels=levels, command=word):
                        arguments, _, _ = parts_of(row)
                        ran = run_here(arguments)
                        self.assertEqual(offences(ran, arguments), [])


if __name__ == "__main__":
    unittest.main()
