"""Values of a program as JSON that can be committed to, in form toolreplay-1.

    None, bool, int, float, str, list, dict     as they are
    tuple                                       the list of its items (rendered)
    whatever has no form                        {"unrepresented": "module.qualname"} (rendered)

Exactly these types: of an instance of a subclass nobody knows what it would lose. The text of an
object (`repr`) is never kept: it may be another at each start, and hold what nobody meant to keep.
"""

from typing import NamedTuple

from toolreplay.errors import CanonicalError
from toolreplay.records.call import Json
from toolreplay.records.canonical import toolreplay_1
from toolreplay.records.limits import DEFAULT

__all__ = ["Items", "Spelt", "spelling_of", "type_name"]

_DEEPEST = DEFAULT.depth - 10
"""Levels; room for what the value is put into."""

_MOST_VALUES = DEFAULT.line_values // 2
_MOST_BYTES = DEFAULT.line_bytes // 2
"""What is larger could be written, but not be read back as one line of a transcript."""


class Spelt(NamedTuple):
    """A value's bytes, how faithful they are, and whether it was too large to be kept."""

    content: bytes
    fidelity: str = "parsed"
    is_cut: bool = False


def spelling_of(value: object) -> Spelt:
    """Return the bytes of a value; of one that is too large only what it was."""
    walk = _Walk()
    content = toolreplay_1(walk.json_of(value, 0))
    if walk.left < 0 or len(content) > _MOST_BYTES:
        return Spelt(toolreplay_1(_unrepresented(value)), "rendered", is_cut=True)
    return Spelt(content, "parsed" if walk.is_exact else "rendered")


def type_name(value: object) -> str:
    """Return module and name of a value's type."""
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


class Items:
    """The list of values that a generator gives, spelt one by one; what is too much is left out."""

    def __init__(self) -> None:
        self._items: list[bytes] = []
        self._room = _MOST_BYTES
        self._fidelity = "parsed"
        self._is_cut = False

    def add(self, value: object) -> None:
        """Add one value as it is now."""
        if self._is_cut:
            return
        spelt = spelling_of(value)
        self._room -= len(spelt.content) + 1
        if self._room < 0 or len(self._items) >= _MOST_VALUES:
            self._is_cut = True
            return
        self._items.append(spelt.content)
        self._is_cut = spelt.is_cut
        if spelt.fidelity != "parsed":
            self._fidelity = spelt.fidelity

    def spelling(self) -> Spelt:
        """Return the bytes of the list."""
        content = b"[" + b",".join(self._items) + b"]"
        return Spelt(content, "rendered" if self._is_cut else self._fidelity, self._is_cut)


class _Walk:
    def __init__(self) -> None:
        self.is_exact = True
        self.left = _MOST_VALUES
        self._above: set[int] = set()

    def json_of(self, value: object, depth: int) -> Json:
        kind = type(value)
        self.left -= 1
        if self.left < 0:
            return None
        if kind is dict or kind is list or kind is tuple:
            if depth < _DEEPEST and id(value) not in self._above:
                self._above.add(id(value))
                try:
                    return self._container(value, depth + 1)
                finally:
                    self._above.discard(id(value))
        elif value is None or kind is bool or self._has_form(value):
            return value
        self.is_exact = False
        return _unrepresented(value)

    def _container(self, value: object, depth: int) -> Json:
        if isinstance(value, dict):
            # A copy, because another thread may be changing it.
            members = list(value.items())
            if all(type(name) is str and self._has_form(name) for name, _ in members):
                return {name: self.json_of(each, depth) for name, each in members}
            self.is_exact = False
            return _unrepresented(value)
        if isinstance(value, tuple):
            self.is_exact = False
        return [self.json_of(each, depth) for each in list(value)]  # type: ignore[call-overload]

    def _has_form(self, value: object) -> bool:
        if type(value) is str and value.isascii():
            return True
        if type(value) not in (str, int, float):
            return False
        try:
            toolreplay_1(value)
        except CanonicalError:
            return False
        return True


def _unrepresented(value: object) -> Json:
    return {"unrepresented": type_name(value)}
