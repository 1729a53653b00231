"""How a configuration stands: which of its servers are wrapped, and by what is there still."""

import os
from typing import NamedTuple

from toolreplay.cli.wrapping.config import Config
from toolreplay.cli.wrapping.found import Found
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED

__all__ = ["Standing", "standing_of", "wrapped_count"]


class Standing(NamedTuple):
    """One server: whether its calls are recorded, and what is to be said of that."""

    server: Found
    result: str
    what: str


def standing_of(config: Config) -> list[Standing]:
    """Return how each server stands."""
    return [Standing(server, *_judged(server)) for server in config.servers]


def wrapped_count(config: Config) -> str:
    """Return how many of the servers are wrapped, in words."""
    count = sum(server.wrapped is not None for server in config.servers)
    return f"{count} of {len(config.servers)} wrapped" if config.servers else "no servers"


def _judged(server: Found) -> tuple[str, str]:
    if server.why_not:
        return NOT_CHECKED, server.why_not
    if server.wrapped is None:
        return FAILED, "is not wrapped"
    interpreter, _, flag, program = server.wrapped.program
    if not _can_start(interpreter):
        return FAILED, f"is wrapped, but its interpreter cannot be started: {interpreter}"
    if flag == "-S" and not os.path.isfile(program):
        return FAILED, f"is wrapped, but the program that records is gone: {program}"
    store = server.wrapped.option("--store")
    return PASSED, f"is wrapped{f' (into {store})' if store else ''}"


def _can_start(path: str) -> bool:
    return os.path.isabs(path) and os.path.isfile(path) and os.access(path, os.X_OK)
