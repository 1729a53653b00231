"""The words of a session line: which types hold blocks, and which the host writes beside them."""

from toolreplay.records.call import Json, JsonObject

__all__ = [
    "BESIDE",
    "CALL",
    "HOLDERS",
    "PLAIN_BLOCKS",
    "RESULT",
    "content_of",
    "kind_of",
    "misplaced_blocks",
    "repeated_blocks",
    "text_of",
]

CALL = "tool_use"
RESULT = "tool_result"

HOLDERS = frozenset({"assistant", "user", CALL, RESULT})
"""Types of lines that may hold a call or a result. A whole line of the latter two is one."""

PLAIN_BLOCKS = frozenset({"document", "fallback", "image", "redacted_thinking", "text", "thinking"})
"""Types of blocks that are neither calls nor results."""

BESIDE = frozenset(
    {
        "agent-color",
        "agent-name",
        "agent-setting",
        "ai-title",
        "atis-latch",
        "attachment",
        "attribution-snapshot",
        "bridge-session",
        "content-replacement",
        "custom-title",
        "file-history-delta",
        "file-history-snapshot",
        "frame-link",
        "last-prompt",
        "marble-origami-commit",
        "marble-origami-snapshot",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "relocated",
        "result",
        "speculation-accept",
        "started",
        "summary",
        "system",
        "tag",
        "task-summary",
        "worktree-state",
    }
)
"""Types of lines that the host writes beside the conversation. New ones come with its releases."""


def content_of(record: JsonObject) -> Json:
    """Return what a holder line says: a list of blocks, a text, or whatever stands there."""
    if record.get("type") in (CALL, RESULT):
        return [record]
    message = record.get("message")
    return message.get("content") if type(message) is dict else None


def kind_of(block: Json) -> str | None:
    """Return the type of a block, None for what is no block at all."""
    kind = block.get("type") if type(block) is dict else None
    return kind if type(kind) is str else None


def text_of(content: list[Json]) -> str:
    """Return the word for a line that holds neither calls nor results nor unknown blocks."""
    kinds = [kind_of(block) for block in content]
    return "text" if not kinds or "text" in kinds else str(kinds[0])


def repeated_blocks(record: JsonObject) -> int:
    """Count the calls and results of a sub-agent that a `progress` line shows once more."""
    data = record.get("data")
    shown = data.get("message") if record["type"] == "progress" and type(data) is dict else None
    return misplaced_blocks(shown) if type(shown) is dict else 0


def misplaced_blocks(record: JsonObject) -> int:
    """Count the calls and results in a line that should hold none."""
    message = record.get("message")
    content = message.get("content") if type(message) is dict else None
    blocks = content if type(content) is list else []
    return sum(kind_of(block) in (CALL, RESULT) for block in blocks)
