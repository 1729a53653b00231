"""The Merkle tree: its hashes, roots and proofs (RFC 6962 section 2.1, RFC 9162 section 2.1).

    leaf = SHA-256(0x00 || data)        node = SHA-256(0x01 || left || right)

Hashes are 32 raw bytes. Of a tree only the hashes of complete subtrees are kept, each under its
level (0 = leaves) and its index on that level; roots and proofs are folded from them.

**A proof of inclusion does not bind the size of the tree**: the same path often folds to the same
root at a neighbouring size. So the size comes from the signed checkpoint and from nowhere else,
and the hash of a leaf is computed from the leaf's own bytes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice

__all__ = [
    "EMPTY_ROOT",
    "Frontier",
    "ReadNode",
    "complete_nodes",
    "consistency_path",
    "folded_pair",
    "folded_root",
    "inclusion_path",
    "is_consistent",
    "leaf_hash",
    "node_hash",
    "root_at",
    "root_of",
    "seeded_path",
    "with_seed",
    "without_seed",
]

EMPTY_ROOT = sha256(b"").digest()
"""The root of the tree without leaves."""

ReadNode = Callable[[int, int], bytes]
"""Takes (level, index); returns the hash of that complete subtree. Level 0 are the leaf hashes."""

_BATCH = 1024
"""Leaf hashes folded at a time: a power of two, few enough to stay in the processor's cache."""


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf with these bytes."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node above two hashes."""
    return sha256(b"\x01" + left + right).digest()


class Frontier:
    """A tree that grows: the roots of its complete subtrees, one for each binary digit of its size.

    At most 64 hashes, however many leaves there were.
    """

    __slots__ = ("_roots", "size")

    def __init__(self) -> None:
        self.size = 0
        self._roots: list[bytes] = []

    def append(self, hashed: bytes, level: int = 0) -> None:
        """Add the hash of the next leaf, or of the next 2^level, which the size is a multiple of."""
        roots, rest = self._roots, self.size >> level
        while rest & 1:
            hashed = sha256(b"\x01" + roots.pop() + hashed).digest()
            rest >>= 1
        roots.append(hashed)
        self.size += 1 << level

    def extend(self, leaf_hashes: Iterable[bytes]) -> None:
        """Add the hashes of the next leaves; many of them faster than one by one."""
        hashes = iter(leaf_hashes)
        for hashed in islice(hashes, -self.size % _BATCH):
            self.append(hashed)
        while batch := list(islice(hashes, _BATCH)):
            if len(batch) < _BATCH:
                for hashed in batch:
                    self.append(hashed)
                return
            level = 0
            while len(batch) > 1:
                batch, level = _row_above(batch), level + 1
            self.append(batch[0], level)

    def root(self) -> bytes:
        """Return the root of the tree as it is now."""
        return _folded(self._roots)

    def copy(self) -> "Frontier":
        """Return another frontier that grows on its own from here."""
        other = Frontier()
        other.size, other._roots = self.size, self._roots.copy()
        return other


def root_of(leaf_hashes: Iterable[bytes]) -> bytes:
    """Return the root of the tree of these leaf hashes."""
    tree = Frontier()
    tree.extend(leaf_hashes)
    return tree.root()


def complete_nodes(
    first: int, leaf_hashes: Sequence[bytes], read: ReadNode
) -> Iterator[tuple[int, int, bytes]]:
    """Yield (level, index, hash) of every subtree that becomes complete with these leaves.

    `first` leaves stand before them, and `read` finds what was complete then. Levels from 1.
    """
    level, start, row = 0, first, list(leaf_hashes)
    while row:
        if start % 2:
            start -= 1
            row.insert(0, read(level, start))
        row, level, start = _row_above(row), level + 1, start // 2
        for index, hashed in enumerate(row, start):
            yield level, index, hashed


def root_at(size: int, read: ReadNode) -> bytes:
    """Return the root that a tree had when it was of this size."""
    return _root_between(0, size, read)


def inclusion_path(index: int, size: int, read: ReadNode) -> list[bytes]:
    """Return the audit path of the leaf at `index`, from its sibling upward (RFC 6962, 2.1.1).

    Raises ValueError where the tree has no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"no leaf {index} in a tree of {size}")
    path, level, place, last = [], 0, index, size - 1
    while last:
        beside = place ^ 1
        if beside < last:
            path.append(read(level, beside))
        elif beside == last:  # the only one that may be incomplete
            path.append(_root_between(beside << level, size, read))
        place, last, level = place >> 1, last >> 1, level + 1
    return path


def consistency_path(old: int, size: int, read: ReadNode) -> list[bytes]:
    """Return the proof that the tree of `size` begins with that of `old` (RFC 6962, 2.1.2).

    Empty where both are equal or `old` is 0. Raises ValueError where `old` is the larger.
    """
    return without_seed(old, size, seeded_path(old, size, read))


def seeded_path(old: int, size: int, read: ReadNode) -> list[bytes]:
    """Return the consistency path with its seed always in front, also where RFC 6962 omits it.

    The seed is the root of the last subtree that both trees have whole. The RFC leaves it out
    where it is the whole older tree, whose root the reader knows; with it the path alone says
    which root the older tree has. Empty where `old` is 0. Raises ValueError as above.
    """
    if not 0 <= old <= size:
        raise ValueError(f"no tree of {old} inside one of {size}")
    if not old:
        return []
    path, low, high = [], 0, size
    while high != old:
        middle = low + _left_size(high - low)
        if old <= middle:
            path.append(_root_between(middle, high, read))
            high = middle
        else:
            path.append(_root_between(low, middle, read))
            low = middle
    path.append(_root_between(low, high, read))
    return path[::-1]


def folded_root(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """Return the root that a leaf hash and its audit path fold to (RFC 9162, 2.1.3.2).

    None where no path of a tree of this size has this shape. The caller compares the root with
    the one that was signed.
    """
    if not 0 <= index < size:
        return None
    place, last, root = index, size - 1, leaf
    for sibling in path:
        if not last:
            return None
        if place & 1 or place == last:
            root = node_hash(sibling, root)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            root = node_hash(root, sibling)
        place, last = place >> 1, last >> 1
    return None if last else root


def is_consistent(old: int, size: int, path: Sequence[bytes], old_root: bytes, root: bytes) -> bool:
    """Say whether a proof shows that one tree begins with the other (RFC 9162, 2.1.4.2).

    An empty tree, which the RFC leaves out, begins every tree: no path, and the empty root.
    """
    if not old:
        is_possible = size > 0 or (size == 0 and root == EMPTY_ROOT)
        return is_possible and not path and old_root == EMPTY_ROOT
    return folded_pair(old, size, with_seed(old, size, path, old_root)) == (old_root, root)


def folded_pair(old: int, size: int, path: Sequence[bytes]) -> tuple[bytes, bytes] | None:
    """Return the roots (older, newer) that a seeded path folds to; None for one of another shape.

    The loop of RFC 9162, 2.1.4.2. Whoever knows the newer root to be right knows that the older
    tree has this root and no other, because each hash of the path stands below the newer root.
    """
    if not 0 < old <= size or not path:
        return None
    if old == size:
        return (path[0], path[0]) if len(path) == 1 else None
    place, last = old - 1, size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old_root = root = path[0]
    for sibling in path[1:]:
        if not last:
            return None
        if place & 1 or place == last:
            old_root, root = node_hash(sibling, old_root), node_hash(sibling, root)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            root = node_hash(root, sibling)
        place, last = place >> 1, last >> 1
    return None if last else (old_root, root)


def with_seed(old: int, size: int, path: Sequence[bytes], old_root: bytes) -> list[bytes]:
    """Return the seeded path of a consistency path of RFC 6962, given the older tree's root."""
    return [old_root, *path] if _is_seed_left_out(old, size) else list(path)


def without_seed(old: int, size: int, path: Sequence[bytes]) -> list[bytes]:
    """Return the consistency path of RFC 6962 of a seeded path."""
    return list(path[1:] if _is_seed_left_out(old, size) else path)


def _is_seed_left_out(old: int, size: int) -> bool:
    """Say whether the seed of a path is the whole older tree: a power of two, or the newer one."""
    return old == size or not old & (old - 1)


def _left_size(size: int) -> int:
    """Return how many of two or more leaves stand left: the largest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1


def _root_between(low: int, high: int, read: ReadNode) -> bytes:
    """Fold leaves low to high - 1; `low` is a multiple of every power of two that fits in them."""
    roots = []
    while low < high:
        level = (high - low).bit_length() - 1
        roots.append(read(level, low >> level))
        low += 1 << level
    return _folded(roots)


def _folded(roots: Sequence[bytes]) -> bytes:
    """Fold the roots of complete subtrees, the largest first, into that of the whole."""
    if not roots:
        return EMPTY_ROOT
    root = roots[-1]
    for left in roots[-2::-1]:
        root = node_hash(left, root)
    return root


def _row_above(row: Sequence[bytes]) -> list[bytes]:
    """Return the hashes above a row of hashes; a last one without a sibling has none yet."""
    hashes = iter(row)
    return [sha256(b"\x01" + left + right).digest() for left, right in zip(hashes, hashes)]  # noqa: B905 - an odd one is left
