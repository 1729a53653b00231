"""Promise: imports go one way, every room is on the plan, and no room is a drawer."""

import ast
import pathlib
import sys
import unittest
from collections.abc import Iterator

from tests.promises.source import (
    EXTENSION_ROOMS,
    PACKAGE,
    Source,
    files_below,
    nodes_of,
    planted,
    sources_of,
)

MAY_IMPORT = {
    "records": set(),
    "findings": {"records"},
    "evidence": {"records", "findings"},
    "audits": {"records", "findings", "evidence"},
    "importers": {"records"},
    "capture": {"records", "evidence"},
    "stores": {"records", "evidence"},
    "world": {"records"},
    "sources": {"records", "findings", "evidence", "importers", "stores"},
    "rates": {"records", "findings", "audits", "sources"},
    "reports": {"records", "findings", "evidence", "rates"},
}
"""Each room and the rooms it may import besides itself; docs/architecture.md shows the same."""

_BELOW_CLI = frozenset({*MAY_IMPORT, "web"})
MAY_IMPORT["web"] = set(_BELOW_CLI - {"web"})
MAY_IMPORT["cli"] = set(_BELOW_CLI)

EVERYWHERE = {"errors", "version", "packaged"}
"""Modules at the top of the package that every room may import."""

TOP_MODULES = {
    "__init__": set(_BELOW_CLI),
    "__main__": {"cli"},
    "errors": set(),
    "packaged": set(),
    "recording": {"records", "evidence", "capture", "stores", "sources"},
    "version": set(),
}
"""The modules at the top, and the rooms each may import."""

IMPORT_BY_TEXT = {"__init__.py", "packaged.py", "cli/main.py"}
"""Where a module may be imported by a name that is made at run time."""

DRAWERS = {
    "base", "common", "core", "helper", "helpers", "manager", "misc", "models", "types", "util",
    "utils",
}  # fmt: skip


def imports_against_the_plan(folder: pathlib.Path) -> list[str]:
    """Offences against the tables above, the sibling rule and the ways of importing."""
    sources = sources_of(folder)
    rooms = {source.room for source in sources if source.room}
    offences = [
        f"{room}/: no room of this name is on the plan"
        for room in sorted(rooms - MAY_IMPORT.keys())
    ]
    for source in sources:
        if not source.room and source.top not in TOP_MODULES:
            offences.append(f"{source.name}: no module of this name is on the plan")
    extensions = {
        (source.room, source.parts[1])
        for source in sources
        if source.room in EXTENSION_ROOMS and source.name.count("/") >= 2
    }
    for source in sources:
        for line, target in _imported(source):
            fact = _judged(source, target, extensions)
            if fact:
                offences.append(f"{source.name}:{line}: {fact}")
    return offences


def _judged(source: Source, target: str, extensions: set[tuple[str, str]]) -> str:
    allowed = MAY_IMPORT.get(source.room) if source.room else TOP_MODULES.get(source.top)
    if allowed is None:
        return ""  # an offence already: not on the plan
    if target == "relative":
        return "a relative import hides which room is meant"
    if target == "by text":
        return "" if source.name in IMPORT_BY_TEXT else "a module imported by text escapes the plan"
    parts = target.split(".")[1:]
    if not parts or parts[0] not in {*MAY_IMPORT, *TOP_MODULES}:
        return f"import of {target}: name the module in which it is defined"
    if parts[0] in EVERYWHERE:
        return ""
    if parts[0] == "recording" and (source.room or source.top) in ("cli", "__init__"):
        return ""
    if source.room == parts[0]:
        return _sibling(source, parts, extensions)
    if parts[0] in allowed:
        return ""
    here = f"room {source.room}" if source.room else f"module {source.top}"
    return f"{here} may not import {parts[0]}"


def _sibling(source: Source, parts: list[str], extensions: set[tuple[str, str]]) -> str:
    mine, other = (source.room, source.parts[1] if len(source.parts) > 1 else ""), tuple(parts[:2])
    if mine in extensions and other in extensions and mine != other:
        return f"{'/'.join(mine)} may not import its sibling {'/'.join(other)}"
    return ""


def _imported(source: Source) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted name) of each import of the package, or `relative`, or `by text`."""
    for node in nodes_of(source):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "toolreplay":
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                yield node.lineno, "relative"
            elif module.split(".")[0] == "toolreplay":
                # `from toolreplay.audits import replay` means the folder, not a name in it.
                for alias in node.names:
                    yield node.lineno, f"{module}.{alias.name}"
        elif isinstance(node, ast.Call):
            yield from _imported_by_call(node)


def _imported_by_call(node: ast.Call) -> Iterator[tuple[int, str]]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    first = node.args[0] if node.args else None
    text = first.value if isinstance(first, ast.Constant) else None
    if name in ("load_extension", "extensions_of"):
        yield node.lineno, f"toolreplay.{text}" if isinstance(text, str) else "by text"
    elif name in ("import_module", "__import__"):
        if not isinstance(text, str):
            yield node.lineno, "by text"
        elif text.split(".")[0] == "toolreplay":
            yield node.lineno, text


def drawers(folder: pathlib.Path) -> list[str]:
    """Modules and folders with a name that says nothing about what is inside."""
    names = [path.relative_to(folder) for path in files_below(folder, ".py")]
    return [
        f"{name.as_posix()}: a drawer, not a room (name what is inside)"
        for name in names
        if DRAWERS.intersection(name.with_suffix("").parts)
    ]


class ImportsGoOneWay(unittest.TestCase):
    """Decided by us: docs/architecture.md, the import table."""

    def test_the_package_keeps_the_plan(self) -> None:
        self.assertEqual(imports_against_the_plan(PACKAGE), [])

    def test_every_room_on_the_plan_is_there(self) -> None:
        rooms = {source.room for source in sources_of(PACKAGE)} - {""}
        self.assertEqual(rooms, set(MAY_IMPORT))

    def found(self, files: dict[str, str]) -> list[str]:
        with planted(files) as folder:
            return imports_against_the_plan(folder)

    def test_an_import_against_the_way_is_named_with_its_line(self) -> None:
        found = self.found(
            {
                "records/call.py": "import os\nfrom toolreplay.findings.check import Check\n",
                "evidence/seal.py": "from toolreplay.findings.check import Check\n",
                "importers/one/read.py": "def read():\n    import toolreplay.sources.open\n",
            }
        )
        self.assertEqual(
            found,
            [
                "importers/one/read.py:2: room importers may not import sources",
                "records/call.py:2: room records may not import findings",
            ],
        )

    def test_only_the_main_module_imports_the_commands(self) -> None:
        found = self.found(
            {
                "__init__.py": "from toolreplay.cli import main\n",
                "__main__.py": "from toolreplay.cli.main import main\n",
                "errors.py": "from toolreplay.records import call\n",
                "web/pages.py": "from toolreplay.cli.main import main\nimport toolreplay.rates.tally\n",
            }
        )
        self.assertEqual(
            found,
            [
                "__init__.py:1: module __init__ may not import cli",
                "errors.py:1: module errors may not import records",
                "web/pages.py:1: room web may not import cli",
            ],
        )

    def test_siblings_do_not_import_each_other(self) -> None:
        found = self.found(
            {
                "audits/engine.py": "from toolreplay.audits import loop, scope\n",
                "audits/loop/__init__.py": "from toolreplay.audits.scope.rules import RULES\n",
                "audits/scope/__init__.py": "from toolreplay.audits.engine import Audit\n",
                "audits/scope/rules.py": "from toolreplay.audits import loop\n",
                "stores/files/__init__.py": "from toolreplay.world import git\n",
            }
        )
        self.assertEqual(
            found,
            [
                "audits/loop/__init__.py:1: audits/loop may not import its sibling audits/scope",
                "audits/scope/rules.py:1: audits/scope may not import its sibling audits/loop",
                "stores/files/__init__.py:1: room stores may not import world",
            ],
        )

    def test_an_unknown_room_and_an_unknown_module_at_the_top_are_refused(self) -> None:
        found = self.found({"plumbing/pipe.py": "", "extra.py": "", "errors.py": ""})
        self.assertEqual(
            found,
            [
                "plumbing/: no room of this name is on the plan",
                "extra.py: no module of this name is on the plan",
            ],
        )

    def test_no_import_hides_its_target(self) -> None:
        found = self.found(
            {
                "cli/main.py": "from importlib import import_module\nimport_module(f'toolreplay.cli.{x}')\n",
                "findings/rule.py": "from . import check\nfrom toolreplay import ToolCall\nimport toolreplay\n",
                "records/call.py": "import importlib\nimportlib.import_module('toolreplay.audits.loop')\n",
                "records/run.py": "x = __import__(name)\n",
                "reports/lines.py": "from toolreplay.packaged import load_extension\nload_extension('audits', name)\n",
            }
        )
        self.assertEqual(
            found,
            [
                "findings/rule.py:1: a relative import hides which room is meant",
                "findings/rule.py:2: import of toolreplay.ToolCall: name the module in which it is defined",
                "findings/rule.py:3: import of toolreplay: name the module in which it is defined",
                "records/call.py:2: room records may not import audits",
                "records/run.py:1: a module imported by text escapes the plan",
                "reports/lines.py:2: room reports may not import audits",
            ],
        )


class NoDrawers(unittest.TestCase):
    """Decided by us: a module named for nothing in particular fills up with everything."""

    def test_no_module_or_folder_of_the_package_is_a_drawer(self) -> None:
        self.assertEqual(drawers(PACKAGE), [])

    def test_no_module_or_folder_beside_the_package_is_a_drawer(self) -> None:
        for folder in ("tests", "benchmarks"):
            self.assertEqual(drawers(PACKAGE.parent / folder), [])

    def test_each_file_beside_the_package_can_be_parsed(self) -> None:
        """Those that this run has imported are known to be."""
        imported = {getattr(module, "__file__", None) for module in sys.modules.values()}
        for folder in ("tests", "benchmarks"):
            for path in files_below(PACKAGE.parent / folder, ".py"):
                if str(path) not in imported:
                    with self.subTest(path=str(path)):
                        ast.parse(path.read_text(encoding="utf-8"))

    def test_a_drawer_is_named(self) -> None:
        with planted(
            {"records/utils.py": "", "audits/common/__init__.py": "", "findings/check.py": ""}
        ) as folder:
            self.assertEqual(
                drawers(folder),
                [
                    "audits/common/__init__.py: a drawer, not a room (name what is inside)",
                    "records/utils.py: a drawer, not a room (name what is inside)",
                ],
            )
