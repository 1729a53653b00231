"""Where MCP clients keep their configurations on this machine, and in this folder."""

import os
import sys
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Place", "known_places"]


class Place(NamedTuple):
    """A client, and the path of a configuration that it would read."""

    client: str
    path: str


_HERE = (
    Place("Claude Code", ".mcp.json"),
    Place("Cursor", os.path.join(".cursor", "mcp.json")),
    Place("VS Code", os.path.join(".vscode", "mcp.json")),
    Place("VS Code", os.path.join(".vscode", "settings.json")),
    Place("Codex", os.path.join(".codex", "config.toml")),
)


def known_places(environment: Mapping[str, str], folder: str) -> list[Place]:
    """Return the places that are looked at, whether anything is there or not.

    Those of a project are those of `folder`.
    """
    found = [Place(client, os.path.join(folder, path)) for client, path in _HERE]
    home = environment.get("HOME") or environment.get("USERPROFILE") or ""
    if not os.path.isabs(home):
        return found
    programs = _programs_folder(environment, home)
    codex = environment.get("CODEX_HOME") or os.path.join(home, ".codex")
    found += [
        Place("Claude Code", os.path.join(home, ".claude.json")),
        Place("Claude Desktop", os.path.join(programs, "Claude", "claude_desktop_config.json")),
        Place("Cursor", os.path.join(home, ".cursor", "mcp.json")),
        Place("VS Code", os.path.join(programs, "Code", "User", "mcp.json")),
        Place("VS Code", os.path.join(programs, "Code", "User", "settings.json")),
        Place("Codex", os.path.join(codex, "config.toml")),
    ]
    # In the home folder itself a project's place is a user's too.
    return list({os.path.abspath(place.path): place for place in found}.values())


def _programs_folder(environment: Mapping[str, str], home: str) -> str:
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    if sys.platform == "win32":
        return environment.get("APPDATA") or os.path.join(home, "AppData", "Roaming")
    named = environment.get("XDG_CONFIG_HOME", "")
    return named if os.path.isabs(named) else os.path.join(home, ".config")
