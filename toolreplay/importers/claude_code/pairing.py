"""Which result belongs to which call; never by standing next to it.

A result belongs to the call its `tool_use_id` names, else to the one `sourceToolUseID` names,
else to the only call of the line `sourceToolAssistantUUID` names, unless both bear ids and these
differ. Where calls share an id, a result belongs to the nearest earlier call of that id without
an answer, else to the nearest later one. Results may stand before their calls.
"""

from collections import deque
from collections.abc import Callable, Iterable

from toolreplay.records.call import Place

__all__ = ["Call", "Result", "pair"]


class Call:
    """A call block: where it stands, and what is needed to find its result.

    `scope` is where ids are looked for: the agent, since two agents may number their calls alike.
    """

    __slots__ = ("block", "call_id", "line_uuid", "notes", "place", "result", "scope")

    def __init__(self, scope: object, place: Place, block: int) -> None:
        self.scope = scope
        self.place = place
        self.block = block
        self.call_id: str | None = None
        self.line_uuid: str | None = None
        self.result: Result | None = None
        self.notes: tuple[str, ...] = ()


class Result:
    """A result block: where it stands, whom it answers, and what became of the call.

    `span` holds the block's own bytes where several results share a line: a line is not parsed
    again for each of them.
    """

    __slots__ = (
        "block", "call_id", "line_uuid", "outcome", "paired", "place", "scope", "source_id", "span",
        "time",
    )  # fmt: skip

    def __init__(self, scope: object, place: Place, block: int, outcome: str) -> None:
        self.scope = scope
        self.place = place
        self.block = block
        self.outcome = outcome
        self.call_id: str | None = None
        self.source_id: str | None = None
        self.line_uuid: str | None = None
        self.span: tuple[int, int] | None = None
        self.time: str | None = None
        self.paired = False


def pair(blocks: list[Call | Result]) -> list[Result]:
    """Give each call of the blocks, which stand in file order, its result; return the orphans."""
    _note_reused_ids(blocks)
    _by_id(blocks, lambda result: result.call_id)
    left = _unpaired(blocks)
    if any(result.source_id for result in left):
        _by_id(blocks, lambda result: result.source_id, "paired by source id")
        left = _unpaired(left)
    if any(result.line_uuid for result in left):
        _by_line(blocks, left)
        left = _unpaired(left)
    return left


def _unpaired(blocks: Iterable[Call | Result]) -> list[Result]:
    return [block for block in blocks if isinstance(block, Result) and not block.paired]


def _join(call: Call, result: Result, *notes: str) -> None:
    call.result = result
    call.notes += notes
    result.paired = True


def _note_reused_ids(blocks: list[Call | Result]) -> None:
    known: dict[object, set[str]] = {}
    for block in blocks:
        if isinstance(block, Call) and block.call_id is not None:
            ids = known.setdefault(block.scope, set())
            if block.call_id in ids:
                block.notes += ("id reused",)
            ids.add(block.call_id)


def _by_id(blocks: list[Call | Result], id_of: Callable[[Result], str | None], *notes: str) -> None:
    """Pair by one id, in one pass: each call waits for its result or finds it waiting."""
    unanswered: dict[tuple[object, str], list[Call]] = {}
    waiting: dict[tuple[object, str], deque[Result]] = {}
    for block in blocks:
        if isinstance(block, Call):
            if block.result is not None or block.call_id is None:
                continue
            key = (block.scope, block.call_id)
            early = waiting.get(key)
            if early:
                _join(block, early.popleft(), *notes)
            else:
                unanswered.setdefault(key, []).append(block)
        elif not block.paired:
            name = id_of(block)
            if name is None:
                continue
            key = (block.scope, name)
            calls = unanswered.get(key)
            if calls is None:
                waiting.setdefault(key, deque()).append(block)
                continue
            _join(calls.pop(), block, *notes)
            if not calls:
                del unanswered[key]  # most calls are answered at once: few wait at a time


def _by_line(blocks: list[Call | Result], left: list[Result]) -> None:
    """Pair what is left with the only call of the line that it names."""
    wanted = {result.line_uuid for result in left if result.line_uuid}
    calls: dict[str, list[Call]] = {}
    for block in blocks:
        if isinstance(block, Call) and block.line_uuid in wanted:
            assert block.line_uuid is not None
            calls.setdefault(block.line_uuid, []).append(block)
    for result in left:
        named = calls.get(result.line_uuid or "", ())
        if len(named) != 1 or named[0].result is not None:
            continue
        call = named[0]
        if call.call_id is None or result.call_id is None or call.call_id == result.call_id:
            _join(call, result, "paired by line")
