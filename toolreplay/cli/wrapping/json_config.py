"""Servers in a JSON configuration, also in one with comments and commas too many (VS Code's).

    mcpServers.NAME                 Claude Code's .mcp.json, Claude Desktop, Cursor
    projects.FOLDER.mcpServers.NAME Claude Code's own file, beside its mcpServers
    servers.NAME                    VS Code's mcp.json
    mcp.servers.NAME                VS Code's settings.json

A comment becomes as many blanks, so that what is parsed has every value where the file has it.
"""

import json
import re

from toolreplay.cli.wrapping.edits import Spot
from toolreplay.cli.wrapping.found import Found, found_in
from toolreplay.errors import InputError
from toolreplay.records.call import JsonObject
from toolreplay.records.jsonl import LineError, line_parser
from toolreplay.records.spans import elements_of, members_of

__all__ = ["json_servers", "parsed_json"]

_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_COMMENTS = re.compile(_STRING + rb"|//[^\n]*+|/\*.*?\*/", re.DOTALL)
_COMMAS = re.compile(_STRING + rb"|,(?=[ \t\r\n]*+[}\]])", re.DOTALL)
_NOT_LINE_ENDS = re.compile(rb"[^\r\n]")
_BOM = b"\xef\xbb\xbf"

_TABLES = (("mcpServers",), ("servers",), ("mcp", "servers"), ("mcp.servers",))
_ABSENT = b', "args": [ '


def parsed_json(name: str, data: bytes) -> tuple[JsonObject, bytes]:
    """Return a configuration, and its text with comments blanked. Raises InputError."""
    plain = _plain(data)
    try:
        value = line_parser()(plain)
    except LineError as error:
        raise InputError(name, _explained(plain, str(error))) from None
    if not isinstance(value, dict):
        raise InputError(name, "is no JSON object")
    return value, plain


def json_servers(name: str, config: JsonObject, plain: bytes) -> list[Found]:
    """Return the servers of a configuration table by table. Raises InputError."""
    found: list[Found] = []
    for path in _TABLES:
        found += _of_table(name, config, plain, path)
    projects = config.get("projects")
    if isinstance(projects, dict):
        for folder, project in projects.items():
            if isinstance(project, dict) and "mcpServers" in project:
                found += _of_table(name, config, plain, ("projects", folder, "mcpServers"))
    return found


def _of_table(name: str, config: JsonObject, plain: bytes, path: tuple[str, ...]) -> list[Found]:
    """Return the servers of the table at a path; none where it is not there."""
    value: object = config
    start = 0
    for member in path:
        if not isinstance(value, dict) or member not in value:
            return []
        value = value[member]
        start = _spans(plain, start)[member]
    if not isinstance(value, dict):
        raise InputError(name, f"{'.'.join(path)} is no object of servers")
    spans = _spans(plain, start)
    return [
        found_in(name, (*path, server), entry, _spot(plain, spans[server]))
        for server, entry in value.items()
    ]


def _spans(plain: bytes, start: int) -> dict[str, int]:
    return {member.name: member.start for member in members_of(plain, start)}


def _spot(plain: bytes, start: int) -> Spot | None:
    """Return where the command and the arguments of a server stand, None where it has no command."""
    members = {member.name: member for member in members_of(plain, start)}
    command, args = members.get("command"), members.get("args")
    if command is None:
        return None
    opening = closing = None
    elements: list[tuple[int, int]] = []
    if args is not None:
        opening, closing = args.start + 1, args.end - 1
        elements = elements_of(plain, args.start)
    return Spot(
        (command.start, command.end), opening, closing, tuple(elements), command.end, _ABSENT
    )


def _plain(data: bytes) -> bytes:
    if data.startswith(_BOM):
        data = b"   " + data[len(_BOM) :]
    if b"//" in data or b"/*" in data:
        data = _COMMENTS.sub(_blanked, data)
    return _COMMAS.sub(_blanked, data)


def _blanked(found: "re.Match[bytes]") -> bytes:
    text = found[0]
    return text if text[:1] == b'"' else _NOT_LINE_ENDS.sub(b" ", text)


def _explained(plain: bytes, what: str) -> str:
    """Return what is wrong with a text; where the parser of lines names a column, its line too."""
    fact, _, place = what.partition(" (")
    if not place.startswith(("column", "the line ends")):
        return what
    try:
        json.loads(plain)
    except json.JSONDecodeError as error:
        return f"{fact} (line {error.lineno}, column {error.colno})"
    except (ValueError, RecursionError):
        pass
    return what
