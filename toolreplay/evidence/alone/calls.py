"""From a receipt or an entry of any producer to the call that audits judge."""

from toolreplay.errors import CanonicalError
from toolreplay.evidence.aer1.committed import Committed
from toolreplay.evidence.aer1.times import moment_of
from toolreplay.records.call import (
    CallMeta,
    Json,
    JsonObject,
    Place,
    ReceiptFacts,
    ToolCall,
)
from toolreplay.records.canonical import toolreplay_1

__all__ = ["PROFILE", "foreign_call", "is_ours", "other_version_note", "tool_name"]

PROFILE = "toolreplay/1"
"""What `binding.profile` of our own committed objects says."""

_RESULTS = ("outputs", "output", "result")
"""Where producers put what came back; AER-1 has no word for it."""


def is_ours(value: Json) -> bool:
    """Whether committed JSON says that it is of our profile."""
    binding = value.get("binding") if type(value) is dict else None
    return type(binding) is dict and binding.get("profile") == PROFILE


def tool_name(tool: Json) -> str:
    """Return the name of a tool, which is an object, or a bare text in old receipts."""
    name = tool.get("name") if type(tool) is dict else tool
    return name if type(name) is str and name else "unknown"


def foreign_call(
    tool: Json, read: Committed, facts: ReceiptFacts, at: Json, place: Place
) -> ToolCall:
    """Return the call of committed JSON of any producer: `inputs`, and a result where one is named.

    What is named nowhere is not guessed: the call then has no arguments, or no result. Its index
    is set by the caller.
    """
    members: JsonObject = read.value if _can_be_judged(read) else {}
    inputs = members.get("inputs")
    response: JsonObject = {"outcome": "missing"}
    outcome: str | None = "missing"
    for name in _RESULTS:
        if name in members:
            found = members[name]
            response = found if type(found) is dict else {"content": found}
            outcome = None
            break
    meta = CallMeta(
        call_id=facts.receipt_id,
        at=at if moment_of(at) is not None else None,
        receipt=facts,
    )
    args = inputs if type(inputs) is dict else {}
    return ToolCall(0, tool_name(tool), args, response, place, outcome, meta=meta)


def _can_be_judged(read: Committed) -> bool:
    """Whether there is an object in which every value has the form that audits compare."""
    if type(read.value) is not dict:
        return False
    if read.is_in_order:
        return True
    try:
        toolreplay_1(read.value)
    except (CanonicalError, RecursionError):
        return False
    return True


def other_version_note(fault: str) -> str:
    """Say that a receipt names our profile and has not its members; `fault` is the first."""
    return f"not of this version of {PROFILE}, read as of any producer: {fault}"
