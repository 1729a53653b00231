"""Print the version of toolreplay."""

import argparse

from toolreplay.cli.arguments import add_format
from toolreplay.cli.console import Console
from toolreplay.version import __version__

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `version`."""
    add_format(parser)
    parser.add_argument(
        "--verbose", action="store_true", help="also print the SHA-256 of each module"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the version, and with --verbose what the running program consists of."""
    modules = {}
    if arguments.verbose:
        from toolreplay.evidence.digest import hex_of
        from toolreplay.packaged import module_files

        modules = {name: hex_of(data) for name, data in module_files()}
    if arguments.format == "json":
        from json import dumps

        document: dict[str, object] = {"format": "toolreplay-version/1", "version": __version__}
        if arguments.verbose:
            document["modules"] = modules
        console.write(dumps(document) + "\n")
        return 0
    console.write(f"toolreplay {__version__}\n")
    console.write_lines([f"{digest}  {name}" for name, digest in modules.items()])
    return 0
