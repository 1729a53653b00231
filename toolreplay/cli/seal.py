"""Seal a strict transcript: print each call with `prev` and `digest`, chained by SHA-256.

The whole input is checked before the first byte is printed. A chain alone cannot show that its
tail was cut or that everything was sealed again: keep the head elsewhere (--head FILE) and hand
it to `toolreplay verify --against FILE`.
"""

import argparse
import os
import stat
import sys
from typing import BinaryIO

from toolreplay.cli.arguments import add_limits, limits_of
from toolreplay.cli.console import Console
from toolreplay.cli.strict import note_meta_beside, open_strict
from toolreplay.cli.whole_file import WholeFile, is_same_file, write_whole
from toolreplay.errors import UsageError
from toolreplay.evidence.seal import FIRST_PREV, Head, head_text, seal_lines
from toolreplay.records.run import Run

__all__ = ["add_arguments", "run"]

_COPY_BYTES = 1 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `seal`."""
    parser.add_argument("transcript", metavar="TRANSCRIPT", help="a strict transcript, or -")
    parser.add_argument(
        "-o", dest="output", metavar="FILE", help="write the sealed transcript here, whole or not"
    )
    parser.add_argument(
        "--head", metavar="FILE", help="also write count and last digest, to be kept elsewhere"
    )
    add_limits(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Seal to standard output, or to a file."""
    sealed = open_strict(arguments.transcript, limits_of(arguments))
    if arguments.head == "-":
        raise UsageError("--head takes a file: what is kept elsewhere must not be in the output")
    for name in (arguments.output, arguments.head):
        if name and is_same_file(arguments.transcript, name):
            raise UsageError(f"{name}: is the transcript itself")
    if arguments.output in (None, "-"):
        _refuse_own_output(arguments.transcript)
        from tempfile import TemporaryFile

        with TemporaryFile("w+b") as links:
            head = _write_links(sealed, links)
            if arguments.head:
                write_whole(arguments.head, head_text(head))
            links.seek(0)
            while piece := links.read(_COPY_BYTES):
                console.write_bytes(piece)
        note_meta_beside(arguments.transcript, console)
        return 0
    if arguments.head and os.path.realpath(arguments.head) == os.path.realpath(arguments.output):
        raise UsageError("-o and --head name the same file")
    with WholeFile(arguments.output) as replacement:
        head = _write_links(sealed, replacement.file)
        if arguments.head:
            write_whole(arguments.head, head_text(head))
        replacement.keep()
    note_meta_beside(arguments.transcript, console)
    return 0


def _write_links(sealed: Run, out: BinaryIO) -> Head:
    count, digest = 0, FIRST_PREV
    for pieces, digest in seal_lines(sealed.calls):  # noqa: B007 - the last one is the head
        count += 1
        out.writelines(pieces)
    return Head(count, digest)


def _refuse_own_output(name: str) -> None:
    """Stop at `seal x.jsonl > x.jsonl`, where the shell has emptied the transcript already."""
    try:
        output = os.fstat(sys.stdout.fileno())
        is_file = stat.S_ISREG(output.st_mode)
        if is_file and name != "-" and os.path.samestat(os.stat(name), output):
            raise UsageError(f"{name}: is the transcript and standard output at once (use -o)")
    except (OSError, ValueError, AttributeError):  # standard output is closed, or no file
        return
