"""Digests that were seen, a hundred thousand of them in a few megabytes."""

from array import array
from hashlib import sha256

__all__ = ["Digests", "SeenTexts"]

_BUCKETS = 4096
_TEXT_BYTES = 16


class Digests:
    """Keys of one width in the order they came; each has the number of keys before it.

    A set of as many bytes objects takes three times the memory. The interpreter's own hash, which
    nobody outside can foresee, chooses where a key is looked for: a digest that was only claimed
    may be any bytes. Where nobody asks for numbers (`numbered`), they are not kept.
    """

    def __init__(self, width: int, *, numbered: bool = True) -> None:
        self._width = width
        self._keys: dict[int, bytearray] = {}
        self._numbers: dict[int, array[int]] | None = {} if numbered else None
        self._count = 0

    def add(self, key: bytes) -> int:
        """Add a key that is not there, and return its number."""
        bucket = hash(key) % _BUCKETS
        keys = self._keys.get(bucket)
        if keys is None:
            self._keys[bucket] = bytearray(key)
        else:
            keys.extend(key)
        if self._numbers is not None:
            self._numbers.setdefault(bucket, array("I")).append(self._count)
        self._count += 1
        return self._count - 1

    def add_new(self, key: bytes) -> bool:
        """Add a key where it is not there yet; False where it is."""
        keys = self._keys.get(hash(key) % _BUCKETS)
        if keys is not None and key in keys and self._place_of(key) is not None:
            return False
        self.add(key)
        return True

    def number_of(self, key: bytes) -> int | None:
        """Return the number of a key, or None where it is not there."""
        assert self._numbers is not None
        place = self._place_of(key)
        if place is None:
            return None
        return self._numbers[hash(key) % _BUCKETS][place]

    def __contains__(self, key: bytes) -> bool:
        return self._place_of(key) is not None

    def _place_of(self, key: bytes) -> int | None:
        """Return the place of a key among those that are looked for where it is."""
        keys = self._keys.get(hash(key) % _BUCKETS)
        if keys is None:
            return None
        at = keys.find(key)
        while at >= 0 and at % self._width:
            at = keys.find(key, at + 1)
        return None if at < 0 else at // self._width


class SeenTexts:
    """A set of texts, as ids are, kept as sixteen bytes of their digests."""

    def __init__(self) -> None:
        self._digests = Digests(_TEXT_BYTES, numbered=False)

    def __contains__(self, text: str) -> bool:
        return _key_of(text) in self._digests

    def add(self, text: str) -> bool:
        """Take a text; False where it had come already."""
        return self._digests.add_new(_key_of(text))


def _key_of(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()[:_TEXT_BYTES]
