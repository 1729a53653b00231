"""The scope: which tools an agent was permitted to use, declared before the run.

A scope file is one JSON object with exactly `agent` (string) and `allowed_tools` (array of
strings). Names are matched exactly and case-sensitively. Format page: docs/formats/scope.md.
"""

from typing import NamedTuple

from toolreplay.errors import DeclarationError
from toolreplay.records.jsonl import LineError, line_parser
from toolreplay.records.limits import DEFAULT, Limits

__all__ = ["Scope", "parse_scope"]


class Scope(NamedTuple):
    """A declared scope; `file` is its name as the user gave it."""

    file: str
    agent: str
    allowed_tools: frozenset[str]


def parse_scope(data: bytes, file: str, limits: Limits = DEFAULT) -> Scope:
    """Return the scope that the bytes of a scope file declare. Raises DeclarationError."""
    if file.endswith(".toml"):
        raise DeclarationError(file, "TOML scopes are not read yet")
    if len(data) > limits.line_bytes:
        raise DeclarationError(file, f"longer than {limits.line_bytes} bytes")
    try:
        value = line_parser(limits)(data)
    except LineError as error:
        raise DeclarationError(file, str(error)) from None
    if type(value) is not dict:
        raise DeclarationError(file, "a scope must be an object")
    unexpected = sorted(value.keys() - {"agent", "allowed_tools"})
    if unexpected:
        raise DeclarationError(file, f"unexpected field(s): {', '.join(unexpected)[:200]}")
    missing = sorted({"agent", "allowed_tools"} - value.keys())
    if missing:
        raise DeclarationError(file, f"missing field(s): {', '.join(missing)}")
    agent, tools = value["agent"], value["allowed_tools"]
    if type(agent) is not str:
        raise DeclarationError(file, "agent must be a string")
    if type(tools) is not list or any(type(tool) is not str for tool in tools):
        raise DeclarationError(file, "allowed_tools must be an array of strings")
    return Scope(file, agent, frozenset(tools))
