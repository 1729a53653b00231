"""The cases that audits and importers carry with them, and how each of them is judged.

A case is a folder `cases/NAME/` of an extension: a README, an input, and what must come of it.

Of an audit's case that is `expected.txt`, all that `toolreplay audit` prints in its folder; beside
the input may stand `scope.json`, `options.json` and a head that was `seen`. Of an importer's case it is a strict
transcript of each run (`expected.jsonl`, `expected.2.jsonl` …) and the line `account.txt`.
`selftest` and the tests judge by this module alone.
"""

import json
import re
from contextlib import closing
from typing import NamedTuple

from toolreplay.cli.answers import (
    ERRORS,
    OUTPUT,
    STATUS,
    Answers,
    answers_of_command,
    answers_of_work,
    in_folder_of,
)
from toolreplay.cli.console import KeptConsole
from toolreplay.errors import InputError
from toolreplay.packaged import data_file, data_files, extensions_of
from toolreplay.records.limits import DEFAULT
from toolreplay.records.run import Run

__all__ = ["Case", "answers_of", "arguments_of", "cases_of", "expected_of", "owners"]

_INPUTS = ("transcript.jsonl", "sealed.jsonl", "bundle.run.jsonl", "store.db")
_REPORT = "expected.txt"
_FORM = "recognised as"


class Case(NamedTuple):
    """One case: whose it is, its name, and its files by their names."""

    room: str
    owner: str
    name: str
    files: Answers


def owners() -> list[tuple[str, str]]:
    """Return the room and the name of each extension that carries cases."""
    audits = [("audits", name) for name in extensions_of("audits")]
    return audits + [("importers", name) for name in extensions_of("importers")]


def cases_of(room: str, owner: str) -> list[Case]:
    """Return the cases of an audit or importer. Raises InputError where none was shipped."""
    folder = f"{room}/{owner}/cases"
    found: dict[str, dict[str, bytes]] = {}
    for path in data_files(folder):
        case, _, name = path.removeprefix(f"{folder}/").partition("/")
        if name:
            found.setdefault(case, {})[name] = data_file(path)
    if not found:
        raise InputError(folder, "no cases came with this copy of toolreplay")
    return [Case(room, owner, name, files) for name, files in sorted(found.items())]


def expected_of(case: Case) -> dict[str, bytes]:
    """Return what must come of a case."""
    if case.room == "importers":
        beside = {
            name: data
            for name, data in case.files.items()
            if name != "README" and not _is_session(name)
        }
        return {**beside, _FORM: case.owner.encode(), ERRORS: b"", STATUS: b"0"}
    report = case.files.get(_REPORT, b"")
    status = re.search(rb"^exit (\d+): ", report, re.MULTILINE)
    return {_REPORT: report, ERRORS: b"", STATUS: status[1] if status else b"0"}


def answers_of(case: Case) -> dict[str, bytes]:
    """Return what comes of a case now."""
    with in_folder_of(case.files):
        if case.room == "importers":
            return _export(case)
        answers = answers_of_command(*arguments_of(case))
        return {_REPORT: answers.pop(OUTPUT), **answers}


def arguments_of(case: Case) -> list[str]:
    """Return the command line of an audit's case, to be run among its files.

    `options.json` is {"only": [AUDIT…], "arguments": [WORD…]}: the audits to run instead of the
    case's own (an empty list means all), and what is added as it is.
    """
    options = json.loads(case.files.get("options.json", b"{}"))
    name = next((name for name in _INPUTS if name in case.files), _INPUTS[0])
    arguments = ["audit", name]
    for audit in options.get("only", [case.owner]):
        arguments += ["--only", audit]
    if "scope.json" in case.files:
        arguments += ["--scope", "scope.json"]
    return [*arguments, *options.get("arguments", [])]


def _export(case: Case) -> dict[str, bytes]:
    """Import the session of a case: each run as a strict transcript, and the account."""
    files: dict[str, bytes] = {}

    def export() -> int:
        from toolreplay.reports.text.account import account_line
        from toolreplay.sources.source import FileSource

        name = next(filter(_is_session, case.files), "session.jsonl")
        with closing(FileSource(name, DEFAULT)) as source:
            files[_FORM] = source.form.encode()
            for number, run in enumerate(source.runs(), 1):
                files[f"expected{f'.{number}' if number > 1 else ''}.jsonl"] = _transcript_of(run)
            files["account.txt"] = f"{account_line(source.account)}\n".encode()
        return 0

    said = answers_of_work(export, KeptConsole())
    return {**files, **said}


def _transcript_of(run: Run) -> bytes:
    from io import BytesIO

    from toolreplay.records.transcript import TranscriptWriter

    out = BytesIO()
    writer = TranscriptWriter(out)
    for call in run.calls:
        writer.call(call.tool, call.args, call.response)
    return out.getvalue()


def _is_session(name: str) -> bool:
    return name.startswith("session.")
