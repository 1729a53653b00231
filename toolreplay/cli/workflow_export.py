"""Write the AER-1 workflow close of a bundle: its steps and its close, joined to one document.

Nothing is judged: verify the bundle first. A run without calls has no workflow close.
"""

import argparse
import json
from collections.abc import Iterator
from contextlib import closing

from toolreplay.cli.arguments import add_limits, limits_of
from toolreplay.cli.chain_export import write_pieces
from toolreplay.cli.console import Console
from toolreplay.errors import InputError
from toolreplay.evidence.bundle.reading import bundle_lines
from toolreplay.records.limits import Limits
from toolreplay.sources.opening import open_seekable

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `workflow export`."""
    parser.add_argument("input", metavar="FILE", help="a bundle, or - for standard input")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="write to a file, whole or not at all"
    )
    add_limits(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write the close, step by step."""
    return write_pieces(_pieces(arguments.input, limits_of(arguments)), arguments, console)


def _pieces(name: str, limits: Limits) -> Iterator[bytes]:
    """Yield the document: the close stands behind the steps in a bundle, so it is read twice."""
    opened = open_seekable(name, limits)
    with closing(opened.file):
        start = opened.file.tell()
        workflow = None
        for line in bundle_lines(opened.file, limits):
            if line.kind == "workflow":
                workflow = line.value["workflow"]
        if not isinstance(workflow, dict):
            raise InputError(name, "has no workflow close")
        opened.file.seek(start)
        members = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in workflow.items()]
        yield ("{" + ", ".join([*members, '"steps": [\n'])).encode()
        count = 0
        for line in bundle_lines(opened.file, limits):
            if line.kind == "step":
                yield (b",\n" if count else b"") + json.dumps(line.value["step"]).encode()
                count += 1
        yield b"\n]}\n"
