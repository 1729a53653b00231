"""Spell moments of the recorder's clock."""

import time

__all__ = ["utc_of"]


def utc_of(microseconds: int) -> str:
    """Return a moment in microseconds since 1970 as RFC 3339 in UTC with milliseconds."""
    seconds, rest = divmod(microseconds, 10**6)
    start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{start}.{rest // 1000:03d}Z"
