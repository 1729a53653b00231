"""The key that signs a store's heads, and the file that remembers the last one it signed."""

import argparse
import os

from toolreplay.cli.signing import add_signing, signer_of
from toolreplay.errors import UsageError
from toolreplay.stores.sqlite.publishing import SigningKey

__all__ = ["add_signing_key", "signing_key_of"]


def add_signing_key(group: argparse._ActionsContainer) -> None:
    """Add the options that say what signs heads, and where the last one is remembered."""
    add_signing(group)
    group.add_argument(
        "--head", metavar="FILE",
        help="where the last head that --sign-command signed is remembered (that of a private key: "
        "beside it, in FILE.head)",
    )  # fmt: skip


def signing_key_of(arguments: argparse.Namespace) -> SigningKey | None:
    """Return the key that the options name, None without one. Raises UsageError, InputError."""
    if arguments.head is not None and arguments.sign_command is None:
        raise UsageError("--head goes with --sign-command: a private key has its own beside it")
    if arguments.sign_command is not None and arguments.head is None:
        raise UsageError(
            "--sign-command needs --head FILE, where the last head that it signed is remembered"
        )
    signer = signer_of(arguments)
    if signer is None:
        return None
    return SigningKey(signer, arguments.head or f"{os.path.realpath(arguments.private_key)}.head")
