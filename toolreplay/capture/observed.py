"""What a layer saw of a call, and whom it tells.

An adapter sees calls begin and end; it neither makes receipts nor knows where they are kept. It
tells a Recording, which may be a recorder in this process or one behind a socket.
"""

from typing import NamedTuple, Protocol

from toolreplay.records.call import Json, JsonObject

__all__ = [
    "NOT_RECORDED",
    "Adapter",
    "Agent",
    "Answer",
    "Intent",
    "Moment",
    "Outcome",
    "Recording",
]

NOT_RECORDED = 0
"""The number of a call that could not be recorded and may go on all the same."""


class Moment(NamedTuple):
    """When: microseconds since 1970 by the wall clock, nanoseconds by one that only goes forward."""

    wall_us: int
    mono_ns: int


class Adapter(NamedTuple):
    """Who saw the calls: the layer (members.py has the list), and the adapter's folder."""

    layer: str
    name: str


class Agent(NamedTuple):
    """What was said of the agent beforehand; the wire does not carry it."""

    name: str | None = None
    model: str | None = None
    model_version: str | None = None
    harness: str | None = None
    workflow: str | None = None
    labels: tuple[tuple[str, str], ...] = ()


class Intent(NamedTuple):
    """A call that is about to leave. `at` None means now.

    `args` are the exact bytes (`null` where there are none). `definition` is the tool's definition
    in form toolreplay-1 and `server` the exact result by which the server introduced itself, each
    None where it was not seen.
    """

    tool: str
    args: bytes
    version: str = "unknown"
    scope: str = "unknown"
    media_type: str = "application/json"
    fidelity: str = "wire-bytes"
    definition: bytes | None = None
    server: bytes | None = None
    annotations: JsonObject | None = None
    request_id: Json = None
    parent: str | None = None
    at: Moment | None = None


class Outcome(NamedTuple):
    """How a call ended. `result` are the exact bytes, None where nothing came back.

    `status` is one of OUTCOMES, `flags` of FLAGS. `rounds` are the bytes of each further message by
    which the caller answered what the tool asked before it ended.
    """

    status: str
    result: bytes | None
    media_type: str = "application/json"
    fidelity: str = "wire-bytes"
    flags: tuple[str, ...] = ()
    rounds: tuple[bytes, ...] = ()
    at: Moment | None = None


class Answer(NamedTuple):
    """What a run was for and came to, where whoever ran it says so."""

    goal: str | None = None
    content: bytes | None = None
    media_type: str = "text/plain"


class Recording(Protocol):
    """Takes what is seen of one run's calls; safe to be called by several threads.

    Where nothing can be recorded, calls go on and are counted, or with `deny` RecordingError is
    raised: then they must not.
    """

    @property
    def run(self) -> str | None:
        """The run that is recorded, None before that is known."""

    @property
    def failure(self) -> str:
        """Why nothing is recorded at the moment; nothing where it is."""

    def begin(self, intent: Intent) -> int:
        """Record that a call leaves; returns a number for `end`, or NOT_RECORDED.

        When it returns, the intent survives the death of every process.
        """

    def end(self, call: int, outcome: Outcome) -> None:
        """Record how a call ended that `begin` numbered; when it returns, that survives a power cut.

        Of a call that was not recorded (NOT_RECORDED) nothing is done. A call that never ends stays
        unfinished, which the record says.
        """

    def gap(self, reason: str, count: int | None = None) -> None:
        """Record that something was not recorded: why, and how many calls, where that is known."""

    def finish(self, answer: Answer | None = None) -> None:
        """No more calls come from here; whoever is the last to say so closes the run."""
