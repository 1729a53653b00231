"""Promise: a quick command loads nothing slow."""

import functools
import pathlib
import tempfile
import unittest

from tests.cli.ways import side_by_side
from tests.promises.commands import quick_commands, run_code, seal_sample
from tests.promises.source import ROOT, planted

SLOW = {
    "asyncio",
    "ctypes",
    "dataclasses",
    "decimal",
    "email",
    "http",
    "importlib.metadata",
    "importlib.resources",
    "inspect",
    "logging",
    "pathlib",
    "pkgutil",
    "socket",
    "sqlite3",
    "ssl",
    "subprocess",
    "tempfile",
    "threading",
    "tomllib",
    "typing_extensions",
    "unittest",
    "urllib",
    "xml",
    "zipfile",
    "zstandard",
}
"""Modules that cost a quick command milliseconds and give it nothing."""

NEEDED = {"seal": {"tempfile"}}
"""`seal` keeps its links in an unlinked temporary file until all of the input has been checked."""

_SHOW_MODULES = """
import atexit, os
def show():
    os.write(2, ("\\n@" + " ".join(sorted(sys.modules))).encode())
atexit.register(show)
from toolreplay.cli.main import main
status = main(sys.argv[1:])
sys.exit(status)
"""


@functools.cache
def _bare() -> set[str]:
    """Modules that the interpreter itself loads before it runs anything."""
    code = "import os; os.write(1, ' '.join(sys.modules).encode())"
    return set(run_code(ROOT, code, []).out.decode().split())


def slow_modules(program: pathlib.Path, command: str, arguments: list[str]) -> list[str]:
    """Slow modules that a command has loaded by its end, each with the command's name."""
    ran = run_code(program, _SHOW_MODULES, arguments)
    loaded = set(ran.err.rpartition(b"@")[2].decode().split())
    if ran.status not in (0, 1):
        return [f"{command}: did not run: {ran.err.decode(errors='replace')}"]
    allowed = NEEDED.get(command, set())
    found = {
        module for module in loaded - _bare() if module in SLOW or module.split(".")[0] in SLOW
    }
    return [f"{command}: loads {module}" for module in sorted(found - allowed)]


class QuickCommandsLoadNothingSlow(unittest.TestCase):
    """Decided by us: a command in a loop over a thousand files is mostly start-up."""

    def test_the_five_commands(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            commands = quick_commands(seal_sample(ROOT, folder))
            found = side_by_side(lambda command: slow_modules(ROOT, *command), commands.items())
        self.assertEqual(len(found), 5)
        self.assertEqual([line for lines in found for line in lines], [])

    def test_a_slow_module_is_named_however_late_it_is_loaded(self) -> None:
        files = {
            "toolreplay/__init__.py": "",
            "toolreplay/cli/__init__.py": "",
            "toolreplay/cli/main.py": """\
                def main(arguments):
                    import dataclasses
                    import urllib.parse
                    return 1
                """,
        }
        with planted(files) as program:
            found = slow_modules(program, "replay", ["replay"])
        self.assertIn("replay: loads dataclasses", found)
        self.assertIn("replay: loads inspect", found)
        self.assertIn("replay: loads urllib.parse", found)
        self.assertNotIn("replay: loads os", found)
