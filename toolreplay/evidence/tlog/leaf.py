r"""The leaf: two lines that commit to one entry of one run in one log.

    toolreplay/entry/v1
    {"at":…,"commit":"…","kind":"call","log":"…","prev":"…","run":"…","seq":1,"size":69,"v":1}

Both lines end in LF. The first keeps a leaf from ever being a checkpoint, whose second line is a
number. The second is a JSON object of integers and of strings that need no escape, its members
sorted, without blanks: one leaf has one spelling, and what is read is compared byte for byte.
Only leaves without a signature are read and written: the head of the log is what is signed.
"""

import re
from typing import NamedTuple

__all__ = ["FIRST_PREV", "LEAF_BYTES", "Leaf", "LeafError", "leaf_bytes", "parse_leaf"]

FIRST_PREV = bytes(32)
"""What stands for the leaf before it in the first leaf of a run."""

LEAF_BYTES = 65_535
"""The most bytes of a leaf: an entry bundle counts them in 16 bits (C2SP tlog-tiles)."""

_MOST = 2**53 - 1
"""The largest integer that every JSON reader takes exactly (RFC 8259 section 6)."""

_NUMBER = r"(0|[1-9][0-9]{0,15})"
_DIGEST = r'"([0-9a-f]{64})"'
_LEAF = re.compile(
    rf'toolreplay/entry/v1\n{{"at":{_NUMBER},"commit":{_DIGEST},"kind":"([a-z]{{1,32}})",'
    rf'"log":"([^"\\\0-\x1f]+)","prev":{_DIGEST},"run":"([A-Za-z0-9._-]{{1,128}})",'
    rf'"seq":{_NUMBER},"size":{_NUMBER},"v":1}}\n'
)


class LeafError(ValueError):
    """Bytes are not a leaf, or a leaf cannot be spelt; the text is the fact."""


class Leaf(NamedTuple):
    """What a leaf says.

    `log` is the origin of the log, `entry` the place in the run from 0 (spelt `seq`), `at` the
    recorder's time in microseconds since 1970, `commit` the commitment to the payload, `prev` the
    hash of the run's leaf before it, `size` the length of the payload in bytes.
    """

    log: str
    run: str
    entry: int
    kind: str
    at: int
    commit: bytes
    prev: bytes
    size: int


def leaf_bytes(leaf: Leaf) -> bytes:
    """Return the two lines of a leaf. Raises LeafError for what no leaf can say."""
    text = (
        f'toolreplay/entry/v1\n{{"at":{leaf.at:d},"commit":"{leaf.commit.hex()}",'
        f'"kind":"{leaf.kind}","log":"{leaf.log}","prev":"{leaf.prev.hex()}",'
        f'"run":"{leaf.run}","seq":{leaf.entry:d},"size":{leaf.size:d},"v":1}}\n'
    )
    # Each string stands between quotes that its pattern does not let it have, so what matches is
    # read back member by member.
    if _LEAF.fullmatch(text) is None or max(leaf.at, leaf.entry, leaf.size) > _MOST:
        raise LeafError("a leaf with these members would be read as another, or not at all")
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise LeafError("the log of a leaf has no UTF-8") from None
    if len(data) > LEAF_BYTES:
        raise LeafError(f"a leaf of more than {LEAF_BYTES:,} bytes")
    return data


def parse_leaf(data: bytes) -> Leaf:
    """Read the two lines of a leaf. Raises LeafError."""
    if len(data) > LEAF_BYTES:
        raise LeafError(f"a leaf of more than {LEAF_BYTES:,} bytes")
    try:
        found = _LEAF.fullmatch(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise LeafError("is not UTF-8") from None
    if found is None:
        raise LeafError("is not the two lines of an unsigned leaf (toolreplay/entry/v1)")
    at, commit, kind, log, prev, run, entry, size = found.groups()
    when, place, length = int(at), int(entry), int(size)
    if max(when, place, length) > _MOST:
        raise LeafError(f"a number in a leaf is over {_MOST}")
    return Leaf(log, run, place, kind, when, bytes.fromhex(commit), bytes.fromhex(prev), length)
