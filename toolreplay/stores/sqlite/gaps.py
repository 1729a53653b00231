"""Write down that something was not recorded: as a gap of the runs it hit.

Where it hit none, it is a run of its own named `recorder`, without calls.
"""

from typing import Protocol

from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.making import (
    ObservedCall,
    RunHead,
    close_entry,
    gap_entry,
    open_entry,
)
from toolreplay.evidence.profile.sink import Sink
from toolreplay.records.call import JsonObject
from toolreplay.records.times import utc_of
from toolreplay.stores.sqlite.reading import LogTables

__all__ = ["RECORDER", "note_gap"]

RECORDER = "recorder"
"""The name of a run that holds what belongs to no run."""

_ADAPTER = "recorder"
_MOST_RUNS = 1000
_NOBODY: JsonObject = dict.fromkeys(("uid", "pid", "same_uid_as_agent", "same_process"))


class _Store(Sink, Protocol):
    tables: LogTables


def note_gap(store: _Store, reason: str, ids: Ids, at: int, since: str | None = None) -> None:
    """Add a gap to every open run, or to a run of its own. `at` is in microseconds since 1970."""
    now = utc_of(at)
    gap: JsonObject = {"reason": reason, "count": None, "since": since, "until": now}
    hit = [found.run for found in store.tables.runs() if found.closed_at is None]
    for run in hit[:_MOST_RUNS]:
        store.append(run, "gap", lambda head: gap_entry(head, gap, ids.salt()))
    if not hit:
        _note_alone(store, gap, ids, at, now)


def _note_alone(store: _Store, gap: JsonObject, ids: Ids, at: int, now: str) -> None:
    run = ids.run_id(at // 1000)
    capture: JsonObject = {"layer": "exec", "adapter": _ADAPTER}
    opening: JsonObject = {
        "agent": {}, "capture": capture, "run_by": _ADAPTER, "started_at": now, "name": RECORDER,
    }  # fmt: skip
    whole: JsonObject = {
        **capture, "args_fidelity": "exact", "result_fidelity": "exact",
        "tool_definition": "absent", "writer": _NOBODY,
    }  # fmt: skip
    closing = ObservedCall({}, {}, {}, {}, whole, {}, 0, now)

    def close(head: RunHead) -> tuple[Entry, RunHead]:
        return close_entry(
            head, closing, ids.receipt_id(), ids.salt(), status="closed", closed_by=_ADAPTER
        )

    store.append(run, "open", lambda head: open_entry(head, opening, ids.salt()))
    store.append(run, "gap", lambda head: gap_entry(head, gap, ids.salt()))
    store.append(run, "close", close)
