"""What answers say: how a call ended (MCP, Tools, Error Handling), and who the server is."""

from toolreplay.capture.mcp_stdio.messages import Message
from toolreplay.capture.observed import Outcome
from toolreplay.records.call import Json, JsonObject

__all__ = ["outcome_of", "server_named"]

_SERVER_INFO = "io.modelcontextprotocol/serverInfo"
"""Where results of MCP 2026-07-28 may name the server, in `_meta`."""


def outcome_of(message: Message, *, is_late: bool) -> Outcome:
    """Return how the call ended that a message answers; `is_late` of one that was cancelled."""
    raw = message.raw("result")
    status = "ok"
    if raw is None:
        raw, status = message.raw("error"), "protocol_error"
    else:
        result = message.value["result"]
        if type(result) is dict and result.get("isError") is True:
            status = "tool_error"
    if is_late:
        return Outcome("cancelled", raw, flags=("late",))
    return Outcome(status, raw)


def server_named(result: JsonObject) -> tuple[str | None, str | None]:
    """Return name and version that a server gives itself, None for what it does not say."""
    info = result.get("serverInfo")
    if type(info) is not dict:
        meta = result.get("_meta")
        info = meta.get(_SERVER_INFO) if type(meta) is dict else None
    if type(info) is not dict:
        return None, None
    return _text(info.get("name")), _text(info.get("version"))


def _text(value: Json) -> str | None:
    return value if type(value) is str and value else None
