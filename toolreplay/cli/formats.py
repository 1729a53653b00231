"""List what can be read, and what is recognised but cannot be read yet."""

import argparse
import json

from toolreplay.cli.arguments import add_format
from toolreplay.cli.console import Console
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.reports.lines import columns
from toolreplay.sources.known_formats import KNOWN_FORMATS

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `formats`."""
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the formats by word and title."""
    read = [
        ("transcript", "strict transcript: index, tool, args, response"),
        ("sealed", "sealed transcript: the same with prev and digest"),
        ("bundle", "bundle: the receipts of a run with what verifies them"),
        ("store", "store: the embedded log of runs, read where it stands"),
        ("receipts", "AER-1 receipts: alone, in an envelope, a line each, an array"),
        ("timeline", "AER-1 timeline: chained entries, a line each or as an array"),
        ("workflow", "AER-1 workflow close: its steps and their root"),
    ]
    read += [(name, load_extension("importers", name).TITLE) for name in extensions_of("importers")]
    later = [(word, title) for word, title in KNOWN_FORMATS if word not in dict(read)]
    if arguments.format == "json":
        document = {
            "format": "toolreplay-formats/1",
            "read": [{"word": word, "title": title} for word, title in read],
            "recognised": [{"word": word, "title": title} for word, title in later],
        }
        console.write(json.dumps(document) + "\n")
        return 0
    indented = [f"  {line}" for line in columns([*read, *later])]
    console.write_lines(["read (also as .gz and .zst; --from WORD forces one):"])
    console.write_lines(indented[: len(read)])
    console.write_lines(["", "recognised, no importer yet:", *indented[len(read) :]])
    return 0
