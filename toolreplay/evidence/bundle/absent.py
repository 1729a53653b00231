"""What entries refer to and is not here: content that is sealed, and entries that were erased whole.

Only behind the last entry it shows what somebody erased, and said so: until then both are kept, of a
sealed piece its digest and the index of its call, some 40 bytes.
"""

from array import array
from collections.abc import Iterable, Iterator

from toolreplay.evidence.record import Fault

__all__ = ["OF_PIECES", "SEALED", "Absent"]

SEALED = "sealed-piece"
"""The kind of what is passed along as a fault and is none: a sealed piece that is not carried."""

OF_PIECES = frozenset({"missing-piece", SEALED})
"""Kinds that say nothing against the entry: its content is somewhere else, or gone."""

_DIGEST_BYTES = 32

_MOST_SEEN = 1000
"""Digests of what was seen and is not here: a run meets a few servers, and some tools of each."""


class Absent:
    """Takes what is not here, and the digests that `erase` entries name.

    `entries` are the numbers of the entries without a payload, by what committed to it (hex).
    """

    def __init__(self) -> None:
        self.entries: dict[str, int] = {}
        self._erased: set[str] = set()
        self._digests, self._indexes = bytearray(), array("q")
        self._seen: dict[str, str] = {}

    def note_erased(self, digests: Iterable[str]) -> None:
        """Take the digests of an `erase` entry."""
        self._erased.update(digests)

    def is_erased(self, digest: object) -> bool:
        """Whether an entry that has come says that it was erased."""
        return digest in self._erased

    def take_sealed(self, fault: Fault) -> None:
        """Take a sealed piece that is not carried."""
        self._digests += bytes.fromhex(str(fault.subject))
        self._indexes.append(-1 if fault.index is None else fault.index)

    def take_seen(self, where: str, digest: str) -> None:
        """Take what a receipt says of a tool or server by its digest, and that is not carried."""
        if len(self._seen) < _MOST_SEEN:
            self._seen[digest] = where

    @property
    def sealed(self) -> int:
        """How many sealed pieces are not here; they, and those of `erased_sealed`, are all."""
        return len(self._indexes) - sum(1 for _ in self.erased_sealed())

    def erased_sealed(self) -> Iterator[str]:
        """Yield a line for each sealed piece that was erased."""
        for number, index in enumerate(self._indexes if self._erased else ()):
            start = number * _DIGEST_BYTES
            digest = self._digests[start : start + _DIGEST_BYTES].hex()
            if digest in self._erased:
                place = "" if index < 0 else f"index {index}: "
                yield f"{place}the sealed piece ({digest}) is not here"

    def erased_seen(self) -> Iterator[str]:
        """Yield a line for what was seen of a tool or server, and was erased."""
        for digest, where in self._seen.items():
            if digest in self._erased:
                yield f"the piece of {where} ({digest}) is not here"

    def faults(self) -> Iterator[Fault]:
        """Yield the entries without a payload of which nothing says that they were erased."""
        for commit, number in self.entries.items():
            if commit not in self._erased:
                text = f"entry {number} has no payload, and no entry says that it was erased"
                yield Fault("missing-entry", text, number)
