"""The lines of a bundle: which kinds there are, in which order, and their exact bytes.

Each line is one JSON object in form `aer1` and ends in LF. The members are exactly those of its
kind; an unknown one, or a line that is out of order, means that the file cannot be read. Format
page: docs/formats/bundle.md.
"""

import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterator
from typing import NamedTuple

from toolreplay.evidence.aer1.base64_text import base64_of
from toolreplay.records.call import Json, JsonObject, Place
from toolreplay.records.canonical import aer1, aer1_text_of_parsed

__all__ = [
    "ENTRY_LINE",
    "FORMAT",
    "PART_BYTES",
    "STAGES",
    "BundleLine",
    "end_line",
    "entry_line",
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

ENTRY_LINE = re.compile(
    rb'\{"entry":(0|[1-9][0-9]{0,14}),"index":null,"leaf_b64":null,"path":null,'
    rb'"payload":(\{.*\}),"salt":"([0-9a-f]{64})"\}\n',
    re.DOTALL,
)
"""The line of an entry that never was in a log; its payload must still be parsed."""


class BundleLine(NamedTuple):
    """One line: its number from 1, its bytes [start, end), its kind and value.

    `raw` are the line's own bytes, `payload` those of an entry's payload (None where it was
    erased). `before` is the digest, as hex, of all bytes before an end line.
    """

    number: int
    start: int
    end: int
    kind: str
    value: JsonObject
    raw: bytes
    payload: bytes | None = None
    before: str | None = None

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


def first_line(run: str) -> bytes:
    """Return the first line of a run that never was in a log."""
    return line_of({"format": FORMAT, "run": run, "origin": None, "size": None})


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


def entry_line(number: int, payload: bytes, salt: bytes) -> bytes:
    """Return the line of an entry that never was in a log."""
    return b'{"entry":%d,"index":null,"leaf_b64":null,"path":null,"payload":%b,"salt":"%b"}\n' % (
        number,
        payload,
        salt.hex().encode("ascii"),
    )


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
