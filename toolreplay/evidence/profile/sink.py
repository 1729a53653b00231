"""Where entries go as they are made: a sink takes a maker, not a finished entry.

Whoever records cannot know what an entry continues: other threads and processes append too. So a
sink calls the maker inside its own transaction with the run's head, and appends what it returns.
A maker is pure, and may be called again with another head where a race was lost.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.making import RunHead

__all__ = ["Appended", "Maker", "RunSink", "Sink"]

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


class RunSink(Sink, Protocol):
    """A sink that several processes feed: it knows which of them share a run.

    A key is whatever tells the runs of one cause apart (a parent process, a name), a writer is one
    word for a process. Both are notes for those who record; no entry depends on them.
    """

    @property
    def inline_bytes(self) -> int:
        """Up to how many bytes of content stand in a receipt itself."""

    def join(self, key: str, new_run: str, writer: str) -> str:
        """Return the open run of a key, from now on `new_run` where there is none.

        The writer is noted as feeding it.
        """

    def leave(self, run: str, writer: str) -> list[str]:
        """Note that a writer feeds a run no more, and return those that still do.

        Where nobody does, nobody joins this run by its key any more.
        """

    def writers(self) -> list[tuple[str, str]]:
        """Return the runs that are fed, each with a writer."""

    def run_key(self, run: str) -> bytes:
        """Return the key under which a run's sealed values are compared: 32 secret bytes.

        It is kept before it is returned for the first time.
        """

    def close(self) -> None:
        """Let go of it; what was appended stays."""
