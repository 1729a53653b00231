"""A server of a configuration, and whether its calls are recorded."""

from collections.abc import Sequence
from typing import NamedTuple

from toolreplay.cli.wrapping.edits import Spot
from toolreplay.errors import InputError

__all__ = ["Found", "Wrapped", "found_in", "wrapped_by"]

_RECORDS = ("record", "mcp")
_BY_URL = frozenset({"http", "sse", "streamable-http", "streamableHttp"})


class Wrapped(NamedTuple):
    """How a server is wrapped: the program that records, its options, and the server's own command.

    `at` is the number of the argument that is the server's own command.
    """

    program: tuple[str, ...]
    options: tuple[str, ...]
    at: int

    def option(self, flag: str) -> str | None:
        """Return the value of an option, None where it is not given."""
        for place, word in enumerate(self.options):
            if word.startswith(f"{flag}="):
                return word[len(flag) + 1 :]
            if word == flag and place + 1 < len(self.options):
                return self.options[place + 1]
        return None


class Found(NamedTuple):
    """One server: the members on the way to it, how it is started, and where that stands.

    `why_not` says why its calls cannot be recorded; then there is no place.
    """

    path: tuple[str, ...]
    command: str
    args: tuple[str, ...]
    spot: Spot | None
    why_not: str
    wrapped: Wrapped | None

    @property
    def name(self) -> str:
        """What the server is called in its configuration."""
        return self.path[-1]

    @property
    def shown(self) -> str:
        """Its name, and the project it belongs to, where the file is about several."""
        return f"{self.name} ({self.path[1]})" if self.path[0] == "projects" else self.name


def found_in(name: str, path: tuple[str, ...], entry: object, spot: Spot | None) -> Found:
    """Return the server that an entry describes. Raises InputError for one of a wrong shape."""
    place = ".".join(path)[:200]
    if not isinstance(entry, dict):
        raise InputError(name, f"{place} is no object that describes a server")
    kind, command, args = entry.get("type"), entry.get("command"), entry.get("args", [])
    if kind in _BY_URL or ("command" not in entry and "url" in entry):
        return Found(path, "", (), None, "is reached by its URL, not started by its client", None)
    if "command" not in entry:
        return Found(path, "", (), None, "has no command", None)
    if not isinstance(command, str) or not command:
        raise InputError(name, f"{place}.command is no text")
    if not isinstance(args, list) or not all(isinstance(word, str) for word in args):
        raise InputError(name, f"{place}.args is no list of texts")
    return Found(path, command, tuple(args), spot, "", wrapped_by(command, args))


def wrapped_by(command: str, args: Sequence[str]) -> Wrapped | None:
    """Return how a server is wrapped, None where it is not."""
    is_ours = list(args[:3]) == ["-I", "-m", "toolreplay"] or list(args[:2]) == ["-I", "-S"]
    if not is_ours or tuple(args[3:5]) != _RECORDS or "--" not in args[5:-1]:
        return None
    at = args.index("--", 5) + 1
    return Wrapped((command, *args[:3]), tuple(args[5 : at - 1]), at)
