"""Ask a recorder's service what it does: who listens, into which store, for how many.

Exits with 1 where the service does not record, and with 2 where none answers.
"""

import argparse
import json

from toolreplay.capture.service.client import asked
from toolreplay.cli.arguments import add_format
from toolreplay.cli.console import Console
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.reports.lines import columns, escaped, plural

__all__ = ["add_arguments", "run"]

_FORMAT = "toolreplay-recorder-status/1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `recorder status`."""
    parser.add_argument("socket", metavar="SOCKET", help="the Unix socket of the service")
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what the service says of itself."""
    found = asked(arguments.socket, {"op": "status"})
    found.pop("id", None)
    if arguments.format == "json":
        console.write(json.dumps({"format": _FORMAT, "socket": arguments.socket, **found}) + "\n")
    else:
        failure = found.get("not_recording")
        rows = [
            ("recorder", f"{arguments.socket} ({found.get('protocol')})"),
            ("process", f"{found.get('pid')}, of user {found.get('uid')}"),
            ("store", str(found.get("store"))),
            ("keeps", f"{found.get('mode')} at most"),
            ("now", f"{_of(found, 'sessions', 'session')} in {_of(found, 'runs', 'run')}"),
            ("since start", _of(found, "calls", "call")),
            ("recording", "works" if failure is None else f"not: {failure}"),
        ]
        console.write_lines(columns([[name, escaped(text)] for name, text in rows]))
    return CLEAN if found.get("not_recording") is None else FOUND


def _of(found: dict[str, object], name: str, what: str) -> str:
    count = found.get(name)
    return plural(count if isinstance(count, int) else 0, what)
