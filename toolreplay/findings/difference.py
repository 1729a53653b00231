"""Where two runs part: which calls stayed, changed, moved, were dropped or added.

A call is a number here, equal for calls with the same tool and arguments (the same call key);
whether two results are the same is asked for by place. Takes no call and no text, so that a run of
millions can be compared. How the calls are aligned says alignment.py; a call that was dropped in
one place and added in another has moved, the first of several with the first.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from toolreplay.findings.alignment import align

__all__ = [
    "ADDED",
    "CHANGED",
    "DROPPED",
    "KINDS",
    "MOVED",
    "SAME",
    "Difference",
    "First",
    "Step",
    "compare",
]

SAME, CHANGED, MOVED, DROPPED, ADDED = "same", "changed", "moved", "dropped", "added"

KINDS = (CHANGED, MOVED, DROPPED, ADDED)
"""What a call can be that is not the same in both runs, in the order of every list of counts."""

_NO_PARTNER = -1
_MOVED_FROM = -2
"""Partners of moved calls: -2 - place, so that a call takes one number however it ended."""


class First(NamedTuple):
    """The first place at which call or result differs; None where that run has ended by then."""

    a: int | None
    b: int | None


class Step(NamedTuple):
    """One call that is not the same: its places, None where the run does not have it.

    `same_result` is None for a call that only one run has.
    """

    kind: str
    a: int | None
    b: int | None
    same_result: bool | None = None


class Difference:
    """What `compare` found out. `counts` has the number of calls under each word.

    `unaligned` says how many calls of A and of B could have had partners and were not looked at,
    because their part of the runs was too large and too uniform (see alignment.py).
    """

    def __init__(
        self,
        partners: "array[int]",
        sources: "array[int]",
        same_result: Callable[[int, int], bool],
        first: First | None,
        unaligned: tuple[int, int],
    ) -> None:
        self._partners = partners
        self._sources = sources
        self._same_result = same_result
        self.first = first
        self.unaligned = unaligned
        self.counts = dict.fromkeys((SAME, *KINDS), 0)
        for step in self.steps():
            self.counts[step.kind] += 1
        told = self.counts[CHANGED] + self.counts[MOVED] + self.counts[DROPPED]
        self.counts[SAME] = len(partners) - told

    @property
    def differs(self) -> bool:
        """Whether anything is not the same."""
        return self.first is not None

    def steps(self) -> Iterator[Step]:
        """Yield what is not the same, in the order of a diff: a moved call where it went."""
        partners, sources = self._partners, self._sources
        a, b = 0, 0
        while a < len(partners) or b < len(sources):
            if a < len(partners) and partners[a] < 0:
                if partners[a] == _NO_PARTNER:
                    yield Step(DROPPED, a, None)
                a += 1
            elif b < len(sources) and sources[b] < 0:
                if sources[b] == _NO_PARTNER:
                    yield Step(ADDED, None, b)
                else:
                    came_from = _MOVED_FROM - sources[b]
                    yield Step(MOVED, came_from, b, self._same_result(came_from, b))
                b += 1
            else:
                if not self._same_result(a, b):
                    yield Step(CHANGED, a, b, same_result=False)
                a += 1
                b += 1


def compare(
    a: Sequence[int], b: Sequence[int], same_result: Callable[[int, int], bool]
) -> Difference:
    """Compare two runs: the numbers of their calls, and whether results at two places are equal.

    Calls that both runs begin and end with, results included, are paired before anything else: of
    several equal calls in a row, those with the same result stay together.
    """
    shorter = min(len(a), len(b))
    head = 0
    while head < shorter and a[head] == b[head] and same_result(head, head):
        head += 1
    tail = 0
    while tail < shorter - head:
        at, other = len(a) - tail - 1, len(b) - tail - 1
        if a[at] != b[other] or not same_result(at, other):
            break
        tail += 1
    first = None
    if head < max(len(a), len(b)):
        first = First(head if head < len(a) else None, head if head < len(b) else None)
    alignment = align(a, b, head=head, tail=tail)
    partners = alignment.partners
    sources = array("q", [_NO_PARTNER]) * len(b)
    for place, partner in enumerate(partners):
        if partner >= 0:
            sources[partner] = place
    _pair_moved(a, b, partners, sources)
    return Difference(partners, sources, same_result, first, alignment.replaced)


def _pair_moved(
    a: Sequence[int], b: Sequence[int], partners: "array[int]", sources: "array[int]"
) -> None:
    """Pair each dropped call with an added one that is equal, in the order of both."""
    size = max(max(a, default=0), max(b, default=0)) + 1
    # Chains through the added calls of each number, the first of them in front.
    first = array("q", [_NO_PARTNER]) * size
    following = array("q", [_NO_PARTNER]) * len(b)
    for place in range(len(b) - 1, -1, -1):
        if sources[place] == _NO_PARTNER:
            following[place] = first[b[place]]
            first[b[place]] = place
    for place, number in enumerate(a):
        if partners[place] == _NO_PARTNER and first[number] != _NO_PARTNER:
            target = first[number]
            first[number] = following[target]
            partners[place] = _MOVED_FROM - target
            sources[target] = _MOVED_FROM - place
