"""Servers in a TOML configuration: `[mcp_servers.NAME]` of Codex, with command and args."""

from toolreplay.cli.wrapping.edits import Spot
from toolreplay.cli.wrapping.found import Found, found_in
from toolreplay.cli.wrapping.toml_spans import Value, array_elements, values_of
from toolreplay.errors import InputError
from toolreplay.sources.toml_text import parsed_toml

__all__ = ["parsed_config", "toml_servers"]

_TABLE = "mcp_servers"


def parsed_config(name: str, data: bytes) -> dict[str, object]:
    """Return a configuration; numbers as they are spelt, so that it can be compared."""
    return parsed_toml(name, data, parse_float=str)


def toml_servers(name: str, config: dict[str, object], data: bytes) -> list[Found]:
    """Return the servers of a configuration in the order of the file. Raises InputError."""
    table = config.get(_TABLE, {})
    if not isinstance(table, dict):
        raise InputError(name, f"{_TABLE} is no table of servers")
    try:
        values = {value.path: value for value in values_of(data) if value.path[:1] == (_TABLE,)}
        spots = {server: _spot(data, values, server) for server in table}
    except (ValueError, IndexError):
        raise InputError(name, "is written in a way that cannot be followed here") from None
    return [
        found_in(name, (_TABLE, server), entry, spots[server]) for server, entry in table.items()
    ]


def _spot(data: bytes, values: dict[tuple[str, ...], Value], server: str) -> Spot | None:
    command, args = (values.get((_TABLE, server, name)) for name in ("command", "args"))
    if command is None:
        return None
    opening = closing = None
    elements: list[tuple[int, int]] = []
    if args is not None and data[args.start : args.start + 1] == b"[":
        opening, closing = args.start + 1, args.end - 1
        elements = array_elements(data, args.start)
    key = data[command.key : command.last_name] + b"args = [ "
    at = command.end
    if command.is_inline:
        before = b", " + key
    else:
        line_end = data.find(b"\n", at)
        at = len(data) if line_end < 0 else line_end
        is_crlf = data[at - 1 : at] == b"\r"
        at -= is_crlf
        line_start = data.rfind(b"\n", 0, command.key) + 1
        before = (b"\r\n" if is_crlf else b"\n") + data[line_start : command.key] + key
    return Spot((command.start, command.end), opening, closing, tuple(elements), at, before)
