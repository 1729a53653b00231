"""Formats that are recognised by their signature but have no importer yet.

Naming them is worth more than "not recognised": the file is fine, toolreplay cannot read it.
"""

from toolreplay.records.call import Json
from toolreplay.sources.head import InputHead

__all__ = ["KNOWN_FORMATS", "known_format"]

KNOWN_FORMATS: tuple[tuple[str, str], ...] = (
    ("codex", "a Codex CLI rollout"),
    ("codex_stream", "a `codex exec --json` stream"),
    ("gemini_cli", "a Gemini CLI session"),
    ("cline", "Cline or Roo ui_messages"),
    ("otlp", "an OTLP trace export"),
    ("phoenix", "a Phoenix span export"),
    ("langfuse", "a Langfuse export"),
    ("langsmith", "LangSmith runs"),
    ("openai_agents", "an OpenAI Agents SDK trace"),
    ("inspect", "an Inspect log"),
    ("swe_agent", "a SWE-agent trajectory"),
    ("mini_swe_agent", "a mini-swe-agent trajectory"),
    ("atif", "an ATIF trajectory"),
    ("openhands", "OpenHands events"),
    ("tau_bench", "tau-bench results"),
    ("tau2_bench", "tau2-bench results"),
    ("agentdojo", "an AgentDojo run"),
    ("mcp_jsonrpc", "captured MCP traffic"),
    ("har", "a HAR archive"),
    ("claude_stream", "a Claude Code stream-json output"),
    ("messages", "a chat message array"),
)
"""Word and title of each, in the order of `formats`."""


def known_format(head: InputHead) -> str | None:
    """Return the title of the format whose signature the head carries, or None."""
    titles = dict(KNOWN_FORMATS)
    if head.raw[:2] == b"PK":
        return titles["inspect"] if b"header.json" in head.raw else None
    for value in [*head.records[:3], head.document]:
        word = _word_of(value)
        if word is not None:
            return titles[word]
    return None


def _word_of(value: Json) -> str | None:
    if isinstance(value, list):
        return _word_of_item(value[0]) if value and isinstance(value[0], dict) else None
    if not isinstance(value, dict):
        return None
    keys = value.keys()
    for word, signature in _OBJECT_KEYS:
        if signature <= keys:
            return word
    if value.get("type") == "session_meta" and "payload" in keys:
        return "codex"
    if value.get("type") == "thread.started":
        return "codex_stream"
    if value.get("type") == "system" and value.get("subtype") == "init":
        return "claude_stream"
    if value.get("object") in ("trace", "trace.span"):
        return "openai_agents"
    if value.get("jsonrpc") == "2.0" or _has(value.get("msg"), "jsonrpc"):
        return "mcp_jsonrpc"
    if str(value.get("schema_version")).startswith("ATIF-"):
        return "atif"
    if _has(value.get("log"), "entries"):
        return "har"
    return _word_of_item(value)


_OBJECT_KEYS: tuple[tuple[str, set[str]], ...] = (
    ("gemini_cli", {"sessionId", "projectHash"}),
    ("otlp", {"resourceSpans"}),
    ("langfuse", {"trace", "observations"}),
    ("langsmith", {"run_type", "dotted_order"}),
    ("inspect", {"version", "status", "eval", "samples"}),
    ("swe_agent", {"trajectory", "history", "info"}),
    ("mini_swe_agent", {"trajectory_format"}),
    ("tau2_bench", {"tasks", "simulations"}),
    ("agentdojo", {"suite_name", "pipeline_name", "messages"}),
)


def _word_of_item(item: dict[str, Json]) -> str | None:
    """Name the format of an array by its first element, or of a line by itself."""
    keys = item.keys()
    if "ts" in keys and item.get("type") in ("ask", "say"):
        return "cline"
    if {"context", "span_kind", "attributes"} <= keys:
        return "phoenix"
    if {"run_type", "dotted_order"} <= keys:
        return "langsmith"
    if {"task_id", "reward", "traj"} <= keys:
        return "tau_bench"
    if "id" in keys and ({"action", "source"} <= keys or {"observation", "source"} <= keys):
        return "openhands"
    if item.get("kind") in ("ActionEvent", "ObservationEvent", "SystemPromptEvent"):
        return "openhands"
    if {"role", "content"} <= keys:
        return "messages"
    return None


def _has(value: Json, name: str) -> bool:
    return isinstance(value, dict) and name in value
