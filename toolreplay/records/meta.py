"""The companion of an imported transcript, `OUT.meta.jsonl`: what four members cannot say.

First line `{"format": "toolreplay-meta/1", "imported": FORMAT, "run": …, "agent": …}`, then one
line a call: `{index, call_id, at, ended_at, model, outcome, file, bytes, line_sha256}`. Outcomes
count only from here: a strict transcript alone has calls and responses. Format page:
docs/formats/meta.md.
"""

import json
from collections.abc import Iterator
from typing import BinaryIO

from toolreplay.errors import InputError
from toolreplay.records.call import OUTCOMES, WITHOUT_RESULT, CallMeta, Json, JsonObject, ToolCall
from toolreplay.records.jsonl import LineError, line_parser, lines_of
from toolreplay.records.limits import DEFAULT, Limits
from toolreplay.records.run import RunInfo

__all__ = ["META_FORMAT", "MetaReader", "meta_head", "meta_line", "meta_name"]

META_FORMAT = "toolreplay-meta/1"
_FIELDS = frozenset(
    {"index", "call_id", "at", "ended_at", "model", "outcome", "file", "bytes", "line_sha256"}
)
_TEXTS = ("call_id", "at", "ended_at", "model")


def meta_name(transcript: str) -> str:
    """Return the name of the companion of a transcript."""
    return f"{transcript}.meta.jsonl"


def meta_head(info: RunInfo) -> bytes:
    """Return the first line, with its line ending."""
    record: dict[str, Json] = {
        "format": META_FORMAT, "imported": info.form, "run": info.name, "agent": info.agent,
    }  # fmt: skip
    if info.lost:
        record["lost"] = info.lost
    if info.model is not None:
        record["model"] = info.model
    return json.dumps(record).encode("ascii") + b"\n"


def meta_line(call: ToolCall, file: str, line_sha256: str) -> bytes:
    """Return the line of one call, with its line ending.

    `file` is the source as the user named it; `line_sha256` the digest of the bytes of its line.
    """
    meta = call.meta or CallMeta()
    record = {
        "index": call.index,
        "call_id": meta.call_id,
        "at": meta.at,
        "ended_at": meta.ended_at,
        "model": meta.model,
        "outcome": call.outcome,
        "file": file,
        "bytes": [call.place.start, call.place.end],
        "line_sha256": line_sha256,
    }
    return json.dumps(record).encode("ascii") + b"\n"


class MetaReader:
    """Reads a companion and joins it with the calls of its transcript, both as streams.

    `imported`, `run`, `agent`, `model` and `lost` are there after construction. Raises InputError naming the
    companion and its line.
    """

    def __init__(self, file: BinaryIO, name: str, limits: Limits = DEFAULT) -> None:
        self._name = name
        self._lines = self._records(file, limits)
        number, head = next(self._lines, (1, None))
        if not isinstance(head, dict) or head.get("format") != META_FORMAT:
            raise InputError(
                name, f"line {number}: not the companion of a transcript ({META_FORMAT})"
            )
        imported, run, agent = head.get("imported"), head.get("run"), head.get("agent")
        if not isinstance(imported, str) or not isinstance(run, str):
            raise InputError(name, f"line {number}: imported and run must be strings")
        if agent is not None and not isinstance(agent, str):
            raise InputError(name, f"line {number}: agent must be a string or null")
        model = head.get("model")
        if model is not None and not isinstance(model, str):
            raise InputError(name, f"line {number}: model must be a string or null")
        lost = head.get("lost", 0)
        if type(lost) is not int or lost < 0:
            raise InputError(name, f"line {number}: lost must be a whole number")
        self.lost = lost
        self.imported = imported
        self.run = run
        self.agent = agent
        self.model = model

    def join(self, calls: Iterator[ToolCall]) -> Iterator[ToolCall]:
        """Yield each call with its outcome and meta; both files must tell of the same calls."""
        count = 0
        for call in calls:
            count += 1
            number, record = next(self._lines, (0, None))
            if not number:  # a line may say null, which is a record too
                raise InputError(self._name, f"ends before the call at index {call.index}")
            yield self._joined(call, record, f"line {number}")
        number, record = next(self._lines, (0, None))
        if number:
            raise InputError(self._name, f"line {number}: the transcript has only {count} calls")

    def _joined(self, call: ToolCall, record: Json, where: str) -> ToolCall:
        if not isinstance(record, dict) or record.keys() != _FIELDS:
            raise InputError(self._name, f"{where}: must have exactly {', '.join(sorted(_FIELDS))}")
        if type(record["index"]) is not int or record["index"] != call.index:
            raise InputError(self._name, f"{where}: index must be {call.index}")
        if any(not isinstance(record[text], str | None) for text in _TEXTS):
            raise InputError(self._name, f"{where}: {', '.join(_TEXTS)} must be strings or null")
        if type(record["file"]) is not str or not _is_range(record["bytes"]):
            raise InputError(
                self._name, f"{where}: file and bytes must be a string and [start, end]"
            )
        digest = record["line_sha256"]
        if type(digest) is not str or len(digest) != 64 or digest.strip("0123456789abcdef"):
            raise InputError(self._name, f"{where}: line_sha256 must be 64 lower-case hex digits")
        outcome = record["outcome"]
        if outcome not in OUTCOMES:
            raise InputError(self._name, f"{where}: unknown outcome")
        # Otherwise a forged companion could hide a call's response from every audit.
        if (outcome in WITHOUT_RESULT) != _says_outcome(call.response):
            raise InputError(
                self._name, f"{where}: outcome does not fit the response at index {call.index}"
            )
        meta = CallMeta(record["call_id"], record["at"], record["ended_at"], record["model"])
        return call._replace(outcome=outcome, meta=meta)

    def _records(self, file: BinaryIO, limits: Limits) -> Iterator[tuple[int, Json]]:
        parse = line_parser(limits)
        number = 0
        try:
            for number, _, line in lines_of(file, limits):
                yield number, parse(line)
        except LineError as error:
            raise InputError(self._name, f"line {number}: {error}") from None
        except InputError as error:  # a line too long: the line reader knows no name
            raise InputError(self._name, str(error)) from None


def _is_range(value: Json) -> bool:
    return (
        type(value) is list
        and len(value) == 2
        and all(type(end) is int for end in value)
        and 0 <= value[0] <= value[1]
    )


def _says_outcome(response: JsonObject) -> bool:
    outcome = response.get("outcome")  # a tool's own answer may have anything there
    return len(response) == 1 and type(outcome) is str and outcome in WITHOUT_RESULT
