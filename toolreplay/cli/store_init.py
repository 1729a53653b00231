"""Make an empty store: one file, the log of everything that is recorded into it.

With a key its heads are signed from the start, and its origin is the name of the key. Without one it
is unsigned: whoever can write the file can change everything in it, and nobody would see it. `store
sign` ends that. The key, and the head that is remembered beside it, belong where whoever writes
the store cannot write.

--restored-from names a store that was put back from a backup, or the last head that was kept of
one that is lost. What a backup has lost cannot be made up for: recording goes on in a log of a new
origin, and its first entry says which head of which log came before.
"""

import argparse
import os
import shlex

from toolreplay.cli.arguments import whole_number
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import store_path
from toolreplay.cli.signing_key import add_signing_key, signing_key_of
from toolreplay.errors import StoreError, UsageError
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.piece import INLINE_BYTES, MOST_INLINE_BYTES
from toolreplay.evidence.tlog.checkpoint import Checkpoint, parse_checkpoint
from toolreplay.evidence.tlog.note import NOTE_BYTES, parse_note, vkey_text
from toolreplay.findings.gate import CLEAN
from toolreplay.reports.lines import escaped
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.head_file import read_head
from toolreplay.stores.sqlite.connection import is_database
from toolreplay.stores.sqlite.gaps import note_gap
from toolreplay.stores.sqlite.opening import create_store, microseconds, new_origin, open_store
from toolreplay.stores.sqlite.overview import overview_of
from toolreplay.stores.sqlite.publishing import SigningKey

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `store init`."""
    parser.add_argument("store", metavar="STORE", help="the file to be made; none may be there")
    parser.add_argument(
        "--restored-from",
        metavar="OTHER",
        help="the store, or the file with the last head of one, that this one goes on from",
    )
    parser.add_argument(
        "--inline",
        type=whole_number,
        default=INLINE_BYTES,
        metavar="N",
        help="most bytes of content that stand in a receipt itself; 0: all content can be erased "
        f"without its receipt (default {INLINE_BYTES})",
    )
    add_signing_key(parser.add_argument_group("who signs its heads"))


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Make the store and say what it is."""
    path, key = store_path(arguments.store), signing_key_of(arguments)
    before = None if arguments.restored_from is None else _last_head(arguments.restored_from)
    if key is not None:
        _refuse_used_key(key)
    origin = new_origin() if key is None else key.signer.name
    if before is not None and before.origin == origin:
        raise UsageError(
            f"{origin} is the log that was restored: what goes on from it needs a new origin, and "
            "so another key (toolreplay key new)"
        )
    if arguments.inline > MOST_INLINE_BYTES:
        raise UsageError(f"--inline takes at most {MOST_INLINE_BYTES:,}")
    create_store(
        path, origin, None if key is None else key.signer.key, inline_bytes=arguments.inline
    )
    lines = [f"made: {path}", f"origin: {origin}"]
    if before is not None:
        now = microseconds()
        reason = f"restored from {before.origin} {before.size} {before.root.hex()}"
        with open_store(path, key) as store:
            note_gap(store, reason, Ids(os.urandom), now)
        lines.append(f"first entry: {reason}")
    quoted = shlex.quote(path)
    if key is None:
        lines += [
            "signed by: nobody. Whoever can write the file can change what is in it, unseen",
            "to end that: toolreplay key new --name " + shlex.quote(origin) + " -o FILE",
            f"then: toolreplay store sign {quoted} --key FILE",
        ]
    else:
        lines += [
            f"signed by: {_vkey(key)}",
            f"last head: will be remembered in {key.head_path}",
        ]
    lines.append(f"next: toolreplay store status {quoted}")
    console.write_lines(map(escaped, lines))
    return CLEAN


def _vkey(key: SigningKey) -> str:
    public = key.signer.key
    return vkey_text(public.name, public.kind, public.public)


def _refuse_used_key(key: SigningKey) -> None:
    """Raise where a key has signed a log: an empty one under its name would be a second history."""
    if read_head(key.head_path) is not None:
        raise StoreError(
            key.head_path,
            "is the head of a log that this key has signed: another log needs another key "
            "(toolreplay key new)",
        )


def _last_head(name: str) -> Checkpoint:
    """Return the last head of a store, or the one that a file holds. Raises StoreError."""
    path = store_path(name)
    try:
        with open(path, "rb") as file:
            data = file.read(NOTE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise StoreError(path, getattr(error, "strerror", None) or str(error)) from None
    if not is_database(data):
        return parse_checkpoint(parse_note(data, path).text, path)
    with reading_of_store(path) as (connection, _):
        found = overview_of(connection, path)
    return found.head or Checkpoint(found.origin, found.entries, found.root)
