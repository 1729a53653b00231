"""What became of a call, from what the host wrote about its result; never from the tool's text.

In this order:
* `toolDenialKind`: a denial, whatever else stands there; its words `interrupted` and `cancelled`
  say that nobody denied anything;
* `toolUseResult.interrupted` true: interrupted;
* `is_error` true and `toolUseResult` a string that begins as the host's own notices do;
* `is_error` true: the tool failed;
* else it went well.

A successful result is never judged by its text: there `toolUseResult` may be the tool's own.
"""

from toolreplay.records.call import JsonObject

__all__ = ["outcome_of"]

_NOTICES = (
    ("Cancelled: parallel tool call", "cancelled"),
    ("InputValidationError", "not_executed"),
    ("File has not been read yet", "not_executed"),
    ("No such tool available", "not_executed"),
    ("User rejected tool use", "denied"),
    ("[Request interrupted", "interrupted"),
)

_NOT_DENIALS = {"interrupted": "interrupted", "cancelled": "cancelled"}


def outcome_of(block: JsonObject, host: JsonObject) -> str:
    """Return the outcome of the call that a result block answers.

    `host` is the line the block stands in when it is the line's only result; on a line of several
    the host's fields belong to none of them, and `host` is empty.
    """
    kind = host.get("toolDenialKind")
    if type(kind) is str and kind:
        return _NOT_DENIALS.get(kind, "denied")
    richer = host.get("toolUseResult")
    if type(richer) is dict and richer.get("interrupted") is True:
        return "interrupted"
    if block.get("is_error") is not True:
        return "ok"
    if type(richer) is str:
        text = richer.lstrip().removeprefix("Error:").lstrip()
        for beginning, outcome in _NOTICES:
            if text.startswith(beginning):
                return outcome
    return "tool_error"
