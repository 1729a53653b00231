"""Does this copy still give the answers it was shipped with, on this machine?

Runs the cases of every audit and importer and compares, byte for byte, what comes of them; and
known answers: published digests, and a flipped byte that must be found. Needs no network, and
writes to temporary folders only. Exits with 0 when everything passed, 1 when something failed (what
was expected and what was found stands below it), 2 when nothing could be tested.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import starmap
from typing import NamedTuple

from toolreplay.cli.answers import (
    ERRORS,
    STATUS,
    Answers,
    Difference,
    answers_of_work,
    differences,
    in_folder_of,
)
from toolreplay.cli.arguments import add_format
from toolreplay.cli.cases import Case, answers_of, cases_of, expected_of, owners
from toolreplay.cli.console import Console, KeptConsole
from toolreplay.cli.known_answers import GROUP, known_answers
from toolreplay.findings.check import FAILED, PASSED
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.reports.lines import WIDTH, cut, escaped
from toolreplay.version import __version__

__all__ = ["add_arguments", "run"]

_MOST_CHARACTERS = 1000
"""Of a line that differs; an exported call may be as long as the largest file it read."""

_BEFORE = 20
"""Characters that are shown before the first one that differs."""


class _Tested(NamedTuple):
    """One case or known answer, and where it is not what it must be."""

    name: str
    wrong: list[Difference]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `selftest`."""
    names = [GROUP, *(name for _, name in owners())]
    parser.add_argument(
        "--only",
        action="append",
        choices=names,
        metavar="NAME",
        help=f"test only this audit or importer (repeatable): {', '.join(names)}",
    )
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Test everything, or what was named, and print what passed and what failed."""
    with in_folder_of({}):
        pass  # where there is no place for files, that is said before anything is printed
    groups: list[tuple[str, list[_Tested]]] = []
    for name, tests in _groups(set(arguments.only or ())):
        groups.append((name, list(tests)))
        if arguments.format == "text":
            console.write_lines(_group_lines(*groups[-1]))
            console.flush()
    wrong = [bool(tested.wrong) for _, group in groups for tested in group]
    failed = sum(wrong)
    if arguments.format == "json":
        console.write(json.dumps(_document(groups, len(wrong) - failed, failed)) + "\n")
    else:
        console.write(f"selftest: {len(wrong) - failed} passed, {failed} failed\n")
    return FOUND if failed else CLEAN


def _groups(named: set[str]) -> list[tuple[str, Iterator[_Tested]]]:
    """Return what is to be tested; each test is made when its group is gone through.

    Sample and cases are read beforehand: what is not there is an error before anything is printed.
    """
    groups: list[tuple[str, Iterator[_Tested]]] = []
    if not named or GROUP in named:
        groups.append((GROUP, starmap(_tested, known_answers().items())))
    for room, name in owners():
        if not named or name in named:
            cases = cases_of(room, name)
            groups.append((name, (_tested(case.name, partial(_ask, case)) for case in cases)))
    return groups


def _ask(case: Case) -> tuple[Answers, Answers]:
    return expected_of(case), answers_of(case)


def _tested(name: str, ask: Callable[[], tuple[Answers, Answers]]) -> _Tested:
    """Make one test; a defect fails it, and the next one is made."""
    wrong: list[Difference] = []

    def compare() -> int:
        wrong.extend(differences(*ask()))
        return CLEAN

    said = answers_of_work(compare, KeptConsole())
    return _Tested(name, wrong + differences({ERRORS: b"", STATUS: b"0"}, said))


def _group_lines(name: str, group: list[_Tested]) -> Iterator[str]:
    passed = sum(not tested.wrong for tested in group)
    yield f"{name}: {passed} of {len(group)} passed"
    for tested in group:
        yield f"  {FAILED if tested.wrong else PASSED}  {tested.name}"
        for part, line, expected, found in tested.wrong:
            start = _start(expected, found)
            yield f"          {part}, line {line}"
            yield f"            expected: {_shown(expected, start)}"
            yield f"            found:    {_shown(found, start)}"


def _start(expected: str | None, found: str | None) -> int:
    """Return where to begin so that the first character that differs can be seen."""
    pairs = enumerate(zip(expected or "", found or "", strict=False))
    same = next((at for at, (one, other) in pairs if one != other), 0)
    return same - _BEFORE if same > 2 * _BEFORE else 0


def _shown(line: str | None, start: int) -> str:
    if not line:
        return "(no such line)" if line is None else "(an empty line)"
    text = ("…" if start else "") + line[start : start + WIDTH]
    return cut(escaped(text), WIDTH - 22)


def _document(groups: list[tuple[str, list[_Tested]]], passed: int, failed: int) -> object:
    return {
        "format": "toolreplay-selftest/1",
        "version": __version__,
        "groups": [
            {"name": name, "tests": [_test_document(tested) for tested in group]}
            for name, group in groups
        ],
        "passed": passed,
        "failed": failed,
    }


def _test_document(tested: _Tested) -> object:
    wrong = [
        {
            "part": part,
            "line": line,
            "expected": expected and expected[:_MOST_CHARACTERS],
            "found": found and found[:_MOST_CHARACTERS],
        }
        for part, line, expected, found in tested.wrong
    ]
    return {"name": tested.name, "result": FAILED if wrong else PASSED, "wrong": wrong}
