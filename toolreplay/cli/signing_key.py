"""The key that signs a store's heads, and the file that remembers the last one."""

import argparse

from toolreplay.cli.signing import signer_of
from toolreplay.errors import UsageError
from toolreplay.stores.sqlite.publishing import SigningKey

__all__ = ["signing_key_of"]


def signing_key_of(arguments: argparse.Namespace) -> SigningKey | None:
    """Return the key that the options name, None without one. Raises UsageError."""
    signer = signer_of(arguments)
    if signer is None:
        if arguments.head is not None:
            raise UsageError("--head goes with --sign-command: a key file has its own beside it")
        return None
    if arguments.head is not None:
        return SigningKey(signer, arguments.head)
    if arguments.key is None:
        raise UsageError(
            "--sign-command needs --head FILE, where the last head that it signed is remembered"
        )
    return SigningKey(signer, f"{arguments.key}.head")
