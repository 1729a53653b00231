"""Where capture and a store are joined: what the commands and the decorator both begin with."""

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

from toolreplay.capture.clock import now
from toolreplay.capture.modes import MODES
from toolreplay.capture.observed import Adapter, Agent
from toolreplay.capture.processes import parent_process, uid_of
from toolreplay.capture.recorder import Plan, Recorder
from toolreplay.errors import StoreError, ToolReplayError, UsageError
from toolreplay.evidence.redaction.redactor import Redactor
from toolreplay.records.call import JsonObject
from toolreplay.stores.sqlite.opening import create_store, new_origin, open_store
from toolreplay.stores.sqlite.publishing import SigningKey
from toolreplay.stores.sqlite.store import SqliteStore
from toolreplay.stores.usual import usual_store

TYPE_CHECKING = False
if TYPE_CHECKING:  # commands that record have adapters of their own
    from toolreplay.capture.decorator import RecordedRun

__all__ = [
    "KeySource",
    "folder_of_process",
    "record",
    "recorder_into",
    "redactor_here",
    "run_key_of",
    "sink_into",
    "sink_signed_by",
    "writer_of",
]

KeySource = Callable[[], SigningKey | None]
"""Loads what signs heads, or nothing; called in a thread of its own, so that nobody waits for it."""


def record(
    store: str | os.PathLike[str] | None = None,
    *,
    run: str | None = None,
    agent: str | None = None,
    model: str | None = None,
    workflow: str | None = None,
    labels: Mapping[str, str] | None = None,
    redact: str = "redacted",
    strict: bool = False,
) -> "RecordedRun":
    """Begin a run of this program's own calls; see docs/sdk.md.

    `store` is a file, made where it is not there; without it that of the project file, else
    $XDG_DATA_HOME/toolreplay/store.db. `run` names the run: who names the same feeds it. `redact` is
    full, redacted or hash-only. With `strict` a call that cannot be recorded raises RecordingError
    before it is made; else calls go on and are counted. Nothing is opened before the first call.
    Raises UsageError for a mode that is none, and where no store is known.
    """
    from toolreplay.capture.decorator import ADAPTER, RecordedRun

    if redact not in MODES:
        raise UsageError(f"redact is one of {', '.join(MODES)}, not {redact!r}")
    path, redactor = os.path.abspath(_store_named(store)), redactor_here()
    said = Agent(name=agent, model=model, workflow=workflow, labels=tuple((labels or {}).items()))
    plan = Plan(
        adapter=ADAPTER,
        agent=said,
        # One key for all processes that come of this one by a fork: they feed one run.
        key=f"record:{os.urandom(16).hex()}" if run is None else f"name:{run}",
        run_by="toolreplay.record" if run is None else "run=",
        writer={},
        mode=redact,
        denies=strict,
        name=run,
        folder=folder_of_process(),
    )

    def make() -> Recorder:
        return recorder_into(path, plan._replace(writer=writer_of(same_process=True)), redactor)

    return RecordedRun(make, denies=strict)


def _store_named(store: str | os.PathLike[str] | None) -> str:
    if store is not None:
        return os.fspath(store).removeprefix("sqlite:")
    from toolreplay.sources.project import store_of_project

    found = store_of_project(None) or usual_store(os.environ)
    if found is None:
        raise UsageError("no store is known: record(store=…) names one")
    return found.removeprefix("sqlite:")


def folder_of_process() -> str | None:
    """Return the folder this was started in, None where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return None


def recorder_into(
    path: str,
    plan: Plan,
    redactor: Redactor,
    *,
    key: KeySource | None = None,
    durable_intents: bool = False,
) -> Recorder:
    """Return a recorder into a store, which is made where it is not there.

    Nothing is opened before the first call.
    """
    return Recorder(
        lambda: sink_into(path, key=key, durable_intents=durable_intents), plan, redactor, now
    )


def redactor_here() -> Redactor:
    """Return what hides secrets: the shipped rules, and those of the project file that stands here.

    Raises InputError for a project file that cannot be read.
    """
    from toolreplay.sources.project import redaction_of_project

    return Redactor(redaction_of_project(None))


def sink_into(
    path: str, *, key: KeySource | None = None, durable_intents: bool = False
) -> SqliteStore:
    """Open a store to record into; make it, unsigned, where it is not there. Raises StoreError."""
    if not os.path.lexists(path):
        _make(path)
    store = open_store(path, None, durable_intents=durable_intents)
    if key is not None:
        store.signing = threading.Thread(target=_sign, args=(store, key), daemon=True)
        store.signing.start()
    store.start_publishing()
    return store


def sink_signed_by(
    path: str, key: SigningKey | None, *, durable_intents: bool = False
) -> SqliteStore:
    """Open a store to record into, signed from the first moment; make it where it is not there.

    For whoever has the time to load the key first. Raises StoreError.
    """
    if not os.path.lexists(path):
        _make(path, key)
    store = open_store(path, key, durable_intents=durable_intents)
    store.start_publishing()
    return store


def _make(path: str, key: SigningKey | None = None) -> None:
    folder = os.path.dirname(path)
    try:
        if folder:
            os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        raise StoreError(path, error.strerror or str(error)) from None
    try:
        if key is None:
            create_store(path, new_origin(), None)
        else:
            create_store(path, key.signer.name, key.signer.key)
    except StoreError:
        if not os.path.lexists(path):  # else another one was quicker
            raise


def _sign(store: SqliteStore, key: KeySource) -> None:
    try:
        found = key()
        if found is not None:
            store.sign_with(found)
    except ToolReplayError as error:
        store.unsigned = error  # entries are kept all the same; whoever closes it is told


def run_key_of(adapter: Adapter, name: str | None) -> tuple[str | None, str]:
    """Return whose calls are one run, and by what that was decided (docs/capture.md).

    A name that was given, else the process that started this one.
    """
    if name is not None:
        return f"name:{name}", "--run"
    parent = parent_process()
    if parent is None:
        return None, adapter.name
    return f"parent:{parent.key()}", "parent process (inferred)"


def writer_of(*, same_process: bool) -> JsonObject:
    """Return the member `writer` of this process, whose parent is the agent, or which is it."""
    uid: int | None = None
    with suppress(AttributeError):
        uid = os.getuid()
    agent = uid if same_process else uid_of(os.getppid())
    same = None if uid is None or agent is None else uid == agent
    return {
        "uid": uid, "pid": os.getpid(), "same_uid_as_agent": same, "same_process": same_process,
    }  # fmt: skip
