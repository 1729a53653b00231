"""Rows of a page of ratios: several pairs of figures each, the middle one judged by a target."""

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.tables import table

__all__ = ["HEAD", "Row", "ratio_table"]

HEAD = ["figure", "middle", "least", "most", "target", "result", "remark"]


class Row(NamedTuple):
    """A figure that was taken several times; a skipped one has its reason as `remark`."""

    name: str
    figures: Sequence[float] = ()
    target: float | None = None
    at_least: bool = False
    remark: str = ""

    @property
    def middle(self) -> float:
        """The figure in the middle."""
        return sorted(self.figures)[len(self.figures) // 2]

    def cells(self) -> list[str]:
        """Lay the row out for the table."""
        if not self.figures:
            return [self.name, "", "", "", "", "skipped", self.remark]
        spelt = [
            f"{figure:.3g}" if figure < 1000 else f"{figure:,.0f}"
            for figure in (self.middle, min(self.figures), max(self.figures))
        ]
        target, result = "", ""
        if self.target is not None:
            is_met = self.middle >= self.target if self.at_least else self.middle <= self.target
            target = f"{'>=' if self.at_least else '<='} {self.target:,g}"
            result = "met" if is_met else "missed"
        return [self.name, *spelt, target, result, self.remark]


def ratio_table(rows: Sequence[Row]) -> str:
    """Lay out the rows."""
    return table(HEAD, [row.cells() for row in rows], right=" rrrr")
