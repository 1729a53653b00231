"""The normal form of a tool's name: the server it belongs to, and the tool as that server calls it.

Each host spells the tools of MCP servers its own way. What was observed is kept; the normal form is
for comparing:

    bare name, scope `mcp:SERVER`    on the wire of a server: it is the tool
    namespace and name               `mcp__SERVER` beside the name
    mcp__SERVER__TOOL                up to the first `__`, where the server is not known
    mcp_SERVER_TOOL                  of known servers only: else nobody can say where it parts
    MCP:SERVER:TOOL                  up to the first `:`, where the server is not known

Hosts spell each character of a server's name but `A-Z a-z 0-9 _ -` as `_`; a known server is found
by that spelling too. Of known servers that fit, the longest is meant.
"""

import re
from collections.abc import Iterable, Iterator

__all__ = ["normal_tool"]

_ON_THE_WIRE = "mcp:"
_PARTS = (("mcp__", "__", True), ("MCP:", ":", True), ("mcp_", "_", False))
"""What stands before the server, what behind it, and whether a server that is not known parts there."""


def normal_tool(
    name: str, scope: str = "unknown", servers: Iterable[str] = (), namespace: str | None = None
) -> tuple[str | None, str]:
    """Return (server, tool) of a name as it was observed; None where it tells of no server.

    `scope` is `tool.scope` of its receipt, `namespace` what a host gave beside the name, and
    `servers` are those known by their own names.
    """
    if scope.startswith(_ON_THE_WIRE) and scope != _ON_THE_WIRE:
        return scope.removeprefix(_ON_THE_WIRE), name
    known = sorted(set(servers) - {""}, key=lambda server: (-len(server), server))
    if namespace:
        spelling = namespace.removeprefix("mcp__").removesuffix("__") or namespace
        return _known_as(spelling, known), name
    for before, between, parts_anywhere in _PARTS:
        if not name.startswith(before):
            continue
        rest = name[len(before) :]
        for server in known:
            for spelling in _spellings(server):
                tool = rest.removeprefix(spelling + between)
                if tool and tool != rest:
                    return server, tool
        server, found, tool = rest.partition(between)
        if parts_anywhere and server and found and tool:
            return server, tool
    return None, name


def _known_as(spelling: str, known: list[str]) -> str:
    return next((server for server in known if spelling in _spellings(server)), spelling)


def _spellings(server: str) -> Iterator[str]:
    yield server
    yield re.sub(r"[^A-Za-z0-9_-]", "_", server)
