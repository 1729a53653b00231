"""Hide what the rules find, in exactly its bytes, and say which rule hid what.

In a JSON text a hit replaces the bytes of a value, or of a member's name, by `"[redacted:RULE]"`;
in any other text the bytes that were found, by `[redacted:RULE]`. All other bytes stay. Paths are
JSON pointers (RFC 6901) into the text after the rules, so a name that was hidden is hidden in them
as well; `""` is the whole.
"""

from collections.abc import Sequence
from typing import NamedTuple

from toolreplay.evidence.redaction.finder import Finder
from toolreplay.evidence.redaction.json_text import (
    Hidden,
    begins_json,
    has_suspect_names,
    hidden_in,
    is_json,
)
from toolreplay.evidence.redaction.rules import SHIPPED, Rule, marker_of, path_of
from toolreplay.evidence.redaction.spellings import unescaped

__all__ = ["Redacted", "Redactor"]

_MOST_PATHS = 1000
_LONG = 1 << 16


class Redacted(NamedTuple):
    """Bytes after the rules: what may be kept, and which rule hid what (path, rule).

    `keeps_original` says that the original is to be kept as a sealed piece: each rule that hid
    something wants it.
    """

    content: bytes
    hidden: tuple[tuple[str, str], ...] = ()
    keeps_original: bool = False


class Redactor:
    """Applies the shipped rules, and those of a project."""

    def __init__(self, own: Sequence[Rule] = ()) -> None:
        self._finder = Finder(own)
        self._paths = [
            (parts, rule.name)
            for rule in own
            if rule.kind == "path" and (parts := path_of(rule.value)) is not None
        ]
        self._keeping = {rule.name for rule in own if rule.keeps_original}
        self._markers = frozenset(map(marker_of, (*SHIPPED, *(rule.name for rule in own))))

    def redacted(self, content: bytes) -> Redacted:
        """Hide what the rules find in a JSON text, or in any other bytes."""
        may_be_json = begins_json(content)
        is_known = False
        if may_be_json and (b"\\" in content or len(content) > _LONG):
            may_be_json = is_known = is_json(content)
        if not self._is_suspect(content, may_be_json=may_be_json, is_known=is_known):
            return Redacted(content)
        if may_be_json and (is_known or is_json(content)):
            hidden = hidden_in(content, self._finder, self._paths, self._markers)
            return self._made(content, hidden, '"%s"')
        hidden = [
            Hidden(start, end, marker_of(rule), "", rule)
            for start, end, rule in self._finder.places_in(content)
        ]
        return self._made(content, hidden, "%s")

    def _is_suspect(self, content: bytes, *, may_be_json: bool, is_known: bool) -> bool:
        """Whether something may have to be hidden; quick, and it says yes rather than no."""
        if may_be_json and (self._paths or has_suspect_names(content, self._finder)):
            return True
        if is_known and self._finder.is_wide:
            return True  # characters beyond ASCII may stand as escapes, which are not undone here
        # Without escapes a string is its bytes; with them it is what they say.
        return bool(self._finder.rule_in(unescaped(content) if is_known else content))

    def _made(self, content: bytes, hidden: list[Hidden], spelling: str) -> Redacted:
        parts: list[bytes] = []
        at = 0
        for start, end, text, _, _ in hidden:
            parts += (content[at:start], (spelling % text).encode())
            at = end
        parts.append(content[at:])
        entries = dict.fromkeys((each.path, each.rule) for each in hidden)
        if len(entries) > _MOST_PATHS:
            entries = dict.fromkeys(("", each.rule) for each in hidden)
        keeps = bool(entries) and all(rule in self._keeping for _, rule in entries)
        return Redacted(b"".join(parts), tuple(entries), keeps)
