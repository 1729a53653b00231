"""`verify` of a proof of one entry (C2SP tlog-proof): is this leaf in the log whose key was given?"""

import argparse

from toolreplay.cli.console import Console
from toolreplay.errors import InputError, UsageError
from toolreplay.evidence.tlog.heads import UNKNOWN_SIGNER, judge_head
from toolreplay.evidence.tlog.leaf import LeafError, parse_leaf
from toolreplay.evidence.tlog.note import NOTE_BYTES, parse_note
from toolreplay.evidence.tlog.proof import FIRST_LINE, parse_proof, proved_root
from toolreplay.findings.gate import CLEAN, FOUND, NOT_ALL_CHECKED
from toolreplay.records.jsonl import bytes_up_to
from toolreplay.records.limits import Limits
from toolreplay.reports.lines import escaped
from toolreplay.sources.declared import read_keys, read_small
from toolreplay.sources.opening import Opened, shown_name

__all__ = ["refuse_without_leaf", "show_entry_proof"]

_OTHERS = (
    "against", "expect_count", "expect_head", "require", "commitment", "root", "now", "proof",
    "policy", "seen", "form", "report",
)  # fmt: skip


def show_entry_proof(
    opened: Opened, arguments: argparse.Namespace, limits: Limits, console: Console
) -> int:
    """Say whether the proof shows the leaf to be in the log, and who says so."""
    others = any(getattr(arguments, name, None) for name in _OTHERS)
    if others or arguments.format != "text":
        raise UsageError("--leaf is about a proof of one entry: what can be handed in is --key")
    keys = [key for text in arguments.key for key in read_keys(text, limits)]
    name = shown_name(opened.name)
    data = bytes_up_to(opened.file, 2 * NOTE_BYTES)
    if data is None:
        raise InputError(name, "is longer than any proof of an entry")
    proof = parse_proof(data, name)
    note = parse_note(proof.checkpoint, name)
    leaf = read_small(arguments.leaf, limits)
    verdict = judge_head(note, None, None, None, keys, None)
    head = verdict.checkpoint
    if head is None:
        raise InputError(name, verdict.faults[0].what)
    faults = [f"{fault.kind}: {fault.what}" for fault in verdict.faults]
    if not keys:
        faults = [line for line in faults if not line.startswith(UNKNOWN_SIGNER)]
    try:
        told = parse_leaf(leaf)
    except LeafError as error:
        raise InputError(shown_name(arguments.leaf), str(error)) from None
    if proved_root(proof, leaf, head.size) != head.root:
        faults.append(f"broken-inclusion: no path from this leaf to the head of size {head.size:,}")
    elif told.log != head.origin:
        faults.append(f"broken-inclusion: the leaf is one of the log {told.log}")
    lines = [f"log: {head.origin}, size {head.size:,}, root {head.root.hex()}"]
    if faults:
        console.write_lines(map(escaped, [*lines, *faults]))
        return FOUND
    lines += [
        f"entry {proof.index:,} of it: {told.kind}, entry {told.entry:,} of run {told.run}",
        f"commits to: {told.commit.hex()} (a payload of {told.size:,} bytes)",
    ]
    if not keys:
        lines.append(
            "not checked: who signed the head  add --key VKEY (of the log, from its owner)"
        )
    else:
        lines.append(f"passed: it is in the log, by the word of {', '.join(verdict.signers)}")
    console.write_lines(map(escaped, lines))
    return CLEAN if keys else NOT_ALL_CHECKED


def refuse_without_leaf(opened: Opened) -> None:
    """Raise UsageError where an input is a proof of an entry, of which the leaf must be given."""
    start = opened.file.tell()
    begin = opened.file.read(len(FIRST_LINE))
    opened.file.seek(start)
    if begin == FIRST_LINE.encode("ascii"):
        raise UsageError(
            f"{shown_name(opened.name)}: is a proof of one entry, and is checked with the entry's "
            "leaf (--leaf FILE)"
        )
