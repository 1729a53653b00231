"""What a record is worth saying of that is neither a finding nor a check."""

from collections.abc import Iterable, Iterator

from toolreplay.evidence.record import counted
from toolreplay.records.call import JsonObject

__all__ = ["Remarks", "kept_elsewhere"]

_MOST_NAMED = 20
_KEPT_ELSEWHERE = (
    "a cut or a rewrite by the holder shows only against what was kept elsewhere "
    "(--commitment FILE, --root HEX)"
)
_CALLS_ALONE = (
    "the root covers the calls alone: who holds the record could write anew what opens it, its "
    "intents, gaps and observations, goal and answer (--commitment FILE covers all)"
)


class Remarks:
    """Takes what comes up while a bundle is read; `gaps` counts its gaps."""

    def __init__(self) -> None:
        self.gaps = 0
        self._gap_lines: list[str] = []
        self._erased: list[str] = []
        self._erased_entries = 0
        self._reasons: list[str] = []
        self._classes: dict[str, int] = {}
        self._unknown: dict[str, None] = {}

    def note_gap(self, payload: JsonObject) -> None:
        """Take the payload of a gap."""
        self.gaps += 1
        if self.gaps <= _MOST_NAMED:
            count = "" if payload["count"] is None else f" ({payload['count']:,})"
            self._gap_lines.append(f"gap: {payload['reason']}{count}")

    def note_erased(self, number: int) -> None:
        """Take the number of an entry that was erased whole."""
        self._erased_entries += 1
        if self._erased_entries <= _MOST_NAMED:
            self._erased.append(str(number))

    def note_erasure(self, number: int, payload: JsonObject) -> None:
        """Take the payload of an entry that says what was erased, and why."""
        if len(self._reasons) < _MOST_NAMED:
            digests = counted(len(payload["digests"]), "digest")
            self._reasons.append(f"erasure of {digests} (entry {number}): {payload['reason']}")

    def note_class(self, name: str) -> None:
        """Take the provenance class of a receipt, where it is not that of the run."""
        if name:
            self._classes[name] = self._classes.get(name, 0) + 1

    def note_unknown(self, names: Iterable[str]) -> None:
        """Take the names of members that the profile does not have."""
        for name in names:
            if len(self._unknown) < _MOST_NAMED:
                self._unknown[name[:100]] = None

    def lines(self, *, has_untimed: bool) -> Iterator[str]:
        """Yield the lines, in their order."""
        for name, count in self._classes.items():
            yield f"provenance classes differ: {counted(count, 'receipt')} of {name}"
        if has_untimed:
            yield "times: of the import, not of the calls"
        for name in self._unknown:
            yield f"unknown member: {name}"
        yield from self._gap_lines
        if self._erased:
            more = self._erased_entries - len(self._erased)
            rest = f" and {more:,} more" if more else ""
            noun = "entry" if self._erased_entries == 1 else "entries"
            yield f"erased whole: {noun} {', '.join(self._erased)}{rest}"
        yield from self._reasons


def kept_elsewhere(*, has_roots: bool) -> str:
    """Return what a sound record cannot exclude without something that was kept elsewhere."""
    return _CALLS_ALONE if has_roots else _KEPT_ELSEWHERE
