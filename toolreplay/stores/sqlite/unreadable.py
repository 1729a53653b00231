"""What reading an entry may come to where somebody else has written it, or a disk has lied.

Each leaf and payload that a recorder makes has one form, and code that follows entries relies on it.
Whoever can write the file can put anything in their place: then that is said, in one line.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from toolreplay.errors import CanonicalError, StoreError
from toolreplay.records.limits import DEFAULT

__all__ = ["NO_ENTRY", "has_many_values", "readable"]

NO_ENTRY = (
    ArithmeticError, AttributeError, CanonicalError, LookupError, RecursionError, TypeError,
    ValueError, sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError,
)  # fmt: skip
"""What comes of a leaf or payload with other members, or other types, than those of ours."""


def has_many_values(data: bytes) -> bool:
    """Whether JSON has more values than any entry has, as is seen before it is parsed."""
    most = DEFAULT.line_values
    if len(data) <= most:
        return False
    return sum(data.count(mark) for mark in (b"[", b"{", b",", b":")) > most


@contextmanager
def readable(path: str) -> Iterator[None]:
    """Raise StoreError for an entry that cannot be read."""
    try:
        yield
    except NO_ENTRY:
        fact = "holds an entry that no recorder makes (toolreplay store check names it)"
        raise StoreError(path, fact) from None
