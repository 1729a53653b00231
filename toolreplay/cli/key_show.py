"""Print the public key of a key file, whether that holds the private key or the public one.

A file with a private key must be readable by its owner alone, and needs the extra `sign`. One
with a public key needs nothing.
"""

import argparse

from toolreplay.cli.console import Console
from toolreplay.cli.signing import read_private_key
from toolreplay.evidence.signatures.keys import PRIVATE_PREFIX
from toolreplay.evidence.signatures.sign import key_signer
from toolreplay.evidence.tlog.note import vkey_text
from toolreplay.reports.lines import escaped
from toolreplay.sources.declared import read_small, vkey_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `key show`."""
    parser.add_argument(
        "file", metavar="FILE", help="a file that `key new` wrote, or a public key's"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the public key."""
    data = read_small(arguments.file)
    if data.startswith(PRIVATE_PREFIX.encode()):
        key = key_signer(read_private_key(arguments.file)).key
    else:
        key = vkey_of(data, arguments.file)
    console.write_lines([escaped(vkey_text(key.name, key.kind, key.public))])
    return 0
