"""From a receipt of ours to the call that audits judge."""

from collections.abc import Callable

from toolreplay.evidence.aer1.base64_text import Base64Error, bytes_of_base64
from toolreplay.evidence.profile.piece import DETACHED, SEALED_PIECE, kind_of_piece
from toolreplay.records.call import (
    DOES_NOT_HOLD,
    WITHOUT_RESULT,
    CallMeta,
    Json,
    JsonObject,
    Place,
    ReceiptFacts,
    Same,
    ToolCall,
)
from toolreplay.records.jsonl import LineError, line_parser
from toolreplay.records.limits import Limits

__all__ = ["CallReader", "doubted", "unreadable_call"]


class CallReader:
    """Makes calls of committed objects; `content_of` gives the content of a carried piece."""

    def __init__(self, limits: Limits, content_of: Callable[[str], bytes | None]) -> None:
        self._parse = line_parser(limits)
        self._content_of = content_of

    def call(self, committed: JsonObject, facts: ReceiptFacts, place: Place) -> ToolCall:
        """Return the call of a committed object without faults; its index is set by the reader."""
        inputs, outputs, timing = committed["inputs"], committed["outputs"], committed["timing"]
        status = outcome = outputs["status"]
        if "outcome_unknown" in outputs["flags"]:
            outcome = None
        args = self._args(inputs["args"])
        if _came_late(outputs):
            # It was carried out, whoever had stopped to wait for it: what is judged is its result.
            response = self._response(outputs["result"], is_error=False)
            outcome = "tool_error" if response.get("isError") is True else "ok"
        elif outputs["result"] is None or status in WITHOUT_RESULT:
            response = {"outcome": status}
            outcome = status if status in WITHOUT_RESULT else "missing"
        else:
            response = self._response(outputs["result"], is_error=status != "ok")
        agent = committed["agent"]
        meta = CallMeta(
            call_id=facts.receipt_id,
            at=timing.get("started_at"),
            ended_at=timing.get("ended_at"),
            model=agent.get("model"),
            notes=tuple(outputs["flags"]),
            receipt=facts,
        )
        capture = committed["capture"]
        same = _same(
            inputs,
            outputs,
            self._is_out_of_reach(inputs["args"], capture["args_fidelity"]),
            self._is_out_of_reach(outputs["result"], capture["result_fidelity"]),
        )
        return ToolCall(
            0, committed["tool"]["name"], args, response, place, outcome, meta=meta, same=same
        )

    def intent(self, payload: JsonObject, place: Place) -> ToolCall:
        """Return the call of an intent without an outcome: nobody knows what became of it."""
        meta = CallMeta(at=payload["started_at"])
        args, response = self._args(payload["args"]), {"outcome": "missing"}
        return ToolCall(0, payload["tool"]["name"], args, response, place, "missing", meta=meta)

    def _response(self, described: JsonObject, *, is_error: bool) -> JsonObject:
        value = self._value(described)
        return value if type(value) is dict else {"content": value, "is_error": is_error}

    def _value(self, described: JsonObject) -> Json:
        """Return the JSON value of a piece, else its text, else what it is without its content."""
        if kind_of_piece(described) == SEALED_PIECE:
            return {"_sealed": described.get("same", described["digest"])}
        content = self._bytes(described)
        if content is None:
            return {"_piece": {"digest": described["digest"], "length": described["length"]}}
        if not content:
            return {}
        try:
            return self._parse(content)
        except LineError:
            pass
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            return {"_piece": {"digest": described["digest"], "length": described["length"]}}

    def _is_out_of_reach(self, described: JsonObject | None, fidelity: str) -> bool:
        """Whether content is not here, and its digest says nothing of its value.

        Bytes that an import wrote have one spelling for one value; those from a wire have many, so
        that other digests are no other values.
        """
        if described is None or fidelity == "parsed" or "b64" in described:
            return False
        return kind_of_piece(described) == DETACHED and self._bytes(described) is None

    def _args(self, described: JsonObject) -> JsonObject:
        args = self._value(described)
        return args if type(args) is dict else {"_raw": self._text(described)}

    def _text(self, described: JsonObject) -> str:
        content = self._bytes(described) or b""
        return content.decode("utf-8", "replace")

    def _bytes(self, described: JsonObject) -> bytes | None:
        if "b64" not in described:
            return self._content_of(described["digest"])
        try:
            return bytes_of_base64(described["b64"])
        except Base64Error:
            return None


def _came_late(outputs: JsonObject) -> bool:
    """Whether an answer came after its call was cancelled."""
    return outputs["result"] is not None and "late" in outputs["flags"]


def doubted(call: ToolCall) -> ToolCall:
    """Return a call with the note that its receipt does not hold."""
    meta = call.meta or CallMeta()
    return call._replace(meta=meta._replace(notes=(*meta.notes, DOES_NOT_HOLD)))


def unreadable_call(tool: Json, place: Place, facts: ReceiptFacts | None) -> ToolCall:
    """Return what stands for a call whose receipt cannot be read: no arguments, no result."""
    name = tool if type(tool) is str and tool else "unknown"
    meta = CallMeta(receipt=facts, notes=(DOES_NOT_HOLD,) if facts is not None else ())
    return ToolCall(0, name, {}, {"outcome": "missing"}, place, "missing", meta=meta)


def _same(
    inputs: JsonObject,
    outputs: JsonObject,
    args_gone: bool,  # noqa: FBT001
    result_gone: bool,  # noqa: FBT001
) -> Same | None:
    """Return by what hidden content can be told equal, None where nothing is hidden.

    A sealed piece in the place of the content stands there with its own `same`, if it has one.
    """
    args, hides_args = _original(inputs, inputs["args"])
    result, hides_result = _original(outputs, outputs["result"])
    if (
        args is None
        and result is None
        and not (hides_args or hides_result or args_gone or result_gone)
    ):
        return None
    hides_args, hides_result = hides_args or args_gone, hides_result or result_gone
    return Same(args, result, hides_args, hides_result)


def _original(part: JsonObject, shown: JsonObject | None) -> tuple[str | None, bool]:
    """Return the `same` of what was redacted, and whether something cannot be told equal."""
    same = part.get("original", {}).get("same")
    is_sealed = shown is not None and kind_of_piece(shown) == SEALED_PIECE
    hides = ("redactions" in part and same is None) or (is_sealed and "same" not in (shown or {}))
    return same, hides
