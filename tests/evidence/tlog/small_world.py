"""Every lie that a small tree can be told: each hash changed, swapped, dropped, doubled, added.

What is promised: with size and root fixed, as a signed checkpoint fixes them, a leaf hash is proved
only at its own index, and an older root only when the older tree had it. (A path does not bind the
size of the tree, so sizes are no part of a lie about inclusion.)
"""

from collections.abc import Callable, Iterator, Sequence

from tests.evidence.trust import Tree
from toolreplay.evidence.tlog.merkle import (
    consistency_path,
    folded_pair,
    folded_root,
    inclusion_path,
    is_consistent,
    seeded_path,
)

Fold = Callable[[bytes, int, int, Sequence[bytes]], bytes | None]
Check = Callable[[int, int, Sequence[bytes], bytes, bytes], bool]
FoldPair = Callable[[int, int, Sequence[bytes]], tuple[bytes, bytes] | None]

_FLIPPED = 0x01


def changed_paths(path: Sequence[bytes], others: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Yield each path that differs in one thing: a hash changed, exchanged, dropped, added."""
    for place, hashed in enumerate(path):
        before, after = list(path[:place]), list(path[place + 1 :])
        yield before + after
        yield [*before, bytes([hashed[0] ^ _FLIPPED]) + hashed[1:], *after]
        yield [*before, hashed, hashed, *after]
        for other in others:
            yield [*before, other, *after]
        for further in range(place + 1, len(path)):
            swapped = list(path)
            swapped[place], swapped[further] = swapped[further], swapped[place]
            yield swapped
    for other in others:
        yield [other, *path]
        yield [*path, other]


def wrong_inclusions(size: int, fold: Fold = folded_root) -> tuple[int, list[str]]:
    """Tell every lie about inclusion in a tree; return how many, and what went wrong."""
    tree = Tree(size)
    others = [bytes(32), *tree.nodes.values(), tree.root()]
    lies, wrong = 0, []
    for index, leaf in enumerate(tree.leaves):
        path = inclusion_path(index, size, tree.read)
        if fold(leaf, index, size, path) != tree.root():
            wrong.append(f"leaf {index} of {size} is not found")
        for changed in changed_paths(path, others):
            lies += changed != path
            if changed != path and fold(leaf, index, size, changed) == tree.root():
                wrong.append(f"leaf {index} of {size} by another path")
        for other in others:
            lies += other != leaf
            if other != leaf and fold(other, index, size, path) == tree.root():
                wrong.append(f"another leaf at {index} of {size}")
        for place in range(-1, 2 * size + 1):
            lies += place != index
            if place != index and fold(leaf, place, size, path) == tree.root():
                wrong.append(f"leaf {index} of {size} at {place}")
    return lies, wrong


def wrong_consistencies(
    old: int, size: int, check: Check = is_consistent, fold: FoldPair = folded_pair
) -> tuple[int, list[str]]:
    """Tell every lie about two sizes of a tree; return how many, and what went wrong."""
    tree = Tree(size)
    path = consistency_path(old, size, tree.read)
    old_root, root = tree.root(old), tree.root(size)
    others = [bytes(32), *tree.nodes.values(), *(tree.root(other) for other in range(size + 1))]
    lies, wrong = 0, []
    if not check(old, size, path, old_root, root):
        wrong.append(f"{old} does not begin {size}")
    for changed in changed_paths(path, others):
        lies += changed != path
        if changed != path and check(old, size, changed, old_root, root):
            wrong.append(f"{old} begins {size} by another path")
    seeded = seeded_path(old, size, tree.read)
    for changed in (seeded, *changed_paths(seeded, others)):
        # No path that leads to the newer root gives an older tree another root than it had.
        for place in range(1, size + 1):
            pair = fold(place, size, changed)
            lies += changed != seeded
            if pair is not None and pair[1] == root and pair[0] != tree.root(place):
                wrong.append(f"{place} of {size} gets another root")
    for other in others:
        for roots in ((other, root), (old_root, other)):
            lies += roots != (old_root, root)
            if roots != (old_root, root) and check(old, size, path, *roots):
                wrong.append(f"{old} begins {size} with another root")
    for sizes in ((m, size) for m in range(size + 2)):
        lies += sizes != (old, size)
        if sizes != (old, size) and check(*sizes, path, old_root, root):
            wrong.append(f"the proof of {old} in {size} is one of {sizes}")
    return lies, wrong
