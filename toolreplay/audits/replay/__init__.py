"""replay: would a rerun of these calls have seen the same?

Finds            a call that repeats an identical one and got another response
                 (non-determinism), and a call made twice in a row for nothing
                 (redundant-call).
Matters because  what differed once may differ again: a build that replays the
                 run, or a person who trusts its answer, rests on a call that
                 does not hold still; and a repeated call costs time and
                 money.
Decides by       equal call keys, the toolreplay-1 form of {"args", "tool"};
                 the first response of each key is remembered and later ones
                 are compared with it by their toolreplay-1 form. A call is
                 redundant when the call before it has the same key and its
                 tool is not a mutator. Calls that never ran (cancelled,
                 denied, not executed) are passed over; one whose result is
                 missing or was interrupted ends a repetition, and so does a
                 gap or an erased entry between two calls. In `audit` a
                 difference with a possible change of state in between, a gap
                 counts as one, is explained and no finding.
Cannot see       whether a shell call changed anything: every shell call
                 counts as a possible change of state, and so explains a later
                 difference. Changes made by anyone else. Two calls that mean
                 the same but are spelt differently. Whether a tool is meant
                 to vary, as a clock is.
Example          index 5: non-determinism: tool 'search' returned a different
                 response than the identical call at index 3
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping

from toolreplay.audits.engine import Declared, Options, Seen
from toolreplay.evidence.digest import result_digest
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check
from toolreplay.findings.finding import Finding, StateChanges, quoted
from toolreplay.findings.rule import Rule
from toolreplay.records.call import NEVER_RAN
from toolreplay.records.run import RunInfo
from toolreplay.records.transcript import differ_only_in_index, same_call_again

__all__ = ["RULES", "ReplayAudit", "start"]

RULES = (
    Rule(
        "non-determinism",
        "replay",
        "error",
        "an identical call got a different response than the first time",
    ),
    Rule(
        "redundant-call",
        "replay",
        "warning",
        "a call repeats the one before it, with no change of state between them",
    ),
)

_MOST_LISTED = 20
_LENGTH_BITS = 40
_DIGEST_BYTES = 32


def start(info: RunInfo, declared: Declared, options: Options) -> "ReplayAudit":
    """Begin the audit of one run."""
    return ReplayAudit(info, options)


class ReplayAudit:
    """The audit of one run; what it remembers is one digest or place for each distinct call."""

    def __init__(self, info: RunInfo, options: Options) -> None:
        self._effects = info.effects
        self._options = options
        self._raw = options.raw
        # A place in the file, or below zero the number of a remembered response: one integer for
        # each distinct call is what a run of millions can be judged with.
        self._first: dict[bytes, int] = {}
        self._indexes = array("Q")
        self._digests = bytearray()
        self._previous: tuple[bytes, int] = (b"", -1)
        self._track = options.state_changes or options.excuse or options.unexplained_only
        self._mutator_calls = array("Q")
        self._unknown_calls = array("Q")
        self._compared = 0
        self._found = 0
        self._divergence: int | None = None
        self._explained = 0
        self._undetermined = 0

    def see(self, seen: Seen) -> Iterable[Finding]:
        """Compare a call with the first one of its key and with the one before it."""
        call = seen.call
        if call.is_after_gap:
            self._previous = (b"", -1)
            if self._track:
                self._unknown_calls.append(call.index)
        if (call.outcome is not None or call.same is not None) and not call.is_comparable:
            if call.outcome not in NEVER_RAN:
                self._previous = (b"", -1)
                if self._track:
                    self._note_effect(call.tool, call.index)
            return ()
        self._compared += 1
        if self._track:
            self._note_effect(call.tool, call.index)
        key = seen.key
        before, self._previous = self._previous, (key, call.index)
        first = self._first.get(key)
        if first is None:
            self._first[key] = self._memory_of(seen)
            return ()
        found = []
        differing = self._differs_from(first, seen)
        if differing is not None:
            finding = self._judge_difference(seen, differing)
            if finding is not None:
                found.append(finding)
        if before[0] == key and not self._effects.may_change(call.tool):
            text = (
                f"tool {quoted(call.tool)} repeats the identical call at index {before[1]} "
                "with no state change between them"
            )
            found.append(Finding(call.index, "redundant-call", text, origin=seen.origin))
        self._found += len(found)
        return found

    def finish(self) -> Iterable[Finding]:
        """Nothing is left to say at the end of a run."""
        return ()

    def covers_now(self) -> bool:
        """Say that no finding of this audit covers calls."""
        return False

    def checks(self) -> Iterable[Check]:
        """Answer the line `replay`."""
        if not self._compared:
            return [Check("replay", NOT_CHECKED, None, "no call has a result to compare")]
        if self._found:
            return [Check("replay", FAILED)]
        return [Check("replay", PASSED)]

    def facts(self) -> Mapping[str, object]:
        """Return the divergence and what was excused."""
        return {
            "divergence": self._divergence,
            "explained": self._explained,
            "undetermined": self._undetermined,
        }

    def _memory_of(self, seen: Seen) -> int:
        """Return the place as one number where it can be read again, else remember the response.

        Most calls never come again, and the canonical form of a response costs more than
        everything else that is done to it.
        """
        if self._raw is None:
            return self._remember(seen.call.index, seen.result)
        place = seen.call.place
        return place.start << _LENGTH_BITS | place.end - place.start

    def _remember(self, index: int, digest: bytes) -> int:
        self._indexes.append(index)
        self._digests += digest
        return -len(self._indexes)

    def _differs_from(self, first: int, seen: Seen) -> int | None:
        """Return the index of the first call when its response differs, else None."""
        if first >= 0:
            raw = self._raw
            assert raw is not None
            start_at, length = first >> _LENGTH_BITS, first & ((1 << _LENGTH_BITS) - 1)
            line = raw(start_at, start_at + length)
            place = seen.call.place
            if differ_only_in_index(line, raw(place.start, place.end)):
                return None
            index, response = same_call_again(line, seen.call, self._options.limits)
            first = self._first[seen.key] = self._remember(index, result_digest(response)[0])
        at = -first - 1
        start = at * _DIGEST_BYTES
        same = self._digests[start : start + _DIGEST_BYTES] == seen.result
        return None if same else self._indexes[at]

    def _note_effect(self, tool: str, index: int) -> None:
        if tool in self._effects.mutators:
            self._mutator_calls.append(index)
        elif self._effects.may_change(tool):
            self._unknown_calls.append(index)

    def _judge_difference(self, seen: Seen, first: int) -> Finding | None:
        call, options = seen.call, self._options
        changes = None
        if self._track:
            # The repeated call counts itself: strictly between, and up to its own index.
            known, some_known = _between(self._mutator_calls, first, call.index)
            unknown, some_unknown = _between(self._unknown_calls, first, call.index)
            listed = sorted(some_known + some_unknown)[:_MOST_LISTED]
            changes = StateChanges(known + unknown, tuple(listed))
            if changes.count and (options.excuse or options.unexplained_only):
                if known:
                    self._explained += 1
                else:
                    self._undetermined += 1
                return None
        if self._divergence is None:
            self._divergence = call.index
        text = (
            f"tool {quoted(call.tool)} returned a different response than the identical call "
            f"at index {first}"
        )
        return Finding(
            call.index, "non-determinism", text, state_changes=changes, origin=seen.origin
        )


def _between(indexes: "array[int]", first: int, last: int) -> "tuple[int, array[int]]":
    """Return how many of the sorted indexes lie in (first, last], and the first few of them."""
    start, end = bisect_right(indexes, first), bisect_right(indexes, last)
    return end - start, indexes[start : min(end, start + _MOST_LISTED)]
