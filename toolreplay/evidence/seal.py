"""The seal: a hash chain over a transcript, made and checked.

Link N is record N with `prev`, the digest of link N-1 (64 zeros for the first), and `digest`, the
SHA-256 of the `toolreplay-1` form of `{args, index, prev, response, tool}`. The sealed line is
the link's own `toolreplay-1` form.

A chain alone cannot show that its tail was cut, nor that the whole was sealed again after a
change: whoever can write the file can do both. A head kept elsewhere (its count and last digest)
shows them.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check
from toolreplay.records.call import ToolCall
from toolreplay.records.canonical import link_pieces, link_text

__all__ = [
    "FIRST_PREV",
    "HEAD_FORM",
    "Break",
    "ExpectedHead",
    "Head",
    "LinkChecker",
    "head_text",
    "line_of_link",
    "parse_head",
    "seal_checks",
    "seal_lines",
]

FIRST_PREV = "0" * 64
HEAD_FORM = "toolreplay/seal/v1"


class Break(NamedTuple):
    """The first broken link: which member of it is wrong, what it should be, what is there."""

    index: int  # type: ignore[assignment]  # a field, not the tuple's method
    member: str
    expected: str
    found: str


class Head(NamedTuple):
    """The end of a chain: how many links, and the digest of the last (64 zeros for none)."""

    count: int  # type: ignore[assignment]  # a field, not the tuple's method
    digest: str


class ExpectedHead(NamedTuple):
    """What was kept elsewhere of a head; None where that part was not handed in.

    `signer` is what came of checking the head's signature, where a key was handed in.
    """

    count: int | None = None  # type: ignore[assignment]  # a field, not the tuple's method
    digest: str | None = None
    signer: Check | None = None


def seal_lines(calls: Iterable[ToolCall]) -> Iterator[tuple[list[bytes], str]]:
    """Yield (the pieces of a sealed line with its line ending, its digest) for each call."""
    prev = FIRST_PREV
    for call in calls:
        pieces = link_pieces(call, prev)
        digest = sha256()
        for piece in pieces:
            digest.update(piece)
        prev = digest.hexdigest()
        yield [pieces[0], f',"digest":"{prev}"'.encode("ascii"), *pieces[1:], b"\n"], prev


def line_of_link(call: ToolCall) -> bytes:
    """Return the canonical line of a link as it was read, whether or not its digest is right."""
    link = call.link
    assert link is not None
    first, *rest = link_pieces(call._replace(index=link.index), link.prev)
    return b"".join([first, f',"digest":"{link.digest}"'.encode("ascii"), *rest])


class LinkChecker:
    """Judges the links of one chain in order, each against the digest its predecessor carries.

    In each link the index is judged first, then `prev`, then `digest`. Only the first break of a
    chain means something: what follows is judged as if the file's own digests were right.
    """

    def __init__(self) -> None:
        self.head = Head(0, FIRST_PREV)

    def check(self, call: ToolCall) -> Break | None:
        """Return what is broken in the next link, or None."""
        link, prev = call.link, self.head.digest
        assert link is not None
        self.head = Head(self.head.count + 1, link.digest)
        if link.index != call.index:
            return Break(call.index, "index", str(call.index), _number(link.index))
        if link.prev != prev:
            return Break(call.index, "prev", prev, link.prev)
        digest = sha256(link_text(call, prev).encode("ascii")).hexdigest()
        if digest != link.digest:
            return Break(call.index, "digest", digest, link.digest)
        return None


def _number(value: int) -> str:
    """Spell a number from a file; thousands of digits would not be one line."""
    return str(value) if abs(value) < 10**20 else "a number of more than 20 digits"


def seal_checks(
    head: Head, broken: Break | None, expected: ExpectedHead | None
) -> tuple[Check, ...]:
    """Return the report lines of a sealed transcript that was read to its end.

    `head` is the end the file carries; it counts only with an intact chain before it.
    """
    if not head.count:
        links = tuple(
            Check(line, NOT_CHECKED, None, "nothing was sealed") for line in ("contents", "links")
        )
    elif broken is not None:
        links = Check("contents", FAILED), Check("links", FAILED)
    else:
        count = f"{head.count:,} of {head.count:,}"
        links = Check("contents", PASSED, count), Check("links", PASSED)
    if expected is None:
        ending = Check(
            "ending", NOT_CHECKED, None, "no head to compare with", "see: toolreplay explain ending"
        )
    elif expected.count not in (None, head.count):
        ending = Check("ending", FAILED, f"expected {expected.count:,} links, found {head.count:,}")
    elif expected.digest not in (None, head.digest):
        ending = Check(
            "ending", FAILED, f"expected last digest {expected.digest}, found {head.digest}"
        )
    else:
        ending = Check("ending", PASSED)
        if broken is not None:
            ending = Check("ending", FAILED, "the chain is broken before it")
    signer = None if expected is None else expected.signer
    if signer is None:
        remedy = "see: toolreplay explain signer"
        signer = Check("signer", NOT_CHECKED, None, "a seal has no signature", remedy)
    return (*links, ending, signer)


def head_text(head: Head) -> bytes:
    """Return the note text of a head: form, count, digest, canonical form, one a line."""
    return f"{HEAD_FORM}\n{head.count}\n{head.digest}\ntoolreplay-1\n".encode("ascii")


def parse_head(data: bytes, where: str) -> Head:
    """Read a head's note text; a signature block after a blank line is left to seal_signature.

    The count must print back to the same digits. Raises InputError naming `where`.
    """
    text, _, _ = data.partition(b"\n\n")
    lines = text.rstrip(b"\n").split(b"\n")
    if len(lines) != 4 or lines[0] != HEAD_FORM.encode() or lines[3] != b"toolreplay-1":
        raise InputError(where, f"not the head of a seal (its first line is {HEAD_FORM})")
    count, digest = lines[1], lines[2]
    if not count.isdigit() or len(count) > 15 or b"%d" % int(count) != count:
        raise InputError(where, "the count of a head must be a plain number")
    if len(digest) != 64 or digest.strip(b"0123456789abcdef"):
        raise InputError(where, "the digest of a head must be 64 lower-case hex digits")
    return Head(int(count), digest.decode("ascii"))
