"""The second pass over a session: the calls of one thread, read again where the first found them."""

from collections.abc import Iterator

from toolreplay.importers.claude_code.files import SessionFile
from toolreplay.importers.claude_code.pairing import Call, Result
from toolreplay.importers.claude_code.threads import Thread
from toolreplay.records.call import WITHOUT_RESULT, CallMeta, Json, JsonObject, Place, ToolCall
from toolreplay.records.canonical import text_of_parsed

__all__ = ["calls_of"]


def calls_of(thread: Thread, file: SessionFile) -> Iterator[ToolCall]:
    """Yield the calls of a thread in the order of their blocks in the file."""
    place: Place | None = None
    record: JsonObject = {}
    for index, call in enumerate(thread.calls):
        if call.place is not place:
            # Calls of one line stand together: the line is parsed once for all of them.
            place, record = call.place, file.record(call.place)
        yield _tool_call(index, call, record, file)


def _tool_call(index: int, call: Call, record: JsonObject, file: SessionFile) -> ToolCall:
    block = file.call(call.place, record, call.block)
    message = record.get("message")
    model = _text(message.get("model")) if type(message) is dict else None
    meta = CallMeta(
        call_id=call.call_id,
        at=_text(record.get("timestamp")),
        model=model if model != "<synthetic>" else None,
        notes=call.notes,
    )
    if call.result is None:
        outcome, response = "missing", {"outcome": "missing"}
    else:
        outcome = call.result.outcome
        response, meta = _answer(call.result, meta, file)
    args = _args_of(block)
    return ToolCall(index, block["name"], args, response, call.place, outcome, None, meta)


def _answer(result: Result, meta: CallMeta, file: SessionFile) -> tuple[JsonObject, CallMeta]:
    """Return the response and what else the host wrote about it."""
    if result.span is not None:
        block, ended_at, richer = file.value(result.place, *result.span), result.time, None
    else:
        record = file.record(result.place)
        block = file.block(result.place, record, result.block)
        ended_at, richer = _text(record.get("timestamp")), record.get("toolUseResult")
    meta = meta._replace(ended_at=ended_at, result_place=result.place, richer_result=richer)
    if result.outcome in WITHOUT_RESULT:
        return {"outcome": result.outcome}, meta
    content = block["content"] if "content" in block else block.get("output")
    return {"content": content, "is_error": block.get("is_error") is True}, meta


def _args_of(block: JsonObject) -> JsonObject:
    """Return the input; one that is no object as `{"_raw": TEXT}`."""
    value: Json = block.get("input", "")
    if type(value) is dict:
        return value
    return {"_raw": value if type(value) is str else text_of_parsed(value)}


def _text(value: Json) -> str | None:
    return value if type(value) is str and value else None
