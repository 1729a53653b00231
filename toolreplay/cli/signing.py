"""What signs: a private key in a file, or a command that answers with signatures."""

import argparse
import os
import stat
from typing import NamedTuple

from toolreplay.errors import InputError, UsageError
from toolreplay.sources.declared import read_vkey

TYPE_CHECKING = False
if TYPE_CHECKING:  # a command that signs nothing loads nothing that signs
    from toolreplay.evidence.signatures.keys import PrivateKey
    from toolreplay.evidence.signatures.sign import Signer
    from toolreplay.evidence.tlog.note import VerifierKey

__all__ = ["add_signing", "read_private_key", "signer_of"]

_KEY_BYTES = 4096
_MOST_ANSWER = 4096
_SECONDS = 300
"""How long a command may take: a person may have to touch a device or type a word."""


def add_signing(group: argparse._ActionsContainer, flag: str = "--key") -> None:
    """Add the options that say what signs; `flag` is the one that takes a private key's file."""
    group.add_argument(
        flag, dest="private_key", metavar="FILE", help="the file of a private key that signs it"
    )
    group.add_argument(
        "--sign-command",
        metavar="CMD",
        help="sign with a command: it gets the text on standard input and prints the 64 bytes of "
        "the Ed25519 signature, or their base64; needs --vkey",
    )
    group.add_argument(
        "--vkey", metavar="VKEY", help="the public key of --sign-command, or a file with it"
    )


def signer_of(arguments: argparse.Namespace) -> "Signer | None":
    """Return what the options of `add_signing` name, None where they name nothing.

    Raises UsageError, InputError and MissingExtraError, all before anything is signed.
    """
    if arguments.private_key is not None:
        if arguments.sign_command is not None or arguments.vkey is not None:
            raise UsageError("a private key signs, or --sign-command with its --vkey, not both")
        from toolreplay.evidence.signatures.sign import key_signer

        return key_signer(read_private_key(arguments.private_key))
    if (arguments.sign_command is None) != (arguments.vkey is None):
        raise UsageError(
            "--sign-command and --vkey, the public key that it signs with, go together"
        )
    if arguments.sign_command is None:
        return None
    from toolreplay.evidence.tlog.note import ED25519

    key = read_vkey(arguments.vkey)
    if key.kind != ED25519:
        raise UsageError(f"--vkey: a key of type 0x{key.kind:02x} does not sign like that")
    return _CommandSigner(key.name, key, _words_of(arguments.sign_command))


def read_private_key(name: str) -> "PrivateKey":
    """Read the file of a private key, which nobody else may be able to. Raises InputError."""
    try:
        with open(name, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(_KEY_BYTES + 1)
    except OSError as error:
        raise InputError(name, error.strerror or str(error)) from None
    except ValueError:
        raise InputError(name, "is not a name a file can have") from None
    from toolreplay.evidence.signatures.keys import PRIVATE_PREFIX

    if not data.startswith(PRIVATE_PREFIX.encode()):
        raise InputError(name, "is not a private key (toolreplay key new makes one)")
    if os.name == "posix" and stat.S_ISREG(mode) and mode & 0o077:
        from shlex import quote

        raise InputError(name, f"a private key that others can read (chmod 600 {quote(name)})")
    if len(data) > _KEY_BYTES:
        raise InputError(name, "is longer than any private key")
    from toolreplay.evidence.signatures.keys import parse_private_key

    return parse_private_key(data.decode("utf-8", "replace"), name)


class _CommandSigner(NamedTuple):
    """Asks a command for each signature, and uses none that does not hold."""

    name: str
    key: "VerifierKey"
    words: list[str]

    def sign(self, message: bytes) -> bytes:
        """Return the signature. Raises InputError for a command that gives none that holds."""
        from toolreplay.evidence.signatures.verify import verify_ed25519

        signature = _signature_of(_answer_of(self.words, message))
        if not verify_ed25519(self.key.public, message, signature):
            raise InputError("--sign-command", "its signature is not of the key that --vkey names")
        return signature


def _answer_of(words: list[str], message: bytes) -> bytes:
    """Run a command and return what it prints, of which no more is read than a signature may have."""
    import subprocess
    import tempfile
    import threading

    late = threading.Event()
    try:
        with tempfile.TemporaryFile() as given:
            given.write(message)
            given.seek(0)
            command = subprocess.Popen(  # noqa: S603 - whoever signs has named the command
                words, stdin=given, stdout=subprocess.PIPE
            )
    except OSError as error:
        raise InputError("--sign-command", error.strerror or str(error)) from None

    def stop() -> None:
        late.set()
        command.kill()

    timer = threading.Timer(_SECONDS, stop)
    timer.start()
    with command:
        assert command.stdout is not None
        answer = command.stdout.read(_MOST_ANSWER + 1)
        if len(answer) > _MOST_ANSWER:
            command.kill()
        command.wait()
        timer.cancel()
    if late.is_set():
        raise InputError("--sign-command", f"gave no answer in {_SECONDS} seconds")
    if len(answer) > _MOST_ANSWER:
        raise InputError("--sign-command", "printed more than any signature has")
    if command.returncode:
        raise InputError("--sign-command", f"ended with {command.returncode}")
    return answer


def _signature_of(answer: bytes) -> bytes:
    from toolreplay.evidence.aer1.base64_text import Base64Error, bytes_of_base64

    if len(answer) == 64:
        return answer
    try:
        signature = bytes_of_base64(answer.decode("latin-1").strip())
    except Base64Error:
        signature = b""
    if len(signature) != 64:
        raise InputError("--sign-command", "printed neither 64 bytes nor their base64")
    return signature


def _words_of(command: str) -> list[str]:
    from shlex import split

    try:
        words = split(command)
    except ValueError as error:
        raise UsageError(f"--sign-command: {str(error).lower()}") from None
    if not words:
        raise UsageError("--sign-command names no command")
    return words
