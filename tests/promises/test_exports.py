"""Promise: `__all__` is exactly the public names, in every module and at the top."""

import ast
import importlib
import pathlib
import unittest

import toolreplay
from tests.promises.source import PACKAGE, nodes_of, planted, sources_of

WITHOUT = {"__init__.py", "__main__.py"}
"""Not read as text: the package's own list is made when it is imported (tested below), and
`__main__` is run, not imported."""


def unlisted_names(folder: pathlib.Path) -> list[str]:
    """Public names missing from `__all__`, names in it that are not defined, modules without it."""
    offences = []
    for source in sources_of(folder):
        if source.name in WITHOUT:
            continue
        defined = _defined(source.tree)
        imported = {
            alias.asname or alias.name
            for node in nodes_of(source)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        public = {
            name: line
            for name, line in defined.items()
            if not name.startswith("_") and name not in imported
        }
        listed = _listed(source.tree)
        if listed is None:
            if public:
                offences.append(f"{source.name}:1: no __all__ of plain strings")
            continue
        line, names = listed
        offences += [
            f"{source.name}:{public[name]}: {name} is public and not in __all__"
            for name in sorted(public.keys() - names, key=public.get)  # type: ignore[arg-type]
        ]
        # An extension's __init__ is where its contract is met, by whichever of its modules.
        there = defined.keys() | imported if source.is_extension else defined.keys()
        offences += [
            f"{source.name}:{line}: __all__ names {name}, which is not defined here"
            for name in sorted(set(names) - there)
        ]
        if len(names) != len(set(names)):
            offences.append(f"{source.name}:{line}: __all__ names something twice")
    return offences


def _defined(tree: ast.Module) -> dict[str, int]:
    """Names that the module itself defines at its top level, with the line of each."""
    names: dict[str, int] = {}
    waiting: list[ast.stmt] = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.setdefault(node.name, node.lineno)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        names.setdefault(name.id, node.lineno)
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            for handler in getattr(node, "handlers", ()):
                inner += handler.body
            waiting += reversed(inner)
    # TYPE_CHECKING = False spares a quick command the import of typing, and is nobody's name.
    for name in ("__all__", "TYPE_CHECKING"):
        names.pop(name, None)
    return names


def _listed(tree: ast.Module) -> tuple[int, list[str]] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
        ):
            items = node.value.elts if isinstance(node.value, (ast.List, ast.Tuple)) else []
            names = [item.value for item in items if isinstance(item, ast.Constant)]
            if len(names) == len(items):
                return node.lineno, names
    return None


class PublicNamesAreListed(unittest.TestCase):
    """Decided by us: what is in `__all__` is kept stable, so it has to be the whole truth."""

    def test_every_module_lists_its_public_names(self) -> None:
        self.assertEqual(unlisted_names(PACKAGE), [])

    def test_a_name_left_out_a_name_too_many_and_a_missing_list_are_named(self) -> None:
        files = {
            "version.py": "__version__ = '1'\n",
            "records/call.py": """\
                from typing import Any, NamedTuple
                __all__ = ["Place", "Gone"]
                Json = Any
                _private = 1
                class Place(NamedTuple):
                    line: int
                try:
                    from json.encoder import c_make_encoder
                    LIMIT: int = 1
                except ImportError:
                    c_make_encoder = None
                def read(): ...
                """,
            "records/run.py": "RUN = 1\n",
            "importers/one/__init__.py": "from toolreplay.importers.one.read import read\n__all__ = ['read', 'sniff']\n",
            "records/flow.py": "__all__ = [*sorted(NAMES)]\nNAMES = ()\n",
        }
        with planted(files) as folder:
            self.assertEqual(
                unlisted_names(folder),
                [
                    "importers/one/__init__.py:2: __all__ names sniff, which is not defined here",
                    "records/call.py:3: Json is public and not in __all__",
                    "records/call.py:9: LIMIT is public and not in __all__",
                    "records/call.py:12: read is public and not in __all__",
                    "records/call.py:2: __all__ names Gone, which is not defined here",
                    "records/flow.py:1: no __all__ of plain strings",
                    "records/run.py:1: no __all__ of plain strings",
                ],
            )


class TheNamesAtTheTop(unittest.TestCase):
    """Decided by us: docs/stability.md."""

    def test_each_is_the_public_name_of_the_module_it_comes_from(self) -> None:
        for name in toolreplay.__all__:
            with self.subTest(name):
                value = getattr(toolreplay, name)
                if name != "__version__":
                    home = importlib.import_module(value.__module__)
                    self.assertIn(name, home.__all__)
                    self.assertIs(getattr(home, name), value)

    def test_the_list_is_sorted_and_is_what_dir_shows(self) -> None:
        self.assertEqual(toolreplay.__all__, sorted(toolreplay.__all__))
        self.assertEqual(dir(toolreplay), sorted(toolreplay.__all__))

    def test_every_deliberate_error_is_there(self) -> None:
        self.assertEqual(
            {name for name in toolreplay.__all__ if name.endswith("Error")},
            set(importlib.import_module("toolreplay.errors").__all__),
        )

    def test_another_name_is_an_attribute_error(self) -> None:
        with self.assertRaisesRegex(AttributeError, "no attribute 'Transcript'"):
            toolreplay.Transcript  # noqa: B018
