"""Record runs through a sink: the same bytes every time, whoever writes beside it.

Ids and salts are derived from the name of the run; times are of a clock that somebody hands in.
Each entry that was acknowledged is told to whoever wants to know, before anything else is done.
"""

import hashlib
import os
from collections.abc import Callable
from typing import Any

from toolreplay.evidence.profile import making
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.making import ObservedCall
from toolreplay.evidence.profile.piece import Piece, piece_of
from toolreplay.evidence.profile.sink import Appended, Maker, Sink
from toolreplay.evidence.signatures.sign import Signer
from toolreplay.evidence.signatures.throwaway import throwaway_signer
from toolreplay.stores.sqlite.publishing import SigningKey

Value = dict[str, Any]
Told = Callable[[str, str, Appended], object]

ORIGIN = "example.invalid/faults"
NOW = "2026-11-30T09:00:00.000Z"

_CAPTURE: Value = {"layer": "decorator", "adapter": "faults"}
_WRITER: Value = dict.fromkeys(("uid", "pid", "same_uid_as_agent", "same_process"))
_WHOLE: Value = {
    **_CAPTURE, "args_fidelity": "exact", "result_fidelity": "exact",
    "tool_definition": "absent", "writer": _WRITER,
}  # fmt: skip


def signer() -> Signer:
    """Return the key of every store of these tests; it protects nothing."""
    return throwaway_signer(ORIGIN, hashlib.sha256(b"faults").digest())


def key_in(folder: str) -> SigningKey:
    """Return the key with its memory of heads in a folder."""
    return SigningKey(signer(), os.path.join(folder, "key.head"))


class Ticks:
    """A clock that advances by a second whenever it is read, from a moment in microseconds."""

    def __init__(self, start: int = 1_800_000_000_000_000) -> None:
        self._now = start

    def __call__(self) -> int:
        self._now += 1_000_000
        return self._now


class RunWriter:
    """Writes one run into a sink, entry by entry.

    `told` hears of each acknowledgement. Several writers of one run need different `seed`s.
    """

    def __init__(self, sink: Sink, name: str, told: Told, *, seed: str = "", run: str = "") -> None:
        self._sink, self._told = sink, told
        self._ids = Ids(os.urandom, hashlib.sha256(f"{name}/{seed}".encode()).digest())
        self.run = run or Ids(os.urandom, hashlib.sha256(name.encode()).digest()).run_id(
            1_800_000_000_000
        )

    def open(self) -> "RunWriter":
        payload: Value = {
            "agent": {"name": "tester"}, "capture": _CAPTURE, "run_by": "faults", "started_at": NOW,
        }  # fmt: skip
        salt = self._ids.salt()
        return self._append("open", lambda head: making.open_entry(head, payload, salt))

    def start(self, tool: str, args: Any = b"{}") -> int:
        """Record an intent; return the position it got."""
        piece, salt = as_piece(args), self._ids.salt()
        payload: Value = {
            "tool": making.tool_of(tool), "args": piece.described, "started_at": NOW,
            "mono_ns": 1, "boot_id": "boot",
        }  # fmt: skip

        def make(head: making.RunHead) -> Any:
            placed = {**payload, "position": head.position + 1}
            return making.start_entry(head, placed, salt, (piece,))

        self._append("start", make)
        return self.last.head.position

    def call(
        self, position: int, tool: str, args: Any = b"{}", result: Any = b"done"
    ) -> "RunWriter":
        """Record the outcome of the intent at a position."""
        given, came = as_piece(args), as_piece(result)
        call = ObservedCall(
            tool=making.tool_of(tool),
            inputs={"args": given.described},
            outputs={"result": came.described, "status": "ok", "flags": []},
            timing={"started_at": NOW, "ended_at": NOW},
            capture=_WHOLE, agent={"name": "tester"}, position=position, created_at=NOW,
            kept=(given, came),
        )  # fmt: skip
        name, salt = self._ids.receipt_id(), self._ids.salt()
        return self._append("call", lambda head: making.call_entry(head, call, name, salt))

    def both(self, tool: str, args: Any = b"{}", result: Any = b"done") -> "RunWriter":
        """Record an intent and its outcome."""
        return self.call(self.start(tool, args), tool, args, result)

    def gap(self, reason: str = "the recorder was down") -> "RunWriter":
        payload: Value = {"reason": reason, "count": None, "since": NOW, "until": NOW}
        salt = self._ids.salt()
        return self._append("gap", lambda head: making.gap_entry(head, payload, salt))

    def observe(self, content: bytes = b"read back") -> "RunWriter":
        piece, salt = as_piece(content), self._ids.salt()
        payload: Value = {
            "effect": {"step": "s"}, "reader": "file", "found": True, "piece": piece.described,
            "at": NOW,
        }  # fmt: skip
        return self._append(
            "observe", lambda head: making.observe_entry(head, payload, salt, (piece,))
        )

    def close(self, closed_by: str = "agent") -> "RunWriter":
        call = ObservedCall({}, {}, {}, {}, _WHOLE, {"name": "tester"}, 0, NOW)
        left = self._sink.open_positions(self.run)
        name, salt = self._ids.receipt_id(), self._ids.salt()

        def make(head: making.RunHead) -> Any:
            return making.close_entry(
                head, call, name, salt, status="closed", closed_by=closed_by, unfinished=left
            )

        return self._append("close", make)

    def _append(self, kind: str, make: Maker) -> "RunWriter":
        self.last = self._sink.append(self.run, kind, make)
        self._told(self.run, kind, self.last)
        return self


def as_piece(content: Any) -> Piece:
    """Return a piece as it is, and bytes as an inline one."""
    return content if isinstance(content, Piece) else piece_of(content, "text/plain")


def detached(content: bytes) -> Piece:
    """Return a piece that is kept beside its entry, however small."""
    return piece_of(content, "text/plain", 0)
