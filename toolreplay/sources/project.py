"""The project file: `toolreplay.toml`, or the table `[tool.toolreplay]` of `pyproject.toml`.

    scope = "scope.json"          # paths from the folder of the project file
    mutators = ["apply_patch"]
    require = ["replay", "scope"]
    baseline = "baseline.jsonl"
    store = "store.db"

    [[suppress]]
    fingerprint = "0123456789abcdef"      # or kind = "…" and perhaps tool = "…"
    reason = "the clock is meant to vary"
    until = 2026-12-31

    [[redact]]
    name = "customer-number"
    key = "customer_*"                    # or path, prefix, contains
    keep_original = true                  # as a sealed piece; without it, it is not kept

Only the folder the command is started in is looked at, never one above it. Whoever can write
there can silence findings: a build that judges an agent takes the file from elsewhere.
"""

import os
import re
from typing import NamedTuple

from toolreplay.errors import DeclarationError, InputError
from toolreplay.findings.check import LINES
from toolreplay.findings.suppression import Suppression
from toolreplay.records.jsonl import bytes_up_to
from toolreplay.sources.toml_text import parsed_toml

__all__ = [
    "NO_PROJECT",
    "Project",
    "find_project",
    "is_day",
    "redaction_of_project",
    "store_of_project",
]

_MOST_BYTES = 1 << 20
_KEYS = ("scope", "mutators", "require", "baseline", "store", "suppress", "redact")
_LATER = ("job", "claims", "volatile")
_REDACT_KEYS = ("name", "key", "path", "prefix", "contains", "keep_original")
_ENTRY_KEYS = {"fingerprint", "kind", "tool", "reason", "until"}


class Project(NamedTuple):
    """What a project file says; `name` is None without one, and paths are as a command takes them."""

    name: str | None
    scope: str | None = None
    mutators: tuple[str, ...] = ()
    require: tuple[str, ...] | None = None
    baseline: str | None = None
    suppressions: tuple[Suppression, ...] = ()
    store: str | None = None


NO_PROJECT = Project(None)


def find_project(config: str | None, kinds: frozenset[str]) -> Project:
    """Return the project file that `--config` names (`none`: no file), or that stands here.

    `kinds` are those a suppression may name. Raises InputError: a suppression that is misspelt
    would otherwise be silently of no use.
    """
    found = _found(config)
    return _parsed(*found, kinds) if found is not None else NO_PROJECT


def store_of_project(config: str | None) -> str | None:
    """Return the store that the project file names, whatever else it says. Raises InputError."""
    found = _found(config)
    if found is None or b"store" not in found[1]:
        return None
    name, data = found
    return _path(name, _table(name, data) or {}, "store", os.path.dirname(name))


def redaction_of_project(config: str | None) -> "tuple[Rule, ...]":
    """Return the redaction rules of the project file, whatever else it says. Raises InputError."""
    found = _found(config)
    if found is None or b"redact" not in found[1]:
        return ()
    name, data = found
    return _redaction(name, _table(name, data) or {})


def _found(config: str | None) -> tuple[str, bytes] | None:
    """Return name and bytes of the project file, None where there is none."""
    if config == "none":
        return None
    if config is not None:
        return config, _read(config)
    if _is_there("toolreplay.toml"):
        return "toolreplay.toml", _read("toolreplay.toml")
    if _is_there("pyproject.toml"):
        data = _read("pyproject.toml")
        if b"toolreplay" in data:  # parsing costs more than most runs take to judge
            return "pyproject.toml", data
    return None


def _is_there(name: str) -> bool:
    """Whether a file nobody named stands here; a pipe would be waited for without end."""
    if not os.path.lexists(name):
        return False
    if os.path.exists(name) and not os.path.isfile(name):
        raise DeclarationError(name, "is no file (--config none: no project file)")
    return True


def _read(name: str) -> bytes:
    try:
        with open(name, "rb") as file:
            data = bytes_up_to(file, _MOST_BYTES)
    except OSError as error:
        raise InputError(name, error.strerror or str(error)) from None
    except ValueError:
        raise InputError(name, "is not a name a file can have") from None
    if data is None:
        raise DeclarationError(name, f"longer than {_MOST_BYTES} bytes")
    return data


def _table(name: str, data: bytes) -> dict[str, object] | None:
    """Return the table that is for toolreplay, None of a `pyproject.toml` without one."""
    table: object = parsed_toml(name, data)
    if os.path.basename(name) == "pyproject.toml":
        tools = table.get("tool") if isinstance(table, dict) else None
        table = tools.get("toolreplay") if isinstance(tools, dict) else None
        if table is None:
            return None
    if not isinstance(table, dict):
        raise DeclarationError(name, "tool.toolreplay must be a table")
    return table


def _parsed(name: str, data: bytes, kinds: frozenset[str]) -> Project:
    table = _table(name, data)
    if table is None:
        return NO_PROJECT
    for key in table:
        if key in _LATER:
            raise DeclarationError(name, f"{key} is not read yet")
        if key not in _KEYS:
            raise DeclarationError(
                name, f"unknown key '{key[:40]}' (there are: {', '.join(_KEYS)})"
            )
    folder = os.path.dirname(name)
    entries = _tables(name, table, "suppress")
    _redaction(name, table)
    require = _names(name, table, "require")
    for line in require or ():
        if line not in LINES:
            raise DeclarationError(
                name, f"require: no report line '{line[:40]}' (there are: {', '.join(LINES)})"
            )
    return Project(
        name,
        _path(name, table, "scope", folder),
        _names(name, table, "mutators") or (),
        require,
        _path(name, table, "baseline", folder),
        tuple(_suppression(name, number, entry, kinds) for number, entry in enumerate(entries, 1)),
        _path(name, table, "store", folder),
    )


def _path(name: str, table: dict[str, object], key: str, folder: str) -> str | None:
    value = table.get(key)
    if value is None:
        return None
    if type(value) is not str or not value:
        raise DeclarationError(name, f"{key} must be a path")
    return os.path.join(folder, value)


def _names(name: str, table: dict[str, object], key: str) -> tuple[str, ...] | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or any(type(item) is not str or not item for item in value):
        raise DeclarationError(name, f"{key} must be a list of names")
    return tuple(value)


def _tables(name: str, table: dict[str, object], key: str) -> list[dict[str, object]]:
    entries = table.get(key, [])
    if not isinstance(entries, list) or any(type(entry) is not dict for entry in entries):
        raise DeclarationError(name, f"{key} must be tables: [[{key}]]")
    return entries


def _redaction(name: str, table: dict[str, object]) -> "tuple[Rule, ...]":
    entries = _tables(name, table, "redact")
    if not entries:
        return ()
    from toolreplay.evidence.redaction.rules import KINDS, Rule, fault_of_rule

    rules: list[Rule] = []
    for number, entry in enumerate(entries, 1):
        where = f"redact entry {number}"
        for key in entry:
            if key not in _REDACT_KEYS:
                known = ", ".join(_REDACT_KEYS)
                raise DeclarationError(
                    name, f"{where}: unknown key '{key[:40]}' (there are: {known})"
                )
        kinds = [kind for kind in KINDS if kind in entry]
        if len(kinds) != 1:
            raise DeclarationError(name, f"{where}: needs one of {', '.join(KINDS)}")
        title, value, keeps = entry.get("name"), entry[kinds[0]], entry.get("keep_original", False)
        if type(title) is not str or type(value) is not str:
            raise DeclarationError(name, f"{where}: name and {kinds[0]} must be texts")
        if type(keeps) is not bool:
            raise DeclarationError(name, f"{where}: keep_original must be true or false")
        rule = Rule(title, kinds[0], value, keeps)
        fault = fault_of_rule(rule)
        if not fault and any(rule.name == other.name for other in rules):
            fault = "name is that of another entry"
        if fault:
            raise DeclarationError(name, f"{where}: {fault}")
        rules.append(rule)
    return tuple(rules)


def _suppression(
    name: str, number: int, entry: dict[str, object], kinds: frozenset[str]
) -> Suppression:
    where = f"suppress entry {number}"
    texts: dict[str, str] = {}
    for key, value in entry.items():
        if key not in _ENTRY_KEYS:
            known = ", ".join(sorted(_ENTRY_KEYS))
            raise DeclarationError(name, f"{where}: unknown key '{key[:40]}' (there are: {known})")
        text = str(value) if key == "until" and not isinstance(value, dict | list) else value
        if type(text) is not str or not text.strip():
            raise DeclarationError(name, f"{where}: {key} must be a text")
        texts[key] = text
    for key in ("reason", "until"):
        if key not in texts:
            raise DeclarationError(name, f"{where}: {key} is missing")
    if not is_day(texts["until"]):
        raise DeclarationError(name, f"{where}: until must be a day, as 2026-12-31")
    fingerprint, kind = texts.get("fingerprint"), texts.get("kind")
    if (fingerprint is None) == (kind is None):
        raise DeclarationError(name, f"{where}: needs a fingerprint or a kind, and not both")
    if fingerprint is not None:
        if not re.fullmatch("[0-9a-f]{16}", fingerprint):
            raise DeclarationError(name, f"{where}: fingerprint must be 16 lower-case hex digits")
        if "tool" in texts:
            raise DeclarationError(name, f"{where}: tool goes with kind, not with fingerprint")
    elif kind is not None and kind not in kinds:
        known = ", ".join(sorted(kinds))
        raise DeclarationError(name, f"{where}: no kind '{kind[:40]}' (there are: {known})")
    return Suppression(
        f"{name}: {where}", fingerprint, kind, texts.get("tool"), texts["reason"], texts["until"]
    )


def is_day(text: str) -> bool:
    """Whether a text is a day of the calendar, as 2026-12-31."""
    if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    from datetime import date

    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolreplay.evidence.redaction.rules import Rule
