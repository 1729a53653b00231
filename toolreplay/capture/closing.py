"""Close runs: by whoever leaves last, by the next start where all writers died, or by hand."""

from typing import NamedTuple

from toolreplay.capture.choosing import Chooser
from toolreplay.capture.clock import Clock
from toolreplay.capture.observed import Answer
from toolreplay.capture.processes import Process, is_alive
from toolreplay.errors import RunStateError, StoreError
from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.making import NOT_RECORDED, ObservedCall, RunHead, close_entry
from toolreplay.evidence.profile.sink import RunSink, Sink
from toolreplay.records.call import JsonObject
from toolreplay.records.times import utc_of

__all__ = ["Closer", "close_abandoned", "close_run", "lives", "process_of"]

_TRIES = 20
"""Others may feed a run while it is closed; each of their entries costs one more try."""


class Closer(NamedTuple):
    """Who closes: what its receipts say of capture and agent, and how its words are chosen."""

    capture: JsonObject
    agent: JsonObject
    chooser: Chooser
    clock: Clock
    ids: Ids


class _LookedError(Exception):
    """Brings home where a run stands: nothing is appended."""

    def __init__(self, entries: int) -> None:
        super().__init__(entries)
        self.entries = entries


def close_run(
    sink: Sink, run: str, closed_by: str, closer: Closer, answer: Answer | None = None
) -> bool:
    """Close a run, and say which of its calls never ended; False where it is closed, or not open.

    Raises StoreError, also where the run grows faster than it can be closed.
    """
    said = answer or Answer()
    content = None
    if said.content is not None:
        content = closer.chooser.choose(said.content, said.media_type).piece
    goal = NOT_RECORDED if said.goal is None else closer.chooser.word(said.goal)
    receipt_id, salt = closer.ids.receipt_id(), closer.ids.salt()
    for _ in range(_TRIES):
        try:
            entries = _entries_of(sink, run)
            unfinished = sink.open_positions(run)
            now = utc_of(closer.clock().wall_us)
            closing = ObservedCall({}, {}, {}, {}, closer.capture, closer.agent, 0, now)

            def make(head: RunHead) -> tuple[Entry, RunHead]:
                if head.entries != entries:  # noqa: B023 - it is called before the next turn
                    raise _LookedError(head.entries)
                return close_entry(
                    head, closing, receipt_id, salt, status="closed", closed_by=closed_by,  # noqa: B023
                    goal=goal, answer=content, unfinished=unfinished,  # noqa: B023
                )  # fmt: skip

            sink.append(run, "close", make)
        except _LookedError:
            continue  # others still feed it: which calls have no end is asked again
        except RunStateError:
            return False
        return True
    raise StoreError("", f"run {run} grows faster than it can be closed")


def _entries_of(sink: Sink, run: str) -> int:
    """Return how many entries a run has: who makes one is told, and may make none."""

    def look(head: RunHead) -> tuple[Entry, RunHead]:
        raise _LookedError(head.entries)

    try:
        sink.append(run, "gap", look)
    except _LookedError as looked:
        return looked.entries
    raise AssertionError("a maker that raises makes no entry")


def close_abandoned(sink: RunSink, closed_by: str, closer: Closer) -> list[str]:
    """Close the runs whose last writers died without a word, and return them."""
    runs: dict[str, list[str]] = {}
    for run, writer in sink.writers():
        runs.setdefault(run, []).append(writer)
    closed = []
    for run, writers in runs.items():
        if any(map(lives, writers)):
            continue
        left = writers
        for writer in writers:
            left = sink.leave(run, writer)
        if not left and close_run(sink, run, closed_by, closer):
            closed.append(run)
    return closed


def process_of(writer: str) -> Process | None:
    """Return the process that a writer's word names, None where it names none."""
    try:
        boot, pid, started, _ = writer.split(":")
        return Process(int(pid), int(started), boot)
    except ValueError:
        return None


def lives(writer: str) -> bool:
    """Whether the process of a writer is there still."""
    process = process_of(writer)
    return process is not None and is_alive(process)
