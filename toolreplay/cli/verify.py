"""Verify a record: is it intact, and who says so?

A sealed transcript: each link's `prev` and `digest` are recomputed. Prints `chain: intact`, or
the first broken link with what was expected and what was found, and exits with 1. A chain alone
cannot show that its tail was cut or that everything was sealed again: --against, --expect-count
and --expect-head compare with what was kept elsewhere; --key with --against also checks who signed
the head. A plain transcript has nothing to verify and is refused.

A bundle, receipts (alone, in an envelope, in the answer of an MCP server, a line each, as an
array), a timeline, a workflow close, a folder, a session: the report of `toolreplay audit --only
recompute`. A store is judged whole, its log first and then each of its runs; STORE#RUN is one of
them. --commitment and --root say what was kept of them elsewhere; of a run in a log --key
says who must have signed its head, which is remembered and compared with the next one. A proof that
a log has shown two histories is checked with --key too.
"""

import argparse
import os

from toolreplay.cli.arguments import add_limits, limits_of, refuse_two_inputs
from toolreplay.cli.asked import add_asked, files_of_asked, has_asked
from toolreplay.cli.console import Console
from toolreplay.cli.expected_head import expected_head
from toolreplay.cli.inputs import add_store, resolved
from toolreplay.cli.outputs import add_reports
from toolreplay.cli.requiring import add_require
from toolreplay.errors import InputError, TranscriptError, UsageError
from toolreplay.evidence.seal import ExpectedHead
from toolreplay.records.call import Json
from toolreplay.records.jsonl import LineError, line_parser, lines_of
from toolreplay.records.limits import Limits
from toolreplay.records.transcript import FIELDS
from toolreplay.sources.naming import split_run
from toolreplay.sources.opening import Opened, open_seekable

__all__ = ["add_arguments", "run"]

_NOTHING = object()
_LINK, _COMMITTED = frozenset({"prev", "digest"}), frozenset({"canonical_bytes", "merkle_root"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `verify`."""
    parser.add_argument(
        "input",
        metavar="X",
        help="a sealed transcript, a bundle, a store (STORE, or STORE#RUN for one run), or whatever "
        "else `audit` reads, or -",
    )
    kept = parser.add_argument_group("what was kept elsewhere")
    kept.add_argument("--against", metavar="FILE", help="a head that `seal --head` wrote")
    kept.add_argument("--expect-count", metavar="N", help="how many links there must be")
    kept.add_argument("--expect-head", metavar="DIGEST", help="the digest of the last link")
    kept.add_argument(
        "--by-hand", metavar="N", help="print the shell line that recomputes the digest of call N"
    )
    kept.add_argument(
        "--leaf", metavar="FILE", help="the entry's leaf, of a proof that `store prove` wrote"
    )
    add_require(kept)
    add_asked(parser)
    reports = add_reports(parser)
    reports.add_argument(
        "--explain", action="store_true", help="also print what was checked and what was not"
    )
    group = add_limits(parser)
    # Which formats there are is looked up only when one is named.
    group.add_argument(
        "--from",
        dest="form",
        metavar="FORMAT",
        help="read it as this format, whatever it looks like (see: toolreplay formats)",
    )
    add_store(group)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Decide by the first record what this is, and verify it."""
    arguments.input = resolved(arguments.input, arguments)
    refuse_two_inputs(arguments.input, arguments.against, *files_of_asked(arguments))
    limits = limits_of(arguments)
    if arguments.form is not None:
        from toolreplay.sources.recognise import refuse_unknown_form

        refuse_unknown_form(arguments.form)
    expected = expected_head(arguments, limits)
    if arguments.by_hand is not None:
        from toolreplay.cli.by_hand import show_by_hand

        return show_by_hand(arguments, limits, console)
    of_store = split_run(arguments.input)[1] is not None
    if of_store or (arguments.input != "-" and os.path.isdir(arguments.input)):
        return _by_audit(arguments, limits, expected, console)
    opened = open_seekable(arguments.input, limits)
    if arguments.leaf is not None:
        from toolreplay.cli.entry_proof import show_entry_proof

        return show_entry_proof(opened, arguments, limits, console)
    if arguments.form not in (None, "sealed"):
        return _by_audit(arguments, limits, expected, console, opened)
    line, first = _first_record(opened, limits)
    is_sealed = arguments.form == "sealed" or first is _NOTHING
    if isinstance(first, dict):
        if first.keys() == FIELDS:
            raise TranscriptError(f"line {line}", "missing field(s): digest, prev")
        # A receipt may have members of any name beside its own.
        is_sealed = is_sealed or (
            not _LINK.isdisjoint(first) and first.keys().isdisjoint(_COMMITTED)
        )
    if not is_sealed:
        return _by_audit(arguments, limits, expected, console, opened, first)
    is_key_alone = arguments.key and arguments.against is None
    if has_asked(arguments, but="key") or arguments.require is not None or is_key_alone:
        if first is _NOTHING:
            raise InputError(arguments.input, "is empty: nothing was recorded")
        what = "what can be handed in is --against FILE, and --key VKEY with it"
        raise UsageError(f"this is a sealed transcript: {what}")
    from toolreplay.cli.verify_seal import verify_seal

    return verify_seal(opened, arguments, limits, expected, console)


def _by_audit(
    arguments: argparse.Namespace,
    limits: Limits,
    expected: ExpectedHead | None,
    console: Console,
    opened: Opened | None = None,
    first: Json = None,
) -> int:
    from toolreplay.cli.one_report import verify_by_audit
    from toolreplay.sources.recognise import is_two_histories

    if opened is not None and is_two_histories(first):
        from toolreplay.cli.two_histories import show_two_histories

        return show_two_histories(opened, arguments, limits, console)
    if opened is not None and first is None:
        from toolreplay.cli.entry_proof import refuse_without_leaf

        refuse_without_leaf(opened)
    if expected is not None:
        raise UsageError(
            "--against and --expect-… are about sealed transcripts (of receipts: --commitment FILE)"
        )
    return verify_by_audit(arguments.input, arguments, limits, console, opened)


def _first_record(opened: Opened, limits: Limits) -> tuple[int, Json]:
    """Return the line number and value of the first record; the file stands at its start again.

    The value is None when the line cannot be parsed: then it may still be another form.
    """
    parse = line_parser(limits)
    start = opened.file.tell()
    try:
        for number, _, line in lines_of(opened.file, limits):
            try:
                return number, parse(line)
            except LineError:
                return number, None
        return 0, _NOTHING
    finally:
        opened.file.seek(start)
