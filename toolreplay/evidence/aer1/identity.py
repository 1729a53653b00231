"""Id binding: does the label of a receipt belong to these bytes? (AER-1, rules IDB-1 to IDB-9.)

The id stands outside the digest: a copied receipt under a new id verifies. Only something handed
in from elsewhere can show it, the id that was expected or the record that the id leads to.
"""

from typing import Final, NamedTuple

from toolreplay.evidence.aer1.rule_check import RuleCheck
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.records.call import Json, JsonObject

__all__ = [
    "NIL_ID",
    "NOTHING_GIVEN",
    "NOT_SUPPLIED",
    "IdBinding",
    "NotSupplied",
    "id_binding",
    "is_same",
    "unwrapped",
]

NIL_ID = "00000000-0000-0000-0000-000000000000"
"""No receipt may have it (REC-5)."""

_RULES = tuple(f"IDB-{number}" for number in range(1, 10))


class NotSupplied:
    """The type of NOT_SUPPLIED: a resolved record may be any JSON value, null too."""


NOT_SUPPLIED: Final = NotSupplied()
"""Stands for a resolved record that nobody handed in."""


class IdBinding(NamedTuple):
    """What the id was held against, and what came of it.

    `id_state` is unverified, verified-expected, verified-resolved or mismatch; `id_verdict` is
    absent, unverified, matched, resolved or mismatched.
    """

    id_state: str
    id_verdict: str
    check: RuleCheck


_UNVERIFIED = RuleCheck(
    "id binding", _RULES, NOT_CHECKED, "neither an expected id nor a resolved record was given"
)
NOTHING_GIVEN = IdBinding("unverified", "unverified", _UNVERIFIED)
"""The binding of a receipt that was held against nothing."""

_NO_ID = IdBinding("unverified", "absent", _UNVERIFIED)
_NOT_LOOKED_AT = RuleCheck("id binding", _RULES, NOT_CHECKED, "a member of the receipt is missing")
_PASSED = RuleCheck("id binding", _RULES, PASSED)


def unwrapped(document: Json) -> Json:
    """Return the receipt inside an envelope, or the document itself (AER-1, REC-1)."""
    if isinstance(document, dict):
        inner = document.get("receipt")
        if isinstance(inner, dict):
            return inner
    return document


def is_same(one: Json, other: Json) -> bool:
    """Whether two JSON values are equal as Python compares them; False where that goes too deep."""
    try:
        return bool(one == other)
    except RecursionError:
        return False


def id_binding(
    receipt: JsonObject,
    expected_id: str | None = None,
    resolved_record: Json = NOT_SUPPLIED,
) -> IdBinding:
    """Return the binding of a receipt's id (AER-1, IDB-1 to IDB-9); never raises.

    A receipt that lacks one of its three members (REC-2) is held against nothing. One mismatch is
    not healed by the other thing that was given (IDB-7).
    """
    own = receipt.get("id")
    nothing_given = expected_id is None and resolved_record is NOT_SUPPLIED
    if "id" not in receipt or "canonical_bytes" not in receipt or "output_hash" not in receipt:
        verdict = "absent" if own is None else "unverified"
        return IdBinding("unverified", verdict, _UNVERIFIED if nothing_given else _NOT_LOOKED_AT)
    if nothing_given:
        return _NO_ID if own is None else NOTHING_GIVEN
    state = "verified-expected"
    reasons = []
    if expected_id is not None and own != expected_id:
        reasons.append("the receipt's id is not the expected id")
    if resolved_record is not NOT_SUPPLIED:
        state = "verified-resolved"
        reasons += _against_record(receipt, unwrapped(resolved_record))
    if own == NIL_ID:
        reasons.append("the nil id can be bound to nothing")
    if reasons:
        state = "mismatch"
        check = RuleCheck("id binding", _RULES, FAILED, "; ".join(reasons))
    else:
        check = _PASSED
    return IdBinding(state, "absent" if own is None else _VERDICTS[state], check)


_VERDICTS = {
    "verified-expected": "matched",
    "verified-resolved": "resolved",
    "mismatch": "mismatched",
}


def _against_record(receipt: JsonObject, record: Json) -> list[str]:
    if not isinstance(record, dict):
        return ["the resolved record is not a JSON object"]
    if not is_same(record.get("output_hash"), receipt.get("output_hash")):
        return ["the resolved record has another digest"]
    if record.get("id") is not None and not is_same(record["id"], receipt.get("id")):
        return ["the resolved record has another id"]
    return []
