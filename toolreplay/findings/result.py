"""AuditResult: what the audits of one run came to, as reports and the gate read it."""

from typing import NamedTuple

from toolreplay.findings.check import Verdict
from toolreplay.findings.finding import Finding
from toolreplay.findings.rule import Rule
from toolreplay.records.run import RunInfo

__all__ = ["AuditResult"]


class AuditResult(NamedTuple):
    """One run, judged.

    `divergence` is the first index where a rerun would disagree, None without one; `explained`
    counts differing repetitions with a recorded change of state in between, `undetermined` those
    excused only by tools that the importer does not know. `rules` are those of the audits that
    ran, so that a report can describe findings without knowing any audit. `found` counts the
    findings; the list is empty all the same when they were handed on one by one.
    """

    run: RunInfo
    calls: int
    found: int
    findings: list[Finding]
    verdict: Verdict
    rules: tuple[Rule, ...]
    divergence: int | None = None
    explained: int = 0
    undetermined: int = 0
