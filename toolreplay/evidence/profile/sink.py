"""Where entries go as they are made: a sink takes a maker, not a finished entry.

Whoever records cannot know what an entry continues: other threads and processes append too. So a
sink calls the maker inside its own transaction with the run's head, and appends what it returns.
A maker is pure, and may be called again with another head where a race was lost.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.making import RunHead

__all__ = ["Appended", "Maker", "Sink"]

Maker = Callable[[RunHead], tuple[Entry, RunHead]]
"""Makes the next entry of a run and the head behind it, as the functions of making.py do."""


class Appended(NamedTuple):
    """The acknowledgement of an entry that is kept: its place in the log, and the run's head."""

    index: int  # type: ignore[assignment]  # a field, not the tuple's method
    leaf_hash: bytes
    head: RunHead


class Sink(Protocol):
    """Keeps entries; safe to be called by several threads."""

    def append(self, run: str, kind: str, make: Maker) -> Appended:
        """Keep the next entry of a run; when this returns, it is kept as firmly as its kind is.

        `kind` is the kind of the entry to be made (see entry.py). The first entry of a run opens
        it. For a "close" the head that is handed to the maker has its totals. Raises RunStateError
        for a run that is closed or not open, StoreError where the entry cannot be kept, and
        whatever the maker raises.
        """

    def open_positions(self, run: str) -> list[int]:
        """Return the positions of the intents that have no outcome yet, in order."""
