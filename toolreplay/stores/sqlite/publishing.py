"""Publish the head of a store: in an order in which no crash lets two heads contradict each other.

1. Take the lock beside the key's last head and read that head. Compute the new subtrees from the
   stored leaf bytes, and commit them with a sync: with them all leaves below are on the disk.
2. Compare with the last head: the tree must have grown out of that one.
3. Sign. 4. Replace the last head, on disk. 5. Keep the checkpoint in the store, and let it out.

After a crash behind 4 the last head stands beside the key alone: `heal` copies it into the store.
A store without a key has no checkpoints; its subtrees are computed all the same.
"""

import sqlite3
from threading import Lock
from typing import NamedTuple

from toolreplay.errors import InputError, StoreDamagedError, StoreError
from toolreplay.evidence.signatures.sign import Signer, sign_note
from toolreplay.evidence.tlog.checkpoint import Checkpoint, checkpoint_text, parse_checkpoint
from toolreplay.evidence.tlog.cosignature import signature_holds
from toolreplay.evidence.tlog.merkle import Frontier, complete_nodes, leaf_hash
from toolreplay.evidence.tlog.note import VerifierKey, parse_note, signed_by, vkey_text
from toolreplay.stores.head_file import locked_head, read_head, replace_head
from toolreplay.stores.sqlite.connection import told, transaction
from toolreplay.stores.sqlite.reading import LogTables

__all__ = ["Publisher", "SigningKey", "refuse_other_key", "signed_head"]

_CHUNK = 16_384
"""Leaves whose subtrees are written in one transaction: some 20 ms for which writers wait."""


class SigningKey(NamedTuple):
    """What signs a store's heads, and the file that remembers the last one."""

    signer: Signer
    head_path: str


def signed_head(note: bytes, key: VerifierKey, where: str) -> Checkpoint:
    """Return what a note says that this key signed. Raises StoreError naming `where`."""
    try:
        parsed = parse_note(note, where)
        checkpoint = parse_checkpoint(parsed.text, where)
    except InputError as error:
        raise StoreError(error.where, error.what) from None
    if not signed_by(parsed, [key], signature_holds).is_accepted:
        raise StoreError(where, f"holds a head that the key {key.name} did not sign")
    if checkpoint.origin != key.name:
        raise StoreError(where, "holds the head of another log")
    return checkpoint


def refuse_other_key(path: str, tables: LogTables, key: VerifierKey) -> None:
    """Raise StoreError where a key is not the one that signs this store's heads."""
    own, signer = vkey_text(key.name, key.kind, key.public), tables.signer()
    if key.name != tables.origin:
        hint = f"toolreplay key new --name {tables.origin}"
        if signer is not None:
            hint = f"its heads are signed by {signer}"
        raise StoreError(
            path, f"is the log {tables.origin}, and the key is that of {key.name} ({hint})"
        )
    if signer is None:
        raise StoreError(path, "is unsigned (toolreplay store sign gives it a key)")
    if signer != own:
        raise StoreError(path, f"its heads are signed by another key of that name ({signer})")


class Publisher:
    """Publishes the heads of one store; one thread at a time. `key` is None without a key.

    `writing` is held while a transaction is open, where others of this process write too.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: str,
        key: SigningKey | None,
        writing: "Lock | None" = None,
    ) -> None:
        self._connection = connection
        self._writing = writing or Lock()
        self._known: tuple[bytes, Checkpoint] | None = None
        self._path = path
        self._key = key
        self._tables = LogTables(connection, path)

    def heal(self) -> None:
        """Make store and last head agree again after a crash between the two, or refuse.

        Raises StoreDamagedError where the store is not one that grew out of the last head.
        """
        if self._key is None:
            return
        with locked_head(self._key.head_path), told(self._path):
            note = self._last_note()
            if note is not None:
                size = self._compared(note)
                if not self._tables.has_checkpoint(size):
                    self._keep(size, note)

    def publish(self) -> bytes | None:
        """Publish the head as it is now; return its note, None without a key or without leaves."""
        if self._key is None:
            with told(self._path):
                self._settle(self._settled())
            return None
        with locked_head(self._key.head_path), told(self._path):
            note = self._last_note()
            if note is not None and self._compared(note) == self._tables.size():
                return note
            last = self._head(note) if note is not None else None
            size = self._settle(last.size if last is not None else 0)
            if not size:
                return None
            root = self._root_of_leaves(last, size)
            if self._tables.root(size) != root:
                raise StoreDamagedError(
                    self._path, "its subtrees are not those of its leaves (toolreplay store repair)"
                )
            signer = self._key.signer
            note = sign_note(checkpoint_text(signer.name, size, root), signer)
            replace_head(self._key.head_path, note)
            self._keep(size, note)
        return note

    def _root_of_leaves(self, last: Checkpoint | None, size: int) -> bytes:
        """Return the root by the leaves' bytes behind the last head; no table is believed.

        The subtrees below that head are: folded together they give the root that was signed.
        """
        tree = Frontier()
        if last is not None:
            for level in range(last.size.bit_length() - 1, -1, -1):
                if last.size >> level & 1:
                    tree.append(self._tables.node(level, tree.size >> level), level)
        tree.extend(leaf_hash(data) for _, data, _ in self._tables.leaves(tree.size, size))
        return tree.root()

    def _last_note(self) -> bytes | None:
        """Return the last head: that beside the key, or a newer one that the store has."""
        assert self._key is not None
        note = read_head(self._key.head_path)
        newest = self._tables.newest_checkpoint()
        if newest is None:
            return note
        size = self._head(note).size if note is not None else -1
        if newest[0] <= size:
            return note
        # The file is older than heads that were let out: it was lost, or put back.
        self._compared(newest[1])
        replace_head(self._key.head_path, newest[1])
        return newest[1]

    def _head(self, note: bytes) -> Checkpoint:
        """Return what the key signed in a note; the last one is not checked again and again."""
        assert self._key is not None
        if self._known is None or self._known[0] != note:
            self._known = note, signed_head(note, self._key.signer.key, self._key.head_path)
        return self._known[1]

    def _compared(self, note: bytes) -> int:
        """Return the size of a head that this store grew out of. Raises StoreDamagedError."""
        assert self._key is not None
        head = self._head(note)
        size = self._tables.size()
        if size < head.size:
            raise StoreDamagedError(
                self._path,
                f"has {size:,} entries, and a head of {head.size:,} was signed: it was rolled "
                f"back, cut, or is another store of this key (the head: {self._key.head_path}); what "
                "goes on from a backup is a new log: toolreplay store init NEW --restored-from",
            )
        if self._tables.root(head.size) != head.root:
            raise StoreDamagedError(
                self._path,
                f"its first {head.size:,} entries are not those of the head that was signed "
                f"(the head: {self._key.head_path})",
            )
        return head.size

    def _settle(self, first: int) -> int:
        """Compute the subtrees behind so many leaves from the bytes of the leaves, with a sync.

        Whatever the table has there is replaced. Returns the size of the log.
        """
        while True:
            size = self._tables.size()
            end = min(size, first + _CHUNK)
            # Leaves do not change: they are hashed while others may still append.
            nodes = self._nodes(first, end)
            with self._writing, transaction(self._connection):
                self._add_nodes(nodes, end)
            self._tables.forget_nodes()
            if end == size:
                return size
            first = end

    def _settled(self) -> int:
        """Return how many leaves the subtrees that are kept say to cover."""
        found = self._connection.execute("select value from meta where name = 'nodes'").fetchone()
        count = found[0] if found else 0
        return count if type(count) is int and 0 <= count <= self._tables.size() else 0

    def _nodes(self, first: int, end: int) -> list[tuple[int, int, bytes]]:
        hashes = []
        for index, data, stored in self._tables.leaves(first, end):
            hashed = leaf_hash(data)
            if hashed != stored:
                raise StoreDamagedError(self._path, f"the bytes of leaf {index:,} were changed")
            hashes.append(hashed)
        return list(complete_nodes(first, hashes, self._tables.node))

    def _add_nodes(self, nodes: list[tuple[int, int, bytes]], end: int) -> None:
        self._connection.executemany(
            "insert or replace into node (level, idx, hash) values (?, ?, ?)", nodes
        )
        # Written also where it says the same: a sync needs something to write.
        self._connection.execute(
            "insert or replace into meta (name, value) values ('nodes', ?)", (end,)
        )

    def _keep(self, size: int, note: bytes) -> None:
        with self._writing, transaction(self._connection):
            self._connection.execute(
                "insert into checkpoint (size, note) values (?, ?)", (size, note)
            )
