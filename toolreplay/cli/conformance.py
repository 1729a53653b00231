"""Run the cases of AER-1, and say rule by rule where the answers are those of other programs.

Without --vectors the cases are run that toolreplay carries. They were generated for it; what must
come out are the answers of the programs that docs/conformance.md names, and a case that means to
differ from them says why. A rule without a case has none in its row.

Exits with 0 when every case agrees, 1 when one differs, 2 when a file of cases cannot be read.
"""

import argparse
import json
import os
from collections.abc import Iterator
from typing import NamedTuple

from toolreplay.cli.arguments import add_format
from toolreplay.cli.console import Console
from toolreplay.errors import InputError
from toolreplay.evidence.aer1.cases import KINDS, cases_of, differences_of, shipped_cases
from toolreplay.evidence.aer1.drafts import READER
from toolreplay.evidence.aer1.rules import GROUPS, RULES, group_of
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.records.call import JsonObject
from toolreplay.reports.lines import columns, escaped, plural

__all__ = ["ALL_KINDS", "Tally", "add_arguments", "run", "tally_of"]

ALL_KINDS = (*KINDS, "cli")
"""The kinds of cases, each a file of its name; `cli` cases are command lines."""

_MOST_NAMED = 20
_MOST_BYTES = 64 << 20


class Tally(NamedTuple):
    """What the cases came to: how many, [agree, differ] a rule, and those that differ."""

    cases: int
    rules: dict[str, list[int]]
    differing: list[tuple[str, list[str]]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `conformance`."""
    parser.add_argument("--vectors", metavar="DIR", help="run the cases of this folder instead")
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run every case and print the table."""
    tally = tally_of(arguments.vectors)
    status = FOUND if tally.differing else CLEAN
    if arguments.format == "json":
        document = {
            "format": "toolreplay-conformance/1",
            "reader": READER,
            "cases": tally.cases,
            "rules": [
                {"rule": rule, "agree": agree, "differ": differ}
                for rule, (agree, differ) in tally.rules.items()
            ],
            "differing": [{"case": name, "answers": found} for name, found in tally.differing],
            "exit": status,
        }
        console.write(json.dumps(document) + "\n")
    else:
        console.write_lines(_lines(tally, status))
    return status


def tally_of(folder: str | None) -> Tally:
    """Run every case of a folder, or those that are shipped. Raises InputError."""
    rules: dict[str, list[int]] = {rule: [0, 0] for rule in RULES}
    differing: list[tuple[str, list[str]]] = []
    cases = 0
    for kind in ALL_KINDS:
        for case in shipped_cases(kind) if folder is None else _cases_in(folder, kind):
            cases += 1
            found = _differences(kind, case)
            if found:
                differing.append((case["id"], found))
            for rule in dict.fromkeys(case["rules"]):
                rules.setdefault(rule, [0, 0])[1 if found else 0] += 1
    if not cases:
        raise InputError(folder or "", "holds no case of AER-1")
    return Tally(cases, rules, differing)


def _cases_in(folder: str, kind: str) -> list[JsonObject]:
    name = os.path.join(folder, f"{kind}.json")
    if os.path.exists(name) and not os.path.isfile(name):
        raise InputError(name, "is no plain file")
    try:
        with open(name, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        if not os.path.isdir(folder):
            raise InputError(folder, "is no folder that is there") from None
        return []
    except OSError as error:
        raise InputError(name, error.strerror or str(error)) from None
    if len(data) > _MOST_BYTES:
        raise InputError(name, f"longer than {_MOST_BYTES} bytes")
    return cases_of(data, kind, name)


def _differences(kind: str, case: JsonObject) -> list[str]:
    from toolreplay.cli.command_cases import differences_of_command

    try:
        return differences_of_command(case) if kind == "cli" else differences_of(kind, case)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        name = f"case {case['id'][:100]}"
        raise InputError(name, f"is no case of the kind {kind} ({type(error).__name__})") from None


def _lines(tally: Tally, status: int) -> Iterator[str]:
    yield f"AER-1, {plural(tally.cases, 'case')}; the answers are those of {READER} and others"
    for group, title in GROUPS.items():
        yield ""
        yield title
        rows = [
            (
                f"  {rule}",
                f"{plural(agree + differ, 'case'):>9}  {agree:>3} agree  {differ:>3} differ",
            )
            for rule, (agree, differ) in tally.rules.items()
            if group_of(rule) == group
        ]
        yield from columns(rows)
    others = [rule for rule in tally.rules if rule not in RULES]
    if others:
        yield ""
        yield f"rules that are not known here: {escaped(', '.join(others)[:200])}"
    if tally.differing:
        yield ""
        for name, found in tally.differing[:_MOST_NAMED]:
            yield f"differs: {escaped(name[:100])}: {escaped('; '.join(found)[:300])}"
        if len(tally.differing) > _MOST_NAMED:
            yield f"and {len(tally.differing) - _MOST_NAMED:,} more"
    yield ""
    agree = tally.cases - len(tally.differing)
    yield f"exit {status}: {agree:,} of {plural(tally.cases, 'case')} agree."
