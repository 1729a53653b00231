"""The lines of the five commands, as the tutorial prints them; they never change.

Source: the public tool's version 0.6.0. Each function returns lines without line ending.
"""

from typing import TYPE_CHECKING

from toolreplay.findings.finding import Finding
from toolreplay.reports.lines import escaped

if TYPE_CHECKING:  # `replay` prints no chain
    from toolreplay.evidence.seal import Break

__all__ = ["chain_lines", "counts_with_divergence", "counts_without_divergence", "finding_line"]


def counts_with_divergence(calls: int, divergence: int | None, findings: int) -> list[str]:
    """Return the head of `replay`."""
    where = "none" if divergence is None else f"index {divergence}"
    return [f"calls: {calls}", f"divergence: {where}", f"findings: {findings}"]


def counts_without_divergence(calls: int, findings: int) -> list[str]:
    """Return the head of `scope`."""
    return [f"calls: {calls}", f"findings: {findings}"]


def finding_line(finding: Finding) -> str:
    """Return the line of one finding; one of the whole run begins with `run`."""
    place = "run" if finding.index is None else f"index {finding.index}"
    return f"{place}: {finding.kind}: {escaped(finding.detail)}"


def chain_lines(broken: "Break | None") -> list[str]:
    """Return what `verify` prints of a sealed transcript."""
    if broken is None:
        return ["chain: intact"]
    return [
        "chain: broken",
        f"first broken link: index {broken.index}",
        f"expected: {broken.expected}",
        f"found: {broken.found}",
    ]
