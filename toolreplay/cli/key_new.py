"""Make a private key, in a file that only its owner can read.

Prints the public key (`name+hash+base64`, the form of C2SP signed notes): hand that line to
whoever is to check what you sign. The private key is never printed. A file that is there already
is never replaced. Needs the extra `sign`.
"""

import argparse
import os

from toolreplay.cli.console import Console
from toolreplay.errors import OutputError, UsageError
from toolreplay.evidence.signatures.keys import private_key_text
from toolreplay.evidence.signatures.sign import public_of
from toolreplay.evidence.tlog.note import ED25519, is_key_name, vkey_text
from toolreplay.reports.lines import escaped

__all__ = ["add_arguments", "run"]

_MOST_NAME = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `key new`."""
    parser.add_argument(
        "--name",
        metavar="NAME",
        help="what the key is called, best an address of yours without https:// "
        "(default toolreplay.invalid/ and 32 random hex digits)",
    )
    parser.add_argument("-o", dest="output", metavar="FILE", required=True, help="the new file")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Make the key, write it, print its public part."""
    name = arguments.name or f"toolreplay.invalid/{os.urandom(16).hex()}"
    # A log is named as its key is, and its leaves say that name in JSON without escapes.
    if (
        not is_key_name(name)
        or len(name) > _MOST_NAME
        or not name.isprintable()
        or {*name} & {*'"\\'}
    ):
        raise UsageError(
            f"--name takes up to {_MOST_NAME} characters, none of them a blank, +, quote or backslash"
        )
    seed = os.urandom(32)
    public = public_of(seed)
    _write_new(arguments.output, f"{private_key_text(name, seed, public)}\n".encode())
    console.write_lines([escaped(vkey_text(name, ED25519, public))])
    console.note("next: hand this line to whoever checks what you sign (verify --key)")
    return 0


def _write_new(name: str, data: bytes) -> None:
    """Write a file that is not there yet, for its owner alone, and see it to the disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(name, flags, 0o600)
    except FileExistsError:
        raise OutputError(name, "is there already, and no key is ever replaced") from None
    except OSError as error:
        raise OutputError(name, error.strerror or str(error)) from None
    except ValueError:
        raise OutputError(name, "is not a name a file can have") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        os.unlink(name)
        raise OutputError(name, error.strerror or str(error)) from None
