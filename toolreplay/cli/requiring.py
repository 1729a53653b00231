"""Which report lines must have been checked, where nobody says otherwise with `--require`."""

import argparse
from collections.abc import Sequence

from toolreplay.findings.check import Check
from toolreplay.records.run import RECEIPTS

__all__ = ["add_require", "carried_lines"]


def add_require(group: argparse._ArgumentGroup) -> None:
    """Add `--require`."""
    group.add_argument(
        "--require",
        action="append",
        metavar="LINE[,LINE]",
        help="report lines that must have been checked, in place of those for what was handed in, "
        "or none (repeatable)",
    )


def carried_lines(checks: Sequence[Check], form: str = "") -> list[str]:
    """Return the lines that a record of this form must pass to be believed.

    A workflow close carries neither contents nor links: it is its ending. Receipts alone may be a
    selection of a run, which breaks no link.
    """
    made = [check.line for check in checks]
    lines = ("contents",) if form == RECEIPTS else ("contents", "links")
    return [line for line in made if line in lines] or ["ending"]
