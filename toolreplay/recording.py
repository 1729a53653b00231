"""Where capture and a store are joined: what the commands and the decorator both begin with."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress

from toolreplay.capture.clock import now
from toolreplay.capture.observed import Adapter
from toolreplay.capture.processes import parent_process, uid_of
from toolreplay.capture.recorder import Plan, Recorder
from toolreplay.errors import StoreError, ToolReplayError
from toolreplay.evidence.redaction.redactor import Redactor
from toolreplay.records.call import JsonObject
from toolreplay.stores.sqlite.opening import create_store, new_origin, open_store
from toolreplay.stores.sqlite.publishing import SigningKey
from toolreplay.stores.sqlite.store import SqliteStore

__all__ = ["KeySource", "recorder_into", "run_key_of", "sink_into", "sink_signed_by", "writer_of"]

KeySource = Callable[[], SigningKey | None]
"""Loads what signs heads, or nothing; called in a thread of its own, so that nobody waits for it."""


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


def sink_into(
    path: str, *, key: KeySource | None = None, durable_intents: bool = False
) -> SqliteStore:
    """Open a store to record into; make it, unsigned, where it is not there. Raises StoreError."""
    if not os.path.lexists(path):
        _make(path)
    store = open_store(path, None, durable_intents=durable_intents)
    if key is not None:
        threading.Thread(target=_sign, args=(store, key), daemon=True).start()
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
        store.publish_error = error  # entries are kept all the same; whoever asks is told


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
