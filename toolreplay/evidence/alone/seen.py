"""Which ids have come, in sixteen bytes an id or less: a file may hold a million receipts."""

from array import array
from hashlib import blake2b

__all__ = ["SeenIds"]

_SMALLEST = 1 << 10


class SeenIds:
    """A set of texts, kept as 64 bits of their digests in an open table.

    Two ids with the same 64 bits count as one. By chance that happens once in a hundred million
    files of a million receipts; whoever makes such a pair has two receipts reported as one.
    """

    def __init__(self) -> None:
        self._count = 0
        self._table = array("Q", bytes(8 * _SMALLEST))

    def add(self, text: str) -> bool:
        """Take a text; False where it had come already."""
        data = text.encode("utf-8", "surrogatepass")
        # Zero is the mark of an empty place.
        value = int.from_bytes(blake2b(data, digest_size=8).digest(), "big") or 1
        if not _put(self._table, value):
            return False
        self._count += 1
        if self._count * 2 > len(self._table):
            table = array("Q", bytes(16 * len(self._table)))
            for one in self._table:
                if one:
                    _put(table, one)
            self._table = table
        return True


def _put(table: "array[int]", value: int) -> bool:
    most = len(table) - 1
    place = value & most
    while table[place]:
        if table[place] == value:
            return False
        place = (place + 1) & most
    table[place] = value
    return True
