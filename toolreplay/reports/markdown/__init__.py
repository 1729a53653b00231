"""markdown: a comment for a pull request, counts first and long lists folded.

Fits the 65,536 characters of a comment: of several runs those without findings are only counted,
and what does not fit is counted too. Recorded text stands in code spans, where links, HTML and mentions are inert.
"""

from collections.abc import Callable

from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.findings.gate import CLEAN, COULD_NOT_RUN, FOUND
from toolreplay.findings.judgement import Input, Report, Summary
from toolreplay.findings.result import AuditResult
from toolreplay.reports.brief import delivered
from toolreplay.reports.lines import escaped, plural
from toolreplay.reports.markdown.spans import code_span

__all__ = ["code", "start"]

_MOST_CHARACTERS = 50_000
"""Of the runs; GitHub takes 65,536 characters, and counts and unread inputs stand before them."""

_MOST_SHOWN = 200
"""Findings of one run; a person who needs more opens another report."""

_LEAST_ROOM = 4_000
"""Characters that the heading and the checks of a run may take."""

_FEW = 10
"""Findings that are shown unfolded."""

_LONGEST = 400
"""Characters of one recorded text."""


def code(text: str, longest: int = _LONGEST) -> str:
    """Return a recorded text, cut, as a code span."""
    shown = escaped(text[: longest + 1])
    if len(shown) > longest:
        shown = shown[:longest] + "…"
    return code_span(shown) or "` `"


def start(out: Callable[[bytes], object], many: bool) -> Report:  # noqa: FBT001
    """Begin a report."""
    return _Markdown(out, many)


class _Markdown:
    """Everything waits for the end, where the counts are known; it is bounded."""

    def __init__(self, out: Callable[[bytes], object], many: bool) -> None:  # noqa: FBT001
        self._out = out
        self._many = many
        self._parts: list[str] = []
        self._left = _MOST_CHARACTERS
        self._left_out = 0
        self._clean = 0
        self._unread: list[str] = []
        self._not_read = 0
        self._kinds: dict[str, int] = {}
        self._missing: dict[str, int] = {}

    def run(self, result: AuditResult) -> None:
        for line in result.verdict.missing:
            self._missing[line] = self._missing.get(line, 0) + 1
        for finding in result.findings:
            self._kinds[finding.kind] = self._kinds.get(finding.kind, 0) + 1
        failed = any(check.result == FAILED for check in result.verdict.checks)
        if self._many and not result.found and not failed:
            self._clean += 1
            return
        if self._left < _LEAST_ROOM:
            self._left_out += 1
            return
        lines = _run_lines(result, self._left - _LEAST_ROOM // 2)
        self._left -= sum(len(line) + 1 for line in lines)
        self._parts += lines

    def input(self, item: Input) -> None:
        if item.status != "unreadable":
            return
        self._not_read += 1
        if len(self._unread) < _FEW:
            self._unread.append(
                f"* could not be read: {code(item.error or '', 150)} in {code(item.name, 150)}"
            )

    def end(self, summary: Summary) -> None:
        said = {
            CLEAN: "nothing found",
            FOUND: "findings",
            COULD_NOT_RUN: "could not read everything",
        }
        totals = summary.totals
        counts = (
            f"**{plural(totals['findings'], 'finding')}** in {plural(totals['runs'], 'run')} · "
            f"{plural(totals['calls'], 'call')} · {plural(totals['files'], 'file')} "
            f"({totals['unreadable']:,} unreadable, {totals['not recognised']:,} not recognised)"
        )
        what = said.get(summary.status, "not everything required was checked")
        lines = [f"### toolreplay: {what}", "", counts, ""]
        lines += [f"* {count:,} × `{kind}`" for kind, count in sorted(self._kinds.items())]
        lines += [
            f"* required, but not checked: `{line}` (in {plural(count, 'run')})"
            for line, count in self._missing.items()
        ]
        lines += self._unread
        if self._not_read > len(self._unread):
            more = self._not_read - len(self._unread)
            lines.append(f"* and {plural(more, 'more input')} could not be read")
        if lines[-1]:
            lines.append("")
        lines += self._parts
        if self._clean:
            lines += [f"{plural(self._clean, 'run')} without a finding.", ""]
        if self._left_out:
            runs = plural(self._left_out, "more run")
            lines += [f"{runs} did not fit here (`--report json=FILE` has all).", ""]
        if summary.suppressed is not None:
            lines += [code(summary.suppressed.text()), ""]
        lines.append(f"exit {summary.status}")
        self._out("".join(f"{line}\n" for line in lines).encode())


def _run_lines(result: AuditResult, room: int) -> list[str]:
    """Return the part of one run, its findings in at most `room` characters."""
    run = result.run
    lines = [f"#### run {code(run.name)} in {code(run.file)}", ""]
    if result.is_empty:
        return [*lines, "not checked: nothing was recorded", ""]
    for verdict in (PASSED, FAILED, NOT_CHECKED):
        names = [
            f"`{check.line}`" + (f" ({escaped(check.count)})" if check.count else "")
            for check in result.verdict.checks
            if check.result == verdict
        ]
        if names:
            lines.append(f"* {verdict}: {', '.join(names)}")
    if result.explained or result.undetermined:
        lines.append(f"* explained: {result.explained:,} · undetermined: {result.undetermined:,}")
    if result.unbound:
        lines += [
            f"* unbound, as delivered: {code(f'{name}: {delivered(value)}', 300)}"
            for name, value in result.unbound[:_FEW]
        ]
    found: list[str] = []
    for finding in result.findings:
        place = "run" if finding.index is None else f"index {finding.index}"
        line = f"* {place}: **{finding.kind}**: {code(finding.detail)}"
        room -= len(line) + 1
        if len(found) == _MOST_SHOWN or room < 0:
            found.append(f"* and {result.found - len(found):,} more")
            break
        found.append(line)
    if not found:
        return [*lines, ""]
    if len(found) <= _FEW:
        return [*lines, "", *found, ""]
    summary = f"<details><summary>{plural(result.found, 'finding')}</summary>"
    return [*lines, "", summary, "", *found, "", "</details>", ""]
