"""The lines of a bundle: which kinds there are, in which order, and their exact bytes.

Each line is one JSON object in form `aer1` and ends in LF. The members are exactly those of its
kind; an unknown one, or a line that is out of order, means that the file cannot be read. Format
page: docs/formats/bundle.md.
"""

import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolreplay.evidence.aer1.base64_text import base64_of
from toolreplay.records.call import Json, JsonObject, Place
from toolreplay.records.canonical import aer1, aer1_text_of_parsed

__all__ = [
    "ENTRY_LINE",
    "FORMAT",
    "MOST_SIZE",
    "PART_BYTES",
    "STAGES",
    "BundleLine",
    "Logged",
    "end_line",
    "entry_line",
    "erased_line",
    "first_line",
    "kind_of_line",
    "line_of",
    "piece_lines",
    "read_piece_line",
    "step_of",
    "step_text",
]

FORMAT = "toolreplay-run/1"

PART_BYTES = 1 << 20
"""Most content bytes of a piece in one line: a reader never holds more of it at once."""

_MEMBERS = {
    "first": frozenset({"format", "run", "origin", "size"}),
    "piece": frozenset({"piece", "part", "last", "b64"}),
    "entry": frozenset({"entry", "payload", "salt", "leaf_b64", "index", "path"}),
    "step": frozenset({"step"}),
    "workflow": frozenset({"workflow"}),
    "commitment": frozenset({"commitment"}),
    "declared": frozenset({"declared"}),
    "link": frozenset({"link"}),
    "consistency": frozenset({"consistency"}),
    "checkpoint": frozenset({"checkpoint_b64"}),
    "head": frozenset({"head"}),
    "end": frozenset({"end", "sha256"}),
}
_OPTIONAL = {"piece": frozenset({"key"}), "entry": frozenset({"commit"})}

STAGES = {
    "first": 0, "piece": 1, "entry": 1, "step": 2, "workflow": 3, "commitment": 4, "declared": 5,
    "link": 6, "consistency": 7, "checkpoint": 8, "head": 8, "end": 9,
}  # fmt: skip
"""The order of the kinds: no line stands behind one of a later stage."""

_PIECE_START = b'{"b64":"'
_PIECE_END = re.compile(
    rb'","last":(true|false),"part":(0|[1-9][0-9]{0,9}),"piece":"([0-9a-f]{64})"\}\n'
)
_LONGEST_PIECE_END = 120

MOST_SIZE = 2**63 - 1
"""The largest size of a log: that of a checkpoint, and no path is longer than 63 hashes then."""

ENTRY_LINE = re.compile(
    rb'\{"entry":(?P<entry>0|[1-9][0-9]{0,14}),'
    rb'(?:"index":null,"leaf_b64":null,"path":null|'
    rb'"index":(?P<index>0|[1-9][0-9]{0,17}),"leaf_b64":"(?P<leaf>[A-Za-z0-9+/=]*)",'
    rb'"path":\[(?P<path>(?:"[0-9a-f]{64}"(?:,"[0-9a-f]{64}"){0,62})?)\]),'
    rb'"payload":(?P<payload>\{.*\}),"salt":"(?P<salt>[0-9a-f]{64})"\}\n',
    re.DOTALL,
)
"""The line of an entry that was not erased, in a log or not; its payload must still be parsed, and
its leaf decoded."""


class Logged(NamedTuple):
    """Where an entry stands in a log: the exact bytes of its leaf, their index, and the audit path.

    The path goes from the leaf's sibling upward (RFC 6962 section 2.1.1), 32 raw bytes a hash, in
    the tree of the size that the first line of the bundle names.
    """

    leaf: bytes
    index: int  # type: ignore[assignment]  # a field, not the tuple's method
    path: Sequence[bytes]


class BundleLine(NamedTuple):
    """One line: its number from 1, its bytes [start, end), its kind and value.

    `raw` are the line's own bytes, `payload` those of an entry's payload (None where it was
    erased), `logged` says where an entry stands in a log. `before` is the digest, as hex, of all
    bytes before an end line.
    """

    number: int
    start: int
    end: int
    kind: str
    value: JsonObject
    raw: bytes
    payload: bytes | None = None
    before: str | None = None
    logged: Logged | None = None

    @property
    def place(self) -> Place:
        """Where it stands in the file."""
        return Place(self.number, self.start, self.end)


def kind_of_line(value: Json) -> str | None:
    """Return the kind of a line by its members, or None."""
    if type(value) is not dict:
        return None
    names = value.keys()
    for kind, members in _MEMBERS.items():
        if members <= names <= members | _OPTIONAL.get(kind, frozenset()):
            return kind
    return None


def line_of(value: JsonObject) -> bytes:
    """Return a line with its line ending. Raises CanonicalError."""
    return aer1(value) + b"\n"


def first_line(run: str, origin: str | None = None, size: int | None = None) -> bytes:
    """Return the first line of a run; origin and size are those of the log that it stands in."""
    return line_of({"format": FORMAT, "run": run, "origin": origin, "size": size})


def piece_lines(digest: str, content: bytes, key: bytes | None = None) -> Iterator[bytes]:
    """Yield the lines that carry the content of a piece."""
    for part, start in enumerate(range(0, len(content), PART_BYTES) or (0,)):
        line: JsonObject = {
            "piece": digest,
            "part": part,
            "last": start + PART_BYTES >= len(content),
            "b64": base64_of(content[start : start + PART_BYTES]),
        }
        if key is not None:
            line["key"] = key.hex()
        yield line_of(line)


def read_piece_line(line: bytes) -> JsonObject | None:
    """Return what an orderly line of content in the open says, its bytes as `content`.

    None of any other line, which is to be parsed: it may be another one, or say what is wrong.
    """
    if not line.startswith(_PIECE_START):
        return None
    end = _PIECE_END.search(line, max(0, len(line) - _LONGEST_PIECE_END))
    if end is None or end.end() != len(line):
        return None
    text = line[len(_PIECE_START) : end.start()]
    try:
        content = a2b_base64(text)
    except ValueError:
        return None
    # What encodes back to itself is base64 and nothing else, so the line is in form aer1.
    if len(content) > PART_BYTES or b2a_base64(content, newline=False) != text:
        return None
    return {
        "piece": end[3].decode("ascii"), "part": int(end[2]),
        "last": end[1] == b"true", "content": content,
    }  # fmt: skip


def entry_line(number: int, payload: bytes, salt: bytes, logged: Logged | None = None) -> bytes:
    """Return the line of an entry."""
    return b'{"entry":%d,%b,"payload":%b,"salt":"%b"}\n' % (
        number,
        _log_members(logged),
        payload,
        salt.hex().encode("ascii"),
    )


def erased_line(number: int, commit: bytes, logged: Logged | None = None) -> bytes:
    """Return the line of an entry whose payload was erased; `commit` is what committed to it."""
    return b'{"commit":"%b","entry":%d,%b,"payload":null,"salt":null}\n' % (
        commit.hex().encode("ascii"),
        number,
        _log_members(logged),
    )


def _log_members(logged: Logged | None) -> bytes:
    if logged is None:
        return b'"index":null,"leaf_b64":null,"path":null'
    path = b",".join(b'"%b"' % one.hex().encode("ascii") for one in logged.path)
    leaf = b2a_base64(logged.leaf, newline=False)
    return b'"index":%d,"leaf_b64":"%b","path":[%b]' % (logged.index, leaf, path)


def end_line(lines: int, sha256_hex: str) -> bytes:
    """Return the last line: how many lines stand before it, and the digest of their bytes."""
    return line_of({"end": lines, "sha256": sha256_hex})


def step_text(step: JsonObject) -> str:
    """Return the line of a step, without its ending, for values that stand in committed bytes."""
    return f'{{"step":{aer1_text_of_parsed(step)}}}'


def step_of(seq: int, output_hex: str, committed: JsonObject) -> JsonObject:
    """Return the workflow step of a receipt (AER-1, table 3), from its committed object alone."""
    timing, created_at = committed["timing"], committed["binding"]["created_at"]
    return {
        "seq": seq,
        "tool": committed["tool"]["name"],
        "receipt_id": committed["binding"]["receipt_id"],
        "receipt_hash": output_hex,
        "output_hash": output_hex,
        "started_at": timing.get("started_at", created_at),
        "ended_at": timing.get("ended_at", created_at),
        "status": committed["outputs"]["status"],
    }
