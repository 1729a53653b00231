"""The nearest known words to one that is not known, for the error line that refuses it.

Capitals do not count. A word longer than any of ours is not looked at: it is no slip of the keys,
and comparing takes time that grows with its length.
"""

from collections.abc import Iterable

__all__ = ["did_you_mean", "nearest"]

_LONGEST = 64

_LIKENESS = 0.7
"""Of 1; at 0.66 `--verbose` would be taken for `--version`."""


def nearest(word: str, known: Iterable[str], most: int = 1) -> list[str]:
    """Return the known words that are near, the nearest first; often there is none."""
    if len(word) > _LONGEST:
        return []
    from difflib import get_close_matches  # only an error needs it

    by_lower: dict[str, str] = {}
    for name in known:
        by_lower.setdefault(name.lower(), name)
    return [by_lower[name] for name in get_close_matches(word.lower(), by_lower, most, _LIKENESS)]


def did_you_mean(word: str, known: Iterable[str], most: int = 1) -> str:
    """Return what to put behind an error about the word: `; did you mean 'audit'?`, or nothing."""
    near = " or ".join(f"'{name}'" for name in nearest(word, known, most))
    return f"; did you mean {near}?" if near else ""
