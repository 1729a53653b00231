"""The pieces that the entries of a bundle need: carried as they must be, gone, or never there.

What an entry commits to by its exact bytes must be carried or erased; a sealed piece may be left
out. What a receipt says of the tool and the server that it came from goes by digest alone, and is
carried where it was kept: that it is not here is no fault.
"""

from collections.abc import Iterator

from toolreplay.evidence.bundle.absent import SEALED, Absent
from toolreplay.evidence.bundle.pieces import CarriedPieces
from toolreplay.evidence.bundle.receipts import pieces_of, seen_in
from toolreplay.evidence.profile.piece import DETACHED, INLINE, kind_of_piece
from toolreplay.evidence.record import Fault
from toolreplay.records.call import JsonObject

__all__ = ["NeededPieces"]


class NeededPieces:
    """Asks what is carried for one entry after the other; what is not here is told `absent`."""

    def __init__(self, carried: CarriedPieces, absent: Absent) -> None:
        self._carried = carried
        self._now: set[str] = set()
        self._absent = absent

    def of_receipt(self, committed: JsonObject) -> Iterator[Fault]:
        """Yield what is wrong with the pieces of a receipt, by its committed object."""
        for where, described in pieces_of(committed):
            yield from self.of_piece(where, described)
        for where, digest in seen_in(committed):
            if digest in self._carried:
                self._now.add(digest)
                if fault := self._carried.fault_of_seen(digest):
                    yield Fault("broken-commitment", f"the piece of {where} {fault}", where)
            else:
                self._absent.take_seen(where, digest)

    def of_piece(self, where: str, described: JsonObject) -> Iterator[Fault]:
        """Yield what is wrong with one piece; that it is not here is open until all was read."""
        kind, digest = kind_of_piece(described), described["digest"]
        if kind == INLINE:
            return
        if digest in self._carried:
            self._now.add(digest)
            if fault := self._carried.fault_of(described):
                yield Fault("broken-commitment", f"the piece of {where} {fault}", where)
        elif kind == DETACHED:
            text = f"the piece of {where} ({digest}) is not here"
            yield Fault("missing-piece", text, digest, is_open=True)
        else:
            yield Fault(SEALED, "", digest, is_open=True)

    def settle(self) -> list[str]:
        """End an entry; return the pieces before it that it did not need."""
        extra = self._carried.settle(self._now)
        self._now.clear()
        return extra
