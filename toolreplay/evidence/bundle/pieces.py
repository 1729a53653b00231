"""The pieces a bundle carries: content while an entry needs it, and afterwards where it stands."""

from array import array
from collections.abc import Callable
from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.evidence.bundle.lines import PART_BYTES, BundleLine, read_piece_line
from toolreplay.evidence.bundle.reading import CarriedPiece
from toolreplay.evidence.digests import Digests
from toolreplay.evidence.profile.piece import SEALED_PIECE, kind_of_piece
from toolreplay.records.call import JsonObject
from toolreplay.records.limits import Limits

__all__ = ["CarriedPieces"]

_DIGEST_BYTES = 32
_MOST_WAITING = 10_000
"""Pieces that come before one entry, a thousand bytes of memory each; our entries name a few."""


class CarriedPieces:
    """Takes piece lines; answers what an entry asks about the pieces it needs.

    Of a piece whose entry has been judged only digest and place are remembered, some 60 bytes each: a
    later entry may need the same content, which is then read again through `raw`.
    """

    def __init__(self, limits: Limits, raw: Callable[[int, int], bytes] | None) -> None:
        self._limits = limits
        self._raw = raw
        self._coming: CarriedPiece | None = None
        self._start = 0
        self._held = 0
        self._fresh: dict[str, CarriedPiece] = {}
        self._places = _Places()
        self._ends: dict[str, tuple[int, int]] = {}

    def take(self, line: BundleLine) -> None:
        """Take the next line of a piece. Raises InputError where it does not continue the last."""
        value, where = line.value, f"line {line.number}"
        coming = self._coming
        if coming is None:
            if len(self._fresh) >= _MOST_WAITING:
                raise InputError(where, f"more than {_MOST_WAITING:,} pieces before one entry")
            if value["part"] != 0:
                raise InputError(where, "a piece begins with another part than 0")
            if value["piece"] in self:
                raise InputError(where, "a piece that was carried already")
            coming = CarriedPiece(value["piece"], value.get("key"), self._limits.line_bytes)
            self._coming, self._start = coming, line.start
        elif (value["piece"], value["part"], value.get("key")) != (
            coming.digest, coming.parts, coming.key,
        ):  # fmt: skip
            raise InputError(where, "does not continue the piece before it")
        if not value["last"] and len(value["content"]) != PART_BYTES:
            raise InputError(where, f"a part that is not the last has not {PART_BYTES} bytes")
        if value["last"] and coming.parts and not value["content"]:
            raise InputError(where, "the last part is empty")
        coming.add(value["content"])
        self._held += len(value["content"])
        if self._held > self._limits.line_bytes:
            coming.let_go()
        if value["last"]:
            self._fresh[coming.digest] = coming
            self._ends[coming.digest] = (self._start, line.end)
            self._coming = None

    def refuse_unfinished(self, where: str) -> None:
        """Raise InputError where a piece has not come to its last part."""
        if self._coming is not None:
            raise InputError(where, "the piece before it has no last part")

    @property
    def has_waiting(self) -> bool:
        """Whether a piece came that no entry has been judged behind."""
        return bool(self._fresh)

    def __contains__(self, digest: str) -> bool:
        return digest in self._fresh or self._places.find(digest) is not None

    def fault_of(self, described: JsonObject) -> str:
        """Return what is wrong with the carried content of a piece, or nothing.

        Asked for pieces that stand in no receipt, of which the digest is carried.
        """
        is_sealed = kind_of_piece(described) == SEALED_PIECE
        return self._fault_of(described["digest"], described.get("length"), is_sealed=is_sealed)

    def fault_of_seen(self, digest: str) -> str:
        """Return the same of content in the open of which nothing is said but its digest."""
        return self._fault_of(digest, None, is_sealed=False)

    def _fault_of(self, digest: str, said: int | None, *, is_sealed: bool) -> str:
        carried = self._fresh.get(digest)
        if carried is not None:
            length, has_key, fits = carried.length, carried.key is not None, carried.fits
        else:
            place = self._places.find(digest)
            if place is None:
                return ""
            length, has_key, fits = place.length, place.is_sealed, True  # judged when it came
        if is_sealed != has_key:
            return "is carried with a key it has not, or without its key"
        if not fits or said not in (None, length):
            return "has other bytes than its digest"
        return ""

    def content_of(self, digest: str) -> bytes | None:
        """Return the content, or None where it is too large to be kept, or not here."""
        carried = self._fresh.get(digest)
        if carried is not None:
            return carried.content if carried.fits else None
        place = self._places.find(digest)
        if place is None or self._raw is None:
            return None
        if place.length > self._limits.line_bytes:
            return None
        lines = self._raw(place.start, place.end).splitlines(keepends=True)
        parts = [read_piece_line(line) for line in lines]
        if None in parts:
            return None  # a sealed piece, which is opened by who judges it alone
        return b"".join(part["content"] for part in parts if part)

    def settle(self, needed: set[str]) -> list[str]:
        """Let go of the content once an entry was judged; return the pieces it did not need."""
        extra = sorted(self._fresh.keys() - needed)
        for digest, carried in self._fresh.items():
            is_sealed = carried.key is not None
            self._places.add(digest, _Place(*self._ends.pop(digest), carried.length, is_sealed))
        self._fresh.clear()
        self._held = 0
        return extra


class _Place(NamedTuple):
    """The lines of a piece, [start, end) in the file, and what they carry."""

    start: int
    end: int
    length: int
    is_sealed: bool


class _Places:
    """Digest to place."""

    def __init__(self) -> None:
        self._digests = Digests(_DIGEST_BYTES)
        self._numbers = array("Q")

    def add(self, digest: str, place: _Place) -> None:
        self._digests.add(bytes.fromhex(digest))
        self._numbers.extend((place.start, place.end, place.length << 1 | place.is_sealed))

    def find(self, digest: str) -> _Place | None:
        number = self._digests.number_of(bytes.fromhex(digest))
        if number is None:
            return None
        start, end, packed = self._numbers[3 * number : 3 * number + 3]
        return _Place(start, end, packed >> 1, bool(packed & 1))
