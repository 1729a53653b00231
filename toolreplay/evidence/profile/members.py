"""The members of everything that is committed: one grammar for those who make it and who read it.

A grammar is a table of member names; `?` behind a name says that it may be absent. A value is
judged by another table or by a function that returns what is wrong with it, or nothing. Who makes
a receipt is refused on any fault; who reads one is told of unknown members apart, because a later
version may have more.
"""

from collections.abc import Callable, Iterator
from typing import Union

from toolreplay.errors import CanonicalError
from toolreplay.evidence.aer1.times import moment_of
from toolreplay.evidence.profile.piece import fault_of_piece, is_digest
from toolreplay.records.call import OUTCOMES, Json, JsonObject

__all__ = [
    "CLOSE",
    "COMMITTED",
    "ERASE",
    "FLAGS",
    "GAP",
    "LAYERS",
    "OBSERVATION",
    "OPEN",
    "START",
    "Grammar",
    "Judge",
    "faults_in",
    "is_exactly",
    "provenance_of",
    "refuse_faults",
    "spelt",
    "unknown_in",
]

Judge = Callable[[Json], str]
Grammar = dict[str, Union[Judge, "Grammar"]]

LAYERS = {
    "mcp-wire": "OBSERVED VIA GATEWAY",
    "http-wire": "OBSERVED VIA GATEWAY",
    "decorator": "EXECUTED BY TOOLREPLAY",
    "exec": "EXECUTED BY TOOLREPLAY",
    "hook": "LOGGED BY AGENT",
    "callback": "LOGGED BY AGENT",
    "otlp": "LOGGED BY AGENT",
    "import": "LOGGED BY AGENT",
}
"""Where a call was recorded, and what provenance class that layer may claim."""

FLAGS = ("late", "name_escaped", "outcome_unknown", "redacted", "truncated")
"""What may be said beside an outcome: the answer came after a cancellation; the tool's name has a
spelling of ours; the source does not say what became of the call; content was replaced or cut."""


def provenance_of(layer: str) -> str | None:
    """Return the provenance class of a layer, or None of an unknown one."""
    return LAYERS.get(layer)


def spelt(text: str) -> str:
    r"""Return text with each lone surrogate as the fixed escape `\u{d800}`: it has no other form."""
    if text.isascii():
        return text
    return "".join(
        f"\\u{{{ord(letter):x}}}" if "\ud800" <= letter <= "\udfff" else letter for letter in text
    )


def faults_in(value: Json, grammar: Grammar, where: str = "") -> Iterator[str]:
    """Yield what is missing or wrong, with the member it is about."""
    if type(value) is not dict:
        yield f"{where or 'the object'} is not an object"
        return
    for name, required, judge, below in _table_of(grammar):
        if name not in value:
            if required:
                yield f"{_place_in(where, name)} is missing"
        elif below is not None:
            yield from faults_in(value[name], below, _place_in(where, name))
        elif fault := judge(value[name]):
            yield f"{_place_in(where, name)} {fault}"


def unknown_in(value: Json, grammar: Grammar, where: str = "") -> Iterator[str]:
    """Yield the members that the grammar does not have."""
    if type(value) is not dict:
        return
    known = 0
    for name, _, _, below in _table_of(grammar):
        if name in value:
            known += 1
            if below is not None:
                yield from unknown_in(value[name], below, _place_in(where, name))
    if known < len(value):
        names = {name for name, _, _, _ in _table_of(grammar)}
        yield from (_place_in(where, name) for name in value if name not in names)


def _place_in(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


_Row = tuple[str, bool, Judge, Grammar | None]
_TABLES: dict[int, list[_Row]] = {}


def _table_of(grammar: Grammar) -> list[_Row]:
    """Return (name, whether it must be there, its judge, the grammar below) of each member."""
    table = _TABLES.get(id(grammar))
    if table is None:
        table = _TABLES[id(grammar)] = [
            (name.removesuffix("?"), name[-1] != "?", _anything, judge)
            if isinstance(judge, dict)
            else (name.removesuffix("?"), name[-1] != "?", judge, None)
            for name, judge in grammar.items()
        ]
    return table


def is_exactly(value: Json, grammar: Grammar) -> bool:
    """Whether there is neither a fault nor an unknown member: one look instead of two."""
    if type(value) is not dict:
        return False
    known = 0
    for name, required, judge, below in _table_of(grammar):
        if name in value:
            known += 1
            if below is not None:
                if not is_exactly(value[name], below):
                    return False
            elif judge(value[name]):
                return False
        elif required:
            return False
    return known == len(value)


def refuse_faults(value: JsonObject, grammar: Grammar) -> None:
    """Raise CanonicalError where a value must not be committed to."""
    if is_exactly(value, grammar):
        return
    for fault in faults_in(value, grammar):
        raise CanonicalError(fault)
    for name in unknown_in(value, grammar):
        raise CanonicalError(f"{name} is no member that can be committed to")


def _text(value: Json) -> str:
    return "" if type(value) is str else "is not a string"


def _some_text(value: Json) -> str:
    return "" if type(value) is str and value else "is not a non-empty string"


def _count(value: Json) -> str:
    return "" if type(value) is int and value >= 0 else "is not a whole number"


def _count_or_null(value: Json) -> str:
    return "" if value is None else _count(value)


def _place(value: Json) -> str:
    return "" if type(value) is int and value >= 1 else "is not a whole number from 1"


def _place_or_null(value: Json) -> str:
    return "" if value is None else _place(value)


def _yes_or_no(value: Json) -> str:
    return "" if type(value) is bool else "is not true or false"


def _yes_no_or_null(value: Json) -> str:
    return "" if value is None or type(value) is bool else "is not true, false or null"


def _digest(value: Json) -> str:
    return "" if is_digest(value) else "is not 64 lower-case hex digits"


def _digest_or_null(value: Json) -> str:
    return "" if value is None else _digest(value)


def _digest_or_absent(value: Json) -> str:
    return "" if value == "absent" and type(value) is str else _digest(value)


def _digests(value: Json) -> str:
    if type(value) is list and all(map(is_digest, value)):
        return ""
    return "is not a list of 64 lower-case hex digits each"


def _time(value: Json) -> str:
    """Judge a time of ours: UTC, milliseconds, Z (RFC 3339), so that equal times are equal text."""
    is_ours = type(value) is str and len(value) == 24 and value[19] == "." and value[23] == "Z"
    return "" if is_ours and moment_of(value) else "is not a time as 2026-11-30T09:00:00.000Z"


def _time_or_null(value: Json) -> str:
    return "" if value is None else _time(value)


def _piece_or_null(value: Json) -> str:
    return "" if value is None else fault_of_piece(value)


def _pieces(value: Json) -> str:
    if type(value) is not list:
        return "is not a list"
    return next(filter(None, map(fault_of_piece, value)), "")


def _redactions(value: Json) -> str:
    if type(value) is list and all(
        type(item) is dict
        and item.keys() == {"path", "rule"}
        and all(type(text) is str for text in item.values())
        for item in value
    ):
        return ""
    return "is not a list of {path, rule}"


def _anything(_: Json) -> str:
    return ""


def _object(value: Json) -> str:
    return "" if type(value) is dict else "is not an object"


def _labels(value: Json) -> str:
    if type(value) is dict and all(type(text) is str for text in value.values()):
        return ""
    return "is not an object of strings"


def _outcome(value: Json) -> str:
    return "" if type(value) is str and value in OUTCOMES else "is no outcome of a call"


def _flags(value: Json) -> str:
    if type(value) is list and all(type(flag) is str and flag in FLAGS for flag in value):
        return "" if value == sorted(set(value)) else "is not sorted, or has a flag twice"
    return f"is not a list of {', '.join(FLAGS)}"


def _positions(value: Json) -> str:
    if type(value) is not list or any(_place(item) for item in value):
        return "is not a list of positions"
    return "" if value == sorted(set(value)) else "is not sorted, or has a position twice"


def _by_status(value: Json) -> str:
    if type(value) is dict and all(
        name in OUTCOMES and not _place(count) for name, count in value.items()
    ):
        return ""
    return "is not an object of counts by outcome"


def _is(text: str) -> Judge:
    return lambda value: "" if value == text and type(value) is str else f"is not {text}"


_TOOL: Grammar = {"name": _some_text, "version": _some_text, "scope": _some_text}
_AGENT: Grammar = {
    "name?": _text, "model?": _text, "model_version?": _text, "harness?": _text,
    "workflow?": _text, "labels?": _labels,
}  # fmt: skip
_WRITER: Grammar = {
    "uid": _count_or_null, "pid": _count_or_null,
    "same_uid_as_agent": _yes_no_or_null, "same_process": _yes_no_or_null,
}  # fmt: skip

COMMITTED: Grammar = {
    "tool": _TOOL,
    "inputs": {
        "args": fault_of_piece, "original?": fault_of_piece, "redactions?": _redactions,
        "rounds?": _pieces, "view?": _anything,
    },
    "outputs": {
        "result": _piece_or_null, "original?": fault_of_piece, "redactions?": _redactions,
        "view?": _anything, "status": _outcome, "flags": _flags,
    },
    "timing": {
        "started_at?": _time, "ended_at?": _time, "start_mono_ns?": _count,
        "end_mono_ns?": _count, "boot_id?": _text,
    },
    "binding": {
        "profile": _is("toolreplay/1"), "receipt_id": _some_text, "job_id": _some_text,
        "seq": _place, "position": _place_or_null, "prev_digest": _digest, "created_at": _time,
        "parent?": _text,
    },
    "capture": {
        "layer": _some_text, "args_fidelity": _some_text, "result_fidelity": _some_text,
        "adapter": _text, "tool_definition": _digest_or_absent, "annotations?": _object,
        "request_id?": _anything, "server?": _digest, "writer": _WRITER,
    },
    "agent": _AGENT,
    "issuer_claims": {"provenance_class": _some_text},
    "receipt_schema_version": _is("0.4"),
}  # fmt: skip
"""What the bytes of a receipt of ours say."""

CLOSE: Grammar = {
    **COMMITTED,
    "close": {
        "goal": _some_text, "answer_recorded": _yes_or_no, "status": _some_text,
        "count": _count, "by_status": _by_status, "unfinished": _positions,
        "merkle_version": _is("seq-output-v1"), "merkle_root": _digest_or_null,
        "receipt_id_root": _digest_or_null, "entries": {"count": _count, "digest": _digest},
        "closed_by": _some_text,
    },
}  # fmt: skip
"""What the bytes of a close receipt say; only the member `close` makes it one."""

OPEN: Grammar = {
    "profile": _is("toolreplay/open/1"), "run": _some_text, "agent": _AGENT,
    "recorder": {"name": _some_text, "version": _some_text},
    "capture": {"layer": _some_text, "adapter": _text, "cwd?": _text},
    "run_by": _some_text, "started_at": _time, "name?": _text,
}  # fmt: skip

START: Grammar = {
    "profile": _is("toolreplay/intent/1"), "run": _some_text, "position": _place, "tool": _TOOL,
    "args": fault_of_piece, "started_at": _time, "mono_ns": _count, "boot_id": _text,
}  # fmt: skip

GAP: Grammar = {
    "profile": _is("toolreplay/gap/1"), "reason": _some_text, "count": _count_or_null,
    "since": _time_or_null, "until": _time_or_null,
}  # fmt: skip

OBSERVATION: Grammar = {
    "profile": _is("toolreplay/observation/1"), "effect": _anything, "reader": _some_text,
    "found": _anything, "piece": _piece_or_null, "at": _time,
}  # fmt: skip

ERASE: Grammar = {
    "profile": _is("toolreplay/erase/1"), "digests": _digests, "reason": _text,
}  # fmt: skip
