"""One recorded call of a tool, as every room passes it on.

The five members `index`, `tool`, `args`, `response` and, for imports, `outcome` are what audits
judge. The rest says where the call stands in its file and what the host knew about it.
"""

from typing import Any, NamedTuple

__all__ = [
    "AFTER_GAP",
    "DOES_NOT_HOLD",
    "NEVER_RAN",
    "OUTCOMES",
    "WITHOUT_RESULT",
    "CallMeta",
    "Json",
    "JsonObject",
    "Link",
    "Place",
    "ReceiptFacts",
    "Same",
    "ToolCall",
]

Json = Any
"""A parsed JSON value. It enters in records/jsonl.py and the importers and is only compared,
encoded and looked into; nothing else depends on its shape."""

JsonObject = dict[str, Json]

OUTCOMES = (
    "ok",
    "tool_error",
    "protocol_error",
    "denied",
    "timeout",
    "cancelled",
    "interrupted",
    "missing",
    "not_executed",
)
"""What may have become of a call. A strict transcript does not say, so there it is None."""

NEVER_RAN = frozenset({"cancelled", "denied", "not_executed"})
"""Outcomes of calls that were not carried out: they can have changed nothing."""

DOES_NOT_HOLD = "does not hold"
"""The note of a call whose receipt does not hold: what is shown of it, if anything, was changed."""

AFTER_GAP = "after a gap"
"""The note of a call before which others may have come that the record does not have."""

WITHOUT_RESULT = NEVER_RAN | {"missing", "interrupted"}
"""Outcomes after which there is nothing to compare; the last two may have changed something."""


class Place(NamedTuple):
    """Where a call stands: line number from 1, and the bytes [start, end) of that line."""

    line: int
    start: int
    end: int


class Link(NamedTuple):
    """The three members of a sealed record that its reader does not judge, as the file has them."""

    index: int  # type: ignore[assignment]  # a field, not the tuple's method
    prev: str
    digest: str


class ReceiptFacts(NamedTuple):
    """What a receipt says of its call's place in the record; None where it says nothing.

    `seq` counts receipts in the order they were finished, `position` calls in the order they
    began; both from 1. `output_hash` is the digest of the committed bytes as bare hex.
    """

    receipt_id: str | None
    output_hash: str
    provenance_class: str | None = None
    seq: int | None = None
    position: int | None = None
    layer: str | None = None


class Same(NamedTuple):
    """By what hidden content can be told equal: digests under a key that only the recorder has.

    Of content that was replaced and has no such digest (`args_hidden`, `result_hidden`) nothing
    can be said: two such calls are neither equal nor different.
    """

    args: str | None
    result: str | None
    args_hidden: bool
    result_hidden: bool

    @property
    def hides(self) -> bool:
        """Whether a call cannot be compared with another one."""
        return self.args_hidden or self.result_hidden


class CallMeta(NamedTuple):
    """What a host wrote beside an imported call; None where it wrote nothing.

    Times are the host's own text (RFC 3339 in every host seen so far). `result_place` is where
    the result stands when it is not in the record of the call. `notes` are short words such as
    `truncated`. `receipt` is there where the call comes from one.
    """

    call_id: str | None = None
    at: str | None = None
    ended_at: str | None = None
    model: str | None = None
    result_place: Place | None = None
    richer_result: Json = None
    notes: tuple[str, ...] = ()
    receipt: ReceiptFacts | None = None


class ToolCall(NamedTuple):
    """One call: its number in the run from 0, the tool, the arguments and what came back.

    `response` is an object. A call without a result has `{"outcome": WORD}` there and the same
    word in `outcome`; audits that compare results skip it (see `is_comparable`).
    """

    index: int  # type: ignore[assignment]  # a field, not the tuple's method
    tool: str
    args: JsonObject
    response: JsonObject
    place: Place
    outcome: str | None = None
    link: Link | None = None
    meta: CallMeta | None = None
    same: Same | None = None

    @property
    def has_result(self) -> bool:
        """Whether something came back."""
        return self.outcome not in WITHOUT_RESULT

    @property
    def is_after_gap(self) -> bool:
        """Whether there may have been calls before it that are not here: erased, or never seen."""
        return self.meta is not None and AFTER_GAP in self.meta.notes

    @property
    def is_comparable(self) -> bool:
        """Whether something came back that can be compared with another result."""
        return self.has_result and (self.same is None or not self.same.hides)
