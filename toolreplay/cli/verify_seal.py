"""Verify a sealed transcript: the tutorial's lines, and what was asked beside them."""

import argparse

from toolreplay.cli.console import Console
from toolreplay.evidence.seal import Break, ExpectedHead, LinkChecker, line_of_link, seal_checks
from toolreplay.findings.check import FAILED
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.records.limits import Limits
from toolreplay.records.transcript import read_sealed
from toolreplay.reports.text.tutorial import chain_lines
from toolreplay.sources.opening import Opened

__all__ = ["verify_seal"]

_MOST_NAMED = 20


def verify_seal(
    opened: Opened,
    arguments: argparse.Namespace,
    limits: Limits,
    expected: ExpectedHead | None,
    console: Console,
) -> int:
    """Check every link and what was kept elsewhere, and return the exit status."""
    if arguments.format != "text" or arguments.report:
        from toolreplay.cli.one_report import verify_seal_as_reports

        start = opened.file.tell()
        status = verify_seal_as_reports(opened, arguments, limits, expected, console)
        if arguments.format != "text":
            return status
        opened.file.seek(start)
    broken, checker, unusual = _verify_chain(opened, limits, look=arguments.explain)
    console.write_lines(chain_lines(broken))
    checks = seal_checks(checker.head, broken, expected)
    if arguments.explain:
        from toolreplay.reports.text.block import check_lines

        console.write_lines(["", *unusual, *check_lines(checks)])
        if not checker.head.count:
            console.write_lines(["not checked: nothing was sealed"])
    elif expected is not None:
        from toolreplay.reports.text.block import check_lines

        asked = ("ending", "signer") if arguments.key else ("ending",)
        console.write_lines(check_lines([check for check in checks if check.line in asked]))
    failed = any(check.result == FAILED for check in checks)
    return FOUND if failed else CLEAN


def _verify_chain(
    opened: Opened, limits: Limits, *, look: bool
) -> tuple[Break | None, LinkChecker, list[str]]:
    """Check every link; with `look` also name the lines that are not in canonical form."""
    checker = LinkChecker()
    broken: Break | None = None
    unusual: list[str] = []
    others = 0
    for call in read_sealed(opened.file, limits):
        found = checker.check(call)
        if broken is None:
            broken = found
        if look:
            assert opened.raw is not None
            line = opened.raw(call.place.start, call.place.end)
            if line.removesuffix(b"\n") != line_of_link(call):
                others += 1
                if others <= _MOST_NAMED:
                    unusual.append(
                        f"line {call.place.line} is not in canonical form; "
                        "its values are what its digest covers"
                    )
    if others > _MOST_NAMED:
        unusual.append(f"and {others - _MOST_NAMED:,} more lines")
    return broken, checker, [*unusual, ""] if unusual else []
