"""What is handed in beside a record, from outside of it: options of `verify` and `audit`.

What was handed in is required: where one input cannot use it, `verify` refuses, and `audit`, which
takes many inputs, says that it was not checked.
"""

import argparse
import re

from toolreplay.cli.arguments import refuse_two_inputs
from toolreplay.cli.heads import add_trust, files_of_trust, standing_in, trust_of
from toolreplay.errors import UsageError
from toolreplay.records.limits import Limits
from toolreplay.records.run import BUNDLE, LOG, RECEIPTS, TIMELINE, WORKFLOW

TYPE_CHECKING = False
if TYPE_CHECKING:  # what a quick command does not declare it does not load
    from toolreplay.evidence.record import Asked
    from toolreplay.findings.result import AuditResult
    from toolreplay.records.run import Run

__all__ = [
    "add_asked",
    "add_receipt_options",
    "asked_of",
    "files_of_asked",
    "has_asked",
    "lines_required",
    "refuse_unusable",
    "with_unusable",
]

_SIGNATURE = ("key", "policy", "seen")

_FORMS = {
    "commitment": (BUNDLE, TIMELINE),
    "root": (BUNDLE, WORKFLOW),
    "expected_id": (RECEIPTS, WORKFLOW),
    "resolved_record": (RECEIPTS,),
    "now": (BUNDLE, RECEIPTS, WORKFLOW),
    "strict": (BUNDLE, RECEIPTS, TIMELINE, WORKFLOW),
    "core": (BUNDLE, RECEIPTS),
    "no_anchor_check": (BUNDLE, RECEIPTS, WORKFLOW),
    "key": (BUNDLE, LOG, RECEIPTS, TIMELINE, WORKFLOW),
    "policy": (BUNDLE, LOG, RECEIPTS, TIMELINE, WORKFLOW),
    "seen": (BUNDLE, LOG, RECEIPTS, TIMELINE, WORKFLOW),
    "proof": (BUNDLE, LOG),
}
"""Each option, and the forms that can use it."""

_LINES = {
    "commitment": ("ending",),
    "root": ("ending",),
    "expected_id": ("contents",),
    "resolved_record": ("contents",),
    "key": ("signer", "log"),
    "policy": ("signer", "log"),
    "seen": ("signer", "log"),
}
"""The report lines that an option makes required; the others only say how something is judged."""


def add_asked(parser: argparse.ArgumentParser) -> None:
    """Add what may be handed in beside a bundle, receipts, a timeline or a workflow close."""
    group = parser.add_argument_group("beside receipts (see: toolreplay explain receipt)")
    group.add_argument(
        "--commitment", metavar="FILE", help="an AER-1 commitment that was kept elsewhere"
    )
    group.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="HEX",
        help="a workflow root that was published elsewhere (repeatable)",
    )
    add_receipt_options(group)
    add_trust(group)


def add_receipt_options(group: argparse._ActionsContainer) -> None:
    """Add the options about one receipt, which the commands for AER-1 documents have too."""
    group.add_argument("--expected-id", metavar="ID", help="the id that the record must have")
    group.add_argument(
        "--resolved-record", metavar="FILE", help="the record that the receipt's id leads to"
    )
    group.add_argument(
        "--now", metavar="TIME", help="no time may be later, as 2026-12-31T23:59:59Z"
    )
    group.add_argument(
        "--strict", action="store_true", help="fail what another reader refuses, or is only noted"
    )
    group.add_argument(
        "--core", action="store_true", help="judge receipts by the core tier of the kit alone"
    )
    group.add_argument(
        "--no-anchor-check", action="store_true", help="do not look at a receipt's anchor"
    )


def asked_of(arguments: argparse.Namespace, limits: Limits) -> "Asked":
    """Read and check what was handed in. Raises InputError and UsageError."""
    from toolreplay.evidence.aer1.times import moment_of
    from toolreplay.evidence.record import Asked
    from toolreplay.sources.declared import read_commitment, read_record

    refuse_two_inputs(*files_of_asked(arguments))
    roots = [root.removeprefix("sha256:") for root in getattr(arguments, "root", ())]
    for root in roots:
        if not re.fullmatch("[0-9a-f]{64}", root):
            raise UsageError("--root must be 64 lower-case hex digits")
    if arguments.strict and arguments.core:
        raise UsageError("--strict and --core exclude each other")
    moment = moment_of(arguments.now)
    if arguments.now is not None and (moment is None or not moment.has_real_offset):
        raise UsageError("--now takes a time, as 2026-12-31T23:59:59Z")
    commitment, record = getattr(arguments, "commitment", None), arguments.resolved_record
    return Asked(
        commitment=None if commitment is None else read_commitment(commitment, limits),
        roots=tuple(dict.fromkeys(roots)),
        now=arguments.now,
        level="strict" if arguments.strict else "core" if arguments.core else "default",
        expected_id=arguments.expected_id,
        resolved_record=None if record is None else read_record(record, limits),
        has_resolved_record=record is not None,
        with_anchor=not arguments.no_anchor_check,
        signature=tuple(f"--{name}" for name in _SIGNATURE if name in _given(arguments)),
        trust=trust_of(arguments, limits),
    )


def files_of_asked(arguments: argparse.Namespace) -> list[str | None]:
    """Return the files that are read, which no report may replace."""
    given = [getattr(arguments, name, None) for name in ("commitment", "resolved_record")]
    return [*given, *files_of_trust(arguments)]


def has_asked(arguments: argparse.Namespace, but: str = "") -> bool:
    """Whether anything was handed in, or said about how receipts are judged, `but` this."""
    return any(name != but for name in _given(arguments))


def lines_required(arguments: argparse.Namespace, run: "Run | None" = None) -> frozenset[str]:
    """Return the report lines that are required because of what was handed in.

    Of a run that was judged and shows a signed head, what could be asked about that head.
    """
    given, standing = _given(arguments), None if run is None else standing_in(run)
    of_head = frozenset[str]() if standing is None else standing.required
    if of_head:
        given = [name for name in given if name not in _SIGNATURE]
    return of_head.union(line for name in given for line in _LINES.get(name, ()))


def refuse_unusable(arguments: argparse.Namespace, form: str) -> None:
    """Raise UsageError for an option that an input of this form cannot use."""
    for name in _given(arguments):
        if form not in _FORMS[name] and form != LOG:  # its runs are asked too
            fits = ", ".join(_FORMS[name])
            raise UsageError(
                f"--{name.replace('_', '-')} is for: {fits}; this is of the form {form}"
            )


def with_unusable(result: "AuditResult", arguments: argparse.Namespace) -> "AuditResult":
    """Say of each line that an option is about that it was not checked, where it was not.

    A close that holds says nothing of a commitment that nobody could compare it with.
    """
    from toolreplay.findings.check import NOT_CHECKED, PASSED, Check

    form, checks = result.run.form, list(result.verdict.checks)
    for name in _given(arguments):
        if form in _FORMS[name]:
            continue
        for place, check in enumerate(checks):
            if check.line in _LINES.get(name, ()) and check.result == PASSED:
                reason = f"--{name.replace('_', '-')} cannot be used for a {form}"
                checks[place] = Check(check.line, NOT_CHECKED, None, reason)
    return result._replace(verdict=result.verdict._replace(checks=tuple(checks)))


def _given(arguments: argparse.Namespace) -> list[str]:
    given = []
    for name in _FORMS:
        value = getattr(arguments, name, None)
        if value not in (None, False, []):
            given.append(name)
    return given
