"""Judge runs: against themselves, and against the scope that was handed in.

Reads strict and sealed transcripts and the sessions of agent programs (`toolreplay formats`), as
files, folders or standard input. The report says what passed, what failed and what was not
checked. Exits with 0 when nothing was found, 1 when something was, 2 when an input could not be
read, 3 when something required was not checked.
"""

import argparse
from collections.abc import Sequence

from toolreplay.audits.engine import Declared, Options, judge
from toolreplay.cli.arguments import add_limits, limits_of, refuse_two_inputs
from toolreplay.cli.console import Console
from toolreplay.cli.judging import Judging
from toolreplay.cli.nearest import did_you_mean
from toolreplay.cli.outputs import Outputs, add_reports
from toolreplay.cli.replay import add_mutators, named_mutators
from toolreplay.errors import UsageError
from toolreplay.findings.check import LINES, Check
from toolreplay.findings.result import AuditResult
from toolreplay.packaged import extensions_of
from toolreplay.records.run import Run
from toolreplay.sources.declared import read_scope
from toolreplay.sources.folder import is_many
from toolreplay.sources.recognise import form_words

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `audit`."""
    parser.add_argument(
        "inputs", nargs="+", metavar="X", help="a file, a folder, or - for standard input"
    )
    asked = parser.add_argument_group("what is asked")
    asked.add_argument("--scope", metavar="FILE", help="the scope the run had to stay in (JSON)")
    asked.add_argument(
        "--only",
        action="append",
        choices=extensions_of("audits"),
        metavar="AUDIT",
        help=f"run only this audit, which is then required (repeatable): "
        f"{', '.join(extensions_of('audits'))}",
    )
    asked.add_argument(
        "--require",
        metavar="LINE[,LINE]",
        help="report lines that must have been checked, in place of those for what was handed in, "
        "or none",
    )
    add_mutators(asked)
    reports = add_reports(parser)
    reports.add_argument(
        "--verbose", action="store_true", help="name the files of a folder that are not recognised"
    )
    add_limits(parser, form_words())


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Judge every run of every input and write the report."""
    refuse_two_inputs(*set(arguments.inputs), arguments.scope, arguments.mutators)
    limits = limits_of(arguments)
    declared = Declared(scope=read_scope(arguments.scope, limits) if arguments.scope else None)
    mutators = named_mutators(arguments)
    names = list(dict.fromkeys(arguments.only or extensions_of("audits")))
    asked = _lines_of(arguments.require)
    only = set(arguments.only or ())
    options = Options(excuse=True, state_changes=True, identify=True, limits=limits)

    def required(checks: Sequence[Check]) -> set[str]:
        """Require what was handed in, and what was asked for by name."""
        if asked is not None:
            return asked
        made = {check.line for check in checks}
        lines = only & {"replay", "scope", "loop"}
        if declared.scope:
            lines |= made & {"scope"}
        if "links" in made:
            lines |= {"contents", "links"}
        elif "recompute" in only:
            lines.add("contents")
        return lines

    def judge_run(run: Run) -> AuditResult:
        effects = run.info.effects
        effects = effects._replace(mutators=effects.mutators | mutators)
        info = run.info._replace(effects=effects)
        return judge(run._replace(info=info), names, declared, options, required)

    with Outputs(
        arguments, console, many=is_many(arguments.inputs), inputs=arguments.inputs
    ) as outputs:
        judging = Judging(
            arguments.inputs,
            judge_run,
            outputs.report,
            limits,
            console,
            forced=arguments.form,
            with_details=outputs.with_details,
            verbose=arguments.verbose,
        )
        status = judging.run()
        outputs.keep()
    return status


def _lines_of(text: str | None) -> set[str] | None:
    """Parse --require. Raises UsageError for a word that is no report line."""
    if text is None:
        return None
    if text == "none":
        return set()
    lines = {line.strip() for line in text.split(",")} - {""}
    if not lines:
        raise UsageError("--require names no report line (none: nothing is required)")
    for line in sorted(lines):
        if line not in LINES:
            near = did_you_mean(line, [*LINES, "none"])
            raise UsageError(f"no report line '{line}' (there are: {', '.join(LINES)}){near}")
    return lines
