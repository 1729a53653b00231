"""Whether a workflow close has every member of Tables 2 and 3 of AER-1, in its shape (WF-9)."""

import re
from collections.abc import Callable

from toolreplay.evidence.aer1.rule_check import RuleCheck
from toolreplay.evidence.aer1.shapes import integer_of, is_hex_digest, is_uuid
from toolreplay.evidence.aer1.tally import Tally
from toolreplay.evidence.aer1.times import moment_of
from toolreplay.findings.check import FAILED, NOT_CHECKED
from toolreplay.records.call import Json, JsonObject

__all__ = ["CLOSE_TYPE", "check_tables"]

CLOSE_TYPE = "verifiable-workflow-receipt"
"""The `type` of a close."""

_TIME = re.compile(
    "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})"
)


def check_tables(close: JsonObject) -> tuple[tuple[str, ...], tuple[RuleCheck, ...]]:
    """Return notes, and a check for each member of Table 2 and, over all steps, of Table 3.

    Times are held to their shape alone, as others hold them; one that no calendar has is noted.
    Steps are those of `steps`: the other shape, `receipts`, has no tables.
    """
    failed, noted = Tally(), Tally()
    for name, (is_right, shape) in _TABLE_2.items():
        if not is_right(close.get(name)):
            failed.add(name, f"{name} is not {shape}")
    steps = close.get("steps")
    if type(steps) is not list or not steps:
        failed.add("steps", "steps is not a non-empty list")
        steps = []
    for position, step in enumerate(steps, 1):
        if type(step) is not dict:
            failed.add("steps", f"step {position} is not an object")
            continue
        for name, (is_right, shape) in _TABLE_3.items():
            value = step.get(name)
            if not is_right(value):
                failed.add(f"steps {name}", f"step {position} {name} is not {shape}")
            elif is_right is _is_time and not _is_real_time(value):
                noted.add(name, f"step {position} {name} is a time that no calendar has")
    checks = [failed.check(name, ("WF-9",)) for name in (*_TABLE_2, "steps")]
    for name in _TABLE_3:
        check = failed.check(f"steps {name}", ("WF-9",))
        if check.result != FAILED and not steps:
            check = RuleCheck(check.name, ("WF-9",), NOT_CHECKED, "there is no step")
        checks.append(check)
    return noted.lines(), tuple(checks)


def _is_close_type(value: Json) -> bool:
    return type(value) is str and value == CLOSE_TYPE


def _is_text(value: Json) -> bool:
    return type(value) is str and bool(value)


def _is_string(value: Json) -> bool:
    return type(value) is str


def _is_address(value: Json) -> bool:
    return type(value) is str and value.startswith(("http://", "https://"))


def _is_integer(value: Json) -> bool:
    return integer_of(value) is not None


def _is_time(value: Json) -> bool:
    return type(value) is str and _TIME.fullmatch(value) is not None


def _is_real_time(value: Json) -> bool:
    moment = moment_of(value)
    return moment is not None and moment.has_real_offset


_Shape = tuple[Callable[[Json], bool], str]

_TABLE_2: dict[str, _Shape] = {
    "type": (_is_close_type, CLOSE_TYPE),
    "version": (_is_text, "a non-empty string"),
    "workflow_id": (is_uuid, "a lower-case UUID"),
    "receipt_id": (is_uuid, "a lower-case UUID"),
    "session_id": (_is_text, "a non-empty string"),
    "goal": (_is_text, "a non-empty string"),
    "status": (_is_text, "a non-empty string"),
    "output_hash": (is_hex_digest, "64 lower-case hex digits"),
    "verify_url": (_is_address, "an http or https address"),
}
"""Members of the close itself; `steps` and `merkle_root` have rules of their own."""

_TABLE_3: dict[str, _Shape] = {
    "seq": (_is_integer, "an integer"),
    "receipt_id": (_is_string, "a string"),
    "tool": (_is_text, "a non-empty string"),
    "receipt_hash": (is_hex_digest, "64 lower-case hex digits"),
    "started_at": (_is_time, "a time with a zone"),
    "ended_at": (_is_time, "a time with a zone"),
    "status": (_is_text, "a non-empty string"),
}
"""Members of each step; the current root also wants `output_hash` (WF-5)."""
