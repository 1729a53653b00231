"""junit: checks as test cases, in the XML that build servers read.

A run is a suite and each line of its report a case: a failed line is a failure with its findings,
a required line that was not checked an error, another a skipped case with the reason. An input
that could not be read is a suite with one error. Only the first hundred findings of a line are
written out; their number is in the message.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from xml.sax.saxutils import escape, quoteattr

from toolreplay.findings.check import FAILED, NOT_CHECKED, Check
from toolreplay.findings.gate import NOT_ALL_CHECKED
from toolreplay.findings.judgement import Input, Report, Summary
from toolreplay.findings.result import AuditResult
from toolreplay.reports.lines import escaped, plural

__all__ = ["start"]

_MOST_WRITTEN = 100


def start(out: Callable[[bytes], object], many: bool) -> Report:  # noqa: FBT001, ARG001
    """Begin a report."""
    return _Junit(out)


class _Junit:
    """The document; a suite is written when its run has been judged."""

    def __init__(self, out: Callable[[bytes], object]) -> None:
        self._out = out
        self._begun = False
        self._suites = 0

    def run(self, result: AuditResult) -> None:
        checks = [] if result.is_empty else list(result.verdict.checks)
        missing = set(result.verdict.missing)
        failed = sum(check.result == FAILED for check in checks)
        unchecked = [check for check in checks if check.result == NOT_CHECKED]
        errors = sum(check.line in missing for check in unchecked)
        name = f"{result.run.file}: run {result.run.name}"
        if result.is_empty:
            self._suite(name, 1, 0, 0, 1)
            self._case("record", name, '<skipped message="nothing was recorded"/>')
        else:
            self._suite(name, len(checks), failed, errors, len(unchecked) - errors)
            for check in checks:
                for piece in _case_of(check, result, required=check.line in missing):
                    self._write(piece)
        self._write("</testsuite>\n")

    def input(self, item: Input) -> None:
        if item.status != "unreadable":
            return
        self._suite(item.name, 1, 0, 1, 0)
        self._case("read", item.name, f"<error message={_attribute(item.error or '')}/>")
        self._write("</testsuite>\n")

    def end(self, summary: Summary) -> None:
        totals = summary.totals
        if summary.status == NOT_ALL_CHECKED and totals["nothing recorded"] == totals["runs"]:
            said = "nothing was recorded" if totals["runs"] else "no run was found"
            self._suite("toolreplay", 1, 0, 1, 0)
            self._case("runs", "toolreplay", f'<error message="{said}"/>')
            self._write("</testsuite>\n")
        self._begin()
        if summary.suppressed is not None:
            self._suite("toolreplay", 0, 0, 0, 0)
            value = _attribute(summary.suppressed.text())
            self._write(f'<properties><property name="suppressed" value={value}/></properties>\n')
            self._write("</testsuite>\n")
        self._write("</testsuites>\n")

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="toolreplay">\n')

    def _suite(self, name: str, tests: int, failures: int, errors: int, skipped: int) -> None:
        self._begin()
        self._suites += 1
        self._write(
            f'<testsuite name={_attribute(name)} tests="{tests}" failures="{failures}" '
            f'errors="{errors}" skipped="{skipped}">\n'
        )

    def _case(self, name: str, suite: str, inside: str) -> None:
        self._write(f'<testcase name="{name}" classname={_attribute(suite)}>{inside}</testcase>\n')

    def _write(self, text: str) -> None:
        self._out(text.encode())


def _case_of(check: Check, result: AuditResult, *, required: bool) -> Iterator[str]:
    name = _attribute(f"{result.run.file}: run {result.run.name}")
    head = f'<testcase name="{check.line}" classname={name}>'
    if check.result == FAILED:
        kinds = {rule.kind for rule in result.rules if rule.line == check.line}
        found = sum(finding.kind in kinds for finding in result.findings)
        message = _attribute(plural(found, "finding") if found else check.count or "failed")
        yield f'{head}<failure message={message} type="{check.line}">'
        for item in islice((item for item in result.findings if item.kind in kinds), _MOST_WRITTEN):
            place = "run" if item.index is None else f"index {item.index}"
            yield f"{place}: {item.kind}: {escape(escaped(item.detail))}\n"
        if found > _MOST_WRITTEN:
            yield f"and {found - _MOST_WRITTEN:,} more\n"
        yield "</failure></testcase>\n"
    elif check.result == NOT_CHECKED:
        reason = f"not checked: {check.reason or ''}"
        if required:
            yield f"{head}<error message={_attribute(f'required, but {reason}')}/></testcase>\n"
        else:
            yield f"{head}<skipped message={_attribute(reason)}/></testcase>\n"
    elif check.count:
        yield f"{head}<system-out>{escape(escaped(check.count))}</system-out></testcase>\n"
    else:
        yield f"{head}</testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(escaped(text))
