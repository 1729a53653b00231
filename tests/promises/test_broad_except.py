"""Promise: no error is swallowed unseen; a catch-all stands only where its comment says why."""

import ast
import pathlib
import unittest

from tests.promises.source import PACKAGE, nodes_of, planted, sources_of

ALLOWED = {
    "cli/failures.py": 1,
    "capture/recorder.py": 1,
    "capture/decorator/calls.py": 1,
    "capture/decorator/wrapping.py": 6,
    "capture/mcp_stdio/tap.py": 1,
    "stores/sqlite/appending.py": 1,
}
"""How many catch-alls a file may have: `cli/failures.py` turns a bug into one line and status 2; a
recorder must not take the agent down with it, nor a wrapper end the session between a client and its
server; a decorator records whatever ends a call and lets it go on, and an error's own text may fail;
one maker must not lose the entries of others that are appended in the same transaction."""


def broad_excepts(folder: pathlib.Path) -> list[str]:
    """Every catch-all beyond the ones allowed."""
    offences = []
    for source in sources_of(folder):
        left = ALLOWED.get(source.name, 0)
        handlers = [node for node in nodes_of(source) if isinstance(node, ast.ExceptHandler)]
        for node in sorted(handlers, key=lambda handler: handler.lineno):
            place = f"{source.name}:{node.lineno}"
            caught = _caught(node.type)
            if caught is None:
                offences.append(f"{place}: a bare except")
            elif broad := caught & {"Exception", "BaseException"}:
                if not left:
                    offences.append(f"{place}: except {min(broad)}")
                left = max(0, left - 1)
        for node in nodes_of(source):
            if isinstance(node, ast.Call) and _called(node) == "suppress":
                broad = {"Exception", "BaseException"}.intersection(
                    *[{name for argument in node.args for name in _caught(argument) or ()}]
                )
                offences += [
                    f"{source.name}:{node.lineno}: suppress({name})" for name in sorted(broad)
                ]
    return offences


def _caught(node: ast.expr | None) -> set[str] | None:
    if node is None:
        return None
    items = node.elts if isinstance(node, ast.Tuple) else [node]
    return {
        item.attr if isinstance(item, ast.Attribute) else getattr(item, "id", "") for item in items
    }


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


class NoErrorIsSwallowed(unittest.TestCase):
    """Decided by us: an unexpected error is status 2, never a quiet pass."""

    def test_the_package_catches_everything_only_where_allowed(self) -> None:
        self.assertEqual(broad_excepts(PACKAGE), [])

    def test_each_catch_all_is_named(self) -> None:
        files = {
            "cli/failures.py": "try:\n    run()\nexcept Exception:\n    pass\ntry:\n    run()\nexcept Exception:\n    pass\n",
            "records/jsonl.py": "try:\n    run()\nexcept:\n    pass\n",
            "sources/open.py": "try:\n    run()\nexcept (OSError, builtins.BaseException):\n    pass\n",
            "stores/write.py": "try:\n    run()\nexcept (OSError, Exception) as error:\n    raise\n",
            "world/read.py": "with contextlib.suppress(OSError, Exception):\n    run()\n",
        }
        with planted(files) as folder:
            self.assertEqual(
                broad_excepts(folder),
                [
                    "cli/failures.py:7: except Exception",
                    "records/jsonl.py:3: a bare except",
                    "sources/open.py:3: except BaseException",
                    "stores/write.py:3: except Exception",
                    "world/read.py:1: suppress(Exception)",
                ],
            )
