"""Look at whether calls are recorded: what is wrapped, where to, by whom, and since when not.

It reads the configurations of clients on this machine and in this folder, and those that are named.
One call is made on its whole way, by this program as a client would start it, into a temporary
store; stores are read from a copy. Nothing else is written. Exits with 1 where something failed,
with 3 where `wrapped`, `round trip` or `store` could not be checked or is not whole.

Who could tamper is measured by the user it runs as: let it be the one the agent runs as.
"""

import argparse
import json
import os
from collections.abc import Iterator, Sequence

from toolreplay.cli.arguments import add_format
from toolreplay.cli.checkup.clients import (
    Client,
    clients_at,
    orphans_check,
    round_trips,
    wrapped_check,
)
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import add_store, default_store
from toolreplay.cli.wrapping.places import Place, known_places
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check
from toolreplay.findings.gate import CLEAN, FOUND, NOT_ALL_CHECKED
from toolreplay.reports.lines import columns, escaped
from toolreplay.reports.text.block import check_lines

__all__ = ["add_arguments", "run"]

_REQUIRED = frozenset({"round trip", "store", "wrapped"})
_GIVEN = "given"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `doctor`."""
    parser.add_argument(
        "files", metavar="CONFIG", nargs="*", help="a further configuration of a client"
    )
    add_store(parser)
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what is recorded, and what is not."""
    clients = clients_at(_places(arguments.files))
    checks = [wrapped_check(clients), *round_trips(clients)]
    checks += _of_stores(clients, default_store(arguments))
    checks.append(orphans_check())
    status = _status(checks)
    if arguments.format == "json":
        console.write(json.dumps(_document(clients, checks, status)) + "\n")
        return status
    rows = [[escaped(client.place.client), escaped(client.place.path), ""] for client in clients]
    lines = []
    for row, client in zip(columns(rows), clients, strict=True):
        lines.append(row)
        lines += [f"  {escaped(client.fault)}"] if client.fault else []
        shown = [[f"  {escaped(each.server.shown)}", escaped(each.what)] for each in client.servers]
        lines += columns(shown)
    console.write_lines([*lines, "", *check_lines(checks)] if lines else check_lines(checks))
    for check in checks:
        if check.result == FAILED and check.remedy is not None:
            console.write(f"next ({check.line}): {escaped(check.remedy)}\n")
    return status


def _places(given: Sequence[str]) -> list[Place]:
    """Return those that are there, and those that were named: the latter must be."""
    places = [Place(_GIVEN, name) for name in given]
    paths = {os.path.abspath(name) for name in given}
    for place in known_places(os.environ, os.getcwd()):
        if os.path.lexists(place.path) and os.path.abspath(place.path) not in paths:
            places.append(place)
    return places


def _of_stores(clients: Sequence[Client], usual: str | None) -> Iterator[Check]:
    """Yield what there is to say of each store that is recorded into, and of the usual one."""
    from toolreplay.cli.checkup.stores import store_checks

    stores: dict[str, list[str]] = {} if usual is None else {os.path.abspath(usual): []}
    for client in clients:
        for wrapped in (each.server.wrapped for each in client.servers):
            store = wrapped.option("--store") if wrapped is not None else None
            if wrapped is not None and store is not None:
                key = wrapped.option("--key")
                keys = stores.setdefault(store, [])
                keys += [key] if key is not None and key not in keys else []
    for path, keys in stores.items():
        yield from store_checks(path, keys)
    if not stores:
        yield Check("store", NOT_CHECKED, reason="no store is known", remedy="--store STORE")


def _status(checks: Sequence[Check]) -> int:
    if any(check.result == FAILED for check in checks):
        return FOUND
    missing = {check.line for check in checks if check.result != PASSED}
    return NOT_ALL_CHECKED if missing & _REQUIRED else CLEAN


def _document(clients: Sequence[Client], checks: Sequence[Check], status: int) -> dict[str, object]:
    return {
        "format": "toolreplay-doctor/1",
        "exit": status,
        "configurations": [
            {
                "client": client.place.client,
                "file": client.place.path,
                "fault": client.fault or None,
                "servers": [
                    {"name": each.server.name, "result": each.result, "what": each.what}
                    for each in client.servers
                ],
            }
            for client in clients
        ],
        "checks": [
            {
                "line": check.line, "result": check.result,
                "what": check.reason if check.result == NOT_CHECKED else check.count,
                "remedy": check.remedy,
            }
            for check in checks
        ],
    }  # fmt: skip
