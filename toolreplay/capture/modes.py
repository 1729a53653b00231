"""How much of what was observed is kept (see choosing.py); alone, as parsers of arguments name them."""

__all__ = ["MODES"]

MODES = ("full", "redacted", "hash-only")
