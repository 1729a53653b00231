"""Promise: the core is the standard library; another package is imported late, in one folder."""

import ast
import pathlib
import sys
import unittest

from tests.promises.source import PACKAGE, Source, nodes_of, planted, sources_of

LAZILY = {"cryptography": "evidence/signatures/", "zstandard": "sources/"}
"""Third-party packages, and the folder that may import each, inside a function only."""


def foreign_imports(folder: pathlib.Path) -> list[str]:
    """Imports that are neither ours nor the standard library's, or come too early."""
    offences = []
    for source in sources_of(folder):
        for node in nodes_of(source):
            if isinstance(node, ast.Import):
                names = [alias.name.split(".")[0] for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [(node.module or "").split(".")[0]]
            else:
                continue
            for name in names:
                if name == "toolreplay" or name in sys.stdlib_module_names:
                    continue
                place = f"{source.name}:{node.lineno}"
                if name not in LAZILY or not source.name.startswith(LAZILY[name]):
                    offences.append(f"{place}: {name} is not in the standard library")
                elif not _is_late(source, node):
                    offences.append(
                        f"{place}: {name} must be imported inside the function that needs it"
                    )
    return offences


def _is_late(source: Source, node: ast.AST) -> bool:
    """Whether a node stands inside a function."""
    return any(
        node in ast.walk(function)
        for function in nodes_of(source)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
    )


class TheCoreIsTheStandardLibrary(unittest.TestCase):
    """Decided by us: docs/decisions, the standard-library core."""

    def test_the_package_imports_nothing_foreign(self) -> None:
        self.assertEqual(foreign_imports(PACKAGE), [])

    def test_a_foreign_import_is_named_wherever_it_hides(self) -> None:
        files = {
            "records/jsonl.py": "import json\ntry:\n    import orjson\nexcept ImportError:\n    orjson = None\n",
            "audits/loop/__init__.py": "def see():\n    from numpy.linalg import norm\n",
            "evidence/tlog/note.py": "def check():\n    import cryptography.exceptions\n",
            "stores/files/__init__.py": "def open_file():\n    import zstandard\n",
        }
        with planted(files) as folder:
            self.assertEqual(
                foreign_imports(folder),
                [
                    "audits/loop/__init__.py:2: numpy is not in the standard library",
                    "evidence/tlog/note.py:2: cryptography is not in the standard library",
                    "records/jsonl.py:3: orjson is not in the standard library",
                    "stores/files/__init__.py:2: zstandard is not in the standard library",
                ],
            )

    def test_what_may_be_imported_late_may_not_be_imported_early(self) -> None:
        files = {
            "sources/zstd.py": "import zstandard\n",
            "sources/gzip.py": "class Reader:\n    import zstandard\n",
            "sources/open.py": "def read():\n    import zstandard\n",
        }
        with planted(files) as folder:
            self.assertEqual(
                foreign_imports(folder),
                [
                    "sources/gzip.py:2: zstandard must be imported inside the function that needs it",
                    "sources/zstd.py:1: zstandard must be imported inside the function that needs it",
                ],
            )
