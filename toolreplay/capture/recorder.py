"""The recorder: the one place where an observed call becomes a receipt and is handed to a sink.

An intent is written before its call leaves and gets its place in the run; the receipt is written
when the call ended, before anybody sees the answer. Which run it is, is agreed in the store: who
joins by the same key feeds the same run, and who leaves it last closes it.

Where nothing can be written, calls go on and are counted, and the count is written as a gap as
soon as that works again; with `deny` they are refused instead.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from toolreplay.capture.choosing import Choice, Chooser, members_with, redactions_of
from toolreplay.capture.clock import Clock, boot_id
from toolreplay.capture.closing import Closer, close_abandoned, close_run, lives
from toolreplay.capture.observed import (
    NOT_RECORDED,
    Adapter,
    Agent,
    Answer,
    Intent,
    Moment,
    Outcome,
)
from toolreplay.capture.processes import this_process
from toolreplay.errors import CanonicalError, RecordingError, RunStateError, StoreError
from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.making import (
    ObservedCall,
    RunHead,
    call_entry,
    gap_entry,
    open_entry,
    start_entry,
    tool_of,
)
from toolreplay.evidence.profile.piece import Piece
from toolreplay.evidence.profile.sink import Maker, RunSink
from toolreplay.evidence.redaction.redactor import Redactor
from toolreplay.records.call import JsonObject
from toolreplay.records.times import utc_of

__all__ = ["Plan", "Recorder"]

_TRIES = 3
_TRY_AGAIN_NS = 10**9
"""Nanoseconds between two tries to record again: a full disk must not cost each call an opening."""


class Plan(NamedTuple):
    """How one adapter records.

    `key` tells whose calls are one run (see RunSink), None where they are those of this recorder
    alone; `run_by` says by what that was decided, `name` is the run's. `writer` is the committed
    member of that name.
    """

    adapter: Adapter
    agent: Agent
    key: str | None
    run_by: str
    writer: JsonObject
    mode: str = "redacted"
    denies: bool = False
    name: str | None = None
    folder: str | None = None


class _Begun(NamedTuple):
    """A call that left, as its receipt will need it."""

    intent: Intent
    tool: JsonObject
    args: Choice
    started: Moment
    position: int
    run: str


class Recorder:
    """Records the calls that one adapter sees (see Recording).

    `open_sink` opens what keeps the entries, and is called again after a failure. `clock` says what
    time it is.
    """

    def __init__(
        self, open_sink: Callable[[], RunSink], plan: Plan, redactor: Redactor, clock: Clock
    ) -> None:
        self._open_sink = open_sink
        self._plan = plan
        self._clock = clock
        self._boot = boot_id()
        self._me = f"{this_process().key()}:{os.urandom(4).hex()}"
        self._ids = Ids(os.urandom)
        self._mutex = threading.Lock()
        self._key = plan.key or f"alone:{os.urandom(16).hex()}"
        self._begun: dict[int, _Begun] = {}
        self._seen: set[str] = set()  # of this run, and kept with an earlier call of it
        self._last = NOT_RECORDED
        self._sink: RunSink | None = None
        self._run: str | None = None
        self._missed, self._missed_since, self._tried_ns = 0, "", -_TRY_AGAIN_NS
        self._why = ""
        self._chooser = Chooser(plan.mode, redactor, self._run_key, self._inline_bytes)
        self._agent = _agent_of(plan.agent, self._chooser)
        capture = self._capture("exact", "exact")
        self._closer = Closer(capture, self._agent, self._chooser, clock, self._ids)

    @property
    def run(self) -> str | None:
        """The run that is recorded, None before the first of it was written."""
        return self._run

    @property
    def failure(self) -> str:
        """Why nothing is recorded at the moment; nothing where it is."""
        return self._why

    def place_of(self, call: int) -> str | None:
        """Return how other calls name one that has not ended as their parent, None of an unknown one.

        That is its run, a colon and its position: two processes may feed two runs.
        """
        with self._mutex:
            begun = self._begun.get(call)
        return None if begun is None else f"{begun.run}:{begun.position}"

    def let_go(self) -> None:
        """Close what is open and stay in the run; the next entry opens it again.

        For whoever is about to fork: an open database must not be there twice.
        """
        with self._mutex:
            sink, self._sink = self._sink, None
        if sink is not None:
            with suppress(StoreError):  # entries are kept; a head is published the next time
                sink.close()

    def begin(self, intent: Intent) -> int:
        """Record that a call leaves (see Recording)."""
        try:
            return self._begin(intent)
        except StoreError as error:
            self._failed(error)
        except CanonicalError as error:
            self._unspelt(error)
        return NOT_RECORDED

    def end(self, call: int, outcome: Outcome) -> None:
        """Record how a call ended (see Recording)."""
        with self._mutex:
            begun = self._begun.pop(call, None)
        if begun is None:
            return
        try:
            self._end(begun, outcome)
        except RunStateError:
            self.gap("an answer came when its run was closed", 1)
        except StoreError as error:
            self._failed(error)
        except CanonicalError as error:
            self._unspelt(error)

    def gap(self, reason: str, count: int | None = None, *, since_us: int | None = None) -> None:
        """Record that something was not recorded (see Recording), since when where that is known."""
        now_us = self._clock().wall_us
        since = utc_of(now_us if since_us is None else min(since_us, now_us))
        try:
            gap: JsonObject = {"reason": self._chooser.word(reason), "count": count}
            gap |= {"since": since, "until": utc_of(now_us)}
            salt = os.urandom(32)
            self._append("gap", lambda head: gap_entry(head, gap, salt))
        except StoreError as error:
            self._failed(error, calls=0)

    def close_abandoned(self) -> None:
        """Close the runs whose last writers died without a word. Raises StoreError."""
        with self._mutex:
            if self._sink is None:
                self._open()

    def finish(self, answer: Answer | None = None, closed_by: str = "last writer") -> None:
        """Leave the run, and close it where nobody else feeds it (see Recording)."""
        if self._why:
            self._tried_ns = -_TRY_AGAIN_NS
        if self._why or self._run is not None:
            with suppress(StoreError):  # it was let go; or the last chance to say what was missed
                self._joined()
        sink, run = self._sink, self._run
        if sink is None:
            return
        try:
            if run is not None:
                self._leave(sink, run, answer, closed_by)
        finally:
            self._sink = self._run = None
            sink.close()

    def _begin(self, intent: Intent) -> int:
        choice = self._chooser.choose(intent.args, intent.media_type)
        word = self._chooser.word
        tool = tool_of(word(intent.tool), word(intent.version), word(intent.scope))
        started = intent.at or self._clock()
        salt = os.urandom(32)

        def make(head: RunHead) -> tuple[Entry, RunHead]:
            payload: JsonObject = {
                "position": head.position + 1,
                "tool": tool,
                "args": choice.piece.described,
                "started_at": utc_of(started.wall_us),
                "mono_ns": started.mono_ns,
                "boot_id": self._boot,
            }
            return start_entry(head, payload, salt, choice.kept)

        head = self._append("start", make)
        with self._mutex:
            self._last += 1
            self._begun[self._last] = _Begun(intent, tool, choice, started, head.position, head.run)
            return self._last

    def _append(self, kind: str, make: Maker) -> RunHead:
        """Append to the run; where it was closed meanwhile, what comes now opens another one."""
        for _ in range(_TRIES):
            run, sink = self._joined()
            try:
                return sink.append(run, kind, make).head
            except RunStateError:
                self._rejoin(run)
        raise StoreError("", "the run is closed as often as it is opened")

    def _end(self, begun: _Begun, outcome: Outcome) -> None:
        ended = outcome.at or self._clock()
        call = self._observed(begun, outcome, ended)
        receipt_id, salt = self._ids.receipt_id(), os.urandom(32)
        if self._run is None:
            raise StoreError("", "recording stopped")
        _, sink = self._joined()
        sink.append(begun.run, "call", lambda head: call_entry(head, call, receipt_id, salt))

    def _observed(self, begun: _Begun, outcome: Outcome, ended: Moment) -> ObservedCall:
        intent = begun.intent
        inputs = members_with(begun.args, "args")
        rounds = [self._chooser.choose(each, intent.media_type) for each in outcome.rounds]
        if rounds:
            inputs["rounds"] = [each.piece.described for each in rounds]
            inputs |= redactions_of([begun.args, *rounds])
        outputs: JsonObject = {"result": None}
        choices = [begun.args, *rounds]
        if outcome.result is not None:
            result = self._chooser.choose(outcome.result, outcome.media_type)
            outputs = members_with(result, "result")
            choices.append(result)
        flags = set(outcome.flags)
        if any(each.hidden for each in choices):
            flags.add("redacted")
        outputs |= {"status": outcome.status, "flags": sorted(flags)}
        kept = [piece for each in choices for piece in each.kept]
        capture = self._capture(intent.fidelity, outcome.fidelity)
        self._add_seen(capture, intent, kept)
        return ObservedCall(
            tool=begun.tool,
            inputs=inputs,
            outputs=outputs,
            timing={
                "started_at": utc_of(begun.started.wall_us),
                "ended_at": utc_of(ended.wall_us),
                "start_mono_ns": begun.started.mono_ns,
                "end_mono_ns": ended.mono_ns,
                "boot_id": self._boot,
            },
            capture=capture,
            agent=self._agent,
            position=begun.position,
            created_at=utc_of(ended.wall_us),
            kept=tuple(kept),
            parent=None if intent.parent is None else self._chooser.word(intent.parent),
        )

    def _add_seen(self, capture: JsonObject, intent: Intent, kept: list[Piece]) -> None:
        """Say of a call what the server told of itself and its tool, as far as that was seen."""
        for name, content in (("tool_definition", intent.definition), ("server", intent.server)):
            if content is not None:
                capture[name], piece = self._chooser.whole(content)
                if piece is not None and capture[name] not in self._seen:
                    kept.append(piece)
                self._seen.add(capture[name])
        if intent.annotations is not None:
            capture["annotations"] = self._chooser.value(intent.annotations)
        if intent.request_id is not None:
            capture["request_id"] = self._chooser.value(intent.request_id)

    def _capture(self, args: str, result: str) -> JsonObject:
        layer, name = self._plan.adapter
        return {
            "layer": layer, "args_fidelity": args, "result_fidelity": result, "adapter": name,
            "tool_definition": "absent", "writer": self._plan.writer,
        }  # fmt: skip

    def _joined(self) -> tuple[str, RunSink]:
        """Return the run and where it is kept; opens and joins what is not yet."""
        with self._mutex:
            if self._sink is None:
                self._open()
            assert self._sink is not None
            if self._run is None:
                self._run = self._join(self._sink)
                self._seen = set()
            return self._run, self._sink

    def _open(self) -> None:
        now = self._clock().mono_ns
        if self._why and now - self._tried_ns < _TRY_AGAIN_NS:
            raise StoreError("", self._why)
        self._tried_ns = now
        self._sink = self._open_sink()
        close_abandoned(self._sink, "recorder", self._closer)

    def _join(self, sink: RunSink) -> str:
        now = self._clock()
        new_run = self._ids.run_id(now.wall_us // 1000)
        run = sink.join(self._key, new_run, self._me)
        capture: JsonObject = dict(zip(("layer", "adapter"), self._plan.adapter, strict=True))
        if self._plan.folder is not None:
            capture["cwd"] = self._chooser.word(self._plan.folder)
        opening: JsonObject = {
            "agent": self._agent,
            "capture": capture,
            "run_by": self._plan.run_by,
            "started_at": utc_of(now.wall_us),
        }
        if self._plan.name is not None:
            opening["name"] = self._chooser.word(self._plan.name)
        salt = os.urandom(32)
        with suppress(RunStateError):  # another one opened it; were it closed, the first call shows
            sink.append(run, "open", lambda head: open_entry(head, opening, salt))
        self._say_missed(sink, run)
        return run

    def _rejoin(self, run: str) -> None:
        with self._mutex:
            if self._run == run:
                self._run = None

    def _leave(self, sink: RunSink, run: str, answer: Answer | None, closed_by: str) -> None:
        left = sink.leave(run, self._me)
        for writer in left:
            if not lives(writer):
                left = sink.leave(run, writer)
        if not any(map(lives, left)):
            close_run(sink, run, closed_by, self._closer, answer)

    def _inline_bytes(self) -> int:
        return self._joined()[1].inline_bytes

    def _run_key(self) -> bytes:
        run, sink = self._joined()
        return sink.run_key(run)

    def _failed(self, error: StoreError, calls: int = 1) -> None:
        """Let go of what failed, and count what was not recorded."""
        with self._mutex:
            if not self._missed:
                self._missed_since = utc_of(self._clock().wall_us)
            self._missed += calls
            self._why = self._why or str(error)
            sink, self._sink, self._run = self._sink, None, None
        if sink is not None:
            with suppress(StoreError):  # it failed already, and that is what is reported
                sink.close()
        if self._plan.denies:
            raise RecordingError(f"not recorded: {error}") from None

    def _unspelt(self, error: CanonicalError) -> None:
        """Note that a call could not be spelt: that must be no way to call unrecorded."""
        self.gap(f"cannot be recorded: {error}", 1)
        if self._plan.denies:
            raise RecordingError(f"not recorded: {error}") from None

    def _say_missed(self, sink: RunSink, run: str) -> None:
        """Write down what was missed, now that it can be."""
        if self._why:
            until = utc_of(self._clock().wall_us)
            reason = f"not recorded: {self._why}"
            gap: JsonObject = {"reason": reason, "count": self._missed}
            gap |= {"since": self._missed_since, "until": until}
            salt = os.urandom(32)
            sink.append(run, "gap", lambda head: gap_entry(head, gap, salt))
            self._missed, self._why = 0, ""


def _agent_of(agent: Agent, chooser: Chooser) -> JsonObject:
    said: JsonObject = {
        name: chooser.word(value)
        for name, value in zip(agent._fields, agent, strict=True)
        if type(value) is str
    }
    if agent.labels:
        said["labels"] = {chooser.word(name): chooser.word(value) for name, value in agent.labels}
    return said
