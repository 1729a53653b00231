"""What reading a record of receipts has to say while it is read, and what was handed in with it.

A record is judged as it streams past: whoever reads it drives the checks, and the audit takes
the faults as they come up.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from toolreplay.findings.check import Check
from toolreplay.records.call import Json, JsonObject

TYPE_CHECKING = False
if TYPE_CHECKING:  # what judges signatures is loaded where there is one
    from toolreplay.evidence.tlog.standing import Standing, Trust

__all__ = ["Asked", "Fault", "RecordEvidence", "counted"]


class Asked(NamedTuple):
    """What was handed in beside a record, from outside of it.

    `commitment` is an AER-1 commitment kept elsewhere, `roots` are workflow roots published
    elsewhere. `level` is "default", "core" or "strict" for receipts alone. `now` is the time
    that no time may be later than; without it nothing is compared with a clock. `signature` names
    the options that need a signed head (a key, a policy, a memory of heads), `trust` holds what
    they say. `may_be_open` says that the record is read where it is still written: that it was not
    closed yet is no finding then. `remembered` is the size of a head remembered that the log of a
    store was seen to continue: each of its runs is held against that.
    """

    commitment: JsonObject | None = None
    roots: tuple[str, ...] = ()
    now: str | None = None
    level: str = "default"
    expected_id: str | None = None
    resolved_record: Json = None
    has_resolved_record: bool = False
    with_anchor: bool = True
    signature: tuple[str, ...] = ()
    trust: "Trust | None" = None
    may_be_open: bool = False
    remembered: int = 0


class Fault(NamedTuple):
    """One thing that does not hold: `index` is the call's, or None for the run as a whole.

    Of an `is_open` one something that is still to come may take it back (see `stands`).
    """

    kind: str
    detail: str
    subject: Json = None
    index: int | None = None  # type: ignore[assignment]  # a field, not the tuple's method
    is_open: bool = False


class RecordEvidence(Protocol):
    """The evidence of one run. `take`, `checks` and the rest are asked in this order."""

    def begin(self, asked: Asked) -> None:
        """Say what was handed in, before the first call is read."""

    def take(self) -> Iterable[Fault]:
        """Return what was found since the last time, up to the call that was read last."""

    def stands(self, fault: Fault) -> bool:
        """Say, after the last call, whether a fault that was open stands."""

    def checks(self) -> Iterable[Check]:
        """Answer the report lines, after the last call."""

    def standing(self) -> "Standing | None":
        """Return what came of the head of its log, after `checks`; None of a record without one."""

    def erased(self) -> int:
        """Return how many entries were erased whole, after the last call."""

    def doubt(self) -> str:
        """Return why nothing can be said of these calls as they stand, or nothing.

        Asked after the last call, also where no audit recomputed anything: what a broken record
        says must not pass in another audit.
        """

    def seconds(self) -> float | None:
        """Return how long the run took, None where its calls have no times."""

    def unbound(self) -> Iterable[tuple[str, str]]:
        """Name what nothing commits to, with its value as delivered."""

    def notes(self) -> Iterable[str]:
        """Return lines about the record that are neither findings nor checks."""


def counted(count: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
