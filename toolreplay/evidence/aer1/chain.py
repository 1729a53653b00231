"""The chained timeline of AER-1: its entry digests, and the check of a whole chain (CHN-1 to CHN-10).

An entry has `id`, `seq`, `job_id`, `tool` (a string, not the object of a receipt),
`provenance_class`, `canonical_bytes`, `prev_digest`, and `close` on the last one.

An intact chain shows that nothing inside it was changed without relinking what follows. It shows
neither that its end was cut and closed again, nor that its last entry was changed, nor that the
whole was written anew: for those see commitment.py. So no intact chain is ever called complete.
"""

from typing import NamedTuple

from toolreplay.errors import CanonicalError
from toolreplay.evidence.aer1.base64_text import Base64Error, decoded_base64
from toolreplay.evidence.aer1.rule_check import RuleCheck
from toolreplay.evidence.aer1.shapes import integer_of, shown_integer
from toolreplay.evidence.aer1.tally import Tally
from toolreplay.evidence.digest import hex_of
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.records.call import Json, JsonObject
from toolreplay.records.canonical import text_of_parsed

__all__ = [
    "BROKEN",
    "CONSISTENT",
    "FIRST_PREV",
    "HISTORICAL",
    "ChainChecker",
    "ChainFacts",
    "ChainReport",
    "check_chain",
    "entry_digest",
    "historical_digest",
]

FIRST_PREV = "0" * 64
"""The `prev_digest` of the first entry (CHN-1)."""

BROKEN = "broken"
HISTORICAL = "historical -06 chain, not current"
CONSISTENT = "internally consistent; deletion and rewriting by the holder not excluded"
"""What a chain alone can come to, in the words a report must use."""

_CHECKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("timeline", ("CHN-8",)),
    ("members", ("CHN-8",)),
    ("base64", ("CHN-7",)),
    ("sequence", ("CHN-2", "CHN-10")),
    ("job", ("CHN-3",)),
    ("first link", ("CHN-1",)),
    ("links", ("CHN-5", "CHN-6")),
    ("close", ("CHN-4",)),
)
_STRINGS = ("id", "job_id", "tool", "provenance_class", "canonical_bytes", "prev_digest")


class ChainFacts(NamedTuple):
    """What a commitment is compared with, once a timeline was read to its end.

    `job_id` is that of every entry, None where they differ or one has none. `final_entry_digest`
    is the recomputed digest of the last entry, None where it has none. `last_created_at` is the
    member `created_at` of the last entry as it stands, None where there is no such string; a
    caller who holds the receipts may put their time there.
    """

    count: int  # type: ignore[assignment]  # a field, not the tuple's method
    final_entry_digest: str | None
    job_id: str | None
    last_created_at: str | None


class ChainReport(NamedTuple):
    """What a chain came to: one check a rule, and what was met on the way.

    `valid` is the answer of the current rule (-07 and later), `historical_valid` that of -06, which
    linked decoded bytes alone. `notes` are what other readers refuse and this one only reports.
    """

    checks: tuple[RuleCheck, ...]
    notes: tuple[str, ...]
    valid: bool
    historical_valid: bool
    facts: ChainFacts

    @property
    def final_entry_digest(self) -> str | None:
        """The recomputed digest of the last entry, None where it has none."""
        return self.facts.final_entry_digest

    @property
    def strict_valid(self) -> bool:
        """Whether it is valid and nothing was noted."""
        return self.valid and not self.notes

    @property
    def standing(self) -> str:
        """BROKEN, HISTORICAL or CONSISTENT: a chain alone is never more than consistent."""
        if self.valid:
            return CONSISTENT
        return HISTORICAL if self.historical_valid else BROKEN


def entry_digest(
    *,
    close: bool,
    id: str,  # noqa: A002 -- the members' own names
    job_id: str,
    output_hash_hex: str,
    prev_digest: str,
    provenance_class: str,
    seq: int,
    tool: str,
) -> str:
    r"""Return the bare hex digest of an entry (AER-1, CHN-6).

    It covers the sorted, compact JSON of the eight members, in which U+007F and everything outside
    ASCII is `\uxxxx` in lower case and a character beyond U+FFFF is a pair of them. This is not the
    form of committed bytes (CAN-4). `output_hash_hex` is the bare hex digest of the decoded bytes.

    Raises CanonicalError for a `seq` of more digits than the interpreter writes.
    """
    form = text_of_parsed(
        {
            "close": close,
            "id": id,
            "job_id": job_id,
            "output_hash": output_hash_hex,
            "prev_digest": prev_digest,
            "provenance_class": provenance_class,
            "seq": seq,
            "tool": tool,
        }
    )
    return hex_of(form.encode("ascii"))


def historical_digest(data: bytes) -> str:
    """Return the bare hex digest of an entry as -06 had it: of its decoded bytes alone (CHN-9)."""
    return hex_of(data)


class ChainChecker:
    """Judges the entries of one timeline in order, in memory that does not grow with them.

    Every attribute and `report` tell how things would stand if the last entry taken were the end.
    Positions in reasons count from 1, as `seq` does.
    """

    def __init__(self) -> None:
        self.count = 0
        self.job_id: str | None = None
        self.has_one_job = True
        self.last_seq: int | None = None
        self.last_created_at: str | None = None
        self.final_entry_digest: str | None = None
        self.is_closed = False
        self._unlinked = 0
        self._historical_prev: str | None = FIRST_PREV
        self._failed = Tally()
        self._noted = Tally()

    @property
    def valid(self) -> bool:
        """Whether the current rule holds up to here and the last entry closes the chain."""
        return self.count > 0 and self.is_closed and not self._failed

    @property
    def historical_valid(self) -> bool:
        """Whether the -06 rule holds up to here and the last entry closes the chain."""
        return self.count > 0 and self.is_closed and self._historical_prev is not None

    @property
    def is_historical_so_far(self) -> bool:
        """Whether every link up to here is one of the -06 rule."""
        return self._historical_prev is not None

    def take(self, entry: Json) -> list[str]:
        """Judge the next entry, which may be any value; return what is wrong with it."""
        return [reason for _, reason in self.judge(entry)]

    def judge(self, entry: Json) -> list[tuple[str, str]]:
        """Do as `take` does; return each fault with the name of its check before it."""
        found: list[tuple[str, str]] = []
        if self.is_closed:
            found.append(("close", f"entry {self.count} carries close: true before the last entry"))
        self.count += 1
        if type(entry) is dict:
            self._take_object(entry, found)
        else:
            found.append(("members", f"entry {self.count} is not an object"))
            self.has_one_job = self.is_closed = False
            self.last_seq = self.last_created_at = None
            self.final_entry_digest = self._historical_prev = None
        for name, reason in found:
            self._failed.add(name, reason)
        return found

    def finish(self) -> list[str]:
        """Return what is wrong with the end of the timeline."""
        if not self.count:
            return ["the timeline has no entry"]
        return [] if self.is_closed else ["the last entry does not carry close: true"]

    def report(self) -> ChainReport:
        """Return what the chain came to; the historical rule alone never passes."""
        ending = self.finish()
        if not self.count:
            return _unread(ending[0])
        checks = []
        for name, rules in _CHECKS:
            check = self._failed.check(name, rules)
            if name == "links" and self._unlinked and check.result == PASSED:
                reason = f"what entry {self._unlinked} should link to has no digest"
                check = RuleCheck(name, rules, NOT_CHECKED, reason)
            elif name == "close" and ending and check.result == PASSED:
                check = RuleCheck(name, rules, FAILED, ending[0])
            checks.append(check)
        if self.valid:
            checks.append(RuleCheck("rule", ("CHN-9",), PASSED))
        elif self.historical_valid:
            checks.append(RuleCheck("rule", ("CHN-9",), FAILED, HISTORICAL))
        else:
            reason = "neither the current rule nor that of -06 holds"
            checks.append(RuleCheck("rule", ("CHN-9",), NOT_CHECKED, reason))
        job_id = self.job_id if self.has_one_job else None
        facts = ChainFacts(self.count, self.final_entry_digest, job_id, self.last_created_at)
        notes = self._noted.lines()
        return ChainReport(tuple(checks), notes, self.valid, self.historical_valid, facts)

    def _take_object(self, entry: JsonObject, found: list[tuple[str, str]]) -> None:
        at = f"entry {self.count}"
        strings = {name: entry.get(name) for name in _STRINGS}
        for name, value in strings.items():
            if type(value) is not str or not value:
                found.append(("members", f"{at} {name} is not a non-empty string"))
        data = self._data_of(entry, found)
        seq = integer_of(entry.get("seq"))
        if seq is None:
            found.append(("sequence", f"{at} seq is not an integer"))
        elif seq != self.count:
            found.append(("sequence", f"{at} seq is {shown_integer(seq)}, not {self.count}"))
        self._compare_job(entry.get("job_id"), found)
        close = entry.get("close", False)
        if type(close) is not bool:
            found.append(("close", f"{at} close is not a boolean"))
        self._compare_links(entry.get("prev_digest"), found)
        self.is_closed = close is True
        self.last_seq = seq
        created_at = entry.get("created_at")
        self.last_created_at = created_at if type(created_at) is str else None
        # The hash of the bytes is the whole digest of -06 and one member of the current one.
        output_hash = None if data is None else historical_digest(data)
        if self._historical_prev is not None:
            follows = entry.get("prev_digest") == self._historical_prev
            self._historical_prev = output_hash if follows else None
        self.final_entry_digest = None
        if (
            output_hash is not None
            and seq is not None
            and type(close) is bool
            and all(type(value) is str and value for value in strings.values())
        ):
            self.final_entry_digest = _digest_or_none(entry, close, output_hash, seq)

    def _data_of(self, entry: JsonObject, found: list[tuple[str, str]]) -> bytes | None:
        at = f"entry {self.count}"
        try:
            data, is_exact = decoded_base64(entry.get("canonical_bytes"))
        except Base64Error as error:
            found.append(("base64", f"{at} canonical_bytes {error}"))
            return None
        if not is_exact:
            reason = f"{at} canonical_bytes has unused bits that are not zero"
            self._noted.add("unused bits", reason)
        return data

    def _compare_job(self, job_id: Json, found: list[tuple[str, str]]) -> None:
        is_text = type(job_id) is str and bool(job_id)
        if self.count == 1 and is_text:
            self.job_id = job_id
        elif not is_text or job_id != self.job_id:
            self.has_one_job = False
            if is_text:
                found.append(("job", f"entry {self.count} job_id is not that of entry 1"))

    def _compare_links(self, prev: Json, found: list[tuple[str, str]]) -> None:
        at = f"entry {self.count}"
        if self.count == 1:
            if prev != FIRST_PREV:
                found.append(("first link", f"{at} prev_digest is not 64 zeros"))
        elif self.final_entry_digest is None:
            self._unlinked = self._unlinked or self.count
        elif prev != self.final_entry_digest:
            found.append(("links", f"{at} prev_digest is not the digest of entry {self.count - 1}"))


def check_chain(timeline: Json) -> ChainReport:
    """Judge a whole timeline, which may be any value (AER-1, CHN-1 to CHN-10)."""
    if type(timeline) is not list:
        return _unread("the timeline is not a list")
    checker = ChainChecker()
    for entry in timeline:
        checker.take(entry)
    return checker.report()


def _digest_or_none(entry: JsonObject, close: bool, output_hash_hex: str, seq: int) -> str | None:  # noqa: FBT001
    try:
        return entry_digest(
            close=close,
            id=entry["id"],
            job_id=entry["job_id"],
            output_hash_hex=output_hash_hex,
            prev_digest=entry["prev_digest"],
            provenance_class=entry["provenance_class"],
            seq=seq,
            tool=entry["tool"],
        )
    except CanonicalError:
        return None


def _unread(reason: str) -> ChainReport:
    """Return the report of what is no timeline at all."""
    first, *others = (*_CHECKS, ("rule", ("CHN-9",)))
    checks = [RuleCheck(*first, FAILED, reason)]
    checks += [RuleCheck(*other, NOT_CHECKED, "there is no entry") for other in others]
    return ChainReport(tuple(checks), (), False, False, ChainFacts(0, None, None, None))
