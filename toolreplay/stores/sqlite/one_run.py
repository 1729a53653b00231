"""What is known of one run of a store: a single pass over its entries, in which nothing is judged.

A payload that is not what its leaf commits to is counted, and nothing in it is believed. Whether the
record holds says `toolreplay verify`.
"""

import json
import sqlite3
from base64 import b64decode
from collections.abc import Hashable
from hashlib import sha256
from typing import NamedTuple, TypeVar

from toolreplay.evidence.bundle.receipts import seen_in
from toolreplay.evidence.profile.entry import commit_of
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.records.call import Json, JsonObject
from toolreplay.stores.sqlite.links import links_of
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.unreadable import readable
from toolreplay.stores.sqlite.writers import writers_of_runs

__all__ = ["Gaps", "KnownRun", "Seen", "Waiting", "known_run"]

_MOST = 1000
"""Rows of each kind that are kept, of a run that somebody made to have more."""

_MOST_INTRODUCTION = 1 << 20
"""Bytes up to which a server's introduction is read for its name."""

_Key = TypeVar("_Key", bound=Hashable)


class Gaps(NamedTuple):
    """The gaps of one reason: how many, of how many calls (as far as that is known), from when to when."""

    gaps: int
    calls: int
    since: str | None
    until: str | None


class Waiting(NamedTuple):
    """A call that never ended, or has not yet."""

    position: int
    tool: str
    scope: str
    started_at: str


class Seen(NamedTuple):
    """What a server showed of a tool, or of itself: by how many calls it is named, is it kept?

    `name` and `version` are those of a server, as far as its introduction is kept.
    """

    digest: str
    calls: int
    is_kept: bool
    tool: str | None = None
    name: str | None = None
    version: str | None = None


class KnownRun(NamedTuple):
    """What is known of a run; payloads are as they were committed to, None where they are not here.

    `closed_at` is when its close receipt was made. `calls` counts by (tool, scope) and outcome those
    that ended, `unanswered` all that did not, of which `waiting` has the first.
    """

    opened: JsonObject | None
    close: JsonObject | None
    closed_at: str | None
    writers: list[str]
    entries: int
    without_payload: int
    edited: int
    observations: int
    calls: dict[tuple[str, str], dict[str, int]]
    unanswered: int
    waiting: list[Waiting]
    gaps: dict[str, Gaps]
    hidden: dict[str, int]
    erasures: dict[str, int]
    models: list[str]
    definitions: list[Seen]
    servers: list[Seen]
    links: list[JsonObject]


def known_run(connection: sqlite3.Connection, path: str, run: str) -> KnownRun:
    """Read what is known of a run that is there. Raises StoreError."""
    tables = LogTables(connection, path)
    reader = _Reader(tables, run)
    with readable(path):
        for found in tables.entries(run):
            reader.take(found.leaf)
    writers = [writer for fed, writer in writers_of_runs(connection) if fed == run]
    return reader.known(writers, links_of(connection, run))


class _Reader:
    """Takes the leaves of a run, one after the other."""

    def __init__(self, tables: LogTables, run: str) -> None:
        self._tables = tables
        self._open = tables.open_positions(run)
        self._waiting_for = frozenset(self._open[:_MOST])
        self._waiting: list[Waiting] = []
        self._opened: JsonObject | None = None
        self._close: JsonObject | None = None
        self._closed_at: str | None = None
        self._entries = self._without_payload = self._edited = self._observations = 0
        self._calls: dict[tuple[str, str], dict[str, int]] = {}
        self._gaps: dict[str, Gaps] = {}
        self._hidden: dict[str, int] = {}
        self._erasures: dict[str, int] = {}
        self._models: dict[str, int] = {}
        self._definitions: dict[tuple[str, str], int] = {}
        self._servers: dict[str, int] = {}

    def take(self, data: bytes) -> None:
        """Take the next entry by its leaf."""
        self._entries += 1
        leaf = parse_leaf(data)
        kept = self._tables.payload(leaf.commit)
        if kept is None:
            self._without_payload += 1
        elif commit_of(kept[1], kept[0]) != leaf.commit:
            self._edited += 1
        else:
            self._read(leaf.kind, json.loads(kept[0]))

    def _read(self, kind: str, payload: JsonObject) -> None:
        if kind in ("call", "close"):
            committed = json.loads(b64decode(payload["canonical_bytes"]))
            if kind == "call":
                self._call(committed)
            else:
                self._close, self._closed_at = committed, payload["created_at"]
        elif kind == "open":
            self._opened = payload
        elif kind == "start":
            position, tool = payload["position"], payload["tool"]
            if position in self._waiting_for and len(self._waiting) < _MOST:
                at = payload["started_at"]
                self._waiting.append(Waiting(position, tool["name"], tool["scope"], at))
        elif kind == "gap":
            self._gap(payload)
        elif kind == "observe":
            self._observations += 1
        elif kind == "erase":
            _count(self._erasures, payload["reason"], len(payload["digests"]))

    def _call(self, committed: JsonObject) -> None:
        tool = committed["tool"]
        key = tool["name"], tool["scope"]
        if key in self._calls or len(self._calls) < _MOST:
            _count(self._calls.setdefault(key, {}), committed["outputs"]["status"])
        for part in ("inputs", "outputs"):
            for hidden in committed[part].get("redactions", ()):
                _count(self._hidden, hidden["rule"])
        if committed["agent"].get("model") is not None:
            _count(self._models, committed["agent"]["model"])
        for where, digest in seen_in(committed):
            if where == "capture.server":
                _count(self._servers, digest)
            else:
                _count(self._definitions, (tool["name"], digest))

    def _gap(self, payload: JsonObject) -> None:
        reason = payload["reason"]
        before = self._gaps.get(reason, Gaps(0, 0, payload["since"], None))
        if reason in self._gaps or len(self._gaps) < _MOST:
            self._gaps[reason] = Gaps(
                before.gaps + 1,
                before.calls + (payload["count"] or 0),
                before.since,
                payload["until"],
            )

    def known(self, writers: list[str], links: list[JsonObject]) -> KnownRun:
        """Return what came of it."""
        return KnownRun(
            self._opened, self._close, self._closed_at, writers, self._entries,
            self._without_payload, self._edited, self._observations, self._calls, len(self._open),
            self._waiting, self._gaps, self._hidden, self._erasures, list(self._models),
            [self._seen(digest, calls, tool) for (tool, digest), calls in self._definitions.items()],
            [self._seen(digest, calls) for digest, calls in self._servers.items()],
            links,
        )  # fmt: skip

    def _seen(self, digest: str, calls: int, tool: str | None = None) -> Seen:
        found = self._tables.piece(bytes.fromhex(digest))
        if found is None or sha256(found[0]).hexdigest() != digest:
            return Seen(digest, calls, is_kept=False, tool=tool)
        name, version = _introduced(found[0]) if tool is None else (None, None)
        return Seen(digest, calls, is_kept=True, tool=tool, name=name, version=version)


def _count(table: dict[_Key, int], key: _Key, more: int = 1) -> None:
    if key in table or len(table) < _MOST:
        table[key] = table.get(key, 0) + more


def _introduced(content: bytes) -> tuple[str | None, str | None]:
    """Return name and version by which a server introduced itself (MCP, `serverInfo`)."""
    if len(content) > _MOST_INTRODUCTION:
        return None, None
    try:
        value: Json = json.loads(content)
    except (ValueError, RecursionError):
        return None, None
    info = value.get("serverInfo") if type(value) is dict else None
    if type(info) is not dict:
        return None, None
    name, version = info.get("name"), info.get("version")
    return name if type(name) is str else None, version if type(version) is str else None
