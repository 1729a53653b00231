"""Judge runs: against themselves, and against the scope that was handed in.

Reads strict and sealed transcripts, bundles, receipts, timelines and workflow closes of AER-1, and
the sessions of agent programs (`toolreplay formats`), as files, folders or standard input. The report says what passed, what failed and what was not
checked. Exits with 0 when nothing was found, 1 when something was, 2 when an input could not be
read, 3 when something required was not checked.
"""

import argparse
from collections.abc import Iterable, Sequence
from functools import partial

from toolreplay.audits.engine import Options, judge
from toolreplay.cli.arguments import add_limits, limits_of, refuse_two_inputs
from toolreplay.cli.asked import (
    add_asked,
    files_of_asked,
    lines_required,
    with_unusable,
)
from toolreplay.cli.console import Console
from toolreplay.cli.heads import remember, standing_in
from toolreplay.cli.inputs import add_store, resolved_all
from toolreplay.cli.judging import Judging
from toolreplay.cli.outputs import Outputs, add_reports
from toolreplay.cli.replay import add_mutators
from toolreplay.cli.requiring import carried_lines
from toolreplay.cli.settings import Settings, add_settings, settings_of
from toolreplay.findings.check import Check
from toolreplay.findings.result import AuditResult
from toolreplay.packaged import extensions_of
from toolreplay.records.run import Run
from toolreplay.sources.folder import is_many
from toolreplay.sources.recognise import form_words

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `audit`."""
    parser.add_argument(
        "inputs", nargs="+", metavar="X", help="a file, a folder, or - for standard input"
    )
    asked = parser.add_argument_group("what is asked")
    asked.add_argument(
        "--only",
        action="append",
        choices=extensions_of("audits"),
        metavar="AUDIT",
        help=f"run only this audit, which is then required (repeatable): "
        f"{', '.join(extensions_of('audits'))}",
    )
    add_mutators(asked)
    add_settings(parser, asked)
    add_asked(parser)
    reports = add_reports(parser)
    reports.add_argument(
        "--verbose", action="store_true", help="name the files of a folder that are not recognised"
    )
    reports.add_argument(
        "--progress",
        action="store_true",
        help="say on standard error how far it is, where that is no terminal too",
    )
    add_store(add_limits(parser, form_words()))


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Judge every run of every input and write the reports."""
    arguments.inputs = resolved_all(arguments.inputs, arguments)
    inputs = [*dict.fromkeys(arguments.inputs), arguments.scope, arguments.mutators]
    refuse_two_inputs(*inputs, *files_of_asked(arguments))
    limits = limits_of(arguments)
    names = list(dict.fromkeys(arguments.only or extensions_of("audits")))
    settings = settings_of(arguments, names, limits)
    options = Options(excuse=True, state_changes=True, identify=True, limits=limits)

    def judge_run(run: Run) -> AuditResult:
        run = settings.with_mutators(run)
        required = partial(_required, run, settings, arguments)
        result = judge(run, names, settings.declared, options, required)
        remember(standing_in(run), settings.declared.asked, arguments, console)
        result = with_unusable(result, arguments)
        if settings.writer is not None:
            settings.writer.take(result, settings.known)
        return result

    # The baseline that is read may be written anew.
    inputs = [*arguments.inputs, *settings.files]
    if arguments.baseline != arguments.write_baseline:
        inputs.append(arguments.baseline)
    many, written = is_many(arguments.inputs), arguments.write_baseline
    with Outputs(arguments, console, many=many, inputs=inputs, written=written) as outputs:
        judging = Judging(
            arguments.inputs,
            judge_run,
            outputs.report,
            limits,
            console,
            known=settings.known,
            passed_over=outputs.partials,
            forced=arguments.form,
            with_details=outputs.with_details,
            verbose=arguments.verbose,
            shows_progress=console.show_progress(asked=arguments.progress),
        )
        status = judging.run()
        notes = []
        if settings.writer is not None and outputs.beside is not None:
            notes.append(settings.writer.write(outputs.beside))
        outputs.keep()
    if settings.known is not None:
        notes += [f"note: {note}" for note in settings.known.notes()]
    for note in notes:
        console.note(note)
    return status


def _required(
    run: Run, settings: Settings, arguments: argparse.Namespace, checks: Sequence[Check]
) -> Iterable[str]:
    """Require what was handed in, and what was asked for by name."""
    if settings.required is not None:
        return settings.required
    only, made = set(arguments.only or ()), {check.line for check in checks}
    lines = (only & {"replay", "scope", "loop"}) | lines_required(arguments, run)
    if settings.declared.scope:
        lines |= made & {"scope"}
    if "links" in made:
        lines |= set(carried_lines(checks, run.info.form))
    elif "recompute" in only:
        lines.add("contents")
    return lines
