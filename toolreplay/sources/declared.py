"""Read the small files that are handed in beside a record: a scope, a list of tools, a head."""

from toolreplay.errors import DeclarationError, InputError
from toolreplay.evidence.seal import Head, parse_head
from toolreplay.records.call import Json, JsonObject
from toolreplay.records.jsonl import bytes_up_to
from toolreplay.records.limits import DEFAULT, Limits
from toolreplay.records.scope import Scope, parse_scope

TYPE_CHECKING = False
if TYPE_CHECKING:  # what a quick command does not declare it does not load
    from toolreplay.evidence.aer1.document import Document
    from toolreplay.evidence.tlog.note import VerifierKey
    from toolreplay.evidence.tlog.policy import Policy

__all__ = [
    "is_bundle",
    "read_commitment",
    "read_head",
    "read_keys",
    "read_names",
    "read_outer",
    "read_policy",
    "read_record",
    "read_scope",
    "read_small",
    "read_vkey",
    "refuse_bundle",
    "vkey_of",
]

_START_BYTES = 64
"""Bytes that tell a bundle from other files."""


def read_scope(name: str, limits: Limits = DEFAULT) -> Scope:
    """Read a scope file. Raises InputError."""
    if name.endswith(".toml"):
        return parse_scope(b"", name, limits)
    return parse_scope(read_small(name, limits), name, limits)


def read_names(name: str, limits: Limits = DEFAULT) -> set[str]:
    """Read a file of names, one a line; blank lines and lines that begin with # are left out."""
    data = read_small(name, limits)
    # Either would leave a name that no tool bears, and so a difference that nothing explains.
    if data.startswith(b"\xef\xbb\xbf"):
        raise DeclarationError(
            name, "starts with a byte order mark (save the file as UTF-8 without one)"
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise DeclarationError(name, "not UTF-8") from None
    if "\0" in text:
        raise DeclarationError(name, "not UTF-8 (it has zero bytes, as UTF-16 does)")
    lines = (line.strip() for line in text.split("\n"))
    return {line for line in lines if line and not line.startswith("#")}


def read_head(name: str, limits: Limits = DEFAULT) -> Head:
    """Read the head of a seal that was kept elsewhere. Raises InputError."""
    return parse_head(read_small(name, limits), name)


def read_keys(given: str, limits: Limits = DEFAULT) -> "list[VerifierKey]":
    """Read a public key that was given as such, or else a file with one on each line.

    What can be read as a key is one, whatever files there are: who wrote them may not be trusted.
    Blank lines and lines that begin with # are left out. Raises InputError.
    """
    from os.path import exists

    if given.count("+") >= 2:
        try:
            return [vkey_of(given.encode("utf-8", "surrogateescape"), "the key given")]
        except InputError:
            if not exists(given):
                raise
    lines = sorted(read_names(given, limits))
    if not lines:
        raise InputError(given, "holds no key (name+hash+base64)")
    return [vkey_of(line.encode("utf-8"), given) for line in lines]


def read_vkey(given: str, limits: Limits = DEFAULT) -> "VerifierKey":
    """Read one public key, as `read_keys` does. Raises InputError."""
    keys = read_keys(given, limits)
    if len(keys) > 1:
        raise InputError(given, f"holds {len(keys)} keys, and one is wanted")
    return keys[0]


def vkey_of(data: bytes, where: str) -> "VerifierKey":
    """Read the public key that a file holds on its only line. Raises InputError.

    A private key is refused: it is not what a verifier is to be given.
    """
    from toolreplay.evidence.signatures.keys import PRIVATE_PREFIX
    from toolreplay.evidence.tlog.note import parse_vkey

    text = data.decode("utf-8", "replace").removesuffix("\n")
    if text.startswith(PRIVATE_PREFIX):
        raise InputError(where, "is a private key (toolreplay key show FILE prints the public one)")
    return parse_vkey(text, where)


def read_policy(name: str, limits: Limits = DEFAULT) -> "Policy":
    """Read a trust policy (C2SP tlog-policy). Raises InputError."""
    from toolreplay.evidence.tlog.policy import parse_policy

    return parse_policy(read_small(name, limits), name)


def read_commitment(name: str, limits: Limits = DEFAULT) -> JsonObject:
    """Read an AER-1 commitment that was kept elsewhere. Raises InputError."""
    from toolreplay.evidence.aer1.commitment import parse_commitment

    return parse_commitment(read_small(name, limits), name, limits)


def read_outer(name: str, limits: Limits = DEFAULT) -> "Document":
    """Read one AER-1 document, which may be compressed or standard input. Raises InputError."""
    from contextlib import closing

    from toolreplay.evidence.aer1.document import DOCUMENT_LIMITS, read_document
    from toolreplay.sources.opening import open_stream

    opened = open_stream(name, limits)
    with closing(opened.file):
        data = bytes_up_to(opened.file, limits.line_bytes)
    if data is None:
        raise InputError(
            name, f"longer than {limits.line_bytes} bytes (--max-line-bytes raises the limit)"
        )
    if limits.depth == DEFAULT.depth:
        limits = limits._replace(depth=DOCUMENT_LIMITS.depth)
    refuse_bundle(data[:_START_BYTES], name)
    return read_document(data, name, limits)


def is_bundle(start: bytes) -> bool:
    """Whether a file begins as a bundle does; `start` are its first bytes."""
    return start.startswith(b'{"format":"toolreplay-run/')


def refuse_bundle(start: bytes, name: str) -> None:
    """Raise InputError for a bundle, where one document of AER-1 is wanted."""
    if is_bundle(start):
        raise InputError(name, "is a bundle (see: toolreplay verify)")


def read_record(name: str, limits: Limits = DEFAULT) -> Json:
    """Read the record that a receipt's id leads to, any JSON value. Raises InputError."""
    from toolreplay.evidence.aer1.document import read_document

    value, twice = read_document(read_small(name, limits), name, limits)
    if twice is not None:
        raise DeclarationError(name, f"the member '{twice}' stands twice in one object")
    return value


def read_small(name: str, limits: Limits = DEFAULT) -> bytes:
    """Read a whole file, `-` for standard input, up to the limit of a line. Raises InputError."""
    try:
        with open(0 if name == "-" else name, "rb", closefd=name != "-") as file:
            data = bytes_up_to(file, limits.line_bytes)
    except OSError as error:
        raise InputError(name, error.strerror or str(error)) from None
    except ValueError:
        raise InputError(name, "is not a name a file can have") from None
    if data is None:
        raise InputError(
            name, f"longer than {limits.line_bytes} bytes (--max-line-bytes raises the limit)"
        )
    return data
