"""What is known already: findings of a baseline, and findings that somebody accepted for a time.

A suppressed finding is counted and no longer reported. A line all of whose findings are suppressed
passes, and says how many; the line of a broken record stays failed (`Rule.final`).
"""

from collections.abc import Iterable
from typing import NamedTuple

from toolreplay.findings.check import FAILED, PASSED
from toolreplay.findings.finding import Finding
from toolreplay.findings.result import AuditResult
from toolreplay.findings.spool import FindingSpool

__all__ = ["Known", "Suppressed", "Suppression", "baseline_entry"]


class Suppression(NamedTuple):
    """One accepted finding: by fingerprint, or by kind and perhaps tool.

    `until` is the last day it holds, as 2026-12-31; `where` names its place for a person.
    """

    where: str
    fingerprint: str | None
    kind: str | None
    tool: str | None
    reason: str
    until: str

    def covers(self, finding: Finding) -> bool:
        """Whether it speaks of this finding."""
        if self.fingerprint is not None:
            return self.fingerprint == finding.fingerprint
        if self.kind != finding.kind:
            return False
        return self.tool is None or (
            finding.origin is not None and finding.origin.tool == self.tool
        )


class Suppressed(NamedTuple):
    """How many findings were left out, and by what.

    `expired` counts findings that are reported although a suppression names them, which has
    ended. `files` are the baseline and the project file; `today` is the day that was compared,
    None where no suppression had to be.
    """

    baseline: int
    suppressions: int
    expired: int
    files: tuple[str, ...]
    today: str | None

    def text(self) -> str:
        """Return the line that reports print; names are not escaped yet."""
        line = (
            f"suppressed: {self.baseline + self.suppressions:,} (baseline {self.baseline:,}, "
            f"suppressions {self.suppressions:,}, expired {self.expired:,})"
        )
        parts = [line, *self.files, *([f"today {self.today}"] if self.today else [])]
        return " · ".join(parts)


class Known:
    """Leaves known findings out of results, and counts them."""

    def __init__(
        self,
        baseline: frozenset[str],
        suppressions: Iterable[Suppression],
        files: tuple[str, ...],
        today: str,
    ) -> None:
        self._baseline = baseline
        self._suppressions = list(suppressions)
        self._by_fingerprint: dict[str | None, list[int]] = {}
        for place, item in enumerate(self._suppressions):
            self._by_fingerprint.setdefault(item.fingerprint, []).append(place)
        self._files = files
        self._today = today
        self._used: set[int] = set()
        self._by_baseline = self._by_suppression = self._expired = 0

    def without_known(self, result: AuditResult) -> AuditResult:
        """Return the result with what is not known already."""
        kept = FindingSpool()
        left_out: dict[str, int] = {}
        final = {rule.kind for rule in result.rules if rule.final}
        lines = {rule.kind: rule.line for rule in result.rules if not rule.final}
        for finding in result.findings:
            if self._is_known(finding):
                line = lines.get(finding.kind)
                if line is not None:
                    left_out[line] = left_out.get(line, 0) + 1
            else:
                kept.add(finding)
        if len(kept) == result.found:
            return result
        still = {lines[kind] for kind in kept.kinds - final}
        checks = tuple(
            check._replace(result=PASSED, count=f"{left_out[check.line]:,} suppressed")
            if check.result == FAILED and check.line in left_out and check.line not in still
            else check
            for check in result.verdict.checks
        )
        verdict = result.verdict._replace(checks=checks)
        return result._replace(findings=kept.in_order(), verdict=verdict)

    def _is_known(self, finding: Finding) -> bool:
        if finding.fingerprint in self._baseline:
            self._by_baseline += 1
            return True
        has_expired = False
        for place in self._covering(finding):
            if self._suppressions[place].covers(finding):
                self._used.add(place)
                if self._suppressions[place].until >= self._today:
                    self._by_suppression += 1
                    return True
                has_expired = True
        self._expired += has_expired
        return False

    def accepts(self, finding: Finding) -> bool:
        """Whether a suppression that has not ended covers the finding."""
        items = [self._suppressions[place] for place in self._covering(finding)]
        return any(item.until >= self._today and item.covers(finding) for item in items)

    def _covering(self, finding: Finding) -> list[int]:
        """Return the places of suppressions that may cover it: its own, and those of kinds."""
        own = self._by_fingerprint.get(finding.fingerprint, []) if finding.fingerprint else []
        return sorted(own + self._by_fingerprint.get(None, []))

    def counts(self) -> Suppressed:
        """Return what was left out so far."""
        today = self._today if self._suppressions else None
        return Suppressed(
            self._by_baseline, self._by_suppression, self._expired, self._files, today
        )

    def notes(self) -> list[str]:
        """Return a line for each suppression that has ended or that no finding needed."""
        lines = []
        for place, item in enumerate(self._suppressions):
            if item.until < self._today:
                lines.append(f"{item.where}: expired, it held until {item.until}")
            elif place not in self._used:
                lines.append(f"{item.where}: no finding needed it")
        return lines


def baseline_entry(finding: Finding) -> tuple[str, str, str]:
    """Return (fingerprint, kind, detail), the members of a line of a baseline."""
    assert finding.fingerprint is not None
    return finding.fingerprint, finding.kind, finding.detail
