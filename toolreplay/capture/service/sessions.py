"""What the service does for whoever connected, by whichever way: one session, one recorder, one store.

A session tells of one adapter's calls in one run. Who tells is what the kernel knows, when it happened
is what the service's own clock says; what was seen is the word of who tells. A session that ends
leaves its run five seconds later, so that servers which are started one after the other feed one run.
"""

import os
import threading
from collections.abc import Callable
from typing import NamedTuple

from toolreplay.capture.clock import Clock
from toolreplay.capture.modes import MODES
from toolreplay.capture.observed import Adapter, Agent, Answer, Intent
from toolreplay.capture.recorder import Plan, Recorder
from toolreplay.capture.service.lingering import Lingering
from toolreplay.capture.service.peers import Peer
from toolreplay.capture.service.shared import SharedSink
from toolreplay.capture.service.wire import (
    PROTOCOL,
    Hello,
    WireError,
    call_of,
    finish_of,
    gap_of,
    hello_of,
    intent_of,
    outcome_of,
)
from toolreplay.errors import RecordingError
from toolreplay.evidence.profile.sink import RunSink
from toolreplay.evidence.redaction.redactor import Redactor
from toolreplay.records.call import JsonObject

__all__ = ["Service", "Session", "Settings"]

_MOST_OPEN_BYTES = 256 * 1024 * 1024
"""Bytes of arguments of the calls of one session that have not ended: they are kept in memory."""

_MOST_OPEN_CALLS = 65_536


class Settings(NamedTuple):
    """What a service is set up with: the least that is hidden, and how long a run waits for more."""

    store: str
    mode: str = "redacted"
    linger_seconds: float = 5.0


class Service:
    """Keeps what sessions tell in one store. `open_store` opens it, and again where it failed."""

    def __init__(
        self,
        open_store: Callable[[], RunSink],
        settings: Settings,
        redactor: Redactor,
        clock: Clock,
    ) -> None:
        self.settings = settings
        self._shared = SharedSink(open_store)
        self._redactor = redactor
        self._clock = clock
        self._lingering = Lingering(settings.linger_seconds)
        self._lock = threading.Lock()
        self._sessions: set[Session] = set()
        self._calls = 0

    def start(self) -> None:
        """Open the store, and close the runs whose last writers died. Raises StoreError."""
        own = Peer(os.getuid(), os.getpid(), None).writer() | {"same_uid_as_agent": None}
        plan = Plan(Adapter("callback", "service"), Agent(), None, "", own)  # it sees no calls
        Recorder(self._shared.open, plan, self._redactor, self._clock).close_abandoned()
        self._lingering.start()

    def session(self, message: JsonObject, peer: Peer) -> "Session":
        """Begin a session with its hello. Raises WireError."""
        hello = hello_of(message)
        key, run_by = _run_key(hello, peer)
        mode = max(hello.mode, self.settings.mode, key=MODES.index)
        plan = Plan(
            adapter=hello.adapter,
            agent=hello.agent,
            key=key,
            run_by=run_by,
            writer=peer.writer(),
            mode=mode,
            denies=True,
            name=hello.run,
            folder=hello.folder,
        )
        recorder = Recorder(self._shared.open, plan, self._redactor, self._clock)
        session = Session(recorder, mode, self._left)
        with self._lock:
            self._sessions.add(session)
        return session

    def _left(self, session: "Session", answer: Answer | None) -> None:
        with self._lock:
            self._sessions.discard(session)
            self._calls += session.calls
        self._lingering.add(session.recorder, answer)

    def status(self) -> JsonObject:
        """Return what the service does at the moment."""
        with self._lock:
            sessions = list(self._sessions)
            calls = self._calls
        return {
            "protocol": PROTOCOL,
            "pid": os.getpid(),
            "uid": os.getuid(),
            "store": self.settings.store,
            "mode": self.settings.mode,
            "sessions": len(sessions),
            "runs": len({each.recorder.run for each in sessions} - {None}),
            "calls": calls + sum(each.calls for each in sessions),
            "not_recording": self._shared.failure or None,
        }

    def stop(self) -> None:
        """End all sessions and runs, and close the store. Raises StoreError."""
        with self._lock:
            sessions = list(self._sessions)
        for session in sessions:
            session.leave(None)
        self._shared.try_again()
        self._lingering.stop()
        self._shared.close()


class Session:
    """What one connection tells. Operations come from several threads, but `finish` comes last."""

    def __init__(
        self,
        recorder: Recorder,
        mode: str,
        left: "Callable[[Session, Answer | None], None]",
    ) -> None:
        self.recorder = recorder
        self.mode = mode
        self.calls = 0
        self._left = left
        self._lock = threading.Lock()
        self._open: dict[int, int] = {}
        self._open_bytes = 0
        self._has_left = False

    def answer(self, message: JsonObject) -> JsonObject:
        """Do what a message says, and return the answer without its id. Raises WireError.

        An answer with `error` and `counted` is about what could not be recorded, which stands in
        the record as a gap, or will.
        """
        operation = message["op"]
        try:
            if operation == "begin":
                return self._begin(intent_of(message))
            if operation == "end":
                self._end(message)
            elif operation == "gap":
                gap = gap_of(message)
                self.recorder.gap(gap.reason, gap.calls, since_us=gap.since_us)
            elif operation == "finish":
                self.leave(finish_of(message))
            else:
                raise WireError("hello comes once, and first")
        except RecordingError as error:
            return {"error": str(error), "counted": True}
        return {"ok": True}

    def leave(self, answer: Answer | None) -> None:
        """Tell no more; what has not ended by now stays unfinished."""
        with self._lock:
            if self._has_left:
                return
            self._has_left = True
        self._left(self, answer)

    def _begin(self, intent: Intent) -> JsonObject:
        size = len(intent.args) + len(intent.definition or b"") + len(intent.server or b"")
        with self._lock:
            is_full = (
                self._open_bytes + size > _MOST_OPEN_BYTES or len(self._open) >= _MOST_OPEN_CALLS
            )
        if is_full:
            what = "too many calls are open at once"
            self.recorder.gap(what, 1)
            return {"error": f"not recorded: {what}", "counted": True}
        call = self.recorder.begin(intent)
        with self._lock:
            self.calls += 1
            self._open[call] = size
            self._open_bytes += size
        return {"call": call, "run": self.recorder.run}

    def _end(self, message: JsonObject) -> None:
        call, outcome = call_of(message), outcome_of(message)
        with self._lock:
            size = self._open.pop(call, None)
            if size is None:
                raise WireError(f"call {call} is not open here")
            self._open_bytes -= size
        self.recorder.end(call, outcome)


def _run_key(hello: Hello, peer: Peer) -> tuple[str | None, str]:
    """Return whose calls are one run: a name's, else those of the process that started the peer."""
    if hello.run is not None:
        return f"name:{hello.run}", "--run"
    if peer.parent is None:
        return None, hello.adapter.name
    return f"parent:{peer.parent.key()}", "parent process (inferred)"
