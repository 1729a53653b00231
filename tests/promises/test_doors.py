"""Promise: only the commands print, exit and parse arguments; the judging rooms are pure."""

import ast
import pathlib
import unittest
from collections.abc import Iterator

from tests.promises.source import PACKAGE, Source, nodes_of, planted, sources_of

DOORS = {"cli"}
"""Rooms that may speak to a terminal."""

DOOR_MODULES = {"__main__.py", "capture/mcp_stdio/child.py"}
"""The one begins and ends the process; the other ends the one it forked, where nothing was started."""

PURE = {"records", "findings", "evidence", "audits"}
"""Rooms whose answer depends on their arguments alone."""

_IMPURE_MODULES = {"time", "random", "secrets", "uuid", "locale", "platform", "getpass"}
_IMPURE_OS = {
    "environ",
    "environb",
    "getenv",
    "getenvb",
    "urandom",
    "getrandom",
    "getcwd",
    "getpid",
    "times",
}
_CLOCK_CALLS = {"now", "utcnow", "today"}
_STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}


def doors_elsewhere(folder: pathlib.Path) -> list[str]:
    """Printing, exiting and argument parsing outside the rooms that may."""
    return [
        f"{source.name}:{line}: {fact}"
        for source in sources_of(folder)
        if source.room not in DOORS and source.name not in DOOR_MODULES
        for line, fact in sorted(_door_acts(source))
    ]


def impurities(folder: pathlib.Path) -> list[str]:
    """Clock, environment and chance in the rooms that must do without."""
    return [
        f"{source.name}:{line}: {fact}"
        for source in sources_of(folder)
        if source.room in PURE
        for line, fact in sorted(_impure_acts(source))
    ]


def _door_acts(source: Source) -> Iterator[tuple[int, str]]:
    for node in nodes_of(source):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("print", "exit", "quit", "input", "SystemExit"):
                yield node.lineno, f"{node.func.id}()"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "sys" and node.attr in _STREAMS | {"exit", "argv"}:
                yield node.lineno, f"sys.{node.attr}"
            elif node.value.id == "os" and node.attr in ("_exit", "abort"):
                yield node.lineno, f"os.{node.attr}"
        for module, name in _imports(node):
            if module in ("argparse", "optparse", "getopt", "logging", "warnings"):
                yield node.lineno, f"import {module}"  # type: ignore[attr-defined]
            elif module == "sys" and name in _STREAMS | {"exit", "argv"}:
                yield node.lineno, f"sys.{name}"  # type: ignore[attr-defined]


def _impure_acts(source: Source) -> Iterator[tuple[int, str]]:
    for node in nodes_of(source):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "os" and node.attr in _IMPURE_OS:
                yield node.lineno, f"os.{node.attr}"
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _CLOCK_CALLS:
            yield node.lineno, f"the clock: .{node.func.attr}()"  # type: ignore[attr-defined]
        for module, name in _imports(node):
            if module in _IMPURE_MODULES:
                yield node.lineno, f"import {module}"  # type: ignore[attr-defined]
            elif module == "os" and name in _IMPURE_OS:
                yield node.lineno, f"os.{name}"  # type: ignore[attr-defined]


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield (module, name or nothing) for an import statement."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name.split(".")[0], ""
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield (node.module or "").split(".")[0], alias.name


class OnlyTheCommandsSpeak(unittest.TestCase):
    """Decided by us: a library that prints or exits cannot be used by another program."""

    def test_the_package_keeps_its_doors(self) -> None:
        self.assertEqual(doors_elsewhere(PACKAGE), [])

    def test_each_door_in_another_room_is_named(self) -> None:
        files = {
            "__main__.py": "import sys\nsys.exit(0)\n",
            "cli/main.py": "import argparse\nprint('calls: 6')\n",
            "audits/loop/__init__.py": "import sys\nif bad:\n    print('bad')\n    sys.exit(1)\n",
            "records/call.py": "from argparse import ArgumentParser\nraise SystemExit(2)\n",
            "reports/text/__init__.py": "from sys import stdout\nimport sys\nsys.stderr.write('x')\nsys.stdin.read()\n",
        }
        with planted(files) as folder:
            self.assertEqual(
                doors_elsewhere(folder),
                [
                    "audits/loop/__init__.py:3: print()",
                    "audits/loop/__init__.py:4: sys.exit",
                    "records/call.py:1: import argparse",
                    "records/call.py:2: SystemExit()",
                    "reports/text/__init__.py:1: sys.stdout",
                    "reports/text/__init__.py:3: sys.stderr",
                ],
            )


class TheJudgingRoomsArePure(unittest.TestCase):
    """Decided by us: the same input gives the same answer, whenever and wherever it is judged."""

    def test_no_clock_environment_or_chance_reaches_a_verdict(self) -> None:
        self.assertEqual(impurities(PACKAGE), [])

    def test_each_of_them_is_named(self) -> None:
        files = {
            "audits/stall/__init__.py": "import time\nfrom os import environ\n",
            "evidence/seal.py": "import datetime\nWHEN = datetime.datetime.now()\n",
            "findings/gate.py": "import os\ndef strict():\n    return os.environ['STRICT']\n",
            "records/run.py": "from random import choice\nimport os\nKEY = os.urandom(8)\n",
            "capture/recorder.py": "import time\n",
        }
        with planted(files) as folder:
            self.assertEqual(
                impurities(folder),
                [
                    "audits/stall/__init__.py:1: import time",
                    "audits/stall/__init__.py:2: os.environ",
                    "evidence/seal.py:2: the clock: .now()",
                    "findings/gate.py:3: os.environ",
                    "records/run.py:1: import random",
                    "records/run.py:3: os.urandom",
                ],
            )
