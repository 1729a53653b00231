"""Write a bundle as a stream: entries as they are made, then what can be derived from them."""

import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256

from toolreplay.evidence.aer1.base64_text import base64_of
from toolreplay.evidence.bundle.closing import commitment_of, workflow_of
from toolreplay.evidence.bundle.lines import (
    Logged,
    end_line,
    entry_line,
    erased_line,
    first_line,
    line_of,
    piece_lines,
    step_of,
    step_text,
)
from toolreplay.evidence.bundle.receipts import pieces_of, seen_in
from toolreplay.evidence.digests import Digests
from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.making import RunHead, chain_digest
from toolreplay.evidence.profile.piece import INLINE, SEALED_PIECE, Piece, kind_of_piece
from toolreplay.evidence.tlog.checkpoint import Checkpoint
from toolreplay.findings.spool import LineSpool
from toolreplay.records.call import JsonObject

__all__ = ["BundleWriter", "Stored"]

Stored = Callable[[str], tuple[bytes, bytes | None] | None]
"""Takes the digest of a piece (hex) and returns its content, and the key of a sealed one (32 bytes,
else None); None where the bytes are gone or never were kept."""


class BundleWriter:
    """Hands each line to `write`; memory does not grow with the run, but for digests of pieces.

    `origin` and `size` are those of the log that the run stands in: then each entry comes with its
    place in the tree of that size. with_sealed says whether the bytes and keys of sealed pieces are
    carried too. `stored` is asked for the content of pieces that an entry names and does not bring;
    what it does not have is left out.
    """

    def __init__(
        self,
        write: Callable[[bytes], object],
        run: str,
        origin: str | None = None,
        size: int | None = None,
        *,
        with_sealed: bool = False,
        stored: Stored | None = None,
    ) -> None:
        self._write = write
        self._run = run
        self._in_log = origin is not None
        self._with_sealed = with_sealed
        self._stored = stored
        self._lines = 0
        self._digest = sha256()
        self._entries = 0
        self._carried = Digests(32, numbered=False)
        self._steps = LineSpool()
        self._calls = 0
        self._close: tuple[str, str, JsonObject] | None = None
        self._put(first_line(run, origin, size))

    def number(self, entry: int) -> None:
        """Let the next entry have this number: a log may have lost the one before it."""
        self._entries = entry

    def add(self, entry: Entry, logged: Logged | None = None) -> None:
        """Write the next entry, behind the pieces that it needs and no entry before it did."""
        receipt, committed = entry.receipt, entry.committed
        if entry.kind in ("call", "close") and (receipt is None or committed is None):
            receipt = json.loads(entry.payload)
            committed = json.loads(b64decode(receipt["canonical_bytes"]))
        for piece in entry.pieces:
            self._carry(piece)
        for described in self._named_by(entry, committed) if self._stored is not None else ():
            self._carry_stored(described)
        if committed is not None and self._stored is not None:
            for _, digest in seen_in(committed):
                self._carry_stored({"digest": digest, "blob": "detached"})
        assert (logged is not None) == self._in_log
        self._put(entry_line(self._entries, entry.payload, entry.salt, logged))
        self._entries += 1
        if receipt is None or committed is None:
            return
        output = receipt["output_hash"].removeprefix("sha256:")
        if entry.kind == "close":
            self._close = receipt["id"], output, committed
        else:
            self._add_step(step_of(committed["binding"]["seq"], output, committed))

    def add_erased(
        self, commit: bytes, logged: Logged | None = None, step: JsonObject | None = None
    ) -> None:
        """Write the next entry, of which the payload is gone: `commit` is what committed to it.

        `step` is the workflow step of a receipt, where somebody kept it.
        """
        assert (logged is not None) == self._in_log
        self._put(erased_line(self._entries, commit, logged))
        self._entries += 1
        if step is not None:
            self._add_step(step)

    def finish(
        self,
        head: RunHead | None,
        published_at: str,
        declared: JsonObject | None = None,
        links: Iterable[JsonObject] = (),
        consistency: Iterable[tuple[int, Sequence[bytes]]] = (),
        checkpoint: bytes | None = None,
        log_head: Checkpoint | None = None,
    ) -> None:
        """Write the steps, the workflow close, the commitment, the lines of the log, the end line.

        `head` is that behind the close receipt; without it the same is computed from the receipt.
        A run that is not closed has neither workflow close nor commitment. `consistency` are older
        sizes, the smallest first, each with its seeded path (tlog/merkle.py) to the size of this
        bundle; `checkpoint` is a signed note. Of a log without a key `log_head` is its head.
        """
        for line in self._steps.lines():
            self._put(line.encode("utf-8") + b"\n")
        if self._close is not None:
            receipt_id, output, committed = self._close
            if self._calls:
                self._put(line_of({"workflow": workflow_of(receipt_id, committed)}))
            if head is not None:
                count, digest = head.seq, head.prev_digest
            else:
                count = committed["binding"]["seq"]
                digest = chain_digest(committed, output)
            commitment = commitment_of(self._run, digest, count, published_at)
            self._put(line_of({"commitment": commitment}))
        if declared is not None:
            self._put(line_of({"declared": declared}))
        for link in links:
            self._put(line_of({"link": link}))
        for older, path in consistency:
            value = {"from": older, "path": [one.hex() for one in path]}
            self._put(line_of({"consistency": value}))
        if checkpoint is not None:
            self._put(line_of({"checkpoint_b64": base64_of(checkpoint)}))
        elif log_head is not None:
            value = {"origin": log_head.origin, "size": log_head.size, "root": log_head.root.hex()}
            self._put(line_of({"head": value}))
        self._write(end_line(self._lines, self._digest.hexdigest()))

    def _add_step(self, step: JsonObject) -> None:
        self._steps.add(step_text(step))
        self._calls += 1

    def _named_by(self, entry: Entry, committed: JsonObject | None) -> Iterator[JsonObject]:
        """Yield the pieces that an entry commits to."""
        if committed is not None:
            yield from (described for _, described in pieces_of(committed))
        elif entry.kind in ("start", "observe"):
            payload = json.loads(entry.payload)
            described = payload["args" if entry.kind == "start" else "piece"]
            if described is not None:
                yield described

    def _carry_stored(self, described: JsonObject) -> None:
        kind, digest = kind_of_piece(described), bytes.fromhex(described["digest"])
        is_left_out = kind == SEALED_PIECE and not self._with_sealed
        if kind == INLINE or is_left_out or digest in self._carried:
            return
        assert self._stored is not None
        content, key = self._stored(described["digest"]) or (None, None)
        if kind != SEALED_PIECE or key is not None:
            self._carry(Piece(described, content, key))

    def _carry(self, piece: Piece) -> None:
        if piece.content is None:
            return
        is_sealed = kind_of_piece(piece.described) == SEALED_PIECE
        digest = piece.described["digest"]
        key = bytes.fromhex(digest)
        if (is_sealed and not self._with_sealed) or key in self._carried:
            return
        self._carried.add(key)
        for line in piece_lines(digest, piece.content, piece.key if is_sealed else None):
            self._put(line)

    def _put(self, line: bytes) -> None:
        self._digest.update(line)
        self._lines += 1
        self._write(line)
