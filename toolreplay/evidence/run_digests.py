"""What is kept of a run to compare it with another: digests and lines of its calls, no content.

A call takes 73 bytes: the digests of its key and of its response (form toolreplay-1), what became
of it, and its line. The link of a sealed call takes 32 more.
"""

from array import array

from toolreplay.evidence.digest import call_digest, result_digest
from toolreplay.evidence.seal import FIRST_PREV, Head
from toolreplay.records.call import OUTCOMES, ToolCall

__all__ = ["RunDigests", "numbered", "shared_links"]

_BYTES = 32
_UNSAID = 0
"""A transcript does not say what became of a call."""


class RunDigests:
    """The digests of one run, filled call by call."""

    def __init__(self, *, with_links: bool = False) -> None:
        self._keys = bytearray()
        self._results = bytearray()
        self._outcomes = bytearray()
        self._lines = array("q")
        self._with_links = with_links
        self.links = bytearray()

    def add(self, call: ToolCall) -> None:
        """Keep what is needed of the next call."""
        self._keys += call_digest(call.tool, call.args)
        self._results += result_digest(call.response)[0]
        self._outcomes.append(_UNSAID if call.outcome is None else 1 + OUTCOMES.index(call.outcome))
        self._lines.append(call.place.line)
        if self._with_links:
            assert call.link is not None
            self.links += bytes.fromhex(call.link.digest)

    def __len__(self) -> int:
        return len(self._lines)

    def key(self, index: int) -> bytes:
        """Return the digest of a call's key."""
        return bytes(self._keys[index * _BYTES : (index + 1) * _BYTES])

    def result(self, index: int) -> bytes:
        """Return the digest of a call's response."""
        return bytes(self._results[index * _BYTES : (index + 1) * _BYTES])

    def outcome(self, index: int) -> str | None:
        """Return what became of a call, None where its record does not say."""
        outcome = self._outcomes[index]
        return None if outcome == _UNSAID else OUTCOMES[outcome - 1]

    def line(self, index: int) -> int:
        """Return the line at which a call stands."""
        return self._lines[index]

    def is_at(self, index: int, call: ToolCall) -> bool:
        """Whether this very call was read at that index."""
        return (
            index < len(self)
            and self.key(index) == call_digest(call.tool, call.args)
            and self.result(index) == result_digest(call.response)[0]
        )

    def same_result(self, index: int, other: "RunDigests", at: int) -> bool:
        """Whether two calls came back with the same.

        Outcomes count where both records say one: a transcript never does, and what it leaves
        unsaid is no difference.
        """
        if self.result(index) != other.result(at):
            return False
        outcomes = self._outcomes[index], other._outcomes[at]
        return _UNSAID in outcomes or outcomes[0] == outcomes[1]


def numbered(a: RunDigests, b: RunDigests) -> tuple["array[int]", "array[int]"]:
    """Return for each call of both runs a number from 0 that is the same for equal call keys.

    Numbers go up in the order in which keys appear, first in `a`, then in `b`.
    """
    # A table of our own with 16 bytes a call at most: a dictionary of digests takes 150. The
    # interpreter's hash decides the slot, which whoever writes a transcript cannot foresee.
    size = 1 << (2 * (len(a) + len(b))).bit_length()
    slots = array("I", [0]) * size
    owners = array("I")
    numbers = array("I"), array("I")
    for run, numbers_of_run in zip((a, b), numbers, strict=True):
        for index in range(len(run)):
            key = run.key(index)
            slot = hash(key) % size
            while slots[slot]:
                owner = owners[slots[slot] - 1]
                if key == (a.key(owner) if owner < len(a) else b.key(owner - len(a))):
                    break
                slot = (slot + 1) % size
            else:
                owners.append(index if run is a else len(a) + index)
                slots[slot] = len(owners)
            numbers_of_run.append(slots[slot] - 1)
    return numbers


def shared_links(a: RunDigests, b: RunDigests) -> Head:
    """Return the end of what two chains share from their start, by the digests in their files."""
    shared = 0
    most = min(len(a.links), len(b.links))
    while shared < most and a.links[shared : shared + _BYTES] == b.links[shared : shared + _BYTES]:
        shared += _BYTES
    digest = a.links[shared - _BYTES : shared].hex() if shared else FIRST_PREV
    return Head(shared // _BYTES, digest)
