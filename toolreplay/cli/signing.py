"""Who signs: --key with the private key's file, or --sign-command with a program that has the key."""

import argparse
import shlex
import subprocess
from typing import NamedTuple

from toolreplay.errors import InputError, UsageError
from toolreplay.evidence.signatures.keys import parse_private_key
from toolreplay.evidence.signatures.sign import Signer, key_signer
from toolreplay.evidence.tlog.note import VerifierKey, parse_vkey

__all__ = ["add_signing", "signer_of"]


def add_signing(group: argparse._ActionsContainer) -> None:
    """Add the options that say who signs."""
    group.add_argument("--key", metavar="FILE", help="the private key that signs")
    group.add_argument("--sign-command", metavar="COMMAND", help="a program that signs")
    group.add_argument("--vkey", metavar="VKEY", help="its public key")
    group.add_argument("--head", metavar="FILE", help="where its last head is remembered")


def signer_of(arguments: argparse.Namespace) -> Signer | None:
    """Return who signs, None where nobody does."""
    if arguments.key is not None:
        with open(arguments.key, encoding="ascii") as file:
            return key_signer(parse_private_key(file.read(), arguments.key))
    if arguments.sign_command is None:
        return None
    if arguments.vkey is None:
        raise UsageError("--sign-command needs --vkey")
    key = parse_vkey(arguments.vkey, "--vkey")
    return _Command(key.name, key, tuple(shlex.split(arguments.sign_command)))


class _Command(NamedTuple):
    name: str
    key: VerifierKey
    command: tuple[str, ...]

    def sign(self, message: bytes) -> bytes:
        done = subprocess.run(self.command, input=message, capture_output=True, check=False)
        if done.returncode or len(done.stdout) != 64:
            raise InputError(self.command[0], "did not sign")
        return done.stdout
