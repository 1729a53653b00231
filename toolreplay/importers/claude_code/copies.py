"""Which lines and calls a session holds twice.

Resuming or forking a session copies old lines into it. A copy has the id of the original *and*
its content: an id alone proves nothing, since placeholders stand on many lines and small models
number their calls anew in each answer. Contents of lines are digested only when an id comes
again; those of calls at once, since one line may hold any number of them.
"""

from collections.abc import Callable, Hashable
from hashlib import blake2b

from toolreplay.records.call import Json, Place
from toolreplay.records.canonical import text_of_parsed

__all__ = ["COPY", "NEW", "OTHER", "Copies"]

NEW = "new"
COPY = "copy"
OTHER = "other"
"""The id is new; it came before with equal content; it came before, with other content only."""


class Copies:
    """Remembers ids, and where each stood first, or with no `content_at` its content's digest.

    `content_at` reads a content again.
    """

    def __init__(self, content_at: Callable[[Place, int], Json] | None = None) -> None:
        self._content_at = content_at
        self._known: dict[Hashable, tuple[Place, int] | set[bytes]] = {}

    def judge(self, key: Hashable, place: Place, block: int, content: Json) -> str:
        """Say whether what bears this id is new, a copy, or something else of the same id."""
        known = self._known.get(key)
        if known is None:
            self._known[key] = (place, block) if self._content_at else {_digest(content)}
            return NEW
        if isinstance(known, tuple):
            assert self._content_at is not None
            known = {_digest(self._content_at(*known))}
            self._known[key] = known
        digest = _digest(content)
        if digest in known:
            return COPY
        known.add(digest)
        return OTHER


def _digest(content: Json) -> bytes:
    return blake2b(text_of_parsed(content).encode("ascii"), digest_size=16).digest()
