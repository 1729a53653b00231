"""Align two sequences as people read a diff: what stayed, in order, and what is only in one.

Items are numbers; equal numbers are equal items. The ends that both share are paired first, and
what is in one sequence only is set aside. A gap whose two sides make at most 2^26 pairs (8,192
items against 8,192) gets a longest common subsequence, exactly: no alignment keeps more. A larger
gap is split at the items that stand exactly once in each side (the longest rising row of them, as
a patience diff does it), and so on below, 64 levels deep. A larger gap without such an item is
taken as replaced: nothing in it is paired, and `replaced` says how much that was.

The cost is bounded: time grows with the items times the levels, memory by some 30 bytes an item,
and the exact part takes 16 MB at most. The same input always gives the same alignment.
"""

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

__all__ = ["Alignment", "align", "longest_common"]

_MOST_PAIRS = 1 << 26
_DEEPEST = 64

_NONE = -1


class Alignment(NamedTuple):
    """For each item of the first sequence the place of its partner in the second, or -1.

    `replaced` counts the items of each sequence that also occur in the other's part of a gap which
    was too large to be aligned.
    """

    partners: "array[int]"
    replaced: tuple[int, int] = (0, 0)


class _Gap(NamedTuple):
    """The items [a_start, a_end) and [b_start, b_end) between two pairs, and how deep that is."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    level: int


def align(a: Sequence[int], b: Sequence[int], *, head: int = 0, tail: int = 0) -> Alignment:
    """Return the alignment; the first `head` and last `tail` items are pairs already."""
    partners = array("q", [_NONE]) * len(a)
    for at in range(head):
        partners[at] = at
    for at in range(1, tail + 1):
        partners[len(a) - at] = len(b) - at
    occurring = _Occurring(a, b)
    replaced = [0, 0]
    waiting = [_Gap(head, len(a) - tail, head, len(b) - tail, 0)]
    while waiting:
        gap = _without_shared_ends(a, b, waiting.pop(), partners)
        if gap.a_start == gap.a_end or gap.b_start == gap.b_end:
            continue
        in_a, in_b, anchors_a, anchors_b = occurring.in_both(gap)
        if len(in_a) * len(in_b) <= _MOST_PAIRS:
            pairs = longest_common([a[at] for at in in_a], [b[at] for at in in_b])
            for at, other in pairs:
                partners[in_a[at]] = in_b[other]
        elif anchors_a and gap.level < _DEEPEST:
            waiting += _gaps_between(anchors_a, anchors_b, gap)
            for at, other in zip(anchors_a, anchors_b, strict=True):
                partners[at] = other
        else:
            replaced[0] += len(in_a)
            replaced[1] += len(in_b)
    return Alignment(partners, (replaced[0], replaced[1]))


def _without_shared_ends(
    a: Sequence[int], b: Sequence[int], gap: _Gap, partners: "array[int]"
) -> _Gap:
    """Pair what both sides of a gap begin and end with; return what is left."""
    a_start, a_end, b_start, b_end, level = gap
    while a_start < a_end and b_start < b_end and a[a_start] == b[b_start]:
        partners[a_start] = b_start
        a_start += 1
        b_start += 1
    while a_start < a_end and b_start < b_end and a[a_end - 1] == b[b_end - 1]:
        a_end -= 1
        b_end -= 1
        partners[a_end] = b_end
    return _Gap(a_start, a_end, b_start, b_end, level)


def _gaps_between(anchors_a: "array[int]", anchors_b: "array[int]", gap: _Gap) -> list[_Gap]:
    """Return the parts of a gap that its anchors leave, but for those with an empty side."""
    gaps = []
    a_start, b_start = gap.a_start, gap.b_start
    ends_a, ends_b = chain(anchors_a, (gap.a_end,)), chain(anchors_b, (gap.b_end,))
    for at, other in zip(ends_a, ends_b, strict=True):
        if a_start < at and b_start < other:
            gaps.append(_Gap(a_start, at, b_start, other, gap.level + 1))
        a_start, b_start = at + 1, other + 1
    return gaps


class _Occurring:
    """How often each item occurs in both sides of a gap: 0, 1, or 2 for more often.

    One table for all gaps, wiped after each: a dictionary would take a hundred bytes an item.
    """

    def __init__(self, a: Sequence[int], b: Sequence[int]) -> None:
        self._a, self._b = a, b
        size = max(max(a, default=0), max(b, default=0)) + 1
        self._counts_a, self._counts_b = bytearray(size), bytearray(size)
        self._last_in_b = array("q", bytes(8 * size))

    def in_both(self, gap: _Gap) -> tuple["array[int]", ...]:
        """Return the places of items that occur on both sides, and those of the anchors.

        Each time the places in the first sequence, then those in the second. Anchors are looked
        for only where the gap is too large to do without.
        """
        a, b, counts_a, counts_b = self._a, self._b, self._counts_a, self._counts_b
        for at in range(gap.a_start, gap.a_end):
            counts_a[a[at]] = 2 if counts_a[a[at]] else 1
        for at in range(gap.b_start, gap.b_end):
            item = b[at]
            counts_b[item] = 2 if counts_b[item] else 1
            self._last_in_b[item] = at
        in_a = array("q", (at for at in range(gap.a_start, gap.a_end) if counts_b[a[at]]))
        in_b = array("q", (at for at in range(gap.b_start, gap.b_end) if counts_a[b[at]]))
        anchors_a, anchors_b = array("q"), array("q")
        if len(in_a) * len(in_b) > _MOST_PAIRS:
            once = array("q", (at for at in in_a if counts_a[a[at]] == counts_b[a[at]] == 1))
            others = array("q", (self._last_in_b[a[at]] for at in once))
            rising = _longest_rising(others)
            anchors_a = array("q", (once[at] for at in rising))
            anchors_b = array("q", (others[at] for at in rising))
        for at in range(gap.a_start, gap.a_end):
            counts_a[a[at]] = 0
        for at in range(gap.b_start, gap.b_end):
            counts_b[b[at]] = 0
        return in_a, in_b, anchors_a, anchors_b


def _longest_rising(values: Sequence[int]) -> "array[int]":
    """Return the places of a longest rising subsequence of different values."""
    tails: array[int] = array("q")
    places: array[int] = array("q")
    before: array[int] = array("q")
    for place, value in enumerate(values):
        length = bisect_left(tails, value)
        before.append(places[length - 1] if length else _NONE)
        if length == len(tails):
            tails.append(value)
            places.append(place)
        else:
            tails[length], places[length] = value, place
    rising = array("q")
    place = places[-1] if places else _NONE
    while place != _NONE:
        rising.append(place)
        place = before[place]
    rising.reverse()
    return rising


def longest_common(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of places of a longest common subsequence, in order.

    The table of lengths is kept as one bit a cell, and a row of it is made by one addition over
    whole numbers (H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004). A bit that is
    not set says that the length grows at this column.
    """
    if len(a) > len(b):  # few long numbers are quicker than many short ones
        return [(at, other) for other, at in longest_common(b, a)]
    width = len(b) // 8 + 1
    occurs = _columns_of(a, b, width)
    everything = (1 << len(b)) - 1
    lengths = everything
    rows = []
    for item in a:
        common = lengths & occurs[item]
        lengths = ((lengths + common) | (lengths - common)) & everything
        rows.append(lengths.to_bytes(width, "little"))
    pairs = []
    row, column = len(a) - 1, len(b) - 1
    while row >= 0 and column >= 0:
        byte, bit = column >> 3, 1 << (column & 7)
        if rows[row][byte] & bit:
            column -= 1
        elif row and not rows[row - 1][byte] & bit:
            row -= 1
        else:
            pairs.append((row, column))
            row -= 1
            column -= 1
    return pairs[::-1]


def _columns_of(a: Sequence[int], b: Sequence[int], width: int) -> dict[int, int]:
    """Return for each item of `a` the number whose set bits are its places in `b`."""
    bits = {item: bytearray(width) for item in a}
    for column, item in enumerate(b):
        if item in bits:
            bits[item][column >> 3] |= 1 << (column & 7)
    return {item: int.from_bytes(places, "little") for item, places in bits.items()}
