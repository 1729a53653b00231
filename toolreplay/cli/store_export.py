"""Copy a store as it is now, or write its log as files for static serving.

--db makes one file that is a store, whole and at one moment, while others append: the way to copy a
store, since a plain copy may miss what stands in the write-ahead log. --tiles writes the log up to
its last signed head in the layout of C2SP tlog-tiles: `checkpoint`, `tile/…`, `tile/entries/…`. These
hold leaves and hashes, no content of calls. Tiles are only ever added; run it again and again on the
same folder. A bundle of one run is written by `toolreplay export`.
"""

import argparse
import shlex

from toolreplay.cli.console import Console
from toolreplay.cli.inputs import STORE_HELP, store_path
from toolreplay.errors import UsageError
from toolreplay.findings.gate import CLEAN
from toolreplay.reports.lines import escaped, plural
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.copying import copy_store
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.tiling import write_tiles

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `store export`."""
    parser.add_argument("store", metavar="STORE", help=STORE_HELP)
    parser.add_argument("--db", metavar="FILE", help="copy the store to a new file")
    parser.add_argument("--tiles", metavar="DIR", help="write its log as tiles into a folder")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write the copy or the tiles."""
    path = store_path(arguments.store)
    if (arguments.db is None) == (arguments.tiles is None):
        raise UsageError("store export takes one of --db FILE and --tiles DIR")
    with reading_of_store(path) as (connection, _):
        if arguments.db is not None:
            size = copy_store(connection, arguments.db)
            lines = [
                f"{arguments.db}: a copy of {plural(size, 'entry', 'entries')}",
                f"next: toolreplay store check {shlex.quote(arguments.db)}",
            ]
        else:
            tiles = write_tiles(LogTables(connection, path), path, arguments.tiles)
            head = tiles.head
            counts = f"{plural(tiles.written, 'new tile')}, {tiles.present:,} there already"
            lines = [
                f"{arguments.tiles}: {counts}",
                f"checkpoint: {head.origin}, size {head.size:,}",
                f"root: {head.root.hex()}",
            ]
    console.write_lines(map(escaped, lines))
    return CLEAN
