"""A client's configuration: its servers, and its text with some of them wrapped or unwrapped.

Whatever is written has been parsed first, and says what it must say, and nothing else anew.
"""

import copy
from collections.abc import Callable, Sequence
from typing import NamedTuple

from toolreplay.cli.wrapping.edits import Edit, edited, unwrapping, wrapping
from toolreplay.cli.wrapping.found import Found
from toolreplay.cli.wrapping.json_config import json_servers, parsed_json
from toolreplay.cli.wrapping.toml_config import parsed_config, toml_servers
from toolreplay.errors import InputError

__all__ = ["Config", "config_of", "unwrapped", "wrapped"]

_BLANKS = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"


class Config(NamedTuple):
    """A configuration that was read: its name, its bytes, what they say, and the servers in them."""

    name: str
    data: bytes
    value: dict[str, object]
    servers: list[Found]


def config_of(name: str, data: bytes) -> Config:
    """Read a configuration, JSON or TOML by what stands in it. Raises InputError."""
    value, plain = _parsed(name, data)
    servers = toml_servers(name, value, data) if plain is None else json_servers(name, value, plain)
    return Config(name, data, value, servers)


def wrapped(config: Config, words_of: Callable[[Found], Sequence[str]]) -> bytes:
    """Return the text with every server wrapped that can be and is not. Raises InputError.

    `words_of` gives what is put before a server's command, its own program first.
    """
    edits: list[Edit] = []
    expected = copy.deepcopy(config.value)
    for server in config.servers:
        if server.spot is None or server.wrapped is not None:
            continue
        words = list(words_of(server))
        edits += wrapping(config.data, server.spot, words)
        entry = _entry(expected, server)
        entry["command"], entry["args"] = words[0], [*words[1:], server.command, *server.args]
    return _checked(config, edits, expected)


def unwrapped(config: Config) -> bytes:
    """Return the text with every server as it was before it was wrapped. Raises InputError."""
    edits: list[Edit] = []
    expected = copy.deepcopy(config.value)
    for server in config.servers:
        if server.spot is None or server.wrapped is None:
            continue
        at = server.wrapped.at
        edits += unwrapping(config.data, server.spot, server.args, at)
        entry = _entry(expected, server)
        entry["command"], entry["args"] = server.args[at], list(server.args[at + 1 :])
    return _checked(config, edits, expected)


def _checked(config: Config, edits: Sequence[Edit], expected: dict[str, object]) -> bytes:
    """Return the text with the edits made, if it says what is expected."""
    data = edited(config.data, edits)
    try:
        value, _ = _parsed(config.name, data)
        for server in config.servers:
            if server.spot is not None:  # without arguments and with none is the same
                _entry(value, server).setdefault("args", [])
                _entry(expected, server).setdefault("args", [])
    except (InputError, KeyError):
        value = {}
    if value != expected:
        raise InputError(
            config.name, "is written in a way that cannot be changed safely: change it by hand"
        )
    return data


def _entry(value: dict[str, object], server: Found) -> dict[str, object]:
    for member in server.path:
        value = value[member]  # type: ignore[assignment]
    return value


def _parsed(name: str, data: bytes) -> tuple[dict[str, object], bytes | None]:
    """Return what a text says, and of JSON the text without its comments."""
    start = data.removeprefix(_BOM).lstrip(_BLANKS)[:1]
    if start in (b"{", b"/"):
        return parsed_json(name, data)
    if not start:
        raise InputError(name, "is empty")
    if data.startswith(_BOM):
        raise InputError(name, "is no JSON object, and TOML has no byte order mark")
    return parsed_config(name, data), None
