"""text: results as lines for people, the same on a terminal and in a file.

`lines.py` has the escape table and columns, `tutorial.py` the tutorial's own lines, `block.py`
the report of `audit` and `verify`.
"""

from collections.abc import Callable, Iterable

TYPE_CHECKING = False  # the tutorial's lines are in this package too, and need nothing below
if TYPE_CHECKING:
    from toolreplay.findings.judgement import Judgement

__all__ = ["write"]


def write(judgement: "Judgement", out: Callable[[bytes], object]) -> None:
    """Write one block a run as it is judged, then the line that says what the exit status means."""
    from toolreplay.reports.text.block import block_lines, closing_line, closing_line_of_many

    runs = 0
    result = None
    for result in judgement.results():
        if runs:
            _put(out, [""])
        runs += 1
        _put(out, block_lines(result, with_file=judgement.many))
    lines = [""] if runs else []
    if result is not None and runs == 1 and not judgement.many:
        lines.append(closing_line(result, judgement.exit_status()))
    elif runs or judgement.many:
        lines += [
            _totals(judgement.totals()),
            closing_line_of_many(judgement.exit_status(), judgement.totals()),
        ]
    _put(out, lines)


def _put(out: Callable[[bytes], object], lines: Iterable[str]) -> None:
    from toolreplay.reports.text.lines import encoded

    for piece in encoded(lines):
        out(piece)


def _totals(totals: dict[str, int]) -> str:
    return (
        f"files: {totals['files']:,} ({totals['read']:,} read, "
        f"{totals['not recognised']:,} not recognised, {totals['unreadable']:,} unreadable) · "
        f"runs: {totals['runs']:,} · calls: {totals['calls']:,} · "
        f"findings: {totals['findings']:,} · nothing recorded: {totals['nothing recorded']:,}"
    )
