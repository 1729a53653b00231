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
from typing import NamedTuple

from toolreplay.evidence.profile.members import spelt
from toolreplay.evidence.profile.piece import KEY_BYTES, Piece, piece_of, sealed_piece
from toolreplay.evidence.redaction.redactor import Redactor
from toolreplay.records.call import Json, JsonObject

__all__ = ["Choice", "Chooser", "members_with", "redactions_of"]


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
        data = text.encode("utf-8", "surrogatepass")
        return spelt(self._redactor.redacted(data).content.decode("utf-8", "surrogatepass"))

    def value(self, value: Json) -> Json:
        """Return a JSON value of the record that is no piece, as it may be kept."""
        if self._mode == "full":
            return value
        text = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
        kept = self._redactor.redacted(text).content.decode("utf-8", "surrogatepass")
        return json.loads(kept)

    def whole(self, content: bytes) -> Piece | None:
        """Return a piece that goes by the digest of its exact bytes; None where a rule hides any."""
        if self._mode != "full" and self._redactor.redacted(content).hidden:
            return None
        return piece_of(content, "application/json", 0)

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
