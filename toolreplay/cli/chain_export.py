"""Write the AER-1 timeline of a bundle: each receipt as a chained entry, in one JSON array.

It is derived from the receipts and nothing is judged: verify the bundle first. A bundle in which
receipts were erased has no timeline.
"""

import argparse
import json
from collections.abc import Iterator
from contextlib import closing

from toolreplay.cli.arguments import add_limits, limits_of
from toolreplay.cli.console import Console
from toolreplay.cli.whole_file import WholeFile, refuse_to_replace
from toolreplay.errors import InputError
from toolreplay.evidence.alone.projected import timeline_of
from toolreplay.records.limits import Limits
from toolreplay.sources.opening import open_seekable

__all__ = ["add_arguments", "run", "write_pieces"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `chain export`."""
    parser.add_argument("input", metavar="FILE", help="a bundle, or - for standard input")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="write to a file, whole or not at all"
    )
    add_limits(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write the timeline, entry by entry."""
    pieces = _pieces(arguments.input, limits_of(arguments))
    return write_pieces(pieces, arguments, console)


def write_pieces(pieces: Iterator[bytes], arguments: argparse.Namespace, console: Console) -> int:
    """Write bytes to standard output, or to a file that stands once it is whole."""
    from tempfile import SpooledTemporaryFile

    if arguments.output is not None:
        refuse_to_replace(arguments.output, [arguments.input])
        with WholeFile(arguments.output) as file:
            for piece in pieces:
                file.write(piece)
            file.keep()
        return 0
    with SpooledTemporaryFile(1 << 20) as kept:  # nothing is printed of a bundle that breaks
        for piece in pieces:
            kept.write(piece)
        kept.seek(0)
        while piece := kept.read(1 << 20):
            console.write_bytes(piece)
    return 0


def _pieces(name: str, limits: Limits) -> Iterator[bytes]:
    opened = open_seekable(name, limits)
    with closing(opened.file):
        count = 0
        for entry in timeline_of(opened.file, limits):
            yield (b",\n" if count else b"[\n") + json.dumps(entry).encode()
            count += 1
        if not count:
            raise InputError(name, "holds no receipt")
        yield b"\n]\n"
