"""Markdown pages: tables whose columns are padded to one width, and notes that stay."""

from collections.abc import Sequence
from contextlib import suppress


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: str = "") -> str:
    """Lay out a table; `right` has an `r` at each place whose column goes to the right."""
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    sides = right.ljust(len(head))

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.rjust(width) if side == "r" else cell.ljust(width)
            for cell, width, side in zip(cells, widths, sides, strict=True)
        )
        return f"| {' | '.join(padded)} |"

    rules = (
        "-" * (width + 1) + (":" if side == "r" else "-")
        for width, side in zip(widths, sides, strict=True)
    )
    return "\n".join([line(head), f"|{'|'.join(rules)}|", *map(line, rows)]) + "\n"


NOTES = "\n## Notes\n"
"""What follows this heading on a page was written by a person, and stays when it is made anew."""


def write_page(name: str, text: str) -> None:
    """Write a page, and keep the notes that stood below it."""
    notes = ""
    with suppress(FileNotFoundError), open(name, encoding="utf-8") as file:
        _, heading, rest = file.read().partition(NOTES)
        notes = heading + rest
    with open(name, "w", encoding="utf-8") as file:
        file.write(text + notes)
