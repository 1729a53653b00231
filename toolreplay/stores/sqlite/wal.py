"""Look at the end of a write-ahead log: was a group cut off before it was whole?

Such a group was never acknowledged. SQLite opens to the transaction before it, and the next writer
overwrites it; here it is only counted, so that a report can say that it is a torn tail and nothing
worse. The format is that of SQLite's file format, section 4.
"""

import os
import stat
import struct

from toolreplay.stores.sqlite.connection import beside

__all__ = ["torn_bytes"]

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_MAGIC = (0x377F0682, 0x377F0683)
_PAGE_BYTES = frozenset(512 << power for power in range(8))


def torn_bytes(path: str) -> int:
    """Return how many bytes at the end of a store's write-ahead log belong to no whole group.

    Frames that an earlier use of the same log left behind are not counted: their salt is another.
    Raises OSError.
    """
    name = beside(path, "-wal")
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):
            return 0
        with open(name, "rb") as file:
            return _torn(file.read(_HEADER.size), file)
    except FileNotFoundError:
        return 0


def _torn(header: bytes, file: object) -> int:
    if len(header) < _HEADER.size:
        return len(header)
    magic, _, page_bytes, _, salt_1, salt_2, sum_1, sum_2 = _HEADER.unpack(header)
    if magic not in _MAGIC or page_bytes not in _PAGE_BYTES:
        return 0
    order = ">" if magic & 1 else "<"
    sums = _summed(order, header[:24], (0, 0))
    if sums != (sum_1, sum_2):
        return 0
    size = os.fstat(file.fileno()).st_size  # type: ignore[attr-defined]
    whole = at = _HEADER.size
    frame_bytes = _FRAME.size + page_bytes
    while at < size:
        frame = file.read(frame_bytes)  # type: ignore[attr-defined]
        if len(frame) < _FRAME.size:
            return at + len(frame) - whole
        if struct.unpack(">2I", frame[8:16]) != (salt_1, salt_2):
            return at - whole + (len(frame) if len(frame) < frame_bytes and at > whole else 0)
        sums = _summed(order, frame[:8], sums)
        sums = _summed(order, frame[_FRAME.size :], sums)
        if len(frame) < frame_bytes or sums != struct.unpack(">2I", frame[16:24]):
            return min(size, at + len(frame)) - whole
        at += frame_bytes
        if struct.unpack(">I", frame[4:8])[0]:
            whole = at
    return at - whole


def _summed(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    """Go on with the checksum of the log over whole pairs of 32-bit numbers."""
    first, second = sums
    numbers = struct.unpack(f"{order}{len(data) // 4}I", data[: len(data) // 4 * 4])
    for at in range(0, len(numbers) - 1, 2):
        first = (first + numbers[at] + second) & 0xFFFFFFFF
        second = (second + numbers[at + 1] + first) & 0xFFFFFFFF
    return first, second
