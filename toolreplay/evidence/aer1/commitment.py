"""The external commitment of AER-1: the end of a chain, kept where its holder cannot change it.

`{job_id, entry_count, final_entry_digest, published_at}`; other members are allowed (CMT-1 to
CMT-5). It shows what a chain alone cannot: a cut and closed end, a changed last entry, a rewritten
whole. It looks at the last entry alone, so it says nothing about entries whose links were kept:
chain and commitment are run together.
"""

from typing import NamedTuple

from toolreplay.errors import DeclarationError, InputError
from toolreplay.evidence.aer1.chain import ChainFacts, ChainReport, check_chain
from toolreplay.evidence.aer1.document import DOCUMENT_LIMITS, read_document
from toolreplay.evidence.aer1.rule_check import RuleCheck
from toolreplay.evidence.aer1.shapes import is_hex_digest, shown_integer
from toolreplay.evidence.aer1.times import moment_of
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.records.call import Json, JsonObject
from toolreplay.records.limits import Limits

__all__ = [
    "COMMITTED",
    "OTHER_THAN_COMMITTED",
    "CommitmentReport",
    "check_commitment",
    "commitment_of_facts",
    "parse_commitment",
    "standing_of",
]

COMMITTED = "consistent with a commitment kept elsewhere"
OTHER_THAN_COMMITTED = "not the chain that was committed"


class CommitmentReport(NamedTuple):
    """What a commitment came to against one timeline; `notes` never change `valid`."""

    checks: tuple[RuleCheck, ...]
    valid: bool
    notes: tuple[str, ...]


_MOST_ENTRIES = 10**12
_MEMBERS = ("job_id", "final_entry_digest", "entry_count", "published_at")


def parse_commitment(data: bytes, where: str, limits: Limits = DOCUMENT_LIMITS) -> JsonObject:
    """Return the commitment in a file that somebody kept. Raises DeclarationError and InputError.

    Its own shape must be right whatever it is compared with: a commitment that says nothing must
    not look like a chain that was changed.
    """
    try:
        value, twice = read_document(data, where, limits)
    except InputError as error:
        raise DeclarationError(where, f"is no commitment of AER-1: {error.what}") from None
    if type(value) is dict and value.keys().isdisjoint(_MEMBERS):
        raise DeclarationError(where, f"is no commitment of AER-1 (it has {', '.join(_MEMBERS)})")
    if twice is not None:
        raise DeclarationError(where, f"the member '{twice}' stands twice in one object")
    if type(value) is not dict:
        raise DeclarationError(where, "a commitment must be an object")
    count, job_id = value.get("entry_count"), value.get("job_id")
    if type(count) is not int or not 1 <= count < _MOST_ENTRIES:
        raise DeclarationError(
            where, f"entry_count is not an integer from 1, below {_MOST_ENTRIES:,}"
        )
    if type(job_id) is not str or not job_id:
        raise DeclarationError(where, "job_id is not a non-empty string")
    if not is_hex_digest(value.get("final_entry_digest")):
        raise DeclarationError(where, "final_entry_digest is not 64 lower-case hex digits")
    if reason := _time_reason(value.get("published_at")):
        raise DeclarationError(where, reason)
    return value


def check_commitment(timeline: Json, commitment: Json) -> CommitmentReport:
    """Compare a whole timeline with a commitment; both may be any value (AER-1, CMT-1 to CMT-5)."""
    return commitment_of_facts(check_chain(timeline).facts, commitment)


def commitment_of_facts(facts: ChainFacts, commitment: Json) -> CommitmentReport:
    """Compare the facts of a timeline that was read as a stream with a commitment.

    Whether the chain itself holds is another question (`ChainReport.valid`).
    """
    if type(commitment) is not dict:
        checks = [RuleCheck("commitment", ("CMT-1",), FAILED, "the commitment is not an object")]
        for name, rule in (("count", "2"), ("digest", "3"), ("published", "4"), ("job", "5")):
            reason = "there is no commitment"
            checks.append(RuleCheck(name, (f"CMT-{rule}",), NOT_CHECKED, reason))
        return CommitmentReport(tuple(checks), False, ())
    published_at = commitment.get("published_at")
    reasons = (
        ("commitment", "CMT-1", "" if facts.count else "the timeline is not a non-empty list"),
        ("count", "CMT-2", _count_reason(facts, commitment.get("entry_count"))),
        ("digest", "CMT-3", _digest_reason(facts, commitment.get("final_entry_digest"))),
        ("published", "CMT-4", _time_reason(published_at)),
        ("job", "CMT-5", _job_reason(facts, commitment.get("job_id"))),
    )
    made = tuple(
        RuleCheck(name, (rule,), FAILED if reason else PASSED, reason)
        for name, rule, reason in reasons
    )
    is_early = _is_before(published_at, facts.last_created_at)
    notes = ("published before last entry",) if is_early else ()
    return CommitmentReport(made, all(check.result == PASSED for check in made), notes)


def standing_of(chain: ChainReport, commitment: CommitmentReport | None) -> str:
    """Return what chain and commitment show together, in the words a report must use.

    Without a commitment that is the standing of the chain alone.
    """
    if commitment is None or not chain.valid:
        return chain.standing
    return COMMITTED if commitment.valid else OTHER_THAN_COMMITTED


def _count_reason(facts: ChainFacts, count: Json) -> str:
    if type(count) is not int:
        return "entry_count is not an integer"
    if count != facts.count:
        return f"entry_count is {shown_integer(count)}, the timeline has {facts.count:,}"
    return ""


def _digest_reason(facts: ChainFacts, digest: Json) -> str:
    if not is_hex_digest(digest):
        return "final_entry_digest is not 64 lower-case hex digits"
    if facts.final_entry_digest is None:
        return "the last entry has no digest to compare with"
    if digest != facts.final_entry_digest:
        return "final_entry_digest is not the digest of the last entry"
    return ""


def _time_reason(published_at: Json) -> str:
    moment = moment_of(published_at)
    if moment is None:
        return "published_at is not a time with a zone"
    return "" if moment.has_real_offset else "published_at has an offset that no clock has"


def _job_reason(facts: ChainFacts, job_id: Json) -> str:
    if type(job_id) is not str or not job_id:
        return "job_id is not a non-empty string"
    if facts.job_id is None:
        return "the entries are not all of one job"
    return "" if job_id == facts.job_id else "job_id is not that of the entries"


def _is_before(published_at: Json, created_at: str | None) -> bool:
    published, created = moment_of(published_at), moment_of(created_at)
    return published is not None and created is not None and published[:2] < created[:2]
