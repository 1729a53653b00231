"""Logs in memory, and bundles of the runs in them, the same bytes every time."""

import functools
import hashlib
from collections.abc import Callable, Iterable, Sequence

from tests.evidence.bundle import made
from tests.evidence.bundle.made import Maker
from toolreplay.evidence.bundle.lines import Logged
from toolreplay.evidence.bundle.writing import BundleWriter
from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.record import Asked
from toolreplay.evidence.signatures.sign import Signer, sign_note
from toolreplay.evidence.signatures.throwaway import throwaway_signer
from toolreplay.evidence.tlog.checkpoint import Checkpoint, checkpoint_text
from toolreplay.evidence.tlog.leaf import FIRST_PREV, Leaf, leaf_bytes
from toolreplay.evidence.tlog.merkle import (
    complete_nodes,
    inclusion_path,
    leaf_hash,
    root_at,
    seeded_path,
)
from toolreplay.evidence.tlog.note import vkey_text
from toolreplay.evidence.tlog.standing import Remembered, Trust

ORIGIN = "log.example/made"

_BEGAN = 1_796_029_200_000_000
"""The first second of the runs that tests make, in microseconds."""


class Log:
    """A log that keeps everything: leaves, the nodes above them, and where each entry went."""

    def __init__(self, origin: str = ORIGIN) -> None:
        self.origin = origin
        self.leaves: list[bytes] = []
        self._nodes: dict[tuple[int, int], bytes] = {}
        self._places: dict[str, list[int]] = {}

    @property
    def size(self) -> int:
        return len(self.leaves)

    def node(self, level: int, index: int) -> bytes:
        return self._nodes[level, index]

    def append(self, data: bytes) -> int:
        """Append any leaf bytes and return their index."""
        index, hashed = self.size, leaf_hash(data)
        self.leaves.append(data)
        self._nodes[0, index] = hashed
        for level, place, node in complete_nodes(index, [hashed], self.node):
            self._nodes[level, place] = node
        return index

    def add(self, run: str, entry: Entry) -> None:
        """Append the leaf of a run's next entry."""
        places = self._places.setdefault(run, [])
        prev = leaf_hash(self.leaves[places[-1]]) if places else FIRST_PREV
        commit = bytes.fromhex(made.commit_of(entry))
        leaf = Leaf(
            self.origin, run, len(places), entry.kind, _BEGAN + self.size, commit, prev,
            len(entry.payload),
        )  # fmt: skip
        places.append(self.append(leaf_bytes(leaf)))

    def replace_last(self, data: bytes) -> None:
        """Write the log anew with other bytes in its last leaf; what stands above it too."""
        leaves, self.leaves, self._nodes = [*self.leaves[:-1], data], [], {}
        for leaf in leaves:
            self.append(leaf)

    def take(self, *makers: Maker) -> "Log":
        """Append what is new in these runs, an entry of each in turn."""
        waiting = [
            (maker.head.run, list(maker.entries[len(self._places.get(maker.head.run, ())) :]))
            for maker in makers
        ]
        while any(entries for _, entries in waiting):
            for run, entries in waiting:
                if entries:
                    self.add(run, entries.pop(0))
        return self

    def filled(self, count: int) -> "Log":
        """Append leaves that no run of ours has."""
        for _ in range(count):
            self.append(b"leaf %d\n" % self.size)
        return self

    def head(self, size: int | None = None) -> Checkpoint:
        size = self.size if size is None else size
        return Checkpoint(self.origin, size, root_at(size, self.node))

    def path_from(self, older: int, size: int | None = None) -> list[bytes]:
        """Return the seeded consistency path from an older size."""
        return seeded_path(older, self.size if size is None else size, self.node)

    def logged(self, run: str, number: int, size: int | None = None) -> Logged:
        return self.at(self._places[run][number], size)

    def at(self, index: int, size: int | None = None) -> Logged:
        path = inclusion_path(index, self.size if size is None else size, self.node)
        return Logged(self.leaves[index], index, path)

    def bundle(
        self,
        maker: Maker,
        sign: Callable[[Checkpoint], bytes] | None = None,
        *,
        since: Sequence[int] = (),
        size: int | None = None,
        erased: Iterable[int] = (),
    ) -> bytes:
        """Return the bundle of a run at a size (now), with a checkpoint where somebody signs it."""
        size = self.size if size is None else size
        out = bytearray()
        writer = BundleWriter(out.extend, maker.head.run, self.origin, size)
        gone = set(erased)
        for number, entry in enumerate(maker.entries):
            logged = self.logged(maker.head.run, number, size)
            if number in gone:
                writer.add_erased(bytes.fromhex(made.commit_of(entry)), logged)
            else:
                writer.add(entry, logged)
        head = self.head(size)
        writer.finish(
            None, made.PUBLISHED,
            consistency=[(older, self.path_from(older, size)) for older in since],
            checkpoint=None if sign is None else sign(head),
            log_head=head,
        )  # fmt: skip
        return bytes(out)


def other_run(calls: int = 3) -> Maker:
    """Return a run that stands beside the first one in a log."""
    return made.imported(calls, seed="other", run=made.RUN.replace("0001", "0002"))


# Who signs: keys that protect nothing, the same every time.


@functools.cache
def signer_of(name: str = ORIGIN, seed: str = "key") -> Signer:
    """Return a signer under a name."""
    return throwaway_signer(name, hashlib.sha256(seed.encode()).digest())


SIGNER = signer_of()


@functools.cache
def sign(head: Checkpoint, signer: Signer = SIGNER) -> bytes:
    """Return the note of a head."""
    return sign_note(checkpoint_text(head.origin, head.size, head.root), signer)


def vkey_of(signer: Signer = SIGNER) -> str:
    key = signer.key
    return vkey_text(key.name, key.kind, key.public)


class Kept:
    """A memory in memory: what it was asked to remember, and how often somebody held it."""

    def __init__(self, note: bytes | None = None) -> None:
        self.note = note
        self.asked: list[str] = []
        self.held = 0

    def recall(self, origin: str) -> Remembered | None:
        self.asked.append(origin)
        return None if self.note is None else Remembered(self.note, "memory")

    def hold(self, origin: str) -> Remembered | None:
        self.held += 1
        return self.recall(origin)


def trusting(memory: Kept | None = None, *, signer: Signer = SIGNER) -> Asked:
    """Ask with the key of a signer."""
    return Asked(signature=("--key",), trust=Trust((signer.key,), None, memory))
