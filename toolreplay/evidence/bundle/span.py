"""How long a run took, by the times of its calls."""

from toolreplay.records.call import JsonObject
from toolreplay.records.times import seconds_between

__all__ = ["Span"]


class Span:
    """Takes the times of calls in any order; `untimed` counts the calls that have none."""

    def __init__(self) -> None:
        self.untimed = 0
        self._began: str | None = None
        self._ended: str | None = None

    def take(self, timing: JsonObject) -> None:
        """Take the times of a call; in our spelling the earlier time is the smaller text."""
        began = timing.get("started_at")
        if began is None:
            self.untimed += 1
            return
        if self._began is None or began < self._began:
            self._began = began
        ended = timing.get("ended_at") or began
        if self._ended is None or ended > self._ended:
            self._ended = ended

    def seconds(self) -> float | None:
        """Return the seconds from the first start to the last end, None where nobody knows."""
        return seconds_between(self._began, self._ended)
