"""Seal a strict transcript: print each call with `prev` and `digest`, chained by SHA-256.

The whole input is checked before the first byte is printed. A chain alone cannot show that its
tail was cut or that everything was sealed again: keep the head elsewhere (--head FILE) and hand
it to `toolreplay verify --against FILE`. A head that is signed (--sign FILE, with a key that
`toolreplay key new` made) also says whose it is: `verify --against FILE --key VKEY`.
"""

import argparse
import os
import stat
import sys
from contextlib import ExitStack
from typing import BinaryIO

from toolreplay.cli.arguments import add_limits, limits_of
from toolreplay.cli.console import Console
from toolreplay.cli.signing import add_signing, signer_of
from toolreplay.cli.strict import note_meta_beside, open_strict
from toolreplay.cli.whole_file import WholeFile, is_same_file
from toolreplay.errors import TranscriptError, UsageError
from toolreplay.evidence.seal import FIRST_PREV, Head, head_text, seal_lines
from toolreplay.records.limits import Limits
from toolreplay.records.run import Run

TYPE_CHECKING = False
if TYPE_CHECKING:  # what signs nothing loads nothing that signs
    from toolreplay.evidence.signatures.sign import Signer

__all__ = ["add_arguments", "run"]

_COPY_BYTES = 1 << 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `seal`."""
    parser.add_argument(
        "transcript", metavar="TRANSCRIPT", help="a strict transcript, or - for standard input"
    )
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        help="write the sealed transcript here, in place of a file of that name",
    )
    parser.add_argument(
        "--head", metavar="FILE", help="also write count and last digest, to be kept elsewhere"
    )
    add_signing(parser.add_argument_group("what signs the head"), "--sign")
    add_limits(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Seal to standard output, or to a file."""
    limits = limits_of(arguments)
    sealed = open_strict(arguments.transcript, limits)
    if arguments.head == "-":
        raise UsageError("--head takes a file: what is kept elsewhere must not be in the output")
    for name in (arguments.output, arguments.head):
        if name and is_same_file(arguments.transcript, name):
            raise UsageError(f"{name}: is the transcript itself")
        if name and arguments.private_key and is_same_file(arguments.private_key, name):
            raise UsageError(f"{name}: is the private key")
    signer = signer_of(arguments)
    if signer is not None and arguments.head is None:
        raise UsageError("what is signed is the head: name a file for it with --head")
    output = None if arguments.output in (None, "-") else arguments.output
    if output is None:
        _refuse_own_output(arguments.transcript)
    elif arguments.head and os.path.realpath(arguments.head) == os.path.realpath(output):
        raise UsageError("-o and --head name the same file")
    with ExitStack() as stack:
        from tempfile import TemporaryFile

        head_file = stack.enter_context(WholeFile(arguments.head)) if arguments.head else None
        whole = stack.enter_context(WholeFile(output)) if output else None
        links = whole.file if whole else stack.enter_context(TemporaryFile("w+b"))
        head = _write_links(sealed, links, limits)
        if head_file is not None:
            head_file.file.write(_note_of(head, signer))
            head_file.file.flush()
        if whole is not None:
            whole.keep()
        else:
            links.seek(0)
            while piece := links.read(_COPY_BYTES):
                console.write_bytes(piece)
            console.flush()
        # Last: a sealed file that stood there before must not meet a head that is not its own.
        if head_file is not None:
            head_file.keep()
    note_meta_beside(arguments.transcript, console)
    return 0


def _note_of(head: Head, signer: "Signer | None") -> bytes:
    if signer is None:
        return head_text(head)
    from toolreplay.evidence.signatures.sign import sign_note

    return sign_note(head_text(head), signer)


def _write_links(sealed: Run, out: BinaryIO, limits: Limits) -> Head:
    """Write each link. Raises TranscriptError at one that `verify` would not read."""
    count, digest = 0, FIRST_PREV
    for pieces, digest in seal_lines(sealed.calls):  # noqa: B007 - the last one is the head
        if sum(map(len, pieces)) - 1 > limits.line_bytes:
            raise TranscriptError(
                f"index {count}",
                f"sealed it is longer than {limits.line_bytes} bytes "
                "(--max-line-bytes raises the limit, for verify too)",
            )
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
