"""The account of an import: every unit of a file is mapped, or skipped with a reason.

The unit is one call block or result block, and one line where a line holds no block. A loss is
what a reader of the export would miss: truncated, orphaned, an unreadable line, or a skipped unit
of a type the importer does not know.
"""

__all__ = ["Account"]


class Account:
    """Counts of one file, filled by an importer while it reads.

    `calls` and `results` count the mapped blocks apart; `skipped` counts by reason (the host's
    own word for the line type where it has one); `unknown` names those reasons that the importer
    does not know; `losses` are lines of text naming the place of each loss, for `--strict`.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.results = 0
        self.truncated = 0
        self.orphaned = 0
        self.duplicate = 0
        self.unreadable = 0
        self.skipped: dict[str, int] = {}
        self.unknown: dict[str, int] = {}
        self.unknown_tools: dict[str, int] = {}
        self.notes: dict[str, int] = {}

    @property
    def mapped(self) -> int:
        """Call and result blocks that became part of a call."""
        return self.calls + self.results

    @property
    def seen(self) -> int:
        """Every unit read; by construction the sum of its parts."""
        return (
            self.mapped
            + sum(self.skipped.values())
            + self.truncated
            + self.orphaned
            + self.duplicate
            + self.unreadable
        )

    @property
    def lost(self) -> int:
        """Units whose content does not reach the export and may have mattered."""
        return self.truncated + self.orphaned + self.unreadable + sum(self.unknown.values())

    def skip(self, reason: str, *, known: bool = True) -> None:
        """Count one unit as skipped for this reason."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1
        if not known:
            self.unknown[reason] = self.unknown.get(reason, 0) + 1

    def note(self, word: str) -> None:
        """Count something worth saying that is neither skipped nor lost (an id reused)."""
        self.notes[word] = self.notes.get(word, 0) + 1

    def unknown_tool(self, name: str) -> None:
        """Count a call of a tool the importer can name neither mutator nor reader."""
        self.unknown_tools[name] = self.unknown_tools.get(name, 0) + 1
