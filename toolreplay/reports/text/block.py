"""The block: the report of one run, as `audit` and `verify` print it.

Heading, findings, then each line of the report under passed, failed or not checked. No other
verdict word is printed anywhere.
"""

from collections.abc import Iterable, Iterator, Sequence

from toolreplay.findings.check import FAILED, LINES, NOT_CHECKED, PASSED, Check
from toolreplay.findings.gate import CLEAN, FOUND, NOT_ALL_CHECKED
from toolreplay.findings.result import AuditResult
from toolreplay.records.run import LOG, LOGGED_BY_AGENT, RunInfo
from toolreplay.reports.brief import delivered
from toolreplay.reports.lines import WIDTH, columns, escaped, plural, shortened, width_of
from toolreplay.reports.text.tutorial import finding_line

__all__ = ["block_lines", "check_lines", "closing_line", "closing_line_of_many", "heading"]

_LABEL = len("not checked") + 2


def block_lines(result: AuditResult, *, with_file: bool = False) -> Iterator[str]:
    """Yield the lines of one run's report, without the closing line."""
    yield heading(result.run, result.calls, result.seconds)
    if with_file:
        yield f"file: {escaped(result.run.file)}"
    yield ""
    yield f"findings: {result.found:,}"
    excused = []
    if result.explained:
        excused.append(f"explained: {result.explained:,}")
    if result.undetermined:
        excused.append(f"undetermined: {result.undetermined:,}")
    if excused:
        yield " · ".join(excused)
    yield from map(finding_line, result.findings)
    yield ""
    if result.calls or result.erased or result.run.form == LOG:
        yield from check_lines(result.verdict.checks, result)
    else:
        yield from check_lines([c for c in result.verdict.checks if c.result == FAILED], result)
        yield "not checked: nothing was recorded"
    yield from _beside(result)


def check_lines(checks: Sequence[Check], result: AuditResult | None = None) -> list[str]:
    """Return the lines of a report's checks: what passed, what failed, what was not checked."""
    lines = []
    for verdict in (PASSED, FAILED):
        parts = [_named(check, result) for check in checks if check.result == verdict]
        lines += _in_columns(verdict, parts)
    return lines + _not_checked(checks)


def _in_columns(verdict: str, parts: Sequence[str]) -> list[str]:
    """Join what has one verdict; what would pass the last column goes below."""
    lines: list[str] = []
    line = ""
    for number, part in enumerate(parts, 1):
        room = WIDTH if number == len(parts) else WIDTH - 2  # the mark that more follows
        if line and width_of(line) + 3 + width_of(part) > room:
            lines.append(f"{line} ·")
            line = ""
        start = f"{'' if lines else verdict:<{_LABEL}}"
        line = f"{line} · {part}" if line else start + part
    return [*lines, line] if line else lines


def _beside(result: AuditResult) -> Iterator[str]:
    """Yield the record's notes, and what nothing in it commits to."""
    if result.notes:
        yield ""
        yield from (f"note: {escaped(note)}" for note in result.notes)
    if result.unbound:
        yield ""
        yield "unbound, as delivered:"
        rows = [(f"  {escaped(name)}", delivered(value)) for name, value in result.unbound]
        yield from columns(rows)


def heading(run: RunInfo, calls: int, seconds: float | None = None) -> str:
    """Return the line that says which run this is, how long, and who made the record."""
    if run.form == LOG:
        return f"log {shortened(run.name)} · {run.provenance}"
    who = [shortened(run.agent)] if run.agent else []
    if run.model:
        who.append(f"model {shortened(run.model)}")
    provenance = run.provenance
    if provenance == LOGGED_BY_AGENT:
        provenance += " (by the agent's own program)"
    count = plural(calls, "call")
    if seconds is not None:
        count += f" in {_duration(seconds)}"
    parts = [f"run {shortened(run.name)}", ", ".join(who), count, provenance]
    return " · ".join(part for part in parts if part)


def _duration(seconds: float) -> str:
    """Spell a duration with the unit a person thinks in."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 120:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min"


def closing_line(result: AuditResult, status: int) -> str:
    """Return the line that says what the exit status of one run means."""
    if status == NOT_ALL_CHECKED and result.is_empty:
        return "exit 3: nothing was recorded, so nothing was checked."
    unchecked = sum(check.result == NOT_CHECKED for check in result.verdict.checks)
    missing = result.verdict.missing
    if status == NOT_ALL_CHECKED:
        return f"exit 3: nothing found, but required and not checked: {', '.join(missing)}."
    said = {CLEAN: "nothing found", FOUND: "findings" if result.found else "a check failed"}
    line = f"exit {status}: {said[status]}."
    if unchecked:
        line += f" {_were_not_checked(unchecked)}; "
        line += f"required: {', '.join(missing)}." if missing else "none was required (--require)."
    return line


def closing_line_of_many(
    status: int, totals: dict[str, int], unchecked: int = 0, missing: Iterable[str] = ()
) -> str:
    """Return the line that says what the exit status of many inputs means.

    `unchecked` counts checks that were not made, `missing` are the required lines among them.
    """
    if not totals["runs"] and status == NOT_ALL_CHECKED:
        return f"exit {status}: no run was found, so nothing was checked."
    said = {
        CLEAN: "nothing found",
        FOUND: "findings",
        NOT_ALL_CHECKED: "nothing found, but not everything required was checked",
    }
    line = f"exit {status}: {said.get(status, 'an input could not be read')}."
    absent = set(missing) if status == NOT_ALL_CHECKED else set()
    if absent:
        line = f"{line[:-1]}: {', '.join(word for word in LINES if word in absent)}."
    elif unchecked and status == CLEAN:
        line += f" {_were_not_checked(unchecked)}; none was required (--require)."
    unreadable = totals["unreadable"]
    if status == FOUND and unreadable:
        line += f" {plural(unreadable, 'input')} could not be read."
    return line


def _were_not_checked(count: int) -> str:
    return "1 thing was not checked" if count == 1 else f"{count:,} things were not checked"


def _named(check: Check, result: AuditResult | None) -> str:
    count = check.count
    if check.result == FAILED and count is None and result is not None:
        kinds = {rule.kind for rule in result.rules if rule.line == check.line}
        found = sum(finding.kind in kinds for finding in result.findings)
        count = plural(found, "finding") if found else None
    return f"{check.line} ({shortened(count)})" if count else check.line


def _not_checked(checks: Sequence[Check]) -> list[str]:
    """Align line, reason and remedy; a remedy that does not fit goes below its reason."""
    rows = [check for check in checks if check.result == NOT_CHECKED]
    names = max((len(check.line) for check in rows), default=0) + 2
    reasons = max((width_of(check.reason or "") for check in rows), default=0) + 2
    lines = []
    label = NOT_CHECKED
    for check in rows:
        start = f"{label:<{_LABEL}}{check.line:<{names}}"
        label = ""
        reason, remedy = escaped(check.reason or ""), escaped(check.remedy or "")
        if not remedy:
            lines.append(start + reason)
        elif _LABEL + names + reasons + width_of(remedy) <= WIDTH:
            lines.append(f"{start}{reason}{' ' * (reasons - width_of(reason))}{remedy}")
        elif width_of(f"{start}{reason}  {remedy}") <= WIDTH:
            lines.append(f"{start}{reason}  {remedy}")
        else:
            lines += [start + reason, " " * len(start) + remedy]
    return lines
