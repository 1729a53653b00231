"""AuditResult: what the audits of one run came to, as reports and the gate read it."""

from collections.abc import Collection
from typing import NamedTuple

from toolreplay.findings.check import Verdict
from toolreplay.findings.finding import Finding
from toolreplay.findings.rule import Rule
from toolreplay.records.call import Json
from toolreplay.records.run import LOG, RunInfo

__all__ = ["AuditResult"]


class AuditResult(NamedTuple):
    """One run, judged.

    `divergence` is the first index where a rerun would disagree, None without one; `explained`
    counts differing repetitions with a recorded change of state in between, `undetermined` those
    excused only by tools that the importer does not know. `rules` are those of the audits that
    ran, so that a report can describe findings without knowing any audit. The findings are
    in their order; they may be more than fit into memory, and are then read from a file.
    `seconds` is how long a recorded run took, from the first call's start to the last one's end;
    `unbound` names what nothing in the record commits to, with its value as delivered; `notes` are
    lines about the record; `erased` counts its entries that were erased whole.
    """

    run: RunInfo
    calls: int
    findings: Collection[Finding]
    verdict: Verdict
    rules: tuple[Rule, ...]
    divergence: int | None = None
    explained: int = 0
    undetermined: int = 0
    seconds: float | None = None
    unbound: tuple[tuple[str, Json], ...] = ()
    notes: tuple[str, ...] = ()
    erased: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to judge: no call, none erased, and no finding about the record."""
        is_judged = self.calls or self.found or self.erased
        return not is_judged and self.run.form != LOG

    @property
    def found(self) -> int:
        """How many findings there are."""
        return len(self.findings)
