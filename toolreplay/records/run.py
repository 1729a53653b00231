"""A run: what is known about it, and one pass over its calls."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from toolreplay.records.call import ToolCall

__all__ = [
    "BUNDLE",
    "LOG",
    "LOGGED_BY_AGENT",
    "NO_PROVENANCE",
    "RECEIPTS",
    "SEALED",
    "STORE",
    "STRICT",
    "TIMELINE",
    "TUTORIAL_MUTATORS",
    "WORKFLOW",
    "Run",
    "RunInfo",
    "ToolEffects",
]

STRICT = "transcript"
SEALED = "sealed transcript"
BUNDLE = "bundle"
RECEIPTS = "receipts"
TIMELINE = "timeline"
WORKFLOW = "workflow close"
STORE = "store"
LOG = "log"
"""The forms of an input or run that are ours; imports have the word of their importer. A STORE holds
runs, and one of the form LOG for the whole of it: without calls, `provenance` says what is in it."""

LOGGED_BY_AGENT = "LOGGED BY AGENT"
"""Provenance of every transcript and import: the agent's own program wrote it down."""

NO_PROVENANCE = "no provenance class"
"""What stands in a heading where a record does not say who made it."""

TUTORIAL_MUTATORS = frozenset(
    {"write_file", "delete_file", "create_file", "move_file", "run_command"}
)
"""Tools that change state by the public tool's own list."""


class ToolEffects(NamedTuple):
    """Which tools may have changed state between two calls.

    With `readers` None the mutators are the whole list (a strict transcript). With a set, a tool
    in neither is unknown and counts as a possible change (an import: hosts add tools at will).
    """

    mutators: frozenset[str] = TUTORIAL_MUTATORS
    readers: frozenset[str] | None = None

    def may_change(self, tool: str) -> bool:
        """Whether a call of this tool is a possible change of state."""
        return tool in self.mutators or (self.readers is not None and tool not in self.readers)


class RunInfo(NamedTuple):
    """What is known about a run before its calls are read; None where nobody wrote it.

    `name` is the session's id, else the file's base name without suffix. `file` is the input as
    the user named it. `form` says what was read: one of the constants above, or the
    importer's format word. `lost` counts the units of the input that an import could not take over.
    `run_id` is the id that a record of receipts has for its run, whatever its name.
    `importer` is the word of the importer that a run came through, now or when it was exported.
    `evidence` judges the record's own commitments while its calls are read: RecordEvidence of
    evidence/record.py, None where the record has none.
    """

    name: str
    file: str
    form: str
    agent: str | None = None
    model: str | None = None
    host_version: str | None = None
    provenance: str = LOGGED_BY_AGENT
    effects: ToolEffects = ToolEffects()
    lost: int = 0
    run_id: str | None = None
    importer: str | None = None
    evidence: Any = None


class Run(NamedTuple):
    """One run. `calls` can be iterated once, in the order of the calls.

    `raw` returns the bytes [start, end) of the file again, and is None when the input cannot seek.
    """

    info: RunInfo
    calls: Iterator[ToolCall]
    raw: Callable[[int, int], bytes] | None = None
