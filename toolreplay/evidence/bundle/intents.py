"""Intents and their outcomes: what was written before a call left, against its receipt."""

from collections.abc import Iterator
from typing import NamedTuple

from toolreplay.evidence.bundle.positions import Numbers
from toolreplay.evidence.digest import hex_of
from toolreplay.evidence.record import Fault
from toolreplay.records.call import Json, JsonObject, Place
from toolreplay.records.canonical import aer1

__all__ = ["Intent", "Intents"]


class Intent(NamedTuple):
    """What was intended: a digest of it, the piece of its arguments, and where it stands.

    The digest is None where the entry is known not to be what was recorded.
    """

    digest: str | None
    args: JsonObject
    place: Place


class Intents:
    """The positions of a run: each is taken by one intent and one outcome.

    `open` are the intents whose outcome has not come, by position.
    """

    def __init__(self) -> None:
        self._positions = Numbers()
        self.open: dict[int, Intent] = {}
        self._without: set[int] = set()
        self._latest = 0

    def start(self, payload: JsonObject, place: Place, *, is_doubted: bool = False) -> list[Fault]:
        """Take an intent; with one that is doubted its outcome is not compared."""
        position = payload["position"]
        if position in self._without:
            self._without.remove(position)
            text = (
                f"the intent at position {position} stands behind its receipt: they changed places"
            )
            return [Fault("broken-link", text, "order")]
        if not self._positions.take(position):
            return [Fault("broken-link", f"position {position} has two intents", "position")]
        digest = None if is_doubted else _intended(payload["tool"], payload["args"])
        self.open[position] = Intent(digest, payload["args"], place)
        if position < self._latest:
            text = (
                f"the intent at position {position} stands behind that at position "
                f"{self._latest}: they changed places"
            )
            return [Fault("broken-link", text, "order")]
        self._latest = position
        return []

    def outcome(self, committed: JsonObject, *, has_erased: bool = False) -> list[Fault]:
        """Take the receipt of a call; its intent may be one of the entries that were erased."""
        position = committed["binding"]["position"]
        if position is None:
            return [Fault("broken-commitment", "binding.position is missing", "position")]
        is_import = committed["capture"]["layer"] == "import"
        intent = self.open.pop(position, None)
        if intent is None and position in self._positions:
            text = f"position {position} is taken by another call"
            return [Fault("broken-link", text, "position")]
        if intent is None:
            self._positions.take(position)
            if is_import or has_erased:
                return []
            self._without.add(position)
            text = f"no intent was written for position {position}"
            return [Fault("missing-entry", text, position, is_open=True)]
        digest = _intended(committed["tool"], committed["inputs"]["args"])
        if intent.digest not in (None, digest):
            text = f"the intent at position {position} has another tool or other arguments"
            return [Fault("broken-commitment", text, "intent")]
        return []

    def is_without(self, position: Json) -> bool:
        """Whether a call came at this position and its intent did not, nor since."""
        return position in self._without

    def faults_at_close(self, unfinished: list[int]) -> Iterator[Fault]:
        """Compare what the close receipt lists as unfinished with what is; and find holes."""
        for position in unfinished:
            if position not in self.open:
                self._positions.take(position)
                text = f"the intent at position {position}, which has no outcome, is not here"
                yield Fault("missing-entry", text, position)
        for position in sorted(self.open.keys() - set(unfinished)):
            text = (
                f"the close receipt does not list the intent at position {position} as unfinished"
            )
            yield Fault("broken-commitment", text, position)
        for first, last in self._positions.missing():
            which = f"position {first}" if first == last else f"positions {first} to {last}"
            yield Fault("missing-entry", f"no entry has {which}", first)


def _intended(tool: JsonObject, args: JsonObject) -> str:
    return hex_of(aer1([tool, args]))
