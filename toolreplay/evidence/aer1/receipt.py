"""One receipt against AER-1: what decides its verdict, and what is reported beside it.

The default verdict is that of aer1-verify 0.2.19, the newest reader that could be compared with,
except where that reader crashes or asks a clock. An intact receipt shows that nothing committed
was changed since; it does not show that the content is true, nor that every call has a receipt.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from json import JSONEncoder
from typing import NamedTuple

from toolreplay.errors import UsageError
from toolreplay.evidence.aer1.anchor import AnchorReport, anchor_report
from toolreplay.evidence.aer1.committed import (
    ALL_PASSED,
    Committed,
    has_constants,
    read_committed,
)
from toolreplay.evidence.aer1.identity import (
    NIL_ID,
    NOT_SUPPLIED,
    NOTHING_GIVEN,
    IdBinding,
    id_binding,
    is_same,
    unwrapped,
)
from toolreplay.evidence.aer1.rule_check import RuleCheck
from toolreplay.evidence.aer1.tiers import (
    Versions,
    core_checks,
    is_class,
    is_tool,
    is_uuid,
    producer_check,
    strict_checks,
    versions_of,
)
from toolreplay.evidence.aer1.times import Moment, moment_of
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.records.call import Json, JsonObject

__all__ = ["MetadataHash", "ReceiptReport", "check_receipt"]

MetadataHash = Callable[[JsonObject], str | None]
"""Computes what `metadata_hash` of a receipt must be, or None where it cannot. What the member
covers, byte for byte, is not known here, so there is none until somebody hands one in."""

_LEGACY = ("0.2", "0.3")
_CURRENT = "0.4"

_OBJECT = RuleCheck("object", ("REC-1",), PASSED)
_MEMBERS = RuleCheck("members", ("REC-2",), PASSED)
_LENGTH = RuleCheck("length", ("REC-13",), PASSED)
_NO_LENGTH = RuleCheck("length", ("REC-13",), NOT_CHECKED, "no canonical_byte_length")
_ALGORITHM = RuleCheck("algorithm", ("REC-12",), PASSED)
_NO_ALGORITHM = RuleCheck("algorithm", ("REC-12",), NOT_CHECKED, "no hash_algorithm")
_TIME = RuleCheck("time", ("REC-8", "TIM-1", "TIM-2", "TIM-3", "TIM-4", "TIM-6", "TIM-8"), PASSED)
_NO_TIME = RuleCheck("time", _TIME.rules, NOT_CHECKED, "no created_at")
_BAD_TIME = RuleCheck("time", _TIME.rules, FAILED, "not a time that the calendar has")
_NOT_AHEAD = RuleCheck("not in the future", ("TIM-7",), PASSED)
_AHEAD = RuleCheck(
    "not in the future", ("TIM-7",), FAILED, "later than the time it was held against"
)
_NO_CLOCK = RuleCheck("not in the future", ("TIM-7",), NOT_CHECKED, "no time to compare with")
_NOTHING_AHEAD = RuleCheck("not in the future", ("TIM-7",), NOT_CHECKED, "no time was read")
_VERSION = RuleCheck("schema version", ("VER-2", "VER-3", "VER-6"), PASSED)
_NO_VERSION = RuleCheck("schema version", ("VER-5",), NOT_CHECKED, "no version anywhere")
_LEGACY_VERSION = RuleCheck(
    "schema version", ("VER-1", "VER-2"), NOT_CHECKED, "legacy: read under the prior rules"
)
_CLASS = RuleCheck("provenance class", ("VER-4",), PASSED)
_LEGACY_CLASS = RuleCheck(
    "provenance class", ("VER-1",), NOT_CHECKED, "legacy: nothing committed to compare with"
)
_NIL = RuleCheck("id is not nil", ("REC-5",), PASSED)
_NO_COMMITTED = read_committed(None, None)._replace(checks=())

_USUAL = {
    (has_length, has_algorithm): (
        _OBJECT,
        _MEMBERS,
        *ALL_PASSED,
        _LENGTH if has_length else _NO_LENGTH,
        _ALGORITHM if has_algorithm else _NO_ALGORITHM,
        _TIME,
        _NO_CLOCK,
        _VERSION,
        _CLASS,
        _NIL,
        NOTHING_GIVEN.check,
    )
    for has_length in (False, True)
    for has_algorithm in (False, True)
}
_ALL_USUAL = {id(checks) for checks in _USUAL.values()}


class ReceiptReport(NamedTuple):
    """What one receipt came to.

    `receipt` is the unwrapped object, None where the document is none. `read` is what its
    `canonical_bytes` hold: `committed` are the decoded bytes and `value` their JSON, each None
    where there is none. `checks` decide the default verdict. `id_state` and `id_verdict` are those of AER-1. `provenance_class` and
    `claimed_status` are what the receipt says itself, None where it is no string; the status is
    the producer's claim and decides nothing (REC-14).

    The properties are worked out when they are asked for, and each time anew.
    """

    receipt: JsonObject | None
    read: Committed
    checks: tuple[RuleCheck, ...]
    legacy: bool
    id_state: str
    id_verdict: str
    anchor: AnchorReport

    @property
    def committed(self) -> bytes | None:
        """The decoded bytes, also where the spelling of their base64 was wrong."""
        return self.read.data

    @property
    def value(self) -> Json:
        """The committed JSON, None where there is none (and for a committed null)."""
        return self.read.value

    @property
    def provenance_class(self) -> str | None:
        """The class that the receipt gives itself; to be shown beside every verdict (REC-10)."""
        return _text_member(self.receipt, "provenance_class")

    @property
    def claimed_status(self) -> str | None:
        """The producer's claim (REC-14)."""
        return _text_member(self.receipt, "verification_status")

    @property
    def is_usual(self) -> bool:
        """Whether it passes in everything as most receipts do; False of some that pass too."""
        return id(self.checks) in _ALL_USUAL

    @property
    def passed(self) -> bool:
        """The default verdict: no check failed."""
        return self.is_usual or _none_failed(self.checks)

    @property
    def core(self) -> tuple[RuleCheck, ...]:
        """The checks of the core tier."""
        return core_checks(self.receipt, self.read)

    @property
    def core_passed(self) -> bool:
        """Whether the core tier accepts."""
        return _none_failed(self.core)

    @property
    def producer_profile(self) -> RuleCheck:
        """Whether the reference producer's profile accepts (REC-16)."""
        return producer_check(self.read)

    @property
    def strict(self) -> tuple[RuleCheck, ...]:
        """The default checks, those of the core tier, and what the strict level adds."""
        added = strict_checks(self.receipt, self.read, is_legacy=self.legacy)
        return (*self.checks, *self.core, *added)

    @property
    def strict_passed(self) -> bool:
        """Whether the strict level accepts."""
        return _none_failed(self.strict)

    def checks_at(self, level: str) -> tuple[RuleCheck, ...]:
        """Return the checks that decide at a level: default, core or strict."""
        if level == "core":
            return self.core
        return self.strict if level == "strict" else self.checks

    @property
    def is_current_shape(self) -> bool:
        """Whether it passes as a receipt of today: verdict, core tier, and nothing legacy."""
        return not self.legacy and self.passed and self.core_passed

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines for a person, each beginning with its name and a colon; no verdict rests on them."""
        if self.receipt is None or _missing(self.receipt):
            return ()
        return tuple(_notes(self.receipt, self.read, self.checks, legacy=self.legacy))


def check_receipt(
    document: Json,
    *,
    now: str | None = None,
    expected_id: str | None = None,
    resolved_record: Json = NOT_SUPPLIED,
    with_anchor: bool = True,
    metadata_hash: MetadataHash | None = None,
) -> ReceiptReport:
    """Return the report on a receipt, bare or in its envelope (AER-1, sections 3 to 6).

    `document` may be any JSON value. Without `now`, a time as AER-1 writes it, no time is too late:
    a verdict does not depend on the day it is asked for. `metadata_hash` computes what the member
    of that name must be, or None where it cannot; without it the member is not checked. Raises
    UsageError for a `now` that is no time.
    """
    clock = None if now is None else _clock(now)
    receipt = unwrapped(document)
    if not isinstance(receipt, dict):
        fact = RuleCheck("object", ("REC-1",), FAILED, "the document is not a JSON object")
        none = anchor_report(None)
        return ReceiptReport(None, _NO_COMMITTED, (fact,), False, "unverified", "absent", none)
    binding = id_binding(receipt, expected_id, resolved_record)
    anchor = anchor_report(receipt, evaluate=with_anchor)
    if missing := _missing(receipt):
        fact = RuleCheck("members", ("REC-2",), FAILED, f"missing: {', '.join(missing)}")
        read = read_committed(receipt.get("canonical_bytes"), receipt.get("output_hash"))
        checks: tuple[RuleCheck, ...] = (_OBJECT, fact)
        return ReceiptReport(
            receipt, read, checks, False, binding.id_state, binding.id_verdict, anchor
        )
    read = read_committed(receipt["canonical_bytes"], receipt["output_hash"])
    if clock is None and metadata_hash is None and binding is NOTHING_GIVEN:
        usual = _usual_checks(receipt, read)
        if usual is not None:
            return ReceiptReport(
                receipt, read, usual, False, binding.id_state, binding.id_verdict, anchor
            )
    versions = versions_of(receipt, read)
    legacy = _is_legacy(versions)
    checks = (
        _OBJECT,
        _MEMBERS,
        *read.checks,
        _length_check(receipt, read),
        _algorithm_check(receipt),
        *_time_checks(receipt, clock),
        *_version_checks(receipt, read, versions, legacy=legacy),
        *_id_checks(receipt, binding),
    )
    if metadata_hash is not None and not legacy:
        checks = (*checks, _metadata_check(receipt, metadata_hash))
    return ReceiptReport(
        receipt, read, checks, legacy, binding.id_state, binding.id_verdict, anchor
    )


def _usual_checks(receipt: JsonObject, read: Committed) -> tuple[RuleCheck, ...] | None:
    """Return the checks of a receipt in order as most are, or None where each must be made.

    Most receipts differ in nothing that is checked, and then their checks need not be put together
    one by one: that is half of the time a receipt takes.
    """
    value = read.value
    if not read.is_in_order or type(value) is not dict or receipt["id"] == NIL_ID:
        return None
    outer, inner = receipt.get("receipt_schema_version"), value.get("receipt_schema_version")
    if outer != _CURRENT or inner != _CURRENT:
        return None
    claims, claimed = value.get("issuer_claims"), receipt.get("provenance_class")
    if type(claims) is not dict or type(claimed) is not str:
        return None
    if claims.get("provenance_class") != claimed or moment_of(receipt.get("created_at")) is None:
        return None
    length, algorithm = _LENGTH, _ALGORITHM
    if "canonical_byte_length" not in receipt:
        length = _NO_LENGTH
    elif receipt["canonical_byte_length"] != len(read.data or b""):
        return None
    if receipt.get("hash_algorithm") is None:
        algorithm = _NO_ALGORITHM
    elif receipt["hash_algorithm"] != "sha256":
        return None
    return _USUAL[length is _LENGTH, algorithm is _ALGORITHM]


def _missing(receipt: JsonObject) -> list[str]:
    if "id" in receipt and "canonical_bytes" in receipt and "output_hash" in receipt:
        return []
    return [name for name in ("id", "canonical_bytes", "output_hash") if name not in receipt]


@lru_cache(maxsize=1)
def _clock(now: str) -> Moment:
    moment = moment_of(now)
    if moment is None:
        raise UsageError("the time to compare with is not one like 2026-01-31T09:00:00Z")
    return moment


def _length_check(receipt: JsonObject, read: Committed) -> RuleCheck:
    if "canonical_byte_length" not in receipt:
        return _NO_LENGTH
    if read.data is None:
        return RuleCheck("length", ("REC-13",), NOT_CHECKED, "there are no bytes")
    # A length of 229.0 is equal; only the strict level asks for an integer.
    if receipt["canonical_byte_length"] == len(read.data):
        return _LENGTH
    reason = f"canonical_byte_length is not {len(read.data)}"
    return RuleCheck("length", ("REC-13",), FAILED, reason)


def _algorithm_check(receipt: JsonObject) -> RuleCheck:
    algorithm = receipt.get("hash_algorithm")
    if algorithm is None:
        return _NO_ALGORITHM
    if algorithm == "sha256":
        return _ALGORITHM
    return RuleCheck("algorithm", ("REC-12",), FAILED, "hash_algorithm is not sha256")


def _time_checks(receipt: JsonObject, clock: Moment | None) -> tuple[RuleCheck, RuleCheck]:
    stamp = receipt["created_at"] if "created_at" in receipt else receipt.get("timestamp")
    if stamp is None:
        return _NO_TIME, _NOTHING_AHEAD
    moment = moment_of(stamp)
    if moment is None:
        return _BAD_TIME, _NOTHING_AHEAD
    if clock is None:
        return _TIME, _NO_CLOCK
    return _TIME, _AHEAD if moment[:2] > clock[:2] else _NOT_AHEAD


def _is_legacy(versions: Versions) -> bool:
    ruling = versions.outer if versions.committed is None else versions.committed
    # A number counts by its text: 0.3 is "0.3" to the reader that is followed here.
    return type(ruling) in (str, float) and str(ruling) in _LEGACY


def _version_checks(
    receipt: JsonObject, read: Committed, versions: Versions, *, legacy: bool
) -> tuple[RuleCheck, RuleCheck]:
    if legacy:
        return _LEGACY_VERSION, _LEGACY_CLASS
    outer, inner = versions
    if outer is None and inner is None:
        version = _NO_VERSION
    elif outer is None or inner is None:
        side = "outside" if outer is None else "in the committed bytes"
        version = RuleCheck("schema version", ("VER-3",), FAILED, f"no version {side}")
    elif _is_one_version(outer, inner):
        version = _VERSION
    else:
        reason = "the version outside is not the committed one"
        version = RuleCheck("schema version", ("VER-3",), FAILED, reason)
    reason = _class_reason(receipt, read)
    return version, RuleCheck("provenance class", ("VER-4",), FAILED, reason) if reason else _CLASS


def _class_reason(receipt: JsonObject, read: Committed) -> str:
    if not read.has_right_digest:
        return "nothing is bound by bytes whose digest is wrong"
    if not isinstance(read.value, dict):
        return "the committed bytes are not a JSON object"
    claims = read.value.get("issuer_claims")
    committed = claims.get("provenance_class") if isinstance(claims, dict) else None
    outer = receipt.get("provenance_class")
    if committed is None:
        return "no issuer_claims.provenance_class in the committed bytes"
    if outer is None:
        return "no provenance_class outside"
    return "" if is_same(outer, committed) else "the class outside is not the committed one"


def _id_checks(receipt: JsonObject, binding: IdBinding) -> tuple[RuleCheck, RuleCheck]:
    nil = _NIL
    if receipt["id"] == NIL_ID:
        nil = RuleCheck("id is not nil", ("REC-5",), FAILED, "the id is the nil UUID")
    return nil, binding.check


def _metadata_check(receipt: JsonObject, metadata_hash: MetadataHash) -> RuleCheck:
    wanted, stated = metadata_hash(receipt), receipt.get("metadata_hash")
    if wanted is None:
        return RuleCheck("metadata_hash", (), NOT_CHECKED, "it could not be computed")
    if stated is None:
        return RuleCheck("metadata_hash", (), FAILED, "there is none")
    if stated != wanted:
        return RuleCheck("metadata_hash", (), FAILED, "not that of the members it covers")
    return RuleCheck("metadata_hash", (), PASSED)


def _is_one_version(outer: Json, inner: Json) -> bool:
    """Whether two versions are spelled alike: a number counts by its text.

    The reader that is followed here also takes an array for the text that Python prints of it;
    that is no rule of AER-1, and to spell nested arrays so takes time out of proportion.
    """
    if type(outer) is str and type(inner) is str:
        return outer == inner
    try:
        return _spelled(outer) == _spelled(inner)
    except (ValueError, RecursionError):  # thousands of digits, or of levels
        return False


def _spelled(version: Json) -> str:
    return _IN_ORDER.encode(version) if isinstance(version, dict | list) else str(version)


_IN_ORDER = JSONEncoder(ensure_ascii=False, check_circular=False)


def _notes(
    receipt: JsonObject, read: Committed, checks: tuple[RuleCheck, ...], *, legacy: bool
) -> list[str]:
    notes = []
    if id(checks) in _ALL_USUAL:
        notes.append(_NO_CLOCK_NOTE)
    else:
        notes += _notes_of_version_and_time(receipt, read, checks, legacy=legacy)
    tool = receipt.get("tool")
    if type(tool) is str:
        notes.append(f"bare_tool: {_BARE_NOTE}")
    elif not is_tool(tool):
        notes.append(f"tool: {_TOOL_NOTE}")
    if not is_uuid(receipt["id"]):
        notes.append("id: the id is not a UUID in lower case")
    if not is_class(receipt.get("provenance_class")):
        notes.append(f"provenance_class: {_CLASS_NOTE}")
    if receipt.get("verification_status") != "verified":
        notes.append(f"status: {_STATUS_NOTE}")
    if not read.is_in_order and read.is_json and has_constants(read.data or b""):
        notes.append(f"constants: {_CONSTANTS_NOTE}")
    if "metadata_hash" in receipt and not any(check.name == "metadata_hash" for check in checks):
        notes.append("metadata_hash: metadata_hash present, not checked")
    return notes


def _notes_of_version_and_time(
    receipt: JsonObject, read: Committed, checks: tuple[RuleCheck, ...], *, legacy: bool
) -> Iterator[str]:
    versions = versions_of(receipt, read)
    ruling = versions.outer if versions.committed is None else versions.committed
    if legacy:
        yield f"legacy: {_LEGACY_NOTE}"
    elif ruling not in (None, _CURRENT):
        yield f"unknown_version: {_UNKNOWN_NOTE}"
    if receipt.get("created_at") is None:
        has_stamp = receipt.get("timestamp") is not None
        yield f"timestamp_field: {_STAMP_NOTE}" if has_stamp else f"no_time: {_NO_TIME_NOTE}"
    if any(check is _NO_CLOCK for check in checks):
        yield _NO_CLOCK_NOTE


_NO_CLOCK_NOTE = "future: the time was compared with no clock"
_LEGACY_NOTE = (
    "a legacy schema version; nothing but the committed bytes is bound: the id, the tool's name, "
    "version and scope, the creation time and the provenance class could be others unnoticed"
)
_UNKNOWN_NOTE = "a schema version that is not known here, read as 0.4"
_STAMP_NOTE = "the creation time stands in the legacy member timestamp"
_NO_TIME_NOTE = "the receipt has no creation time"
_BARE_NOTE = "the tool is a bare name, without version and scope"
_TOOL_NOTE = "the tool is not an object with the strings name, version and scope"
_CLASS_NOTE = "the provenance class is not one of the grammar"
_STATUS_NOTE = "the producer does not claim that it verified the receipt"
_CONSTANTS_NOTE = "NaN or Infinity in the committed bytes, which JSON does not have"


def _text_member(receipt: JsonObject | None, name: str) -> str | None:
    value = None if receipt is None else receipt.get(name)
    return value if type(value) is str else None


def _none_failed(checks: tuple[RuleCheck, ...]) -> bool:
    return not any(check.result == FAILED for check in checks)
