"""Say what a store holds, who signs it, and whether it records.

Nothing is checked but what opening needs, and with --key the signature of the last head: `store
check` holds the store against its own leaves, and `toolreplay verify STORE` judges what it holds as an
auditor would. Exits with 1 where the store is smaller than a head of its own, where that head is not
signed by a key given, and where the store does not record.
"""

import argparse
import json
from typing import NamedTuple

from toolreplay.cli.arguments import add_format
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import STORE_HELP, store_path
from toolreplay.evidence.tlog.heads import judge_head
from toolreplay.evidence.tlog.note import VerifierKey
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.reports.lines import columns, escaped, plural
from toolreplay.sources.declared import read_keys
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.overview import Overview, overview_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `store status`."""
    parser.add_argument("store", metavar="STORE", help=STORE_HELP)
    parser.add_argument(
        "--key", action="append", default=[], metavar="VKEY|FILE",
        help="a public key that must have signed its last head (repeatable)",
    )  # fmt: skip
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the overview of a store."""
    path = store_path(arguments.store)
    keys = [key for text in arguments.key for key in read_keys(text)]
    with reading_of_store(path) as (connection, is_copy):
        found = overview_of(connection, path)
    signed = _signed(found, keys)
    if arguments.format == "json":
        console.write(json.dumps(_document(path, found, signed)) + "\n")
    else:
        rows = [[name, escaped(text)] for name, text in _rows(path, found, signed)]
        console.write_lines(columns(rows))
    if is_copy:
        console.note("note: a private copy was read: the folder of the store cannot be written to")
    is_wrong = signed is not None and not signed.is_good
    return FOUND if found.failure is not None or found.behind < 0 or is_wrong else CLEAN


class _Signed(NamedTuple):
    """What came of the keys that were given: whether one signed the last head, and in words."""

    is_good: bool
    what: str


def _signed(found: Overview, keys: list[VerifierKey]) -> _Signed | None:
    if not keys:
        return None
    if found.note is None:
        return _Signed(False, "there is no signed head")
    verdict = judge_head(found.note, found.origin, None, None, keys, None)
    if verdict.faults:
        return _Signed(False, "; ".join(f"{fault.kind}: {fault.what}" for fault in verdict.faults))
    return _Signed(True, f"holds ({', '.join(verdict.signers)})")


def _rows(path: str, found: Overview, signed: _Signed | None) -> list[tuple[str, str]]:
    runs = plural(found.runs, "run")
    if found.open_runs:
        runs += f", {found.open_runs:,} of them open"
    rows = [
        ("store", f"{path} (format {found.format})"),
        ("origin", found.origin),
        ("signed by", found.signer or "nobody (toolreplay store sign gives it a key)"),
        ("entries", f"{found.entries:,} of {runs}"),
        ("root", f"{found.root.hex()} (size {found.entries:,})"),
    ]
    if found.head is not None:
        rows.append(("last head", f"size {found.head.size:,}, of {found.heads:,} that are kept"))
    elif found.signer is not None:
        rows.append(("last head", "none was signed yet"))
    if signed is not None:
        rows.append(("signature", signed.what))
    if found.behind < 0:
        rows.append(("cut", f"{-found.behind:,} entries that were signed are not here"))
    elif found.signer is not None and found.behind:
        rows.append(
            ("behind it", f"{plural(found.behind, 'entry', 'entries')} (no head covers them)")
        )
    rows.append(("recording", "works" if found.failure is None else f"not {found.failure}"))
    if found.torn_bytes:
        what = "at the end of the write-ahead log: a group that was never whole"
        rows.append(("torn tail", f"{found.torn_bytes:,} bytes {what}"))
    listed = ", ".join(f"{suffix or 'file'} {count:,}" for suffix, count in found.files)
    rows.append(("bytes", listed))
    return rows


def _document(path: str, found: Overview, signed: _Signed | None) -> dict[str, object]:
    head = found.head
    return {
        "format": "toolreplay-store/1",
        "store": path,
        "version": found.format,
        "origin": found.origin,
        "signer": found.signer,
        "entries": found.entries,
        "root": found.root.hex(),
        "runs": found.runs,
        "open_runs": found.open_runs,
        "heads": found.heads,
        "last_head": None if head is None else {"size": head.size, "root": head.root.hex()},
        "signature": None if signed is None else signed.is_good,
        "behind": found.behind,
        "not_recording": found.failure,
        "torn_bytes": found.torn_bytes,
        "files": [{"suffix": suffix, "bytes": count} for suffix, count in found.files],
    }
