"""The first pass over a session: every unit into the account, every block to its call.

What stays in memory of a block is its place, its ids and its outcome, never its content.
"""

from toolreplay.importers.claude_code.blocks import (
    BESIDE,
    CALL,
    HOLDERS,
    PLAIN_BLOCKS,
    RESULT,
    content_of,
    kind_of,
    misplaced_blocks,
    repeated_blocks,
    text_of,
)
from toolreplay.importers.claude_code.copies import COPY, OTHER, Copies
from toolreplay.importers.claude_code.files import SessionFile
from toolreplay.importers.claude_code.outcome import outcome_of
from toolreplay.importers.claude_code.pairing import Call, Result, pair
from toolreplay.importers.claude_code.spans import item_spans
from toolreplay.importers.claude_code.threads import Thread, Threads
from toolreplay.importers.claude_code.tools import MUTATORS, READERS
from toolreplay.records.account import Account
from toolreplay.records.call import Json, JsonObject, Place
from toolreplay.records.jsonl import JSON_BLANKS, LineError

__all__ = ["Survey"]

_LONGEST_TIME = 64
"""Characters; what is longer is no time, and would be content kept in memory."""


class Survey:
    """What one reading of a file finds: its threads with their calls, each with its result."""

    def __init__(self, file: SessionFile, account: Account) -> None:
        self._file = file
        self._account = account
        self._threads = Threads()
        self._lines = Copies(lambda place, _: content_of(file.record(place)))
        self._calls = Copies()
        self._blocks: list[Call | Result] = []

    def threads(self) -> list[Thread]:
        """Read the file once; the account is complete when this returns."""
        for place, raw in self._file.units():
            self._unit(place, raw)
        account = self._account
        for orphan in pair(self._blocks):
            account.orphaned += 1
            self._lose(orphan.place, f"orphaned result {orphan.call_id or 'without an id'}")
        for block in self._blocks:
            if isinstance(block, Call):
                account.calls += 1
                for note in block.notes:
                    account.note(note)
            elif block.paired:
                account.results += 1
        return self._threads.runs()

    def _unit(self, place: Place, raw: bytes) -> None:
        account = self._account
        try:
            record = self._file.parse(raw)
        except LineError as error:
            if raw.endswith(b"\n") or raw.rstrip(JSON_BLANKS).endswith(b"}"):
                account.unreadable += 1
                self._lose(place, f"unreadable: {error}")
            else:
                account.truncated += 1
                self._lose(place, f"cut off: {error}")
            return
        if type(record) is not dict:
            self._skip_unknown(place, "not an object")
            return
        self._threads.follow(record)
        kind = kind_of(record)
        if kind in HOLDERS:
            self._holder(place, raw, record)
        elif kind is not None and kind in BESIDE:
            self._beside(place, kind, record)
        else:
            self._skip_unknown(place, kind or "no type")

    def _beside(self, place: Place, kind: str, record: JsonObject) -> None:
        """Count a line of the host by its type, or by the blocks that it shows."""
        repeated, misplaced = repeated_blocks(record), misplaced_blocks(record)
        for _ in range(repeated):
            self._account.skip("repeated context")
        for _ in range(misplaced):
            self._skip_unknown(place, "misplaced block")
        if not repeated and not misplaced:
            self._account.skip(kind)

    def _holder(self, place: Place, raw: bytes, record: JsonObject) -> None:
        """Take a line of the conversation: its blocks, or itself where it holds none."""
        content = content_of(record)
        blocks = content if type(content) is list else []
        uuid = record.get("uuid")
        if type(uuid) is str:
            judged = self._lines.judge(uuid, place, 0, content)
            if judged == COPY:
                units = sum(kind_of(block) not in PLAIN_BLOCKS for block in blocks)
                self._account.duplicate += units or 1
                return
            if judged == OTHER:
                self._account.note("id reused")
        thread = self._threads.of(record)
        thread.note(record)
        if type(content) is str:
            self._account.skip("text")
        elif type(content) is not list:
            self._skip_unknown(place, "no message content")
        elif not self._take_blocks(place, raw, record, thread, blocks):
            self._account.skip(text_of(blocks))

    def _take_blocks(
        self, place: Place, raw: bytes, record: JsonObject, thread: Thread, blocks: list[Json]
    ) -> int:
        """Take each block that is a unit; return how many there were."""
        units = 0
        results: list[tuple[int, JsonObject]] = []
        for at, block in enumerate(blocks):
            kind = kind_of(block)
            if kind in PLAIN_BLOCKS:
                continue
            units += 1
            if kind == CALL:
                self._call(place, record, thread, at, block)
            elif kind == RESULT:
                results.append((at, block))
            else:
                self._skip_unknown(place, kind or "not a block")
        if results:
            self._results(place, raw, record, thread, results)
        return units

    def _call(
        self, place: Place, record: JsonObject, thread: Thread, at: int, block: JsonObject
    ) -> None:
        name, call_id = block.get("name"), _text(block.get("id"))
        if type(name) is not str or not name:
            self._skip_unknown(place, "call without a tool name")
            return
        message = record.get("message")
        message_id = _text(message.get("id")) if type(message) is dict else None
        if message_id and call_id:
            key = (message_id, call_id)
            if self._calls.judge(key, place, at, [name, block.get("input")]) == COPY:
                self._account.duplicate += 1
                return
        if name not in MUTATORS and name not in READERS:
            self._account.unknown_tool(name)
        call = Call(thread.scope, place, at)
        call.call_id = call_id
        call.line_uuid = _text(record.get("uuid"))
        thread.calls.append(call)
        self._blocks.append(call)

    def _results(
        self,
        place: Place,
        raw: bytes,
        record: JsonObject,
        thread: Thread,
        blocks: list[tuple[int, JsonObject]],
    ) -> None:
        alone = len(blocks) == 1
        spans = [] if alone else list(item_spans(raw.decode("latin-1"), ("message", "content")))
        time = record.get("timestamp")
        for at, block in blocks:
            result = Result(thread.scope, place, at, outcome_of(block, record if alone else {}))
            result.call_id = _text(block.get("tool_use_id"))
            if alone:
                result.source_id = _text(record.get("sourceToolUseID"))
            else:
                start, end = spans[at]
                result.span = (place.start + start, place.start + end)
                if type(time) is str and len(time) <= _LONGEST_TIME:
                    result.time = time
            result.line_uuid = _text(record.get("sourceToolAssistantUUID"))
            self._blocks.append(result)

    def _skip_unknown(self, place: Place, reason: str) -> None:
        self._account.skip(reason, known=False)
        self._lose(place, f"unknown: {reason}")

    def _lose(self, place: Place, what: str) -> None:
        self._account.lose(self._file.where(place), what)


def _text(value: Json) -> str | None:
    return value if type(value) is str and value else None
