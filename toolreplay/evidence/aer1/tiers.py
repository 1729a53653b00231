"""The stricter readings of one receipt: the core tier, the producer profile, the strict level.

The default verdict is that of the newest obtainable reader, which is laxer than the tables of the
specification in some places and stricter in others. Both answers are always available:

* the core tier is what the conformance kit 1.4 accepts, its own leniencies included (a newline
  after an id, other spellings of the base64, bytes that are no JSON at all);
* the producer profile asks for one more member, of the committed object;
* the strict level wants every other reading to accept, nothing legacy, and full matches.
"""

import re
from typing import NamedTuple

from toolreplay.evidence.aer1.anchor import UUID_4
from toolreplay.evidence.aer1.committed import Committed, has_constants, is_output_hash
from toolreplay.evidence.aer1.rule_check import RuleCheck
from toolreplay.evidence.aer1.times import moment_of
from toolreplay.findings.check import FAILED, PASSED
from toolreplay.records.call import Json, JsonObject

__all__ = [
    "CORE_MEMBERS",
    "Versions",
    "core_checks",
    "is_class",
    "is_tool",
    "is_uuid",
    "producer_check",
    "strict_checks",
    "versions_of",
]

CORE_MEMBERS = (
    "id", "receipt_schema_version", "created_at", "tool", "provenance_class", "canonical_bytes",
    "output_hash", "verification_status",
)  # fmt: skip
"""The eight members of the core tier (REC-3)."""

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_CLASS = re.compile(r"OBSERVED VIA GATEWAY|LOGGED BY AGENT|EXECUTED BY [A-Z0-9][A-Z0-9 ._-]*")
_CURRENT = "0.4"

_NO_UUID = "not a UUID in lower case"
_NO_UUID_4 = "not a UUID of version 4"
_NO_TEXT = "not a string with something in it"
_NO_TOOL = "not an object with the strings name, version and scope"
_NO_CLASS = "not a class of the grammar"


class Versions(NamedTuple):
    """The schema version outside and inside the committed bytes; None where one is silent."""

    outer: Json
    committed: Json


def versions_of(receipt: JsonObject, committed: Committed) -> Versions:
    """Return both schema versions of a receipt (AER-1, VER-1 to VER-6)."""
    value = committed.value
    inner = value.get("receipt_schema_version") if type(value) is dict else None
    return Versions(receipt.get("receipt_schema_version"), inner)


def is_uuid(value: Json) -> bool:
    """Whether a value is a UUID in lower case, of any version (AER-1, REC-4)."""
    return type(value) is str and _UUID.fullmatch(value) is not None


def is_class(value: Json) -> bool:
    """Whether a value is a provenance class of the grammar (AER-1, REC-10)."""
    return type(value) is str and _CLASS.fullmatch(value) is not None


def is_tool(value: Json) -> bool:
    """Whether a value is a tool object: three strings with something in them (AER-1, REC-9)."""
    if not isinstance(value, dict):
        return False
    name, version, scope = value.get("name"), value.get("version"), value.get("scope")
    is_text = type(name) is type(version) is type(scope) is str
    return is_text and name != "" and version != "" and scope != ""


def core_checks(receipt: Json, committed: Committed) -> tuple[RuleCheck, ...]:
    """Return the checks of the core tier on an unwrapped receipt; never raises."""
    if not isinstance(receipt, dict):
        return (_check("core: object", ("REC-1",), "the receipt is not a JSON object"),)
    missing = [name for name in CORE_MEMBERS if name not in receipt]
    version, stated = receipt.get("receipt_schema_version"), receipt.get("output_hash")
    is_time = moment_of(receipt.get("created_at")) is not None
    is_digest = committed.digest is not None and stated == f"sha256:{committed.digest}"
    facts = (
        ("members", ("REC-3",), not missing, f"missing: {', '.join(missing)}"),
        ("id", ("REC-4",), is_uuid(_before_newline(receipt.get("id"))), _NO_UUID),
        ("schema version", ("REC-7",), type(version) is str and version != "", _NO_TEXT),
        ("time", ("REC-8", "TIM-1", "TIM-3"), is_time, "created_at is not a time"),
        ("tool", ("REC-9",), is_tool(receipt.get("tool")), _NO_TOOL),
        (
            "provenance class",
            ("REC-10",),
            is_class(_before_newline(receipt.get("provenance_class"))),
            _NO_CLASS,
        ),
        ("base64", ("B64-1", "B64-2"), committed.data is not None, "not base64"),
        ("UTF-8", ("UTF-1",), committed.is_utf_8, "the bytes are not UTF-8"),
        ("output_hash form", ("REC-11",), is_output_hash(stated), "not of its form"),
        ("digest", ("HSH-1",), is_digest, "output_hash is not that of the bytes"),
        (
            "status",
            ("REC-14",),
            receipt.get("verification_status") == "verified",
            "the producer does not claim that it is verified",
        ),
    )
    return tuple(
        _check(f"core: {name}", rules, "" if is_so else reason)
        for name, rules, is_so, reason in facts
    )


def producer_check(committed: Committed) -> RuleCheck:
    """Return whether the committed bytes fit the reference producer's profile (AER-1, REC-16)."""
    reason = ""
    if not committed.is_json:
        reason = "the committed bytes are not read as JSON"
    elif not isinstance(committed.value, dict):
        reason = "the committed JSON is not an object"
    elif "inputs" not in committed.value:
        reason = "the committed object has no member inputs"
    return _check("producer profile", ("REC-16",), reason)


def strict_checks(receipt: Json, committed: Committed, *, is_legacy: bool) -> tuple[RuleCheck, ...]:
    """Return what the strict level asks for beyond the default verdict and the core tier."""
    if not isinstance(receipt, dict):
        return ()
    own, length = receipt.get("id"), receipt.get("canonical_byte_length")
    moment, data = moment_of(receipt.get("created_at")), committed.data
    has_offset = moment is not None and moment.has_real_offset
    is_integer = "canonical_byte_length" not in receipt or type(length) is int
    is_finite = data is None or not committed.is_json or not has_constants(data)
    is_current = versions_of(receipt, committed) == (_CURRENT, _CURRENT)
    shape = _legacy_shape(receipt, is_legacy=is_legacy)
    facts = (
        ("shape", ("VER-1", "REC-8", "REC-9"), not shape, f"legacy: {shape}"),
        ("id", ("REC-6",), type(own) is str and UUID_4.fullmatch(own) is not None, _NO_UUID_4),
        ("schema version", ("VER-2", "VER-6"), is_current, f"not {_CURRENT} outside and inside"),
        ("provenance class", ("REC-10",), is_class(receipt.get("provenance_class")), _NO_CLASS),
        ("time", ("TIM-5", "TIM-8"), has_offset, "not a time with an offset that clocks have"),
        ("numbers", ("CAN-9",), is_finite, "NaN and Infinity are not JSON"),
        ("length", ("REC-13",), is_integer, "canonical_byte_length is not an integer"),
    )
    return tuple(
        _check(f"strict: {name}", rules, "" if is_so else reason)
        for name, rules, is_so, reason in facts
    )


def _legacy_shape(receipt: JsonObject, *, is_legacy: bool) -> str:
    if is_legacy:
        return "the schema version"
    if type(receipt.get("tool")) is str:
        return "the tool is a bare name"
    if receipt.get("created_at") is None and receipt.get("timestamp") is not None:
        return "the time stands in timestamp"
    return ""


def _check(name: str, rules: tuple[str, ...], reason: str) -> RuleCheck:
    """Return a check that passed where there is no reason against it."""
    return RuleCheck(name, rules, FAILED if reason else PASSED, reason)


def _before_newline(value: Json) -> Json:
    # The kit's own patterns end in `$`, which matches before a last newline too.
    return value.removesuffix("\n") if type(value) is str else value
