"""Tiles: a log as files that never change (C2SP tlog-tiles).

    tile/<level>/<index>[.p/<width>]      up to 256 hashes: of level L, the roots of 256^L leaves
    tile/entries/<index>[.p/<width>]      up to 256 entries, each behind its length in two bytes

An index is written in groups of three digits, all but the last behind an `x`: x001/x234/067.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.evidence.tlog.merkle import ReadNode

__all__ = [
    "ENTRIES",
    "FULL_WIDTH",
    "MOST_ENTRY_BYTES",
    "TilePlace",
    "entry_bundle",
    "parse_entry_bundle",
    "parse_tile",
    "parse_tile_path",
    "tile_bytes",
    "tile_path",
    "tiles_of",
]

ENTRIES = -1
"""The level of the tiles that hold entries."""

FULL_WIDTH = 256
MOST_ENTRY_BYTES = 0xFFFF

_LEVEL_BITS = 8
"""Binary levels of the tree in one level of tiles."""

_HASH_BYTES = 32
_MOST_LEVEL = 63
_PATH = re.compile(
    r"tile/(entries|0|[1-9][0-9]?)/((?:x[0-9]{3}/){0,6}[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?"
)


class TilePlace(NamedTuple):
    """Which tile: its level (ENTRIES for entries), its index there, and how many it holds."""

    level: int
    index: int  # type: ignore[assignment]  # a field, not the tuple's method
    width: int = FULL_WIDTH


def tile_path(place: TilePlace) -> str:
    """Return the path of a tile, relative to the log's folder."""
    digits = f"{place.index:03d}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    *groups, last = (digits[at : at + 3] for at in range(0, len(digits), 3))
    level = "entries" if place.level == ENTRIES else str(place.level)
    part = "" if place.width == FULL_WIDTH else f".p/{place.width}"
    return "".join(["tile/", level, "/", *(f"x{group}/" for group in groups), last, part])


def parse_tile_path(path: str, where: str) -> TilePlace:
    """Read the path of a tile. Raises InputError: each tile has one path and no other."""
    found = _PATH.fullmatch(path)
    if found is not None:
        level, index, width = found.groups()
        place = TilePlace(
            ENTRIES if level == "entries" else int(level),
            int(index.replace("x", "").replace("/", "")),
            int(width or FULL_WIDTH),
        )
        if place.level <= _MOST_LEVEL and tile_path(place) == path:
            return place
    raise InputError(where, "not the path of a tile")


def tiles_of(size: int) -> Iterator[TilePlace]:
    """Yield every tile of a tree of this size, entries first, then level by level."""
    for level in (ENTRIES, *range(_MOST_LEVEL + 1)):
        count = size >> max(level, 0) * _LEVEL_BITS
        if not count:
            return
        for index in range(count // FULL_WIDTH):
            yield TilePlace(level, index)
        if count % FULL_WIDTH:
            yield TilePlace(level, count // FULL_WIDTH, count % FULL_WIDTH)


def tile_bytes(place: TilePlace, read: ReadNode) -> bytes:
    """Return the bytes of a tile of hashes."""
    first = place.index * FULL_WIDTH
    level = place.level * _LEVEL_BITS
    return b"".join(read(level, index) for index in range(first, first + place.width))


def parse_tile(data: bytes, width: int, where: str) -> list[bytes]:
    """Return the hashes of a tile that must be this wide. Raises InputError."""
    if len(data) != width * _HASH_BYTES:
        raise InputError(
            where, f"{len(data)} bytes, where a tile of {width} hashes has {width * 32}"
        )
    return [data[at : at + _HASH_BYTES] for at in range(0, len(data), _HASH_BYTES)]


def entry_bundle(entries: Iterable[bytes]) -> bytes:
    """Return the bytes of a bundle. Raises ValueError for an entry over 65,535 bytes."""
    parts = []
    for entry in entries:
        if len(entry) > MOST_ENTRY_BYTES:
            raise ValueError(f"an entry of more than {MOST_ENTRY_BYTES:,} bytes")
        parts += [len(entry).to_bytes(2, "big"), entry]
    return b"".join(parts)


def parse_entry_bundle(data: bytes, width: int, where: str) -> list[bytes]:
    """Return the entries of a bundle that must hold this many. Raises InputError."""
    entries: list[bytes] = []
    at = 0
    while at < len(data):
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        entries.append(data[at + 2 : end])
        at = end
    if at != len(data) or len(entries) != width:
        raise InputError(where, f"not exactly {width} entries, each behind its length")
    return entries
