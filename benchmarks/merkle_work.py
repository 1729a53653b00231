"""The timed work of the benchmark of the Merkle tree, each kind a process of its own.

    python3 -m benchmarks.merkle_work root|grow|append|proofs COUNT TURNS

`grow` appends leaf by leaf and can give the root at any time; `append` keeps all subtrees, so that
proofs can be made. Product and baseline take turns in one process. Prints the processor seconds of each turn of each as JSON.
All but the root are timed against `pymerkle` (in a benchmark only: its licence is the GPL).
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from toolreplay.evidence.tlog.merkle import (
    Frontier,
    complete_nodes,
    folded_root,
    inclusion_path,
    leaf_hash,
    root_at,
    root_of,
)

NODE = b"\x01" + b"x" * 64
ENTRY_BYTES = 64
AT_ONCE = 256  # leaves whose subtrees a store computes together
PROOFS = 2_000


class Levels:
    """A tree with all its subtrees in memory, appended to as a store does."""

    def __init__(self) -> None:
        self.rows: list[list[bytes]] = [[]]

    def extend(self, entries: list[bytes]) -> None:
        """Append the leaves of these entries."""
        rows = self.rows
        first, hashes = len(rows[0]), [leaf_hash(entry) for entry in entries]
        rows[0] += hashes
        for level, _, hashed in complete_nodes(first, hashes, self.read):
            if level == len(rows):
                rows.append([])
            rows[level].append(hashed)

    def read(self, level: int, index: int) -> bytes:
        """Return the hash of a complete subtree."""
        return self.rows[level][index]


def entries_of(count: int) -> list[bytes]:
    """Return entries, no two of them equal."""
    return [number.to_bytes(ENTRY_BYTES, "big") for number in range(count)]


def bare(count: int) -> None:
    """Hash as often as a tree of so many leaves has inner nodes, and do nothing else."""
    for _ in range(count):
        sha256(NODE).digest()


def root(count: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return the root of leaf hashes, and a bare loop of as many hashes."""
    hashes = [leaf_hash(entry) for entry in entries_of(count)]
    return lambda: root_of(hashes), lambda: bare(count)


def appending(count: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return a tree made of entries, ready for proofs, here and there."""
    entries = entries_of(count)

    def ours() -> object:
        tree = Levels()
        for first in range(0, count, AT_ONCE):
            tree.extend(entries[first : first + AT_ONCE])
        return root_at(count, tree.read)

    assert ours() == _other(entries).get_root()
    return ours, lambda: _other(entries)


def growing(count: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return a tree that grows leaf by leaf, here and there."""
    entries = entries_of(count)
    assert _grown(entries) == _other(entries).get_root()
    return lambda: _grown(entries), lambda: _other(entries)


def _grown(entries: list[bytes]) -> bytes:
    tree = Frontier()
    for entry in entries:
        tree.append(leaf_hash(entry))
    return tree.root()


def _other(entries: list[bytes]) -> Any:
    # fmt: off
    from pymerkle import InmemoryTree  # type: ignore[import-not-found,import-untyped,unused-ignore] # noqa: PLC0415
    # fmt: on

    tree = InmemoryTree(algorithm="sha256")
    for entry in entries:
        tree.append_entry(entry)
    return tree


def proofs(count: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return proofs of inclusion of leaves all over a tree, here and there."""
    entries = entries_of(count)
    tree, other = Levels(), _other(entries)
    tree.extend(entries)
    places = range(0, count, max(1, count // PROOFS))
    whole = root_at(count, tree.read)
    for place in places:
        path = inclusion_path(place, count, tree.read)
        assert folded_root(tree.read(0, place), place, count, path) == whole
    return (
        lambda: [inclusion_path(place, count, tree.read) for place in places],
        lambda: [other.prove_inclusion(place + 1, count) for place in places],
    )


WORK = {"root": root, "grow": growing, "append": appending, "proofs": proofs}


def main(arguments: list[str]) -> int:
    """Time what was asked for."""
    what, count, turns = arguments
    ours, theirs = WORK[what](int(count))
    gc.collect()
    gc.freeze()
    times: list[tuple[float, float]] = []
    for _ in range(int(turns)):
        began = time.process_time()
        ours()
        between = time.process_time()
        theirs()
        times.append((between - began, time.process_time() - between))
    print(json.dumps(times))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
