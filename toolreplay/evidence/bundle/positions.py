"""Order of calls: receipts come as they were finished, audits want calls as they began."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from toolreplay.evidence.record import Fault
from toolreplay.records.call import AFTER_GAP, CallMeta, Place, ToolCall

__all__ = ["Held", "InPosition", "Numbers"]

_MOST_HELD = 64
"""Calls held whole while an earlier one is missing: more than real agents have under way. Of
further ones only the place is held."""

_MOST_BYTES = 4 << 20
"""Bytes of the lines and pieces of calls that are held whole; their values take up to twenty times
that."""


class Held(NamedTuple):
    """A call that waits for its turn, with what was found about it.

    `weight` are the bytes its values were read from. `stretch` numbers the part of the record
    it stands in: between calls of two parts others may be gone.
    """

    call: ToolCall | None
    place: Place
    faults: tuple[Fault, ...] = ()
    weight: int = 0
    stretch: int = 0


class InPosition:
    """Gives calls back in the order of their positions, numbered from index 0.

    A call whose position is missing or taken stands where it comes. `again` makes a call from
    its place once more.
    """

    def __init__(self, again: Callable[[Place], ToolCall]) -> None:
        self._again = again
        self._next = 1
        self._index = 0
        self._waiting: dict[int, Held] = {}
        self._stretch = 0
        self._whole = self._bytes = 0

    def take(
        self, position: int | None, held: Held
    ) -> Iterator[tuple[ToolCall, tuple[Fault, ...]]]:
        """Take the next receipt's call and yield those whose turn has come."""
        if position is None or position < self._next or position in self._waiting:
            yield self._numbered(held)
            return
        if position > self._next:
            if self._whole >= _MOST_HELD or self._bytes + held.weight > _MOST_BYTES:
                held = held._replace(call=None)
            else:
                self._whole += 1
                self._bytes += held.weight
            self._waiting[position] = held
            return
        yield self._numbered(held)
        self._next += 1
        yield from self._ready()

    def finish(self) -> Iterator[tuple[ToolCall, tuple[Fault, ...]]]:
        """Yield what still waits: earlier positions have not come and will not."""
        for position in sorted(self._waiting):
            held = self._waiting.pop(position)
            yield self._numbered(held)

    def _ready(self) -> Iterator[tuple[ToolCall, tuple[Fault, ...]]]:
        while self._next in self._waiting:
            held = self._waiting.pop(self._next)
            if held.call is not None:
                self._whole -= 1
                self._bytes -= held.weight
            yield self._numbered(held)
            self._next += 1

    def _numbered(self, held: Held) -> tuple[ToolCall, tuple[Fault, ...]]:
        index = self._index
        self._index += 1
        call = held.call or self._again(held.place)
        if held.stretch != self._stretch:
            self._stretch = held.stretch
            meta = call.meta or CallMeta()
            call = call._replace(meta=meta._replace(notes=(*meta.notes, AFTER_GAP)))
        return call._replace(index=index), tuple(
            fault._replace(index=index) for fault in held.faults
        )


class Numbers:
    """Which whole numbers from 1 have come, in constant memory while few are out of order."""

    def __init__(self) -> None:
        self.next = 1
        self._after: set[int] = set()

    def __contains__(self, number: int) -> bool:
        return number < self.next or number in self._after

    def take(self, number: int) -> bool:
        """Take a number; False where it had come already."""
        if number in self:
            return False
        self._after.add(number)
        while self.next in self._after:
            self._after.remove(self.next)
            self.next += 1
        return True

    @property
    def last(self) -> int:
        """The largest number that has come, 0 before the first."""
        return max(self._after, default=self.next - 1)

    def missing(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges [first, last] below the largest number that have not come."""
        wanted = self.next
        for number in sorted(self._after):
            if number > wanted:
                yield wanted, number - 1
            wanted = number + 1
