"""text: results as lines for people, the same on a terminal and in a file.

`tutorial.py` has the tutorial's own lines, `block.py`
the report of `audit` and `verify`.
"""

from collections.abc import Callable, Iterable

TYPE_CHECKING = False  # the tutorial's lines are in this package too, and need nothing below
if TYPE_CHECKING:
    from toolreplay.findings.judgement import Input, Report, Summary
    from toolreplay.findings.result import AuditResult

__all__ = ["start"]


class _Text:
    """One block a run as it is judged, then the line that says what the exit status means."""

    def __init__(self, out: Callable[[bytes], object], many: bool) -> None:  # noqa: FBT001
        self._out = out
        self._many = many
        self._runs = 0
        self._last: AuditResult | None = None
        self._unchecked = 0
        self._missing: set[str] = set()

    def run(self, result: "AuditResult") -> None:
        from toolreplay.findings.check import NOT_CHECKED
        from toolreplay.reports.text.block import block_lines

        if self._runs:
            _put(self._out, [""])
        self._runs += 1
        self._last = result
        if not result.is_empty:
            checks = result.verdict.checks
            self._unchecked += sum(check.result == NOT_CHECKED for check in checks)
            self._missing.update(result.verdict.missing)
        _put(self._out, block_lines(result, with_file=self._many))

    def input(self, item: "Input") -> None:
        """Say nothing: what could not be read has been named on standard error."""

    def end(self, summary: "Summary") -> None:
        from toolreplay.reports.lines import escaped
        from toolreplay.reports.text.block import closing_line, closing_line_of_many

        lines = [""] if self._runs else []
        if summary.suppressed is not None:
            lines.append(escaped(summary.suppressed.text()))
        if self._last is not None and self._runs == 1 and not summary.many:
            lines.append(closing_line(self._last, summary.status))
        elif self._runs or summary.many:
            lines += [
                _totals(summary.totals),
                closing_line_of_many(
                    summary.status, summary.totals, self._unchecked, self._missing
                ),
            ]
        _put(self._out, lines)


def start(out: Callable[[bytes], object], many: bool) -> "Report":  # noqa: FBT001
    """Begin a report."""
    return _Text(out, many)


def _put(out: Callable[[bytes], object], lines: Iterable[str]) -> None:
    from toolreplay.reports.lines import encoded

    for piece in encoded(lines):
        out(piece)


def _totals(totals: dict[str, int]) -> str:
    return (
        f"files: {totals['files']:,} ({totals['read']:,} read, "
        f"{totals['not recognised']:,} not recognised, {totals['unreadable']:,} unreadable) · "
        f"runs: {totals['runs']:,} · calls: {totals['calls']:,} · "
        f"findings: {totals['findings']:,} · nothing recorded: {totals['nothing recorded']:,}"
    )
