"""The protocols at which the edges meet: what crosses them is bytes and records.

An importer knows no audit and an audit no file; `sources` and `cli` join them.
"""

from collections.abc import Iterator
from typing import BinaryIO, Protocol

from toolreplay.records.account import Account
from toolreplay.records.limits import Limits
from toolreplay.records.run import Run

__all__ = ["Head", "Importer", "Source"]


class Head(Protocol):
    """The beginning of an input, as a sniffer sees it: never its name.

    `raw` is at most 64 KiB; `records` the JSON values of at most 50 complete lines of it, in
    order, blank and broken lines left out; `document` the value of the whole input when it is one
    JSON document that does not fit a line, cut to keys of depth 3, else None.
    """

    raw: bytes
    records: list[object]
    document: object


class Importer(Protocol):
    """A module in `importers/`: one folder, its name the format's word.

    `TITLE` is a noun for lists; `MISSING` says in a few words what a file that is not of this
    format lacks. `SESSION_FOLDERS`, where a host keeps sessions on disk, is optional: pairs of an
    environment variable and a folder below its value.
    """

    TITLE: str
    MISSING: str
    MUTATORS: frozenset[str]
    READERS: frozenset[str]

    def sniff(self, head: Head) -> int:
        """Say how well the head fits: 3 a signature key, 2 the shape of its blocks, 1, or 0."""

    def read(self, file: BinaryIO, limits: Limits, account: Account) -> Iterator[Run]:
        """Yield the runs of a seekable file, at least one.

        The account is complete when the first run is there: the file has been read once by then.
        All runs may be listed before the calls of the first are read. `file` and `lost` of a
        RunInfo are left empty, and `name` is empty, or begins with `.agent-`, where the file
        itself has no name.
        """


class Source(Protocol):
    """Whatever yields runs: a file that was recognised, and later a store."""

    name: str

    def runs(self) -> Iterator[Run]:
        """Yield each run once; a run's calls are read before the next run is asked for."""
