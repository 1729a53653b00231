"""Write a bundle as a stream: entries as they are made, then what can be derived from them."""

import json
from base64 import b64decode
from collections.abc import Callable
from hashlib import sha256

from toolreplay.evidence.bundle.closing import commitment_of, workflow_of
from toolreplay.evidence.bundle.lines import (
    end_line,
    entry_line,
    first_line,
    line_of,
    piece_lines,
    step_of,
    step_text,
)
from toolreplay.evidence.digests import Digests
from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.making import RunHead
from toolreplay.evidence.profile.piece import SEALED_PIECE, Piece, kind_of_piece
from toolreplay.findings.spool import LineSpool
from toolreplay.records.call import JsonObject

__all__ = ["BundleWriter"]


class BundleWriter:
    """Hands each line to `write`; memory does not grow with the run, but for digests of pieces.

    with_sealed says whether the bytes and keys of sealed pieces are carried too.
    """

    def __init__(
        self, write: Callable[[bytes], object], run: str, *, with_sealed: bool = False
    ) -> None:
        self._write = write
        self._with_sealed = with_sealed
        self._lines = 0
        self._digest = sha256()
        self._entries = 0
        self._carried = Digests(32, numbered=False)
        self._steps = LineSpool()
        self._close: tuple[str, JsonObject] | None = None
        self._put(first_line(run))

    def add(self, entry: Entry) -> None:
        """Write the next entry, behind the pieces that it needs and no entry before it did."""
        for piece in entry.pieces:
            self._carry(piece)
        self._put(entry_line(self._entries, entry.payload, entry.salt))
        self._entries += 1
        if entry.kind not in ("call", "close"):
            return
        receipt, committed = entry.receipt, entry.committed
        if receipt is None or committed is None:
            receipt = json.loads(entry.payload)
            committed = json.loads(b64decode(receipt["canonical_bytes"]))
        if entry.kind == "close":
            self._close = receipt["id"], committed
        else:
            output = receipt["output_hash"].removeprefix("sha256:")
            step = step_of(committed["binding"]["seq"], output, committed)
            self._steps.add(step_text(step))

    def finish(self, head: RunHead, published_at: str, declared: JsonObject | None = None) -> None:
        """Write the steps, the workflow close, the commitment and the end line.

        `head` is that behind the close receipt.
        """
        assert self._close is not None
        if head.seq > 1:
            for line in self._steps.lines():
                self._put(line.encode("utf-8") + b"\n")
            self._put(line_of({"workflow": workflow_of(*self._close)}))
        commitment = commitment_of(head.run, head.prev_digest, head.seq, published_at)
        self._put(line_of({"commitment": commitment}))
        if declared is not None:
            self._put(line_of({"declared": declared}))
        self._write(end_line(self._lines, self._digest.hexdigest()))

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
