"""Promise: each module of records, findings and evidence has the test file of its name."""

import pathlib
import unittest

from tests.promises.source import ROOT, files_below, planted

MIRRORED = ("records", "findings", "evidence")

OWED: set[str] = set()
"""Modules whose test file is still to be written. The list only gets shorter."""


def unmirrored(root: pathlib.Path, owed: set[str]) -> list[str]:
    """Modules without a test file, test files without a module, debts already paid."""
    offences = []
    for room in MIRRORED:
        wanted = {
            f"tests/{room}/{'/'.join([*path.parts[:-1], 'test_' + path.name])}": f"toolreplay/{room}/{path}"
            for path in _modules(root / "toolreplay" / room)
        }
        there = {
            f"tests/{room}/{path}"
            for path in _modules(root / "tests" / room)
            if path.name.startswith("test_")
        }
        offences += [
            f"{module}: has no {test}"
            for test, module in wanted.items()
            if test not in there and module not in owed
        ]
        offences += [f"{test}: is the test of no module" for test in sorted(there - wanted.keys())]
        offences += [
            f"{module}: is tested now"
            for test, module in wanted.items()
            if test in there and module in owed
        ]
    return offences


def _modules(folder: pathlib.Path) -> list[pathlib.Path]:
    paths = [path.relative_to(folder) for path in files_below(folder, ".py")]
    return [path for path in paths if path.name != "__init__.py"]


class EachModuleHasItsTest(unittest.TestCase):
    """Decided by us: whoever opens a module knows at once where its behaviour is written down."""

    def test_the_repository_mirrors_its_core(self) -> None:
        self.assertEqual(unmirrored(ROOT, OWED), [])

    def test_a_module_without_test_and_a_test_without_module_are_named(self) -> None:
        files = {
            "toolreplay/records/__init__.py": "",
            "toolreplay/records/call.py": "",
            "toolreplay/records/run.py": "",
            "toolreplay/evidence/aer1/chain.py": "",
            "toolreplay/findings/gate.py": "",
            "tests/records/__init__.py": "",
            "tests/records/test_run.py": "",
            "tests/records/test_flow.py": "",
            "tests/records/lines.py": "",
            "tests/findings/test_gate.py": "",
        }
        with planted(files) as root:
            self.assertEqual(
                unmirrored(root, {"toolreplay/findings/gate.py"}),
                [
                    "toolreplay/records/call.py: has no tests/records/test_call.py",
                    "tests/records/test_flow.py: is the test of no module",
                    "toolreplay/findings/gate.py: is tested now",
                    "toolreplay/evidence/aer1/chain.py: has no tests/evidence/aer1/test_chain.py",
                ],
            )
