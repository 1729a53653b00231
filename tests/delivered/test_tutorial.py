"""The golden table of the five commands, through every way of starting toolreplay."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from tests.cli import ways
from tests.cli.tutorial import DIGESTS, FILES, SEALED_DIRTY, TABLE, Answer, Golden, differences

_INSIDE_THE_ZIPAPP = """
import sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
import toolreplay
assert toolreplay.__file__.startswith(sys.argv[1]), toolreplay.__file__
from tests.cli import tutorial
from tests.delivered import test_tutorial
found = tutorial.differences(test_tutorial.in_this_process)
print("\\n".join(found))
sys.exit(1 if found else 0)
"""


def in_this_process(golden: Golden, folder: str) -> Answer:
    return ways.in_process(*golden.arguments, folder=folder, stdin=golden.stdin)


CORE = [golden for golden in TABLE if golden.core]


def processes(command: list[str], table: list[Golden]) -> list[str]:
    """Run entries as processes, one folder and one part of them a core; return the differences."""

    def start(golden: Golden, folder: str) -> Answer:
        return ways.run(command, *golden.arguments, folder=folder, stdin=golden.stdin)

    cores = os.cpu_count() or 1
    parts = [table[core::cores] for core in range(cores)]
    found = ways.side_by_side(lambda part: differences(start, part), parts)
    return [line for lines in found for line in lines]


class TheFiveCommands(unittest.TestCase):
    """Decided by the tutorial where the table says so, else by us."""

    maxDiff = None

    def test_every_line_file_and_status_in_this_process(self) -> None:
        self.assertEqual(differences(in_this_process), [])

    def test_a_checkout_started_as_a_module(self) -> None:
        self.assertEqual(processes(ways.as_module(), CORE), [])

    def test_the_zipapp_shut_off_from_everything_else(self) -> None:
        """Each entry inside one process; as processes of their own, what `EVERY` leaves of the core.

        CI starts the zipapp, and the installed wheel, for each entry of the whole table.
        """
        with tempfile.TemporaryDirectory() as folder:
            zipapp = ways.build_zipapp(folder)
            self.assertEqual(processes(zipapp, CORE[:: ways.EVERY]), [])
            done = subprocess.run(
                [sys.executable, "-I", "-S", "-c", _INSIDE_THE_ZIPAPP, zipapp[-1], ways.ROOT],
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
            self.assertEqual((done.stdout.strip(), done.stderr, done.returncode), ("", "", 0))


class TheTableItself(unittest.TestCase):
    """Decided by us: a table that compares nothing is worse than none."""

    def test_it_holds_the_published_digests(self) -> None:
        self.assertEqual(
            [json.loads(line)["digest"] for line in SEALED_DIRTY.splitlines()], list(DIGESTS)
        )

    def test_each_command_stands_in_it_with_each_status_it_can_have(self) -> None:
        seen = {(golden.arguments[0], golden.status) for golden in TABLE}
        for command in ("replay", "scope", "verify"):
            for status in (0, 1, 2):
                self.assertIn((command, status), seen)
        self.assertLessEqual({("seal", 0), ("seal", 2), ("version", 0)}, seen)

    def test_no_two_entries_have_one_name(self) -> None:
        names = [golden.name for golden in TABLE]
        self.assertEqual(len(names), len(set(names)))

    def test_every_file_is_used(self) -> None:
        used = {word.removeprefix("./") for golden in TABLE for word in golden.arguments}
        unused = {name for name in FILES if not name.startswith("samples/")} - used
        self.assertEqual(unused, {"folder/empty.jsonl"})

    def test_each_kind_of_difference_is_named(self) -> None:
        golden = Golden("x", ("version",), 0, "a\n", writes=(("made", "m"), ("never", "n")))

        def start(golden: Golden, folder: str) -> Answer:
            for name in ("made", "left", "empty.jsonl"):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(b"?")
            return 1, b"b\n", b"c\n"

        found = differences(start, [golden])
        self.assertEqual(
            sorted(found),
            [
                "x: empty.jsonl was changed",
                "x: left was left behind",
                "x: made holds b'?'",
                "x: never was not written",
                "x: standard error is 'c\\n', expected ''",
                "x: standard output is 'b\\n', expected 'a\\n'",
                "x: the exit status is 1, expected 0",
            ],
        )
