"""One receipt of a bundle: is it exactly what our profile commits to, in the place it says?"""

from collections.abc import Iterator
from typing import NamedTuple

from toolreplay.errors import CanonicalError
from toolreplay.evidence.aer1.receipt import ReceiptReport, check_receipt
from toolreplay.evidence.aer1.rule_check import failures_of
from toolreplay.evidence.aer1.times import is_later
from toolreplay.evidence.profile.making import CLOSE_TOOL
from toolreplay.evidence.profile.members import (
    CLOSE,
    COMMITTED,
    faults_in,
    is_exactly,
    provenance_of,
    unknown_in,
)
from toolreplay.records.call import Json, JsonObject, ReceiptFacts
from toolreplay.records.canonical import aer1_text_of_parsed

__all__ = ["OUTER", "ReadReceipt", "length_of_pieces", "pieces_of", "read_receipt", "seen_in"]

OUTER = frozenset(
    {
        "id", "receipt_schema_version", "created_at", "tool", "provenance_class",
        "canonical_bytes", "canonical_byte_length", "hash_algorithm", "output_hash",
        "verification_status",
    }
)  # fmt: skip
"""The members of a receipt as it is emitted; every one is bound by the committed bytes, or says
the same of every receipt."""

_MOST_NAMED = 5
_TIMES = frozenset({"started_at", "ended_at"})


class ReadReceipt(NamedTuple):
    """A receipt that was judged by itself. `committed` is None where its bytes cannot be used.

    `faults` are lines, `unknown` names members that the profile does not have. `is_named_close`
    says that the receipt, which cannot be read, gives itself the tool of a close.
    """

    report: ReceiptReport
    committed: JsonObject | None
    facts: ReceiptFacts
    faults: tuple[str, ...]
    unknown: tuple[str, ...]

    is_named_close: bool = False

    @property
    def is_close(self) -> bool:
        """Whether the committed bytes are those of a close receipt."""
        return self.committed is not None and "close" in self.committed


def read_receipt(payload: JsonObject, now: str | None, level: str = "default") -> ReadReceipt:
    """Judge a receipt by itself: AER-1 first, then our profile, then that both say the same.

    A level beyond the default is asked besides it, never in its stead.
    """
    report = check_receipt(payload, now=now, with_anchor=False)
    value = report.value if type(report.value) is dict else None
    if not report.passed and not _has_form(value):
        value = None
    output = report.read.digest or ""
    outer_id = payload.get("id")
    facts = ReceiptFacts(outer_id if type(outer_id) is str else None, output)
    failures = failures_of(report.checks)
    if level != "default" and not failures:
        failures = failures_of(report.checks_at(level))
    faults = [f"{check.name}: {check.reason}" for check in failures]
    unknown = sorted(payload.keys() - OUTER)
    tool = payload.get("tool")
    named_close = type(tool) is dict and tool.get("name") == CLOSE_TOOL
    if value is None:
        short = tuple(faults[:_MOST_NAMED])
        return ReadReceipt(report, None, facts, short, tuple(unknown), named_close)
    grammar = CLOSE if "close" in value else COMMITTED
    if not is_exactly(value, grammar):
        own = list(faults_in(value, grammar))
        unknown += unknown_in(value, grammar)
        if own:
            faults += own[:_MOST_NAMED]
            return ReadReceipt(report, None, facts, tuple(faults), tuple(unknown), named_close)
    binding = value["binding"]
    facts = ReceiptFacts(
        facts.receipt_id,
        output,
        value["issuer_claims"]["provenance_class"],
        binding["seq"],
        binding["position"],
        value["capture"]["layer"],
    )
    faults += _contradictions(payload, value)
    for name, time in value["timing"].items() if now is not None else ():
        if name in _TIMES and is_later(time, now):
            faults.append(f"timing.{name} is later than the time it was held against")
    if "close" in value:
        faults += _faults_of_close(payload, value)
    return ReadReceipt(report, value, facts, tuple(faults[:_MOST_NAMED]), tuple(unknown))


def _has_form(value: Json) -> bool:
    """Whether what was parsed can be written again: half of a surrogate pair has no bytes."""
    try:
        aer1_text_of_parsed(value).encode("utf-8")
    except (CanonicalError, UnicodeEncodeError):
        return False
    return True


def _contradictions(receipt: JsonObject, committed: JsonObject) -> Iterator[str]:
    """Yield where the receipt says other than its committed bytes, or than any receipt of ours."""
    binding = committed["binding"]
    wanted: dict[str, Json] = {
        "id": binding["receipt_id"],
        "tool": committed["tool"],
        "created_at": binding["created_at"],
        "receipt_schema_version": "0.4",
        "hash_algorithm": "sha256",
        "verification_status": "verified",
    }
    for name in sorted(wanted):
        if name not in receipt:
            yield f"{name} is missing"
        elif receipt[name] != wanted[name]:
            yield f"{name} is not what the committed bytes say"
    if type(receipt.get("canonical_byte_length")) is not int:
        yield "canonical_byte_length is no whole number"
    claimed = committed["issuer_claims"]["provenance_class"]
    layer = committed["capture"]["layer"]
    if provenance_of(layer) != claimed:
        yield f"the layer of its capture cannot claim {claimed}"


def _faults_of_close(receipt: JsonObject, committed: JsonObject) -> Iterator[str]:
    """Yield what only a close receipt must be; nothing behind it commits to its other members."""
    if committed["binding"]["position"] is not None:
        yield "binding.position is not null"
    if committed["tool"]["name"] != CLOSE_TOOL:
        yield f"its tool is not {CLOSE_TOOL}"
    if committed["inputs"]["args"].get("length") != 0:
        yield "inputs.args is not the empty piece"
    for name in sorted(receipt.keys() - OUTER):
        yield f"{name[:100]} is a member that nothing commits to"


def pieces_of(committed: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Yield the pieces of a committed object without faults, each with its place."""
    inputs, outputs = committed["inputs"], committed["outputs"]
    yield "inputs.args", inputs["args"]
    if "original" in inputs:
        yield "inputs.original", inputs["original"]
    for number, piece in enumerate(inputs.get("rounds", ())):
        yield f"inputs.rounds.{number}", piece
    if outputs["result"] is not None:
        yield "outputs.result", outputs["result"]
    if "original" in outputs:
        yield "outputs.original", outputs["original"]


def seen_in(committed: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield the digests (hex) of what was seen of the tool and its server, each with its place."""
    capture = committed["capture"]
    if capture["tool_definition"] != "absent":
        yield "capture.tool_definition", capture["tool_definition"]
    if "server" in capture:
        yield "capture.server", capture["server"]


def length_of_pieces(committed: JsonObject | None) -> int:
    """Return how many bytes the content of a committed object has; none of one without any."""
    pieces = () if committed is None else pieces_of(committed)
    return sum(int(piece.get("length", 0)) for _, piece in pieces)
