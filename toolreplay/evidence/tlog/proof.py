"""Proofs that one entry is in a log, to be checked offline (C2SP tlog-proof).

    c2sp.org/tlog-proof@v1
    extra <base64>              (may be left out; nobody vouches for it)
    index <n>
    <base64 of a hash>          (from the leaf's sibling upward)
    (an empty line)
    the checkpoint, as it was issued

The file proves nothing by itself: the size and the root come from its checkpoint once that is found
signed, and the leaf hash from the entry's own bytes.
"""

from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.evidence.aer1.base64_text import Base64Error, base64_of, bytes_of_base64
from toolreplay.evidence.tlog.checkpoint import parse_hash, parse_size
from toolreplay.evidence.tlog.merkle import folded_root, leaf_hash
from toolreplay.evidence.tlog.note import NOTE_BYTES, text_fault

__all__ = ["FIRST_LINE", "TlogProof", "parse_proof", "proof_bytes", "proved_root"]

FIRST_LINE = "c2sp.org/tlog-proof@v1"
"""What the file begins with."""

_PROOF_BYTES = 2 * NOTE_BYTES
_MOST_HASHES = 63
"""Hashes on the way up in a tree of 2^63 leaves, the largest there can be."""


class TlogProof(NamedTuple):
    """What the file says. `checkpoint` are the bytes of the note, which is not looked at here."""

    index: int  # type: ignore[assignment]  # a field, not the tuple's method
    path: tuple[bytes, ...]
    checkpoint: bytes
    extra: bytes | None = None


def parse_proof(data: bytes, where: str) -> TlogProof:
    """Read a proof strictly. Raises InputError naming `where`."""
    if len(data) > _PROOF_BYTES:
        raise InputError(where, f"a proof of more than {_PROOF_BYTES:,} bytes")
    head, divider, checkpoint = data.partition(b"\n\n")
    fault = text_fault(head + b"\n")
    if fault or not divider:
        raise InputError(where, f"a proof {fault or 'without an empty line before a checkpoint'}")
    lines = head.decode("utf-8").split("\n")
    if lines.pop(0) != FIRST_LINE:
        raise InputError(where, f"not a proof (its first line is {FIRST_LINE})")
    extra = None
    if lines and lines[0].startswith("extra "):
        try:
            extra = bytes_of_base64(lines.pop(0).removeprefix("extra "))
        except Base64Error as error:
            raise InputError(where, f"the extra line of a proof {error}") from None
    if not lines or not lines[0].startswith("index "):
        raise InputError(where, "a proof without an index line")
    index = parse_size(lines.pop(0).removeprefix("index "), where, "the index of a proof")
    if len(lines) > _MOST_HASHES:
        raise InputError(where, f"a proof of more than {_MOST_HASHES} hashes")
    path = tuple(parse_hash(line, where, "a hash of a proof") for line in lines)
    return TlogProof(index, path, checkpoint, extra)


def proof_bytes(proof: TlogProof) -> bytes:
    """Return the bytes of the file."""
    lines = [FIRST_LINE]
    if proof.extra is not None:
        lines.append(f"extra {base64_of(proof.extra)}")
    lines.append(f"index {proof.index}")
    lines += map(base64_of, proof.path)
    return "\n".join([*lines, "", ""]).encode("ascii") + proof.checkpoint


def proved_root(proof: TlogProof, entry: bytes, size: int) -> bytes | None:
    """Return the root that an entry's bytes fold to in a tree of the size that was signed.

    None where the path does not fit. The entry is proved when this is the root that was signed.
    """
    return folded_root(leaf_hash(entry), proof.index, size, proof.path)
