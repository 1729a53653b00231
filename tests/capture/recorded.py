"""A store that the tests of capture record into, and what they read back from it."""

import json
import os
from base64 import b64decode
from pathlib import Path
from typing import TYPE_CHECKING

from toolreplay.capture.clock import now
from toolreplay.capture.observed import Adapter, Agent
from toolreplay.capture.recorder import Plan, Recorder
from toolreplay.evidence.redaction.redactor import Redactor
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.recording import sink_into, writer_of
from toolreplay.records.call import JsonObject
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.reading import LogTables

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolreplay.evidence.profile.sink import RunSink

__all__ = ["payloads", "plan_of", "receipts", "recorder", "runs"]


def plan_of(**changes: object) -> Plan:
    """Return a plan for tests, with some members changed."""
    plan = Plan(
        Adapter("mcp-wire", "mcp_stdio"),
        Agent(name="bot"),
        "k",
        "--run",
        writer_of(same_process=False),
    )
    return plan._replace(**changes)  # type: ignore[arg-type]


def recorder(
    path: Path, *, open_sink: "Callable[[], RunSink] | None" = None, **changes: object
) -> Recorder:
    """Return a recorder into a store."""
    return Recorder(
        open_sink or (lambda: sink_into(os.fspath(path))), plan_of(**changes), Redactor(), now
    )


def runs(path: Path) -> list[str]:
    """Return the ids of the runs of a store."""
    with reading_of_store(os.fspath(path)) as (connection, _):
        return [found.run for found in LogTables(connection, os.fspath(path)).runs()]


def payloads(path: Path, run: str) -> list[tuple[str, JsonObject]]:
    """Return the entries of a run: kind and payload; of receipts what they commit to."""
    found = []
    with reading_of_store(os.fspath(path)) as (connection, _):
        tables = LogTables(connection, os.fspath(path))
        for entry in tables.entries(run):
            leaf = parse_leaf(entry.leaf)
            kept = tables.payload(leaf.commit)
            assert kept is not None
            value = json.loads(kept[0])
            if leaf.kind in ("call", "close"):
                value = json.loads(b64decode(value["canonical_bytes"]))
            found.append((leaf.kind, value))
    return found


def receipts(path: Path, run: str) -> list[JsonObject]:
    """Return what the receipts of a run's calls commit to, in order."""
    return [value for kind, value in payloads(path, run) if kind == "call"]
