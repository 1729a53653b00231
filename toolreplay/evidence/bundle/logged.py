"""Make a bundle of a run that was logged by its agent: a transcript, or an imported session.

Nobody but the agent's own program saw these calls, and the receipts say so: LOGGED BY AGENT, with
what was parsed and not the bytes that were sent. From here on nothing can be changed unseen; what
was wrong before stays wrong.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from toolreplay.evidence.aer1.times import Moment, moment_of, utc_text
from toolreplay.evidence.bundle.writing import BundleWriter
from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.making import (
    NOT_RECORDED,
    ObservedCall,
    RunHead,
    call_entry,
    close_entry,
    gap_entry,
    open_entry,
    tool_of,
)
from toolreplay.evidence.profile.members import spelt
from toolreplay.evidence.profile.piece import INLINE_BYTES, Piece, piece_of
from toolreplay.records.call import CallMeta, JsonObject, ToolCall
from toolreplay.records.canonical import toolreplay_1
from toolreplay.records.run import RunInfo

__all__ = ["Ended", "Making", "in_order_of_ends", "write_logged_run"]

_UNIX_SECONDS = 62_135_596_800
"""From the first day of the year 1 to that of 1970."""

_JSON = "application/json"
_LOST = "units of the session were lost when it was imported"


class Making(NamedTuple):
    """How a bundle is made: `now` is the moment of making (RFC 3339, UTC, milliseconds).

    `answer` are the exact bytes of the agent's final answer, None where nobody kept it.
    """

    now: str
    ids: Ids
    goal: str = NOT_RECORDED
    answer: bytes | None = None
    inline_bytes: int = INLINE_BYTES


def write_logged_run(
    info: RunInfo, calls: Iterable[ToolCall], write: Callable[[bytes], object], how: Making
) -> RunHead:
    """Write the bundle of a run and return the head behind its close receipt.

    Raises CanonicalError for what cannot be committed to.
    """
    ordered = in_order_of_ends(calls)
    first = next(ordered, None)
    started_at = how.now if first is None else _times_of(first.call)[0] or how.now
    moment = moment_of(started_at)
    assert moment is not None
    milliseconds = (moment.seconds - _UNIX_SECONDS) * 1000 + int(moment.fraction.ljust(3, "0"))
    head = RunHead.of_new_run(how.ids.run_id(milliseconds))
    writer = BundleWriter(write, head.run)
    adapter = info.importer or "transcript"
    capture: JsonObject = {"layer": "import", "adapter": adapter}
    opening: JsonObject = {
        "agent": _agent_of(info, info.model),
        "capture": capture,
        "run_by": "import",
        "started_at": started_at,
        "name": spelt(info.name),
    }
    head = _add(writer, *open_entry(head, opening, how.ids.salt()))
    if info.lost:
        gap: JsonObject = {"reason": _LOST, "count": info.lost, "since": None, "until": None}
        head = _add(writer, *gap_entry(head, gap, how.ids.salt()))
    last = started_at
    for ended in [] if first is None else _from(first, ordered):
        observed = _observed(info, adapter, ended, how)
        last = observed.created_at
        head = _add(writer, *call_entry(head, observed, how.ids.receipt_id(), how.ids.salt()))
    answer = None
    if how.answer is not None:
        answer = piece_of(how.answer, "text/plain; charset=utf-8", how.inline_bytes)
    closing = ObservedCall({}, {}, {}, {}, _capture(adapter), opening["agent"], 0, last)
    entry, head = close_entry(
        head, closing, how.ids.receipt_id(), how.ids.salt(),
        status="closed", closed_by="import", goal=how.goal, answer=answer,
    )  # fmt: skip
    writer.add(entry)
    writer.finish(head, how.now)
    return head


class Ended(NamedTuple):
    """A call in the order of its end. `key` orders calls: when it ended, then where it stood."""

    key: tuple[Moment, int]
    call: ToolCall


def in_order_of_ends(calls: Iterable[ToolCall]) -> Iterator[Ended]:
    """Yield calls, which come as they began, in the order they ended.

    A call without an end ended when it began, and one without times with the call before it. Only
    calls that were under way together are held.
    """
    waiting: list[tuple[tuple[Moment, int], ToolCall]] = []
    latest = Moment(0, "", has_real_offset=True)
    for call in calls:
        began, ended = (moment_of(text) for text in _times_of(call))
        if began is not None:
            while waiting and waiting[0][0][0] <= began:
                yield Ended(*heapq.heappop(waiting))
            latest = max(latest, began)
        heapq.heappush(waiting, ((ended or began or latest, call.index), call))
        if began is None and ended is None:
            while waiting:
                yield Ended(*heapq.heappop(waiting))
    while waiting:
        yield Ended(*heapq.heappop(waiting))


def _from(first: Ended, rest: Iterator[Ended]) -> Iterator[Ended]:
    yield first
    yield from rest


def _add(writer: BundleWriter, entry: Entry, head: RunHead) -> RunHead:
    writer.add(entry)
    return head


def _observed(info: RunInfo, adapter: str, ended: Ended, how: Making) -> ObservedCall:
    call, meta = ended.call, ended.call.meta or CallMeta()
    tool = tool_of(call.tool)
    args = piece_of(toolreplay_1(call.args), _JSON, how.inline_bytes)
    result: Piece | None = None
    if call.has_result:
        result = piece_of(toolreplay_1(call.response), _JSON, how.inline_bytes)
    flags = set()
    if call.outcome is None:
        flags.add("outcome_unknown")
    if tool["name"] != call.tool:
        flags.add("name_escaped")
    if "truncated" in meta.notes:
        flags.add("truncated")
    started_at, ended_at = _times_of(call)
    timing = {"started_at": started_at, "ended_at": ended_at}
    kept = tuple(piece for piece in (args, result) if piece is not None and piece.content)
    return ObservedCall(
        tool=tool,
        inputs={"args": args.described},
        outputs={
            "result": None if result is None else result.described,
            "status": call.outcome or "ok",
            "flags": sorted(flags),
        },
        timing={name: time for name, time in timing.items() if time is not None},
        capture=_capture(adapter),
        agent=_agent_of(info, meta.model or info.model),
        position=call.index + 1,
        created_at=ended_at or started_at or how.now,
        kept=kept,
    )


def _capture(adapter: str) -> JsonObject:
    nobody = dict.fromkeys(("uid", "pid", "same_uid_as_agent", "same_process"))
    return {
        "layer": "import", "args_fidelity": "parsed", "result_fidelity": "parsed",
        "adapter": adapter, "tool_definition": "absent", "writer": nobody,
    }  # fmt: skip


def _agent_of(info: RunInfo, model: str | None) -> JsonObject:
    members = {"name": info.agent, "model": model, "harness": info.host_version}
    return {name: spelt(text) for name, text in members.items() if text is not None}


def _times_of(call: ToolCall) -> tuple[str | None, str | None]:
    """Return when a call began and ended in our spelling, None where its source does not say."""
    meta = call.meta or CallMeta()
    return utc_text(meta.at), utc_text(meta.ended_at)
