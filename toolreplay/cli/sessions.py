"""List the sessions that agent programs keep on this machine, newest first.

Date (UTC) and size are those of the file; --count reads each session and counts its calls. Any
path printed here can be handed to `toolreplay show` and `toolreplay audit`.
"""

import argparse
import json
import os
import time

from toolreplay.cli.arguments import add_format, positive
from toolreplay.cli.console import Console
from toolreplay.reports.lines import columns, escaped, plural
from toolreplay.sources.sessions import SessionFile, count_calls, session_files, session_folders

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `sessions`."""
    parser.add_argument("--count", action="store_true", help="read each session, count its calls")
    parser.add_argument("--last", type=positive, metavar="N", help="only the N newest")
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the sessions found."""
    folders = session_folders(os.environ)
    files = session_files(folders, lambda error: console.note(f"note: {error}"))
    found = sorted(files, key=lambda item: (-item.changed, item.file))
    if arguments.last is not None:
        found = found[: arguments.last]
    counts = [count_calls(item.file) if arguments.count else None for item in found]
    pairs = list(zip(found, counts, strict=True))
    if arguments.format == "json":
        body = ",\n  ".join(
            json.dumps(_document(item, calls, with_calls=arguments.count)) for item, calls in pairs
        )
        console.write(f'{{"format": "toolreplay-sessions/1", "sessions": [\n  {body}\n]}}\n')
        return 0
    rows = []
    for item, calls in pairs:
        shown = (
            ["unreadable" if calls is None else plural(calls, "call")] if arguments.count else []
        )
        rows.append([_date(item.changed), _size(item.size), *shown, escaped(item.file)])
    console.write_lines(columns(rows, right=(1, 2) if arguments.count else (1,)))
    if not found:
        places = ", ".join(escaped(folder) for _, folder in folders) or "no folder is known"
        console.write(f"no sessions found (looked in: {places})\n")
    return 0


def _document(item: SessionFile, calls: int | None, *, with_calls: bool) -> dict[str, object]:
    document: dict[str, object] = {
        "form": item.form, "file": item.file, "changed": _date(item.changed, "T", "Z"),
        "bytes": item.size,
    }  # fmt: skip
    if with_calls:
        document["calls"] = calls
    return document


def _date(seconds: float, between: str = " ", end: str = "") -> str:
    # A file may bear any time; the calendar ends with the year 9999.
    seconds = min(max(seconds, 0), 253_402_300_799)
    return time.strftime(f"%Y-%m-%d{between}%H:%M:%S{end}", time.gmtime(seconds))


def _size(count: int) -> str:
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count = count / 1000  # type: ignore[assignment]
    return f"{count:,.1f} GB"
