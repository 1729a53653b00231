"""What is known of one run, as JSON (schema: reports/json/facts.schema.json)."""

from toolreplay.capture.closing import lives
from toolreplay.records.call import JsonObject
from toolreplay.records.tool_name import normal_tool
from toolreplay.stores.sqlite.one_run import KnownRun

__all__ = ["document_of_run"]


def document_of_run(path: str, run_id: str, known: KnownRun) -> JsonObject:
    """Return the document of a run of the store at `path`."""
    close = known.close
    return {
        "format": "toolreplay-facts/1",
        "store": path,
        "run": run_id,
        "opened": known.opened,
        "closed": None if close is None else {"at": known.closed_at, **close["close"]},
        "writers": [{"writer": writer, "lives": lives(writer)} for writer in known.writers],
        "entries": known.entries,
        "without_payload": known.without_payload,
        "edited": known.edited,
        "observations": known.observations,
        "calls": [
            {"tool": name, "scope": scope, "normal": list(normal_tool(name, scope)), "outcomes": outcomes}
            for (name, scope), outcomes in sorted(known.calls.items())
        ],
        "unanswered": known.unanswered,
        "waiting": [one._asdict() for one in known.waiting],
        "gaps": [{"reason": reason, **gap._asdict()} for reason, gap in known.gaps.items()],
        "redacted": known.hidden,
        "erased": known.erasures,
        "models": known.models,
        "definitions": [
            {"tool": one.tool, "digest": one.digest, "calls": one.calls, "is_kept": one.is_kept}
            for one in known.definitions
        ],
        "servers": [
            {"name": one.name, "version": one.version, "digest": one.digest, "calls": one.calls, "is_kept": one.is_kept}
            for one in known.servers
        ],
        "links": known.links,
    }  # fmt: skip
