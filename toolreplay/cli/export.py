"""Write one run of a store as a bundle: what an auditor is handed.

The bundle carries every entry of the run with its place in the log and the path to the head, so that
it is checked on a bare Python, offline, against the log's public key. With a key the log's head is
signed first; without one the last head must cover the whole run, as it does once whoever records has
closed it. An unsigned store gives a bundle whose head nobody has signed. Content of sealed pieces
is left out unless --with-sealed.

--since proves that the log has grown out of a head that the auditor remembers.
"""

import argparse
import shlex

from toolreplay.cli.console import Console
from toolreplay.cli.inputs import add_store, place_of_run
from toolreplay.cli.older_heads import older_size
from toolreplay.cli.signing_key import add_signing_key, signing_key_of
from toolreplay.cli.whole_file import WholeFile, refuse_to_replace
from toolreplay.errors import StoreError, UsageError
from toolreplay.findings.gate import CLEAN
from toolreplay.reports.lines import escaped, plural
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.exporting import Covering, Export, export_run
from toolreplay.stores.sqlite.opening import open_store
from toolreplay.stores.sqlite.reading import LogTables

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `export`."""
    parser.add_argument(
        "run", metavar="X", help="the run: STORE#RUN, or its name in the default store, or @last"
    )
    parser.add_argument(
        "-o", dest="output", metavar="FILE", required=True,
        help="where the bundle goes (usually NAME.run.jsonl); no recording is replaced",
    )  # fmt: skip
    add_store(parser)
    parser.add_argument(
        "--since", action="append", default=[], metavar="SIZE|NOTE",
        help="prove growth out of that many entries, or out of the head in a file (repeatable)",
    )  # fmt: skip
    parser.add_argument(
        "--with-sealed", action="store_true", help="with the content and keys of sealed pieces"
    )
    add_signing_key(parser.add_argument_group("who signs a head first"))


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write the bundle, whole or not at all."""
    if arguments.output == "-":
        raise UsageError("-o takes a file: a bundle stands whole or not at all")
    path, wanted = place_of_run(arguments.run, arguments, "export")
    refuse_to_replace(arguments.output, [path])
    key = signing_key_of(arguments)
    if key is not None:
        with open_store(path, key):
            pass  # whoever closes a store publishes its head
    with (
        reading_of_store(path) as (connection, _),
        WholeFile(arguments.output) as bundle,
    ):
        tables = LogTables(connection, path)
        since = [older_size(text, tables) for text in arguments.since]
        covering = _covering(tables, wanted)
        if covering is None:
            hint = "--key FILE signs one" if key is None else "it has grown meanwhile: again"
            raise StoreError(path, f"no head covers all of run {wanted} yet ({hint})")
        written = export_run(
            connection, path, wanted, bundle.write, covering,
            since=since, with_sealed=arguments.with_sealed,
        )  # fmt: skip
        refuse_to_replace(arguments.output, ())  # what somebody else wrote there meanwhile
        bundle.keep()
        lines = _lines(arguments, wanted, written, tables, is_signed=covering.note is not None)
    console.write_lines(map(escaped, lines))
    for number in written.unwritable:
        console.note(f"entry {number}: its payload is no payload any more, and was left out")
    return CLEAN


def _covering(tables: LogTables, run: str) -> Covering | None:
    """Return the newest head, if it covers all of a run: of an unsigned store, all there is."""
    if tables.signer() is None:
        return Covering(tables.size(), None)
    newest = tables.newest_checkpoint()
    last = max((entry.index for entry in tables.entries(run)), default=-1)
    return Covering(*newest) if newest is not None and last < newest[0] else None


def _lines(
    arguments: argparse.Namespace, run: str, written: Export, tables: LogTables, *, is_signed: bool
) -> list[str]:
    entries = plural(written.entries, "entry", "entries")
    lines = [
        f"{arguments.output}: {entries} of run {run}",
        f"log: {tables.origin}, size {written.size:,}",
        f"root: {written.root.hex()}",
    ]
    quoted = shlex.quote(arguments.output)
    if is_signed:
        lines.append(f"next: toolreplay verify {quoted} --key {shlex.quote(tables.signer() or '')}")
        lines.append("whoever checks it takes the key from its owner, not from here")
    else:
        lines.append("unsigned: nobody but the file itself vouches for this head (store sign)")
        lines.append(f"next: toolreplay verify {quoted}")
    return lines
