"""The operator who holds the log's key, and rewrites what happened: nothing in it is wrong alone.

Every entry is made anew with the amount that should have been refunded, in a store of the same
name, at the same times: commitments, links, roots and the head are all computed again and signed
with the real key. What cannot be made anew is a head that somebody remembers.
"""

import json
from base64 import b64decode
from typing import NamedTuple

from toolreplay.evidence.profile.entry import Entry
from toolreplay.evidence.profile.making import (
    ObservedCall,
    RunHead,
    call_entry,
    close_entry,
    open_entry,
    start_entry,
)
from toolreplay.evidence.profile.piece import Piece, kind_of_piece, piece_of
from toolreplay.evidence.profile.sink import Maker
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.records.call import JsonObject
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.opening import create_store, open_store
from toolreplay.stores.sqlite.publishing import SigningKey
from toolreplay.stores.sqlite.reading import LogTables

__all__ = ["forge"]


class _Kept(NamedTuple):
    """An entry of the log that is rewritten: its kind, when it was appended, its payload and salt."""

    kind: str
    at: int
    payload: JsonObject
    salt: bytes


def forge(store: str, forged: str, run: str, key: SigningKey, old: str, new: str) -> None:
    """Write a log in which a run says `new` wherever it said `old`, signed with the real key.

    `key` remembers its head in a file of its own: the signer is the same.
    """
    with reading_of_store(store) as (connection, _):
        tables = LogTables(connection, store)
        entries = [_kept(tables, entry.leaf) for entry in tables.entries(run)]
        pieces = {
            digest: piece[0]
            for entry in entries
            for digest in _named(entry)
            if (piece := tables.piece(bytes.fromhex(digest))) is not None
        }
        origin = tables.origin
    create_store(forged, origin, key.signer.key)
    rewriting = _Rewriting(old.encode(), new.encode(), pieces)
    at = 0
    with open_store(forged, key, clock=lambda: at) as sink:
        for entry in entries:
            at = entry.at
            sink.append(run, entry.kind, rewriting.maker(entry))


def _kept(tables: LogTables, data: bytes) -> _Kept:
    leaf = parse_leaf(data)
    found = tables.payload(leaf.commit)
    assert found is not None
    return _Kept(leaf.kind, leaf.at, json.loads(found[0]), found[1])


def _committed(entry: _Kept) -> JsonObject:
    value: JsonObject = json.loads(b64decode(entry.payload["canonical_bytes"]))
    return value


def _named(entry: _Kept) -> list[str]:
    """Return the digests of what is kept beside a receipt."""
    if entry.kind != "call":
        return []
    capture = _committed(entry)["capture"]
    return [
        capture[name] for name in ("tool_definition", "server") if len(capture.get(name, "")) == 64
    ]


class _Rewriting:
    """Makes entries anew, with other bytes in their pieces."""

    def __init__(self, old: bytes, new: bytes, pieces: dict[str, bytes]) -> None:
        self._old, self._new = old, new
        self._pieces = pieces

    def maker(self, entry: _Kept) -> Maker:
        """Return what makes an entry anew."""

        def make(head: RunHead) -> tuple[Entry, RunHead]:
            if entry.kind == "call":
                call = self._observed(_committed(entry))
                return call_entry(head, call, entry.payload["id"], entry.salt)
            if entry.kind == "close":
                committed = _committed(entry)
                close = committed["close"]
                return close_entry(
                    head, self._observed(committed), entry.payload["id"], entry.salt,
                    status=close["status"], closed_by=close["closed_by"], goal=close["goal"],
                    unfinished=close["unfinished"],
                )  # fmt: skip
            ours = ("profile", "run", "recorder")
            payload = {name: each for name, each in entry.payload.items() if name not in ours}
            if entry.kind == "open":
                return open_entry(head, payload, entry.salt)
            piece = self._piece(payload["args"])
            kept = (piece,) if piece.content is not None else ()
            return start_entry(head, {**payload, "args": piece.described}, entry.salt, kept)

        return make

    def _observed(self, committed: JsonObject) -> ObservedCall:
        inputs, outputs, binding = (
            dict(committed["inputs"]), dict(committed["outputs"]), committed["binding"],
        )  # fmt: skip
        pieces = [self._piece(inputs["args"])]
        inputs["args"] = pieces[0].described
        if outputs["result"] is not None:
            pieces.append(self._piece(outputs["result"]))
            outputs["result"] = pieces[1].described
        pieces += [piece_of(data, "application/json", 0) for data in self._pieces.values()]
        return ObservedCall(
            tool=committed["tool"],
            inputs=inputs,
            outputs=outputs,
            timing=committed["timing"],
            capture=committed["capture"],
            agent=committed["agent"],
            position=binding["position"],
            created_at=binding["created_at"],
            kept=tuple(piece for piece in pieces if piece.content is not None),
        )

    def _piece(self, described: JsonObject) -> Piece:
        """Return a piece with the other amount; those of the demonstration all stand inline."""
        assert kind_of_piece(described) == "inline"
        content = b64decode(described["b64"]).replace(self._old, self._new)
        return piece_of(content, described["media_type"])
