"""Put `record mcp` before the servers of an MCP client's configuration, so that calls are recorded.

It reads .mcp.json and .claude.json of Claude Code, Claude Desktop, Cursor, VS Code (comments too) and
Codex. Without an option it prints the difference and changes nothing. --undo takes away what was put
there: of a file that is otherwise as it was, byte for byte. --check exits with 1 where a server is not
wrapped, or by a program that is gone, and with 3 where one cannot be. Servers that are reached by
a URL are listed and left alone.

  toolreplay wrap .mcp.json
  toolreplay wrap .mcp.json --write --agent support-bot

What is given of the options below stands in the configuration from then on. Without CONFIG it lists
where configurations are on this machine and in this folder.
"""

import argparse
import os

from toolreplay.cli.console import Console
from toolreplay.cli.recording import add_recording
from toolreplay.cli.wrapping.config import Config, config_of, unwrapped, wrapped
from toolreplay.cli.wrapping.config_file import read_config, replace_config
from toolreplay.cli.wrapping.found import Found
from toolreplay.cli.wrapping.places import known_places
from toolreplay.cli.wrapping.standing import standing_of, wrapped_count
from toolreplay.errors import InputError, UsageError
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.findings.gate import CLEAN, FOUND, NOT_ALL_CHECKED
from toolreplay.reports.lines import columns, escaped, plural

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `wrap`."""
    parser.add_argument("file", metavar="CONFIG", nargs="?", help="the configuration of a client")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true", help="write the difference into the file")
    what.add_argument("--undo", action="store_true", help="take it away again, and write the file")
    what.add_argument("--check", action="store_true", help="say which servers are wrapped")
    add_recording(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Wrap, undo or look at one configuration."""
    name: str | None = arguments.file
    if name is None:
        if arguments.write or arguments.undo or arguments.check:
            raise UsageError("which CONFIG? (toolreplay wrap lists those of this machine)")
        return _list(console)
    if name == "-":
        raise UsageError("wrap takes the name of a file: it is the file that is changed")
    file = read_config(name)
    config = config_of(name, file.data)
    if arguments.check:
        return _check(config, console)
    if arguments.undo:
        data, done = unwrapped(config), "as before"
    else:
        data, done = _wrapped(config, arguments), "wrapped"
    changed = [server for server in config.servers if _is_changed(server, is_undo=arguments.undo)]
    if data == file.data:
        console.write_lines(_rows(config))
        console.write_lines([f"nothing to {'undo' if arguments.undo else 'wrap'}: {escaped(name)}"])
    elif arguments.write or arguments.undo:
        replace_config(file, data)
        console.write_lines(_rows(config_of(name, data)))
        console.write_lines([f"{plural(len(changed), 'server')} {done}: {escaped(name)}"])
        console.note("next: start the client anew, so that it reads the file")
    else:
        console.write_lines(_difference(name, file.data, data))
        console.write_lines(["", *_rows(config)])
        console.note(f"nothing was changed: toolreplay wrap {name} --write does it")
    return CLEAN


def _is_changed(server: Found, *, is_undo: bool) -> bool:
    return server.spot is not None and (server.wrapped is not None) == is_undo


def _wrapped(config: Config, arguments: argparse.Namespace) -> bytes:
    from toolreplay.cli.wrapping.words import own_program, recording_words, words_before

    recording = recording_words(arguments)
    program = own_program()
    return wrapped(config, lambda server: words_before(server, program, recording))


def _rows(config: Config) -> list[str]:
    if not config.servers:
        return ["no servers"]
    rows = [
        [f"  {escaped(server.shown)}", escaped(what)] for server, _, what in standing_of(config)
    ]
    return columns(rows)


def _check(config: Config, console: Console) -> int:
    """Say of each server whether it is wrapped, in the words of a report."""
    found = standing_of(config)
    rows = [
        [result, escaped(server.shown), escaped(what)]
        for result in (PASSED, FAILED, NOT_CHECKED)
        for server, each, what in found
        if each == result
    ]
    console.write_lines(columns(rows))
    results = {each.result for each in found}
    if FAILED in results:
        console.note(f"next: toolreplay wrap {config.name} --write (what is gone: --undo first)")
        return FOUND
    if not found:
        console.write("not checked: no servers\n")
    return NOT_ALL_CHECKED if NOT_CHECKED in results or not found else CLEAN


def _difference(name: str, before: bytes, after: bytes) -> list[str]:
    """Return the lines that differ as a unified diff, without those around: they may hold secrets."""
    from difflib import unified_diff

    old, new = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    made = unified_diff(old, new, name, f"{name} (wrapped)", lineterm="", n=0)
    return [escaped(line) for line in made]


def _list(console: Console) -> int:
    """List the configurations that are here, and how many of their servers are wrapped."""
    places = known_places(os.environ, os.curdir)
    rows = [
        [place.client, escaped(os.path.normpath(place.path)), escaped(_summary(place.path))]
        for place in places
        if os.path.lexists(place.path)
    ]
    console.write_lines(columns(rows))
    if not rows:
        looked = [f"  {escaped(os.path.normpath(place.path))}" for place in places]
        console.write_lines(["no configuration of a known client is here; looked for:", *looked])
    else:
        console.note("next: toolreplay wrap CONFIG shows what would be changed in one of them")
    return CLEAN


def _summary(path: str) -> str:
    try:
        return wrapped_count(config_of(path, read_config(path).data))
    except InputError as error:
        return f"cannot be read: {error.what}"
