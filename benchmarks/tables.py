"""Markdown tables that can also be read as they stand: columns are padded to one width."""

from collections.abc import Sequence


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
