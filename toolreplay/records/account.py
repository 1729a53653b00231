"""The account of an import: every unit of a file is mapped, or skipped with a reason.

The unit is one call block or result block, and one line where a line holds no block. A loss is
what a reader of the export would miss: truncated, orphaned, an unreadable line, or a skipped unit
of a type the importer does not know.

Reasons and tool names come from the file, so they are cut when long and only so many different
ones are counted apart; whoever prints them escapes them.
"""

__all__ = ["Account"]

_MOST_WORDS = 100
"""Different words counted apart in one table. A host has about thirty line types and a session
some dozens of tools; a hostile file has as many as it has lines."""

_MOST_LOSSES = 20
"""Losses named one by one; the rest is counted. Enough to see the pattern, short enough to print."""

_LONGEST_WORD = 80
_LONGEST_LOSS = 200
"""Characters of a word or a loss that are kept."""

_OTHERS = "others"


class Account:
    """Counts of one file, filled by an importer while it reads.

    `calls` and `results` count the mapped blocks apart; `skipped` counts by reason (the host's
    own word for the line type where it has one); `unknown` names those reasons that the importer
    does not know; `losses` are lines of text naming the place of the first losses, for `--strict`
    (how many there are in all says `lost`).
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
        self.losses: list[str] = []

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

    def counts(self) -> dict[str, object]:
        """Return the account as one JSON object; `skipped` and `unknown_tools` are by word."""
        return {
            "seen": self.seen,
            "mapped": self.mapped,
            "skipped": self.skipped,
            "truncated": self.truncated,
            "orphaned": self.orphaned,
            "duplicate": self.duplicate,
            "unreadable": self.unreadable,
            "lost": self.lost,
            "losses": self.losses,
            "unknown_tools": self.unknown_tools,
        }

    def skip(self, reason: str, *, known: bool = True) -> None:
        """Count one unit as skipped for this reason."""
        _count(self.skipped, reason)
        if not known:
            _count(self.unknown, reason)

    def note(self, word: str) -> None:
        """Count something worth saying that is neither skipped nor lost (an id reused)."""
        _count(self.notes, word)

    def unknown_tool(self, name: str) -> None:
        """Count a call of a tool the importer can name neither mutator nor reader."""
        _count(self.unknown_tools, name)

    def lose(self, where: str, what: str) -> None:
        """Name the place of a loss that has been counted ("line 12", "orphaned result")."""
        if len(self.losses) < _MOST_LOSSES:
            self.losses.append(_cut(f"{where}: {what}", _LONGEST_LOSS))


def _count(counts: dict[str, int], word: str) -> None:
    word = _cut(word, _LONGEST_WORD)
    if word not in counts and len(counts) >= _MOST_WORDS:
        word = _OTHERS
    counts[word] = counts.get(word, 0) + 1


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "…"
