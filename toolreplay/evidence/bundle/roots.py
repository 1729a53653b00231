"""To which root the audit paths of a run's entries lead: all to one, which the head must name.

A path is folded with the size that the first line of the bundle names (RFC 9162 section 2.1.3.2).
Which root is the right one shows only behind the entries, where the head of the log stands.
"""

from collections.abc import Iterator

__all__ = ["Roots"]

_MOST_ROOTS = 64
"""Roots that are told apart. Paths that hold lead to one; of forged ones nobody needs them all."""

_MOST_NAMED = 20


class Roots:
    """Counts entries by the root their path leads to, None for a path of an impossible shape."""

    def __init__(self) -> None:
        self.entries = 0
        self._counts: dict[bytes | None, int] = {}
        self._named: dict[bytes | None, list[int]] = {}

    def add(self, root: bytes | None, number: int) -> None:
        """Take the entry of a number."""
        self.entries += 1
        if root not in self._counts and len(self._counts) >= _MOST_ROOTS:
            root = None
        self._counts[root] = self._counts.get(root, 0) + 1
        named = self._named.setdefault(root, [])
        if len(named) < _MOST_NAMED:
            named.append(number)

    def __contains__(self, root: bytes) -> bool:
        return root in self._counts

    @property
    def usual(self) -> bytes | None:
        """The root of more than half of the entries, None where there is none."""
        root = max(self._counts, key=self._counts.__getitem__, default=None)
        return root if 2 * self._counts.get(root, 0) > self.entries else None

    @property
    def is_one(self) -> bool:
        """Whether every path leads to the same root."""
        return len(self._counts) == 1 and None not in self._counts

    def count_of_others(self, root: bytes | None) -> int:
        """Return how many entries do not lead to a root; None is led to by nobody."""
        return self.entries - (0 if root is None else self._counts.get(root, 0))

    def others(self, root: bytes | None) -> Iterator[int]:
        """Yield numbers of entries that do not lead to it, the first twenty of each other root."""
        for other, named in self._named.items():
            if root is None or other != root:
                yield from named
