"""Give an unsigned store its key, or publish the head of a signed one now.

The name of the key must be the store's origin. What was recorded before the first head is signed
with it: the signature says that it was so then, not that it had always been. Heads are published
by whoever records; this is for entries that no head covers because nobody had the key.
"""

import argparse
import shlex

from toolreplay.cli.console import Console
from toolreplay.cli.inputs import STORE_HELP, store_path
from toolreplay.cli.signing_key import add_signing_key, signing_key_of
from toolreplay.errors import StoreError, UsageError
from toolreplay.evidence.tlog.note import vkey_text
from toolreplay.findings.gate import CLEAN
from toolreplay.reports.lines import escaped
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.head_file import read_head
from toolreplay.stores.sqlite.opening import open_store, set_signer
from toolreplay.stores.sqlite.overview import overview_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `store sign`."""
    parser.add_argument("store", metavar="STORE", help=STORE_HELP)
    add_signing_key(parser.add_argument_group("who signs"))


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Sign the head of the store."""
    path, key = store_path(arguments.store), signing_key_of(arguments)
    if key is None:
        raise UsageError("store sign needs --key FILE (toolreplay key new makes one)")
    with reading_of_store(path) as (connection, _):
        before = overview_of(connection, path)
    lines = []
    if before.signer is None:
        if key.signer.name == before.origin and read_head(key.head_path) is not None:
            # With it the store was signed before, and somebody took that away, or it is another.
            raise StoreError(
                key.head_path,
                f"is a head that this key has signed, and {path} says that it is unsigned",
            )
        set_signer(path, key.signer.key)
        public = key.signer.key
        lines.append(f"signed by: {vkey_text(public.name, public.kind, public.public)}")
    with open_store(path, key):
        pass  # whoever closes a store publishes its head
    with reading_of_store(path) as (connection, _):
        after = overview_of(connection, path)
    if after.head is None:
        lines.append("no head yet: the store has no entries")
    else:
        new = "" if before.head is not None and before.head.size == after.head.size else "new "
        lines.append(f"{new}head: size {after.head.size:,}, root {after.head.root.hex()}")
    lines.append(f"remembered in: {key.head_path}")
    lines.append(f"next: toolreplay verify {shlex.quote(path)} --key VKEY")
    console.write_lines(map(escaped, lines))
    return CLEAN
