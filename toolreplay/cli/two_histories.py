"""`verify` of a proof that a log has shown two histories: does it convict the holder of a key?"""

import argparse

from toolreplay.cli.asked import has_asked
from toolreplay.cli.console import Console
from toolreplay.cli.heads import trust_of
from toolreplay.errors import InputError, UsageError
from toolreplay.evidence.tlog.checkpoint import parse_checkpoint
from toolreplay.evidence.tlog.note import parse_note
from toolreplay.evidence.tlog.standing import FORKED_LOG, Trust
from toolreplay.evidence.tlog.two_histories import is_conviction, parse_two_histories
from toolreplay.findings.gate import FOUND, NOT_ALL_CHECKED
from toolreplay.records.jsonl import bytes_up_to
from toolreplay.records.limits import Limits
from toolreplay.reports.lines import escaped
from toolreplay.sources.opening import Opened, shown_name

__all__ = ["show_two_histories"]

_OTHERS = (
    "against",
    "expect_count",
    "expect_head",
    "require",
    "commitment",
    "root",
    "now",
    "proof",
)


def show_two_histories(
    opened: Opened, arguments: argparse.Namespace, limits: Limits, console: Console
) -> int:
    """Say in words what the proof shows of the keys given, or why it shows nothing.

    Raises InputError for a file that proves nothing.
    """
    others = any(getattr(arguments, name, None) for name in _OTHERS)
    if others or arguments.format != "text" or arguments.report:
        raise UsageError("this is a proof of two histories: what can be handed in is --key")
    name = shown_name(opened.name)
    data = bytes_up_to(opened.file, limits.line_bytes)
    if data is None:
        raise InputError(name, "is longer than any proof of two histories")
    proof = parse_two_histories(data, name)
    trust = (trust_of(arguments, limits) if has_asked(arguments) else None) or Trust()
    heads = [parse_checkpoint(parse_note(note, name).text, name) for note in proof.notes]
    keys = trust.log_keys(heads[0].origin)
    if not keys:
        console.write_lines(
            [
                "a proof that a log has shown two histories",
                "not checked: no key given  add --key VKEY (of the log, from its owner)",
            ]
        )
        return NOT_ALL_CHECKED
    conviction = is_conviction(proof, keys)
    if conviction.key is None:
        raise InputError(name, f"proves nothing: {conviction.reason}")
    holder, origin = conviction.key.name, heads[0].origin
    lines = [
        f"The holder of the key {holder} signed two histories of {origin}:",
        "",
        *(f"  size {head.size}  root {head.root.hex()}" for head in heads),
        "",
        f"{FORKED_LOG}: {conviction.reason}",
        "",
        "They cannot both be true, and anyone who has this file and the key can check it.",
    ]
    console.write_lines(map(escaped, lines))
    return FOUND
