"""Bundles made for a test, the same bytes every time; and bundles taken apart and put together.

Nothing here is random: ids, salts and keys are digests of a counter, times advance by a second.
"""

import base64
import copy
import hashlib
import io
import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from toolreplay.evidence.bundle.checking import BundleChecker
from toolreplay.evidence.bundle.writing import BundleWriter
from toolreplay.evidence.profile import making
from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.making import ObservedCall, RunHead
from toolreplay.evidence.profile.piece import KEY_BYTES, Piece, piece_of, sealed_piece
from toolreplay.evidence.record import Asked, Fault
from toolreplay.findings.check import Check
from toolreplay.records.call import ToolCall
from toolreplay.records.limits import DEFAULT, Limits

Value = dict[str, Any]

RUN = "01937f8a-0000-7000-8000-000000000001"
PUBLISHED = "2026-11-30T10:00:00.000Z"
WRITER: Value = {"uid": 1000, "pid": 4711, "same_uid_as_agent": True, "same_process": False}


def form(value: Any) -> bytes:
    """Return the bytes of a value as a line or receipt has them, by the standard library alone."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


class Maker:
    """Makes one run, entry by entry. `layer` is where it says that its calls were recorded."""

    def __init__(self, layer: str = "import", *, seed: str = "made", run: str = RUN) -> None:
        self.layer, self.seed = layer, seed
        self.head = RunHead.of_new_run(run)
        self.entries: list[Entry] = []
        self._counters: dict[str, int] = {}
        self._clock = 0

    # What comes from outside of the pure functions.

    def secret(self, kind: str) -> bytes:
        """Return the next 32 bytes of a kind."""
        number = self._counters[kind] = self._counters.get(kind, 0) + 1
        return hashlib.sha256(f"{self.seed}/{kind}/{number}".encode()).digest()

    def receipt_id(self) -> str:
        """Return the next id, shaped as a UUID of version 4."""
        text = self.secret("id").hex()[:32]
        text = f"{text[:12]}4{text[13:16]}8{text[17:]}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def now(self) -> str:
        """Return the next second."""
        self._clock += 1
        return f"2026-11-30T09:{self._clock // 60:02}:{self._clock % 60:02}.000Z"

    def observed(self, position: int, tool: str, args: Piece, result: Piece | None, **more: Any) -> ObservedCall:  # fmt: skip
        """Return a call as a layer saw it end. `more` overrides members of its parts."""
        at = self.now()
        inputs: Value = {"args": args.described, **more.get("inputs", {})}
        outputs: Value = {
            "result": None if result is None else result.described,
            "status": more.get("status", "ok"),
            "flags": list(more.get("flags", ())),
            **more.get("outputs", {}),
        }
        timing = {} if more.get("untimed") else {"started_at": at, "ended_at": at}
        kept = tuple(piece for piece in (args, result, *more.get("kept", ())) if piece is not None)
        return ObservedCall(
            tool=making.tool_of(tool),
            inputs=inputs,
            outputs=outputs,
            timing=more.get("timing", timing),
            capture={
                "layer": self.layer, "args_fidelity": "exact", "result_fidelity": "exact",
                "adapter": more.get("adapter", "made"), "tool_definition": "absent", "writer": WRITER,
                **more.get("capture", {}),
            },
            agent=more.get("agent", {"name": "tester", "model": "model-1"}),
            position=position,
            created_at=at,
            kept=kept,
            parent=more.get("parent"),
        )  # fmt: skip

    # Entries.

    def open(self, **members: Any) -> "Maker":
        payload = {
            "agent": {"name": "tester", "model": "model-1"},
            "capture": {"layer": self.layer, "adapter": "made"},
            "run_by": "a test",
            "started_at": self.now(),
            **members,
        }
        return self._take(making.open_entry(self.head, payload, self.secret("salt")))

    def start(self, position: int, tool: str, args: Any = None) -> "Maker":
        piece = as_piece(args)
        payload = {
            "position": position, "tool": making.tool_of(tool), "args": piece.described,
            "started_at": self.now(), "mono_ns": 1000 * position, "boot_id": "boot",
        }  # fmt: skip
        return self._take(making.start_entry(self.head, payload, self.secret("salt"), (piece,)))

    def call(
        self, position: int, tool: str, args: Any = None, result: Any = ..., **more: Any
    ) -> "Maker":
        """Record the end of a call; without `result` nothing came back."""
        came = None if result is ... else as_piece(result)
        call = self.observed(position, tool, as_piece(args), came, **more)
        return self._take(
            making.call_entry(self.head, call, self.receipt_id(), self.secret("salt"))
        )

    def gap(self, reason: str = "the recorder was down") -> "Maker":
        payload = {"reason": reason, "count": None, "since": self.now(), "until": self.now()}
        return self._take(making.gap_entry(self.head, payload, self.secret("salt")))

    def observe(self, content: bytes = b"read back", inline_bytes: int = 4096) -> "Maker":
        piece = piece_of(content, "text/plain", inline_bytes)
        payload = {
            "effect": {"step": "s"}, "reader": "file", "found": True, "piece": piece.described,
            "at": self.now(),
        }  # fmt: skip
        return self._take(making.observe_entry(self.head, payload, self.secret("salt"), (piece,)))

    def close(self, answer: Any = ..., unfinished: Iterable[int] = (), **more: Any) -> "Maker":
        call = self.observed(1, "unused", as_piece(None), None)
        said = {"status": "completed", "closed_by": "agent", "goal": "refund the order", **more}
        made = making.close_entry(
            self.head, call, self.receipt_id(), self.secret("salt"),
            answer=None if answer is ... else as_piece(answer),
            unfinished=sorted(unfinished), **said,
        )  # fmt: skip
        return self._take(made)

    def erase(self, digests: Iterable[str], reason: str = "asked for") -> "Maker":
        payload = {"profile": "toolreplay/erase/1", "digests": list(digests), "reason": reason}
        entry = Entry("erase", form(payload), self.secret("salt"))
        return self._take((entry, self.head.after(entry)))

    def both(self, position: int, tool: str, args: Any = None, result: Any = ..., **more: Any) -> "Maker":  # fmt: skip
        """Record an intent and, at once, its outcome."""
        return self.start(position, tool, args).call(position, tool, args, result, **more)

    def _take(self, made: tuple[Entry, RunHead]) -> "Maker":
        entry, self.head = made
        self.entries.append(entry)
        return self

    def bundle(self, *, with_sealed: bool = False, declared: Value | None = None) -> bytes:
        """Return the bundle of a run that was closed."""
        out = bytearray()
        writer = BundleWriter(out.extend, self.head.run, with_sealed=with_sealed)
        for entry in self.entries:
            writer.add(entry)
        writer.finish(self.head, PUBLISHED, declared)
        return bytes(out)


def as_piece(content: Any) -> Piece:
    """Return a piece as it is, bytes as a piece, and anything else as the piece of its JSON."""
    if isinstance(content, Piece):
        return content
    if isinstance(content, bytes):
        return piece_of(content, "application/octet-stream")
    return piece_of(form({} if content is None else content), "application/json")


def detached(content: bytes) -> Piece:
    """Return a detached piece, however small."""
    return piece_of(content, "text/plain", 0)


def sealed(content: bytes, number: int = 1, *, keep: bool = True) -> Piece:
    """Return a sealed piece under a fixed key."""
    key = hashlib.sha256(b"key %d" % number).digest()
    return sealed_piece(content, "text/plain", key, b"r" * KEY_BYTES, keep=keep)


# Whole runs.


def imported(calls: int = 3, *, seed: str = "made", run: str = RUN) -> Maker:
    """Return a closed import of some calls, each of which is another."""
    maker = Maker(seed=seed, run=run).open()
    for position in range(1, calls + 1):
        maker.call(position, f"tool_{position}", {"n": position}, {"total": 10 * position})
    return maker.close(answer=b"done")


def on_the_wire() -> Maker:
    """Return a closed run of parallel calls: the first begins first and ends last.

    It has a gap, an observation, an intent without outcome and a call without result.
    """
    maker = Maker("mcp-wire").open()
    maker.start(1, "slow", {"q": 1}).start(2, "fast", {"q": 2}).gap()
    maker.call(2, "fast", {"q": 2}, {"is": "fast"}).call(1, "slow", {"q": 1}, {"is": "slow"})
    maker.start(3, "lost", {"q": 3}).both(4, "denied", {"q": 4}, status="denied")
    return maker.observe().close(unfinished=[3])


# Taking apart.


def apart(data: bytes) -> list[Value]:
    """Return the lines of a bundle as values, without the end line."""
    values = [json.loads(line) for line in data.splitlines()]
    return values[:-1] if "end" in values[-1] else values


def joined(values: Iterable[Value]) -> bytes:
    """Put lines together, with the end line that belongs to them."""
    lines = [form(value) + b"\n" for value in values]
    data = b"".join(lines)
    end = {"end": len(lines), "sha256": hashlib.sha256(data).hexdigest()}
    return data + form(end) + b"\n"


def entries_of(values: Iterable[Value]) -> list[Value]:
    """Return the lines that are entries."""
    return [value for value in values if "entry" in value]


def commit_of(entry: Entry) -> str:
    """Return the commitment to an entry, by a test's own words."""
    data = b"toolreplay/commit/v1\n" + entry.salt + entry.payload
    return hashlib.sha256(data).hexdigest()


def kind_of(value: Value) -> str:
    """Return what an entry line is by a test's own look: open, start, call, close, …"""
    payload = value["payload"]
    if payload is None:
        return "erased"
    if "profile" in payload:
        kind: str = payload["profile"].split("/")[1]
        return {"intent": "start", "observation": "observe"}.get(kind, kind)
    return "close" if "close" in committed_of(value) else "call"


def of_kind(values: Iterable[Value], kind: str) -> list[Value]:
    """Return the entry lines of a kind."""
    return [value for value in entries_of(values) if kind_of(value) == kind]


def committed_of(value: Value) -> Value:
    """Return the committed object of an entry that is a receipt."""
    found: Value = json.loads(base64.b64decode(value["payload"]["canonical_bytes"]))
    return found


def recommit(value: Value, committed: Value, *, mended: bool = True) -> None:
    """Put another committed object into a receipt; `mended` says whether its digest is too."""
    data = form(committed)
    receipt = value["payload"]
    receipt["canonical_bytes"] = base64.b64encode(data).decode()
    if mended:
        receipt["canonical_byte_length"] = len(data)
        receipt["output_hash"] = "sha256:" + hashlib.sha256(data).hexdigest()


def edited(value: Value, change: Callable[[Value], object], *, mended: bool = True) -> None:
    """Change the committed object of a receipt in its place."""
    committed = committed_of(value)
    change(committed)
    recommit(value, committed, mended=mended)


def renumbered(values: list[Value]) -> list[Value]:
    """Number the entries from 0 as they stand."""
    for number, value in enumerate(entries_of(values)):
        value["entry"] = number
    return values


def twin(value: Value) -> Value:
    """Return a copy that shares nothing."""
    return copy.deepcopy(value)


# Judging.


class Judged(NamedTuple):
    """What the checker came to."""

    faults: list[Fault]
    checks: dict[str, Check]
    unbound: dict[str, Any]
    notes: list[str]
    calls: list[ToolCall]

    @property
    def kinds(self) -> list[str]:
        """The kind of each fault, in the order they were told."""
        return [fault.kind for fault in self.faults]


def judged(data: bytes, asked: Asked | None = None, limits: Limits = DEFAULT) -> Judged:
    """Read a bundle to its end."""
    checker = BundleChecker(io.BytesIO(data), limits, lambda start, end: data[start:end])
    checker.begin(asked or Asked())
    faults: list[Fault] = []
    calls = []
    for call in checker.calls():
        calls.append(call)
        faults += checker.take()
    faults += checker.take()
    faults = [fault for fault in faults if not fault.is_open or checker.stands(fault)]
    return Judged(
        faults,
        {check.line: check for check in checker.checks()},
        dict(checker.unbound()),
        list(checker.notes()),
        calls,
    )
