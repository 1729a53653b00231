"""The workflow close of AER-1: its Merkle root, and the check of a whole close (WF-1 to WF-11).

Under `seq-output-v1` a leaf is the digest of `<seq>:<bare hex of output_hash>`, under the older
`receipt-id-v0`, which is meant where no rule is named, the digest of the receipt's id. The first
covers no ids, tools, times or status, the second no results. Cutting steps and building the root
again passes under both: only a root and a count kept elsewhere show that.
"""

from hashlib import sha256
from typing import NamedTuple

from toolreplay.evidence.aer1.close_tables import check_tables
from toolreplay.evidence.aer1.rule_check import RuleCheck, failures_of
from toolreplay.evidence.aer1.shapes import integer_of, is_hex_digest, is_uuid, shown_integer
from toolreplay.evidence.aer1.tally import Tally
from toolreplay.findings.check import NOT_CHECKED, PASSED
from toolreplay.records.call import Json, JsonObject

__all__ = [
    "RECEIPT_ID",
    "SEQ_OUTPUT",
    "CloseReport",
    "RootBuilder",
    "check_close",
    "is_close_document",
    "receipt_id_leaf",
    "seq_output_leaf",
]

SEQ_OUTPUT = "seq-output-v1"
RECEIPT_ID = "receipt-id-v0"
"""The two root rules by their names in `merkle_version` (WF-2)."""


class CloseReport(NamedTuple):
    """What a close came to.

    `checks` decide the verdict; `tables` say whether the members of Tables 2 and 3 are all there
    and never change it; `notes` are what other readers refuse and this one only reports.
    `merkle_version` is the rule that was named or meant, None where its name is no string;
    `workflow_id` likewise. `root` is the root recomputed, None where it could not be.
    """

    checks: tuple[RuleCheck, ...]
    tables: tuple[RuleCheck, ...]
    notes: tuple[str, ...]
    merkle_version: str | None
    workflow_id: str | None
    step_count: int
    root: str | None

    @property
    def passed(self) -> bool:
        """The verdict: no check failed."""
        return not failures_of(self.checks)

    @property
    def tables_pass(self) -> bool:
        """Whether Tables 2 and 3 are complete."""
        return not failures_of(self.tables)

    @property
    def strict_passed(self) -> bool:
        """Whether it passed and nothing was noted."""
        return self.passed and not self.notes


class RootBuilder:
    """The Merkle root of leaves as they come, in memory of one digest a level (WF-2, WF-11).

    An inner node is the digest of its two children's raw bytes; the odd last node of a level is
    its own neighbour.
    """

    def __init__(self) -> None:
        self._waiting: list[bytes | None] = []

    def add(self, leaf: bytes) -> None:
        """Take the next leaf, a raw digest of 32 bytes."""
        node = leaf
        for level, left in enumerate(self._waiting):
            if left is None:
                self._waiting[level] = node
                return
            node = sha256(left + node).digest()
            self._waiting[level] = None
        self._waiting.append(node)

    def copy(self) -> "RootBuilder":
        """Return a builder that has taken the same leaves."""
        other = RootBuilder()
        other._waiting = self._waiting.copy()
        return other

    def root(self) -> str:
        """Return the root of what was added so far as bare hex; of nothing, SHA-256 of nothing."""
        if not self._waiting:
            return sha256(b"").hexdigest()
        odd: bytes | None = None
        *below, top = self._waiting
        for left in below:
            if left is not None:
                odd = sha256(left + (odd or left)).digest()
            elif odd is not None:
                odd = sha256(odd + odd).digest()
        # The highest level has always one of the digests waiting: it is where the count's first
        # binary digit stands.
        assert top is not None
        return (top if odd is None else sha256(top + odd).digest()).hex()


def seq_output_leaf(seq: int, output_hex: str) -> bytes:
    """Return the raw leaf of a step under seq-output-v1 (AER-1, WF-2)."""
    return sha256(f"{seq:d}:{output_hex}".encode("ascii")).digest()


def receipt_id_leaf(receipt_id: str) -> bytes:
    """Return the raw leaf of a step under receipt-id-v0 (AER-1, WF-2).

    Raises UnicodeEncodeError for an id with a lone surrogate, which has no UTF-8.
    """
    return sha256(receipt_id.encode("utf-8")).digest()


def is_close_document(document: Json) -> bool:
    """Whether a document is a close: `merkle_root`, and `receipts` or `steps` of objects (WF-1)."""
    return type(document) is dict and "merkle_root" in document and _steps_of(document) is not None


def check_close(document: Json, expected_id: str | None = None) -> CloseReport:
    """Judge a workflow close, which may be any value (AER-1, WF-1 to WF-11).

    `expected_id` is compared with `workflow_id`, or with `id` where that is missing or empty.
    """
    members: JsonObject = document if type(document) is dict else {}
    steps = _steps_of(members)
    failed, noted = Tally(), Tally()
    if not is_close_document(document):
        failed.add("document", "not an object with merkle_root and a list of step objects")
    version = _version_of(members, failed, noted)
    root = _root_of(members, failed, noted)
    steps = steps or []
    if not steps:
        failed.add("steps", "there is no step")
    ordered = _in_order(steps, failed, noted)
    recomputed = _recomputed(ordered, version, failed, noted)
    _judge_ids(steps, version, failed, noted)
    count, named = members.get("count"), members.get("workflow_id") or members.get("id")
    if count is not None:
        _judge_count(count, len(steps), failed, noted)
    if expected_id is not None and named != expected_id:
        failed.add("workflow id", "the workflow id is not the expected one")
    if type(members.get("receipts")) is list and "steps" in members:
        noted.add("both", "steps stands beside receipts, and receipts alone was judged")
    if root is not None and recomputed is not None and root != recomputed:
        failed.add("root", "the recomputed root is another one")
    skipped = {
        "sequence": "there is no step" if not steps else "",
        "receipt ids": "there is no step" if not steps else "",
        "leaf inputs": "the steps have no order" if ordered is None else "",
        "count": "no count is stated" if count is None else "",
        "workflow id": "no id is expected" if expected_id is None else "",
        "root": "" if root and recomputed else "a root is missing to compare with",
    }
    if version not in (SEQ_OUTPUT, RECEIPT_ID):
        skipped["leaf inputs"] = "the root rule is not known"
    checks = _checks(failed, skipped)
    times_noted, tables = check_tables(members)
    notes = (*noted.lines(), *times_noted)
    workflow_id = named if type(named) is str else None
    return CloseReport(checks, tables, notes, version, workflow_id, len(steps), recomputed)


_CHECKS = (
    ("document", ("WF-1",)),
    ("merkle_version", ("WF-2",)),
    ("merkle_root", ("WF-3",)),
    ("steps", ("WF-4",)),
    ("sequence", ("WF-4",)),
    ("leaf inputs", ("WF-5",)),
    ("receipt ids", ("WF-6",)),
    ("count", ("WF-7",)),
    ("workflow id", ("WF-8",)),
    ("root", ("WF-3", "WF-11")),
)


class _Step(NamedTuple):
    seq: Json
    receipt_id: Json
    output_hash: Json


def _checks(failed: Tally, skipped: dict[str, str]) -> tuple[RuleCheck, ...]:
    checks = []
    for name, rules in _CHECKS:
        check = failed.check(name, rules)
        if check.result == PASSED and skipped.get(name):
            check = RuleCheck(name, rules, NOT_CHECKED, skipped[name])
        checks.append(check)
    return tuple(checks)


def _steps_of(document: JsonObject) -> list[_Step] | None:
    receipts, steps = document.get("receipts"), document.get("steps")
    if type(receipts) is list:
        if not all(type(receipt) is dict for receipt in receipts):
            return None
        return [
            _Step(_seq_of_index(one.get("step_index")), one.get("id"), one.get("output_hash"))
            for one in receipts
        ]
    if type(steps) is not list or not all(type(step) is dict for step in steps):
        return None
    return [
        _Step(one.get("seq"), one.get("receipt_id", one.get("id")), one.get("output_hash"))
        for one in steps
    ]


def _seq_of_index(index: Json) -> int | None:
    return index + 1 if type(index) is int else None


def _version_of(document: JsonObject, failed: Tally, noted: Tally) -> str | None:
    named = document.get("merkle_version")
    if not named and type(named) not in (str, type(None)):
        noted.add("version", "merkle_version is not a string, and was taken as absent")
    version = named or RECEIPT_ID
    if type(version) is not str:
        failed.add("merkle_version", "merkle_version is not a string")
        return None
    if version not in (SEQ_OUTPUT, RECEIPT_ID):
        failed.add("merkle_version", f"merkle_version is neither {SEQ_OUTPUT} nor {RECEIPT_ID}")
    return version


def _hex_of(value: Json) -> str | None:
    """Return the bare lower-case hex of a digest that may have a prefix or capitals, or None."""
    if type(value) is not str or len(value) > 80:
        return None
    bare = value.removeprefix("sha256:").lower()
    return bare if is_hex_digest(bare) else None


def _root_of(document: JsonObject, failed: Tally, noted: Tally) -> str | None:
    stated = document.get("merkle_root")
    root = _hex_of(stated)
    if root is None:
        failed.add("merkle_root", "merkle_root is not 64 hex digits")
    elif root != stated:
        noted.add("root", "merkle_root has a prefix or capitals")
    return root


def _in_order(steps: list[_Step], failed: Tally, noted: Tally) -> list[_Step] | None:
    """Return the steps by their seq, 1 to n, or None; never compares values of mixed types."""
    placed: list[_Step | None] = [None] * len(steps)
    for position, step in enumerate(steps, 1):
        seq = integer_of(step.seq)
        if seq is None:
            failed.add("sequence", f"step {position} has no integer as its sequence number")
        elif not 1 <= seq <= len(steps):
            reason = f"step {position} has the sequence number {shown_integer(seq)}"
            failed.add("sequence", f"{reason}, outside 1 to {len(steps):,}")
        elif placed[seq - 1] is not None:
            failed.add("sequence", f"step {position} has the sequence number {seq} once more")
        else:
            placed[seq - 1] = step
            if seq != position:
                noted.add("order", f"step {position} of the list has the sequence number {seq}")
            if type(step.seq) is float:
                noted.add("float", f"step {position} has a sequence number with a decimal point")
    found = [step for step in placed if step is not None]
    return found if found and len(found) == len(steps) else None


def _recomputed(
    ordered: list[_Step] | None, version: str | None, failed: Tally, noted: Tally
) -> str | None:
    if ordered is None or version not in (SEQ_OUTPUT, RECEIPT_ID):
        return None
    builder = RootBuilder()
    for seq, step in enumerate(ordered, 1):
        leaf = None
        if version == RECEIPT_ID:
            leaf = _id_leaf_or_none(step.receipt_id)
            if leaf is None:
                failed.add("leaf inputs", f"step {seq} has no receipt id to hash")
        else:
            output = _hex_of(step.output_hash)
            if output is None:
                failed.add("leaf inputs", f"step {seq} output_hash is not 64 hex digits")
            else:
                leaf = seq_output_leaf(seq, output)
                if output != step.output_hash:
                    noted.add("output", f"step {seq} output_hash has a prefix or capitals")
        if leaf is not None:
            builder.add(leaf)
    return None if "leaf inputs" in failed else builder.root()


def _id_leaf_or_none(receipt_id: Json) -> bytes | None:
    if type(receipt_id) is not str or not receipt_id:
        return None
    try:
        return receipt_id_leaf(receipt_id)
    except UnicodeEncodeError:
        return None


def _judge_ids(steps: list[_Step], version: str | None, failed: Tally, noted: Tally) -> None:
    """A repeated last id gives the root of the shorter list under receipt-id-v0 (WF-6).

    Under that rule nothing but the length of a UUID keeps an id from being an inner node's input.
    """
    seen: set[str] = set()
    for position, step in enumerate(steps, 1):
        receipt_id = step.receipt_id
        if type(receipt_id) is not str or not receipt_id:
            noted.add("id", f"step {position} has no receipt id")
            continue
        if receipt_id in seen:
            failed.add("receipt ids", f"step {position} has the receipt id of an earlier step")
        seen.add(receipt_id)
        if _id_leaf_or_none(receipt_id) is None:
            noted.add("surrogate", f"step {position} has a receipt id with a lone surrogate")
        elif version == RECEIPT_ID and not is_uuid(receipt_id):
            noted.add("uuid", f"step {position} has a receipt id that is no lower-case UUID")


def _judge_count(count: Json, steps: int, failed: Tally, noted: Tally) -> None:
    if count != steps:
        failed.add("count", f"the stated count is not the number of steps, {steps:,}")
    elif type(count) is not int:
        noted.add("count", "count is not an integer")
