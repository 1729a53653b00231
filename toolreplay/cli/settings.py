"""What flags and project file say together about judging; flags win."""

import argparse
from typing import NamedTuple

from toolreplay.audits.engine import Declared
from toolreplay.cli.asked import (
    asked_of,
    files_of_asked,
    has_asked,
    lines_required,
)
from toolreplay.cli.nearest import did_you_mean
from toolreplay.cli.replay import named_mutators
from toolreplay.cli.requiring import add_require
from toolreplay.cli.whole_file import WholeFile
from toolreplay.errors import UsageError
from toolreplay.findings.check import LINES
from toolreplay.findings.finding import Finding
from toolreplay.findings.result import AuditResult
from toolreplay.findings.spool import FindingSpool
from toolreplay.findings.suppression import Known, baseline_entry
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records.limits import Limits
from toolreplay.records.run import Run
from toolreplay.reports.lines import plural
from toolreplay.sources.baseline import baseline_lines, read_baseline
from toolreplay.sources.declared import read_scope
from toolreplay.sources.opening import shown_name
from toolreplay.sources.project import find_project, is_day

__all__ = ["BaselineWriter", "Settings", "add_settings", "required_lines", "settings_of"]


class Settings(NamedTuple):
    """What an audit is asked, and the `files` that say so and must not be replaced.

    `required` is None where what was handed in is required; `known` None where nothing is.
    """

    declared: Declared
    mutators: frozenset[str]
    required: frozenset[str] | None
    known: Known | None
    files: tuple[str | None, ...]
    writer: "BaselineWriter | None"

    def with_mutators(self, run: Run) -> Run:
        """Return the run with these mutators beside those its form knows."""
        effects = run.info.effects
        effects = effects._replace(mutators=effects.mutators | self.mutators)
        return run._replace(info=run.info._replace(effects=effects))


def add_settings(parser: argparse.ArgumentParser, asked: argparse._ArgumentGroup) -> None:
    """Add the arguments that a project file can give too (what is asked), and those about it."""
    asked.add_argument("--scope", metavar="FILE", help="the scope the run had to stay in (JSON)")
    add_require(asked)
    group = parser.add_argument_group("known findings and the project file")
    group.add_argument("--baseline", metavar="FILE", help="leave out the findings of this file")
    group.add_argument("--write-baseline", metavar="FILE", help="write one from what is found now")
    group.add_argument(
        "--config",
        metavar="FILE",
        help="the project file, instead of ./toolreplay.toml; none: no file",
    )
    group.add_argument(
        "--today", metavar="DATE", help="the day suppressions are judged against, as 2026-12-31"
    )


def settings_of(arguments: argparse.Namespace, names: list[str], limits: Limits) -> Settings:
    """Join flags and project file for these audits. Raises InputError and UsageError."""
    kinds = frozenset(
        rule.kind
        for name in extensions_of("audits")
        for rule in load_extension("audits", name).RULES
    )
    project = find_project(arguments.config, kinds)
    if arguments.scope and "scope" not in names:
        raise UsageError("--scope is for the audit 'scope', which --only leaves out")
    if lines_required(arguments) and "recompute" not in names:
        raise UsageError("what is kept beside receipts is for 'recompute', which --only leaves out")
    # From the project file it holds for the runs of `audit` that look at it.
    scope = arguments.scope or (project.scope if "scope" in names else None)
    required = required_lines(arguments.require)
    if required is None and project.require is not None:
        required = frozenset(project.require)
    baseline = arguments.baseline or project.baseline
    today = _today(arguments.today)
    files = tuple(shown_name(name) for name in (baseline, project.name) if name is not None)
    known = None
    if files:
        known = Known(
            read_baseline(baseline, limits) if baseline else frozenset(),
            project.suppressions,
            files,
            today,
        )
    return Settings(
        Declared(
            scope=read_scope(scope, limits) if scope else None,
            asked=asked_of(arguments, limits) if has_asked(arguments) else None,
        ),
        frozenset(project.mutators) | named_mutators(arguments),
        required,
        known,
        (
            *(scope, project.scope, project.baseline, project.name, arguments.mutators),
            *files_of_asked(arguments),
        ),
        BaselineWriter(arguments.write_baseline) if arguments.write_baseline else None,
    )


class BaselineWriter:
    """Collects findings, and writes a baseline of them."""

    def __init__(self, name: str) -> None:
        self._name = name
        # Sorted as findings are, by their fingerprints as numbers, however many there are.
        self._entries = FindingSpool()

    def take(self, result: AuditResult, known: Known | None) -> None:
        """Take the findings of a run, but not what was accepted for a time."""
        for finding in result.findings:
            if known is None or not known.accepts(finding):
                fingerprint, kind, detail = baseline_entry(finding)
                self._entries.add(Finding(int(fingerprint, 16), kind, detail))

    def write(self, file: WholeFile) -> str:
        """Write the lines, and return one that says so. Raises OutputError."""
        count = 0
        sorted_entries = ((f"{item.index:016x}", item.kind, item.detail) for item in self._entries)
        for line in baseline_lines(sorted_entries):
            file.write(line)
            count += 1
        return f"baseline of {plural(count, 'known finding')} written to {self._name}"


def _today(text: str | None) -> str:
    if text is None:
        import time

        return time.strftime("%Y-%m-%d", time.gmtime())
    if not is_day(text):
        raise UsageError(f"--today takes a day, as 2026-12-31, not '{text[:40]}'")
    return text


def required_lines(texts: list[str] | None) -> frozenset[str] | None:
    """Parse --require. Raises UsageError for a word that is no report line."""
    if texts is None:
        return None
    lines = {line.strip() for text in texts for line in text.split(",")} - {""}
    if lines == {"none"}:
        return frozenset()
    if "none" in lines:
        raise UsageError("--require none stands alone: nothing else can be required with it")
    if not lines:
        raise UsageError("--require names no report line (none: nothing is required)")
    for line in sorted(lines):
        if line not in LINES:
            near = did_you_mean(line, [*LINES, "none"])
            raise UsageError(f"no report line '{line}' (there are: {', '.join(LINES)}){near}")
    return frozenset(lines)
