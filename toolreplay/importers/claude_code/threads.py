"""Whose line is it: the runs of a file, one for each agent of each session.

* A line belongs to its `sessionId`; a line without one goes on with the session before it.
* `agentId` names the agent, else on a side chain `attributionAgent`. Without both, a line is the
  main agent's, or, with `isSidechain` true, that of a nameless sub-agent: older releases wrote
  sub-agents into the session itself, each a chain of `parentUuid` with a beginning of its own.
"""

from typing import TYPE_CHECKING

from toolreplay.records.call import Json, JsonObject

if TYPE_CHECKING:
    from toolreplay.importers.claude_code.pairing import Call

__all__ = ["Session", "Thread", "Threads"]

_NAMELESS = "sidechain"


class Session:
    """A session and the agents that acted in it, by name (None: the main agent)."""

    __slots__ = ("chains", "last_chain", "name", "threads")

    def __init__(self, name: str) -> None:
        self.name = name
        self.threads: dict[str | None, Thread] = {}
        self.chains = 0
        self.last_chain: Thread | None = None


class Thread:
    """What one agent did in one session: a run in the making.

    `scope` is where the ids of its calls are looked for: its own, but for nameless sub-agents,
    which share one because nothing but the chain says which of them a result is for.
    """

    __slots__ = ("agent", "calls", "holds", "models", "scope", "session", "versions")

    def __init__(self, session: Session, agent: str | None, scope: object | None = None) -> None:
        self.session = session
        self.agent = agent
        self.scope = scope or self
        self.calls: list[Call] = []
        self.models: set[str] = set()
        self.versions: set[str] = set()
        self.holds = False

    @property
    def name(self) -> str:
        """The name of the run; it begins with `.agent-` where the session has no id."""
        return self.session.name + (f".agent-{self.agent}" if self.agent is not None else "")

    def note(self, record: JsonObject) -> None:
        """Take what a line of the conversation says about model and version."""
        self.holds = True
        version = _text(record.get("version"))
        message = record.get("message")
        model = _text(message.get("model")) if type(message) is dict else None
        # Two are enough to know that there is not one. The host's own messages bear `<synthetic>`.
        if version and len(self.versions) < 2:
            self.versions.add(version)
        if model and model != "<synthetic>" and len(self.models) < 2:
            self.models.add(model)


class Threads:
    """All threads of a file, in order of first appearance."""

    def __init__(self) -> None:
        self._session = Session("")
        self._sessions: dict[str, Session] = {}
        self._chains: dict[str, Thread] = {}
        self._all: list[Thread] = []

    def follow(self, record: JsonObject) -> None:
        """Go over to the session a line names; lines before the first name belong to it too."""
        name = _text(record.get("sessionId"))
        if name is None or name == self._session.name:
            return
        session = self._sessions.get(name)
        if session is None:
            session = Session(name) if self._sessions else self._session
            session.name = name
            self._sessions[name] = session
        self._session = session

    def of(self, record: JsonObject) -> Thread:
        """Return the thread of a line whose session has been followed."""
        session, aside = self._session, record.get("isSidechain") is True
        agent = _text(record.get("agentId"))
        if agent is None and aside:
            agent = _text(record.get("attributionAgent"))
            if agent is None:
                return self._nameless(session, record)
        thread = session.threads.get(agent)
        return thread or self._new(session, agent, None)

    def runs(self) -> list[Thread]:
        """Return the threads that hold a line of the conversation; at least one."""
        held = [thread for thread in self._all if thread.holds]
        return held or [Thread(self._session, None)]

    def _nameless(self, session: Session, record: JsonObject) -> Thread:
        parent = _text(record.get("parentUuid")) or _text(record.get("logicalParentUuid"))
        thread = self._chains.get(parent) if parent else None
        if thread is None and parent:
            thread = session.last_chain
        if thread is None or thread.session is not session:
            session.chains += 1
            number = f".{session.chains}" if session.chains > 1 else ""
            thread = self._new(session, _NAMELESS + number, (session, _NAMELESS))
        uuid = _text(record.get("uuid"))
        if uuid:
            self._chains[uuid] = thread
        session.last_chain = thread
        return thread

    def _new(self, session: Session, agent: str | None, scope: object | None) -> Thread:
        thread = Thread(session, agent, scope)
        session.threads[agent] = thread
        self._all.append(thread)
        return thread


def _text(value: Json) -> str | None:
    return value if type(value) is str and value else None
