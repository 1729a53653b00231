"""Which piece a receipt gets for what was observed: as it is, redacted, or only its digest.

    full        the exact bytes
    redacted    the exact bytes where no rule finds anything; else the redacted view, and of the
                original a sealed piece, whose bytes are kept only where a rule says so
    hash-only   a sealed piece whose bytes are not kept

Sealed pieces carry `same`, so that whether two calls were equal can be judged all the same.
"""

import json
import os
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import NamedTuple

from toolreplay.evidence.profile.members import spelt
from toolreplay.evidence.profile.piece import KEY_BYTES, Piece, piece_of, sealed_piece
from toolreplay.evidence.redaction.redactor import Redactor
from toolreplay.records.call import Json, JsonObject

__all__ = ["Choice", "Chooser", "members_with", "redactions_of"]


_MOST_WORDS, _LONG_WORD = 1000, 200
_MOST_WHOLES, _LONG_WHOLE = 500, 1 << 16
"""Definitions of tools that are remembered, and the bytes of the longest."""


class Choice(NamedTuple):
    """A piece, what else its inputs or outputs say of it, and what is kept beside the receipt."""

    piece: Piece
    original: Piece | None = None
    hidden: tuple[tuple[str, str], ...] = ()

    @property
    def kept(self) -> tuple[Piece, ...]:
        """The pieces whose bytes are carried beside the receipt."""
        both = (self.piece, self.original)
        return tuple(each for each in both if each is not None and each.content is not None)


class Chooser:
    """Chooses pieces by one mode (see modes.py), and words by the same rules.

    `run_key` returns the key under which sealed values of the run are compared, `inline_bytes` up to
    how many bytes stand in a receipt itself; both are asked when they are needed.
    """

    def __init__(
        self,
        mode: str,
        redactor: Redactor,
        run_key: Callable[[], bytes],
        inline_bytes: Callable[[], int],
    ) -> None:
        self._mode = mode
        self._redactor = redactor
        self._run_key = run_key
        self._inline_bytes = inline_bytes
        self._words: dict[str, str] = {}
        self._wholes: dict[bytes, tuple[str, Piece | None]] = {}

    def choose(self, content: bytes, media_type: str) -> Choice:
        """Return the piece for what was observed."""
        if self._mode == "full":
            return Choice(piece_of(content, media_type, self._inline_bytes()))
        if self._mode == "hash-only":
            return Choice(self._sealed(content, media_type, keep=False))
        found = self._redactor.redacted(content)
        piece = piece_of(found.content, media_type, self._inline_bytes())
        if not found.hidden:
            return Choice(piece)
        original = self._sealed(content, media_type, keep=found.keeps_original)
        return Choice(piece, original, found.hidden)

    def word(self, text: str) -> str:
        """Return a word of the record that is no piece, as it may be kept."""
        if self._mode == "full":
            return spelt(text)
        known = self._words.get(text)
        if known is None:
            data = text.encode("utf-8", "surrogatepass")
            kept = self._redactor.redacted(data).content
            known = spelt(kept.decode("utf-8", "surrogatepass"))
            if len(self._words) < _MOST_WORDS and len(text) < _LONG_WORD:
                self._words[text] = known  # tools and servers are few, and called often
        return known

    def value(self, value: Json) -> Json:
        """Return a JSON value of the record that is no piece, as it may be kept."""
        if self._mode == "full" or type(value) in (int, bool, type(None)):
            return value
        text = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
        kept = self._redactor.redacted(text).content.decode("utf-8", "surrogatepass")
        return json.loads(kept)

    def whole(self, content: bytes) -> tuple[str, Piece | None]:
        """Return the digest of exact bytes that come again and again, and the piece of them.

        The piece is None where a rule hides any of it: then only the digest is kept.
        """
        known = self._wholes.get(content)
        if known is None:
            piece: Piece | None = piece_of(content, "application/json", 0)
            digest = sha256(content).hexdigest()
            if self._mode != "full" and self._redactor.redacted(content).hidden:
                piece = None
            known = digest, piece
            if len(self._wholes) < _MOST_WHOLES and len(content) < _LONG_WHOLE:
                self._wholes[content] = known
        return known

    def _sealed(self, content: bytes, media_type: str, *, keep: bool) -> Piece:
        key = os.urandom(KEY_BYTES)
        return sealed_piece(content, media_type, key, self._run_key(), keep=keep)


def members_with(choice: Choice, name: str) -> JsonObject:
    """Return the members of inputs or outputs that a choice fills; `name` is that of the piece."""
    members: JsonObject = {name: choice.piece.described}
    if choice.original is not None:
        members["original"] = choice.original.described
    return members | redactions_of([choice])


def redactions_of(choices: Iterable[Choice]) -> JsonObject:
    """Return the member that says which rule hid what, or nothing where none did."""
    hidden = [{"path": path, "rule": rule} for each in choices for path, rule in each.hidden]
    return {"redactions": hidden} if hidden else {}
