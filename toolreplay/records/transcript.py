"""The strict transcript: JSON Lines of exactly four members, read and written.

One line is one call: `index` (0 on the first record, then exactly one more each time), `tool`
(not empty), `args` and `response` (objects). A sealed transcript has `prev` and `digest` too (64
lower-case hex digits each); whether they are right is judged by evidence/seal.py, and so is a
sealed record's index. A line is refused with its number, never repaired. Blank lines are no
records but count as lines. Fields and limits: docs/formats/transcript.md.
"""

import json
import os
import re
from collections.abc import Iterator
from types import TracebackType
from typing import BinaryIO

from toolreplay.errors import TranscriptError, UsageError
from toolreplay.records.call import Json, JsonObject, Link, Place, ToolCall
from toolreplay.records.canonical import call_key_text, toolreplay_1
from toolreplay.records.jsonl import LineError, line_parser, lines_of
from toolreplay.records.limits import DEFAULT, Limits

__all__ = [
    "FIELDS",
    "SEALED_FIELDS",
    "TranscriptWriter",
    "differ_only_in_index",
    "read_sealed",
    "read_transcript",
    "same_call_again",
]

FIELDS = frozenset({"index", "tool", "args", "response"})
SEALED_FIELDS = FIELDS | {"prev", "digest"}

_new = tuple.__new__  # a third of the cost of calling a NamedTuple, once per call of a run


def read_transcript(file: BinaryIO, limits: Limits = DEFAULT) -> Iterator[ToolCall]:
    """Yield the calls of a strict transcript, read as a stream.

    Raises TranscriptError at the first line that breaks the format; the calls before it have been
    yielded by then.
    """
    parse = line_parser(limits)
    for expected, (number, start, line) in enumerate(lines_of(file, limits)):
        try:
            record = parse(line)
            if type(record) is not dict or record.keys() != FIELDS:
                raise _wrong_fields(record, FIELDS)
            index, tool, args, response = (
                record["index"], record["tool"], record["args"], record["response"],
            )  # fmt: skip
            if index is not expected and (type(index) is not int or index != expected):
                raise _wrong_index(index, expected)
            if type(tool) is not str or not tool or type(args) is not dict:
                raise _wrong_type(tool, args)
            if type(response) is not dict:
                raise LineError("response must be an object")
        except LineError as error:
            raise TranscriptError(f"line {number}", str(error)) from None
        place = _new(Place, (number, start, start + len(line)))
        yield _new(ToolCall, (expected, tool, args, response, place, None, None, None, None))


def read_sealed(file: BinaryIO, limits: Limits = DEFAULT) -> Iterator[ToolCall]:
    """Yield the calls of a sealed transcript, each with its `link`, read as a stream.

    A call's `index` is its position; the number the file carries stands in its link.
    """
    parse = line_parser(limits)
    is_digest = re.compile(r"[0-9a-f]{64}").fullmatch
    for position, (number, start, line) in enumerate(lines_of(file, limits)):
        try:
            record = parse(line)
            if type(record) is not dict or record.keys() != SEALED_FIELDS:
                raise _wrong_fields(record, SEALED_FIELDS)
            index, tool, args, response = (
                record["index"], record["tool"], record["args"], record["response"],
            )  # fmt: skip
            if type(index) is not int:
                raise LineError("index must be an integer")
            if type(tool) is not str or not tool or type(args) is not dict:
                raise _wrong_type(tool, args)
            if type(response) is not dict:
                raise LineError("response must be an object")
            prev, digest = record["prev"], record["digest"]
            for name, value in (("prev", prev), ("digest", digest)):
                if type(value) is not str or not is_digest(value):
                    raise LineError(f"{name} must be 64 lower-case hex digits")
        except LineError as error:
            raise TranscriptError(f"line {number}", str(error)) from None
        place = _new(Place, (number, start, start + len(line)))
        link = _new(Link, (index, prev, digest))
        yield _new(ToolCall, (position, tool, args, response, place, None, link, None, None))


def differ_only_in_index(line: bytes, other: bytes) -> bool:
    """Whether two accepted lines are byte for byte the same but for the number of their index.

    Looks only at lines that begin with their index, as writers make them: False means unknown.
    """
    start = b'{"index":'
    if not (line.startswith(start) and other.startswith(start)):
        return False
    rest, other_rest = line[len(start) :].lstrip(b" "), other[len(start) :].lstrip(b" ")
    return rest.lstrip(b"0123456789") == other_rest.lstrip(b"0123456789")


def same_call_again(
    line: bytes, call: ToolCall, limits: Limits = DEFAULT
) -> tuple[int, JsonObject]:
    """Parse the line of an earlier equal call again; return its index and response.

    Raises TranscriptError when the file has changed since: the line is no earlier call equal to
    this one.
    """
    try:
        record = line_parser(limits)(line)
        index, response = record["index"], record["response"]
        key = call_key_text(record["tool"], record["args"])
        unchanged = (
            record.keys() == FIELDS
            and type(index) is int
            and 0 <= index < call.index
            and type(response) is dict
            and key == call_key_text(call.tool, call.args)
        )
    except (LineError, LookupError, TypeError, AttributeError):
        unchanged = False
    if not unchanged:
        raise TranscriptError("", "the file changed while it was read")
    return index, response


def _wrong_fields(record: Json, fields: frozenset[str]) -> LineError:
    if type(record) is not dict:
        return LineError("a record must be an object")
    unexpected = sorted(record.keys() - fields)
    if unexpected:
        return LineError(f"unexpected field(s): {_listed(unexpected)}")
    return LineError(f"missing field(s): {_listed(sorted(fields - record.keys()))}")


def _listed(names: list[str]) -> str:
    """Join names; what a hostile line brings must still be one short message."""
    shown = [name if len(name) <= 100 else name[:100] + "…" for name in names[:10]]
    more = [f"and {len(names) - 10} more"] if len(names) > 10 else []
    return ", ".join(shown + more)


def _wrong_index(index: Json, expected: int) -> LineError:
    if type(index) is not int:
        return LineError("index must be an integer")
    hint = " (a transcript starts at index 0)" if expected == 0 else ""
    found = str(index) if abs(index) < 10**20 else "a number of more than 20 digits"
    return LineError(f"index must be {expected}, found {found}{hint}")


def _wrong_type(tool: Json, args: Json) -> LineError:
    if type(tool) is not str:
        return LineError("tool must be a string")
    if not tool:
        return LineError("tool must not be empty")
    assert type(args) is not dict
    return LineError("args must be an object")


class TranscriptWriter:
    """Write a strict transcript, one call a line, each line complete when `call` returns.

    with TranscriptWriter("run.jsonl") as transcript:
        transcript.call("read_file", {"path": "a.md"}, {"bytes": 214})

    Given a path it makes the file and refuses one that exists (a transcript is never overwritten);
    given a binary file it writes there and leaves closing to its owner. What it writes, the reader
    accepts: a value without a form, or over a limit, raises and writes nothing.
    """

    def __init__(self, target: str | os.PathLike[str] | BinaryIO, limits: Limits = DEFAULT) -> None:
        self._owned = isinstance(target, (str, os.PathLike))
        if isinstance(target, (str, os.PathLike)):
            try:
                self._file: BinaryIO = open(target, "xb")  # noqa: SIM115 - closed by close()
            except FileExistsError:
                raise UsageError(
                    f"{os.fspath(target)}: exists already (a transcript is never overwritten)"
                ) from None
        else:
            self._file = target
        self._parse = line_parser(limits)
        self._limits = limits
        self._next = 0

    def call(self, tool: str, args: JsonObject, response: JsonObject) -> int:
        """Write one call and return its index. Raises CanonicalError or TranscriptError."""
        if type(tool) is not str or not tool or type(args) is not dict:
            raise TranscriptError(f"index {self._next}", str(_wrong_type(tool, args)))
        if type(response) is not dict:
            raise TranscriptError(f"index {self._next}", "response must be an object")
        record = {"index": self._next, "tool": tool, "args": args, "response": response}
        toolreplay_1(record)
        # ASCII, so that a lone surrogate is an escape and the file is valid UTF-8 all the same.
        line = json.dumps(record).encode("ascii")
        if len(line) > self._limits.line_bytes:
            raise TranscriptError(
                f"index {self._next}", f"longer than {self._limits.line_bytes} bytes"
            )
        try:
            self._parse(line)
        except LineError as error:
            raise TranscriptError(f"index {self._next}", str(error)) from None
        self._file.write(line + b"\n")
        self._file.flush()
        self._next += 1
        return self._next - 1

    def close(self) -> None:
        """Close the file if the writer opened it."""
        if self._owned:
            self._file.close()

    def __enter__(self) -> "TranscriptWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
