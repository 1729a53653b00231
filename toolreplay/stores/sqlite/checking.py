"""Check a whole store against its own leaves: nothing that is derived from them is believed.

One pass over the leaves in order computes the tree from their bytes, compares every head that was
signed with the tree as it was at that size, every subtree that is kept with the one computed, and
says which leaves belong to which run. What a run's entries are worth is for whoever reads them;
with contents, payloads and pieces are held against their commitments too. Where the leaves were
changed, what is derived from them differs as a consequence, which is no second finding.
"""

import hmac
import sqlite3
from array import array
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.evidence.profile.entry import commit_of
from toolreplay.evidence.record import Fault
from toolreplay.evidence.tlog.checkpoint import parse_checkpoint
from toolreplay.evidence.tlog.cosignature import signature_holds
from toolreplay.evidence.tlog.leaf import Leaf, LeafError, parse_leaf
from toolreplay.evidence.tlog.merkle import Frontier, complete_nodes, leaf_hash
from toolreplay.evidence.tlog.note import Note, VerifierKey, parse_note, parse_vkey, signed_by
from toolreplay.stores.sqlite.reading import LogTables, StoredEntry

__all__ = ["Checked", "LogCheck"]

_MOST_FAULTS = 100
_CHUNK = 4096


class Checked(NamedTuple):
    """What a pass over a store came to.

    `root` is computed from the leaves' bytes, None where one is missing; `head_root` is that of the
    last head that was signed, as the leaves give it, None without one. The rest counts what was
    compared.
    """

    size: int
    root: bytes | None
    head_root: bytes | None
    heads: int
    payloads: int
    pieces: int


class LogCheck:
    """One pass over a store; `faults` are what it found, the first hundred of them.

    `runs` are the places in the log of each run's entries, in order, as the leaves say. `is_changed`
    says that leaves are not those of a head that was signed, or of the hashes kept beside them.
    """

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self.tables = LogTables(connection, path)
        self.faults: list[Fault] = []
        self.runs: dict[str, array[int]] = {}
        self.checked = Checked(0, None, None, 0, 0, 0)
        self.is_changed = False
        self._derived: list[Fault] = []
        self._left = _MOST_FAULTS
        self._erased: set[bytes] = set()
        self._without: dict[bytes, str] = {}
        self._signer = _key_named(self.tables)

    def run(self, *, with_contents: bool = False) -> Checked:
        """Check everything. Raises StoreError where the store cannot be read."""
        heads = self.tables.checkpoints()
        head = next(heads, None)
        tree, compared, payloads = Frontier(), 0, 0
        head_root: bytes | None = None
        size = self.tables.size()
        is_whole = True
        for first in range(0, size, _CHUNK):
            hashes: list[bytes] = []
            for number, (index, data, stored) in enumerate(
                self.tables.leaves(first, min(size, first + _CHUNK)), first
            ):
                if index != number:
                    self._add("missing-entry", f"leaf {number:,} is missing from the log", number)
                    is_whole = False
                    break
                hashes.append(leaf_hash(data))
                leaf = self._leaf(index, data, is_hash=hashes[-1] == stored)
                payloads += leaf is not None and with_contents and self._payload(leaf, index)
                if head is not None and head[0] == index + 1:
                    tree.extend(hashes[tree.size - first :])
                    head_root = tree.root()
                    following = next(heads, None)
                    self._compare(head[1], index + 1, head_root, is_newest=following is None)
                    compared, head = compared + 1, following
            tree.extend(hashes[tree.size - first :])
            if is_whole and first + len(hashes) < min(size, first + _CHUNK):
                number = first + len(hashes)
                self._add("missing-entry", f"leaf {number:,} is missing from the log", number)
                is_whole = False
            if not is_whole:
                break
            self._compare_nodes(first, hashes)
        if is_whole and head is not None:
            text = f"a head of {head[0]:,} entries was signed, and {size:,} are here: it was cut"
            self._add("rolled-back-log", text, head[0])
        pieces = self._pieces() if with_contents else 0
        for commit, where in self._without.items():
            if commit not in self._erased:
                self._add("missing-entry", f"the payload of {where} is missing", commit.hex())
        if not self.is_changed:
            self.faults += self._derived[: self._left]
        root = tree.root() if is_whole else None
        self.checked = Checked(size, root, head_root, compared, payloads, pieces)
        return self.checked

    def entries(self, run: str) -> Iterator[StoredEntry]:
        """Yield the entries of a run as the leaves have them."""
        for index in self.runs[run]:
            ((_, data, _),) = self.tables.leaves(index, index + 1)
            yield StoredEntry(parse_leaf(data).entry, index, data)

    def _add(self, kind: str, detail: str, subject: object) -> None:
        if self._left:
            self._left -= 1
            self.faults.append(Fault(kind, detail, subject))

    def _leaf(self, index: int, data: bytes, *, is_hash: bool) -> Leaf | None:
        if not is_hash:
            self.is_changed = True
            text = f"leaf {index:,} is another than the hash kept beside it"
            self._add("broken-inclusion", text, index)
        try:
            leaf = parse_leaf(data)
        except LeafError as error:
            self.is_changed = True
            self._add("broken-inclusion", f"leaf {index:,} {error}", index)
            return None
        if leaf.log != self.tables.origin:
            self._add("broken-link", f"leaf {index:,} is one of another log", index)
        places = self.runs.get(leaf.run)
        if places is None:
            places = self.runs[leaf.run] = array("q")
        places.append(index)
        return leaf

    def _compare(self, note: bytes, size: int, root: bytes, *, is_newest: bool) -> None:
        try:
            signed = parse_note(note, "")
            head = parse_checkpoint(signed.text, "")
        except InputError as error:
            self._add("head-mismatch", f"the head kept for size {size:,} is {error}", size)
            return
        if (head.origin, head.size, head.root) != (self.tables.origin, size, root):
            self.is_changed = True
            text = f"the head kept for size {size:,} is not that of the first {size:,} leaves"
            self._add("head-mismatch", text, size)
        elif not is_newest and not self._is_signed(signed):  # that is for the key handed in
            text = f"the head kept for size {size:,} is not signed by the key of this store"
            self._add("bad-signature", text, size)

    def _is_signed(self, note: Note) -> bool:
        keys = [] if self._signer is None else [self._signer]
        return not keys or signed_by(note, keys, signature_holds).is_accepted

    def _compare_nodes(self, first: int, hashes: list[bytes]) -> None:
        kept: dict[int, bytes] = {}
        on_level, end = 0, first + len(hashes)
        for level, index, hashed in complete_nodes(first, hashes, self.tables.node):
            if level != on_level:
                kept, on_level = dict(self.tables.nodes(level, index, end >> level)), level
            if kept.get(index, hashed) != hashed:
                if len(self._derived) == _MOST_FAULTS:
                    break
                text = f"subtree {index:,} of level {level} is not that of the leaves"
                text = f"{text} (toolreplay store repair)"
                self._derived.append(Fault("derived-table", text, [level, index]))

    def _payload(self, leaf: Leaf, index: int) -> bool:
        """Hold an entry's payload against its leaf; say whether there was one."""
        found = self.tables.payload(leaf.commit)
        if found is None:
            self._without[leaf.commit] = _place_of(leaf, index)
            return False
        payload, salt = found
        if commit_of(salt, payload) != leaf.commit or len(payload) != leaf.size:
            text = f"payload or salt of {_place_of(leaf, index)} is not what its leaf commits to"
            self._add("broken-commitment", text, index)
        elif leaf.kind == "erase":
            try:
                self._note_erased(payload)
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                text = f"the payload of {_place_of(leaf, index)} is none that a recorder makes"
                self._add("broken-commitment", text, index)
        return True

    def _note_erased(self, payload: bytes) -> None:
        import json

        self._erased.update(bytes.fromhex(digest) for digest in json.loads(payload)["digests"])

    def _pieces(self) -> int:
        count = 0
        for digest, key, content in self.tables.pieces():
            count += 1
            found = sha256(content).digest() if key is None else hmac.digest(key, content, "sha256")
            if found != digest:
                text = f"the content kept of piece {digest.hex()} has another digest"
                self._add("broken-commitment", text, digest.hex())
        return count


def _place_of(leaf: Leaf, index: int) -> str:
    return f"entry {leaf.entry} of run {leaf.run} (leaf {index:,})"


def _key_named(tables: LogTables) -> VerifierKey | None:
    """Return the key that a store says signs its heads; it vouches for nothing."""
    text = tables.signer()
    try:
        return None if text is None else parse_vkey(text, "")
    except InputError:
        return None
