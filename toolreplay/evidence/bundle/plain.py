"""The entries of a bundle that are no receipts: opening, intent, gap, observation, erasure."""

from toolreplay.evidence.aer1.times import is_later
from toolreplay.evidence.profile.members import (
    ERASE,
    GAP,
    OBSERVATION,
    OPEN,
    START,
    faults_in,
    unknown_in,
)
from toolreplay.evidence.record import Fault
from toolreplay.records.call import JsonObject

__all__ = ["plain_fault", "unknown_of_plain"]

_GRAMMARS = {"open": OPEN, "start": START, "gap": GAP, "observe": OBSERVATION, "erase": ERASE}
_TIMES = ("started_at", "since", "until", "at")


def plain_fault(
    kind: str | None, number: int, payload: JsonObject, run: str, now: str | None
) -> Fault | None:
    """Judge the payload of an entry of a run by itself; `now` is what no time may be later than."""
    if kind is None:
        return Fault("broken-commitment", f"entry {number} is of an unknown profile", number)
    text = next(faults_in(payload, _GRAMMARS[kind]), "")
    if not text and kind == "open" and number:
        text = "a run is opened once, by its first entry"
    if not text and payload.get("run", run) != run:
        text = "it is of another run"
    late = [name for name in _TIMES if is_later(payload.get(name), now)]
    if not text and late:
        text = f"{late[0]} is later than the time it was held against"
    if not text:
        return None
    return Fault("broken-commitment", f"entry {number} ({kind}): {text}", number)


def unknown_of_plain(kind: str, payload: JsonObject) -> list[str]:
    """Return the names of members that the profile of a kind does not have."""
    return list(unknown_in(payload, _GRAMMARS[kind]))
