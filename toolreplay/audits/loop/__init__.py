"""loop: the same calls with the same results, round after round.

Finds            a sequence of one to eight calls that comes back at least
                 three times over, each call and each result equal to those a
                 round before (loop).
Matters because  an agent in a loop makes no progress and still costs; it ends
                 when somebody looks or a limit is hit.
Decides by       the smallest period k from 1 to 8 such that call and result
                 equal those k places before, for at least three full rounds
                 (k = 1: three in a row). The tool does not matter: an equal
                 call with an equal result is no progress, even from a tool
                 that changes state. One finding a loop, at its first repeated
                 call. Calls that never ran are passed over; one without a
                 result ends a loop, and so does a gap in the record.
Cannot see       loops whose results differ a little (a counter, a time),
                 loops of more than eight calls, and loops of the agent's own
                 thinking between calls.
Example          index 4: loop: 5 calls repeat those 1 before them with the
                 same results and brought nothing new (1240 bytes of results,
                 37.2 s)
"""

from collections import deque
from collections.abc import Iterable, Mapping

from toolreplay.audits.engine import Declared, Options, Seen
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check
from toolreplay.findings.finding import Finding
from toolreplay.findings.rule import Rule
from toolreplay.records.call import NEVER_RAN
from toolreplay.records.run import RunInfo
from toolreplay.records.times import seconds_between

__all__ = ["LONGEST_PERIOD", "ROUNDS", "RULES", "LoopAudit", "start"]

LONGEST_PERIOD = 8
"""Calls. Loops seen in real sessions have one to four; eight leaves room at a fixed cost."""

ROUNDS = 3
"""Full rounds before a repetition is called a loop: twice may be a retry."""

RULES = (
    Rule(
        "loop",
        "loop",
        "warning",
        "the same calls came back with the same results for three rounds or more",
        absorbs=("redundant-call",),
    ),
)

_REMEMBERED = (ROUNDS - 1) * LONGEST_PERIOD


def start(info: RunInfo, declared: Declared, options: Options) -> "LoopAudit":
    """Begin the audit of one run."""
    return LoopAudit()


class _Step:
    """What is remembered of one call while it can still be part of a loop."""

    __slots__ = ("ended_at", "index", "origin", "pair", "size", "started_at")

    def __init__(self, seen: Seen) -> None:
        call = seen.call
        self.pair = seen.key + seen.result
        self.size = seen.result_size
        self.index = call.index
        self.origin = seen.origin
        self.started_at = call.meta.at if call.meta else None
        self.ended_at = call.meta.ended_at if call.meta else None


class _OpenLoop:
    """A loop that has not ended yet: its period, and what its repeated calls cost so far."""

    def __init__(self, period: int, repeated: list[_Step]) -> None:
        self.period = period
        self.first = repeated[0]
        self.last = repeated[-1]
        self.calls = len(repeated)
        self.size = sum(step.size for step in repeated)

    def extend(self, step: _Step) -> None:
        self.last = step
        self.calls += 1
        self.size += step.size

    def finding(self) -> Finding:
        spent = seconds_between(self.first.started_at, self.last.ended_at)
        time = "" if spent is None else f", {spent:.1f} s"
        text = (
            f"{self.calls} calls repeat those {self.period} before them with the same results "
            f"and brought nothing new ({self.size} bytes of results{time})"
        )
        return Finding(
            self.first.index,
            "loop",
            text,
            subject=self.period,
            covers=(self.first.index, self.last.index),
            origin=self.first.origin,
        )


class LoopAudit:
    """The audit of one run; it remembers the last sixteen calls and the loop it is in."""

    def __init__(self) -> None:
        self._recent: deque[_Step] = deque(maxlen=_REMEMBERED)
        self._streaks = [0] * (LONGEST_PERIOD + 1)
        self._open: _OpenLoop | None = None
        self._compared = 0
        self._found = 0

    def see(self, seen: Seen) -> Iterable[Finding]:
        """Compare a call with those one to eight places before it."""
        call = seen.call
        before_gap = self._end() if call.is_after_gap else ()
        return [*before_gap, *self._see(seen)]

    def _end(self) -> Iterable[Finding]:
        """End the loop that is open: what comes now does not follow what was seen last."""
        ended = self.finish()
        self._recent.clear()
        self._streaks = [0] * (LONGEST_PERIOD + 1)
        return ended

    def _see(self, seen: Seen) -> Iterable[Finding]:
        call = seen.call
        if not call.is_comparable:
            return () if call.outcome in NEVER_RAN else self._end()
        self._compared += 1
        step = _Step(seen)
        streaks = self._streaks
        for period, before in enumerate(reversed(self._recent), 1):
            if period > LONGEST_PERIOD:
                break
            streaks[period] = streaks[period] + 1 if before.pair == step.pair else 0
        self._recent.append(step)
        ended: Iterable[Finding] = ()
        if self._open is not None:
            if streaks[self._open.period]:
                self._open.extend(step)
                return ()
            ended = self.finish()
            # Only the call that ended a loop can begin another: no call is in two findings.
            self._streaks = streaks = [min(streak, 1) for streak in streaks]
        for period in range(1, LONGEST_PERIOD + 1):
            repeated = (ROUNDS - 1) * period
            if streaks[period] >= repeated:
                self._open = _OpenLoop(period, list(self._recent)[-repeated:])
                break
        return ended

    def finish(self) -> tuple[Finding, ...]:
        """Close the loop that is open; it has ended, or the run has."""
        if self._open is None:
            return ()
        finding = self._open.finding()
        self._open = None
        self._found += 1
        return (finding,)

    def covers_now(self) -> bool:
        """Whether the call that was seen last is part of a loop, which will be a finding."""
        return self._open is not None

    def checks(self) -> Iterable[Check]:
        """Answer the line `loop`."""
        if not self._compared:
            return [Check("loop", NOT_CHECKED, None, "no call has a result to compare")]
        return [Check("loop", FAILED if self._found else PASSED)]

    def facts(self) -> Mapping[str, object]:
        """Add nothing to the result."""
        return {}
