"""Make receipts of a transcript or session: one bundle a run, which can be checked without us.

Each call becomes an AER-1 receipt with the session's own times and models. Their class is LOGGED
BY AGENT: the agent's own program wrote the calls down, and receipts made afterwards cannot show
that it told the truth. They show an edit of the bundle; that all of it was made anew only shows
against what was kept elsewhere: the root that this prints, or the file of --commitment.
Several agents give RUN and RUN.agent-<id>, several sessions a folder RUN.
"""

import argparse
import os
import shlex
from collections.abc import Iterator
from contextlib import closing

from toolreplay.cli.arguments import add_limits, limits_of, refuse_two_inputs, whole_number
from toolreplay.cli.console import Console
from toolreplay.cli.importing import targets_of
from toolreplay.cli.whole_file import WholeFile, is_device, refuse_to_replace
from toolreplay.errors import InputError, UsageError
from toolreplay.evidence.aer1.times import utc_text
from toolreplay.evidence.bundle.closing import commitment_of
from toolreplay.evidence.bundle.logged import Making, write_logged_run
from toolreplay.evidence.profile.ids import SEED_BYTES, Ids
from toolreplay.evidence.profile.making import NOT_RECORDED, RunHead
from toolreplay.evidence.profile.piece import INLINE_BYTES
from toolreplay.evidence.seal import LinkChecker
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.records.call import ToolCall
from toolreplay.records.canonical import aer1
from toolreplay.records.jsonl import bytes_up_to
from toolreplay.records.run import SEALED, Run
from toolreplay.reports.lines import escaped, plural, shortened
from toolreplay.reports.text.account import account_line
from toolreplay.sources.folder import refuse_other_inputs
from toolreplay.sources.opening import open_stream
from toolreplay.sources.recognise import form_words
from toolreplay.sources.source import FileSource

__all__ = ["add_arguments", "run"]

_SEED = f"secret bytes ({SEED_BYTES} of them)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `receipt make`."""
    parser.add_argument("input", metavar="SOURCE", help="a transcript or session, or -")
    parser.add_argument(
        "-o", dest="output", metavar="RUN", required=True,
        help="where the bundle goes (usually NAME.run.jsonl); a file of that name is replaced, no recording",
    )  # fmt: skip
    parser.add_argument(
        "--strict", action="store_true", help="write nothing and exit with 1 if anything is lost"
    )
    told = parser.add_argument_group("what the source does not say")
    told.add_argument("--goal", metavar="TEXT", help="what the run was to do")
    told.add_argument("--answer", metavar="FILE", help="the agent's final answer, byte for byte")
    how = parser.add_argument_group("how it is made")
    how.add_argument(
        "--commitment", metavar="FILE", help="also write the AER-1 commitment, to be kept elsewhere"
    )
    how.add_argument(
        "--inline", type=whole_number, default=INLINE_BYTES, metavar="N",
        help=f"most bytes of content that stand in a receipt itself (default {INLINE_BYTES})",
    )  # fmt: skip
    how.add_argument("--seed", metavar="FILE", help=f"{_SEED} to derive ids and salts from")
    how.add_argument("--now", metavar="TIME", help="the moment of making, as 2026-11-30T09:00:00Z")
    add_limits(parser, form_words())


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write a bundle for each run of the source."""
    refuse_two_inputs(arguments.input, arguments.answer, arguments.seed)
    refuse_other_inputs(arguments.input)
    if arguments.input != "-" and os.path.isdir(arguments.input):
        raise InputError(arguments.input, "is a folder; receipts are made of one session at a time")
    if arguments.output == "-":
        raise UsageError("-o takes a file: a bundle stands whole or not at all")
    limits = limits_of(arguments)
    seed = _bytes_of(arguments.seed, SEED_BYTES)
    if seed is not None and len(seed) != SEED_BYTES:
        raise UsageError(f"{arguments.seed}: a seed has exactly {SEED_BYTES} bytes")
    answer = _bytes_of(arguments.answer, limits.line_bytes)
    now = _moment_of_making(arguments.now)
    with closing(FileSource(arguments.input, limits, arguments.form)) as source:
        reading = source.runs()  # kept: the companion of a transcript is open until its end
        runs = list(reading) if source.is_import else [next(reading)]
        if arguments.commitment is not None and len(runs) > 1:
            raise UsageError(
                f"--commitment is for a session of one run, and this one has {len(runs):,}; "
                "keep the roots that are printed without it"
            )
        if arguments.strict and source.account.lost:
            for loss in source.account.losses:
                console.note(f"lost: {loss}")
            console.note(f"{plural(source.account.lost, 'loss', 'losses')}: nothing was written")
            return FOUND
        if any(shown.info.evidence is not None for shown in runs):
            raise InputError(
                arguments.input, f"is evidence already (form {source.form}; see: toolreplay verify)"
            )
        targets = list(targets_of(runs, arguments.output, set()))
        _refuse_to_replace(arguments, targets)
        # What a device takes may be what this prints to: then the bundle stands alone there.
        is_printed = not any(is_device(name) for _, name in targets)
        for number, (shown, name) in enumerate(targets):
            how = Making(
                now, Ids(os.urandom, seed, number), arguments.goal or NOT_RECORDED, answer,
                arguments.inline,
            )  # fmt: skip
            kept = arguments.commitment if number == 0 else None
            head = _write(shown, name, kept, how)
            if is_printed:
                console.write_lines(_lines_of(shown, name, head))
        if source.is_import:
            console.note(account_line(source.account))
    if not is_printed:
        return CLEAN
    console.write_lines([escaped(f"next: toolreplay verify {shlex.quote(targets[0][1])}")])
    return CLEAN


def _write(shown: Run, name: str, commitment: str | None, how: Making) -> RunHead:
    """Write one bundle, and its commitment beside it, each whole or not at all."""
    with WholeFile(name) as bundle:
        calls = _with_intact_links(shown) if shown.info.form == SEALED else shown.calls
        head = write_logged_run(shown.info, calls, bundle.write, how)
        for target in (name, commitment or name):
            refuse_to_replace(target, ())  # what somebody else wrote there meanwhile
        if commitment is None:
            bundle.keep()
            return head
        with WholeFile(commitment) as kept:
            document = commitment_of(head.run, head.prev_digest, head.seq, how.now)
            kept.write(aer1(document) + b"\n")
            kept.settle()
            bundle.keep()
            kept.keep()
    return head


def _with_intact_links(shown: Run) -> Iterator[ToolCall]:
    """Yield the calls of a sealed transcript. Raises InputError at the first broken link."""
    links = LinkChecker()
    for call in shown.calls:
        if links.check(call) is not None:
            raise InputError(
                f"line {call.place.line}", "the seal is broken here (see: toolreplay verify)"
            )
        yield call


def _lines_of(shown: Run, name: str, head: RunHead) -> list[str]:
    count = head.seq - 1
    lines = [f"{escaped(name)}: {plural(count, 'receipt')} of run {shortened(shown.info.name)}"]
    if count and head.totals is not None:
        lines.append(f"root: {head.totals.outputs.root()}")
    lines.append(f"chain: {head.prev_digest}")
    return lines


def _refuse_to_replace(arguments: argparse.Namespace, targets: list[tuple[Run, str]]) -> None:
    names = [name for _, name in targets]
    if arguments.commitment is not None:
        names.append(arguments.commitment)
    read = [name for name in (arguments.input, arguments.answer, arguments.seed) if name]
    for name in names:
        refuse_to_replace(name, read)
    if len({os.path.realpath(name) for name in names}) < len(names):
        raise UsageError("two outputs cannot go to one file")


def _bytes_of(name: str | None, most: int) -> bytes | None:
    """Return the bytes of a small file that was named."""
    if name is None:
        return None
    opened = open_stream(name)
    with opened.file:
        data = bytes_up_to(opened.file, most)
    if data is None:
        raise InputError(name, f"has more than {most} bytes")
    return data


def _moment_of_making(text: str | None) -> str:
    if text is None:
        import time

        seconds, rest = divmod(time.time_ns(), 10**9)
        return time.strftime(f"%Y-%m-%dT%H:%M:%S.{rest // 10**6:03d}Z", time.gmtime(seconds))
    found = utc_text(text)
    if found is None:
        raise UsageError(f"--now takes a time, as 2026-11-30T09:00:00Z, not '{text[:40]}'")
    return found
