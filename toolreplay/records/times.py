"""Times: how we write them, and those that hosts write, compared only with each other."""

import time

__all__ = ["seconds_between", "utc_of"]


def utc_of(microseconds: int) -> str:
    """Return a moment in microseconds since 1970 as RFC 3339 in UTC with milliseconds."""
    seconds, rest = divmod(microseconds, 10**6)
    start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{start}.{rest // 1000:03d}Z"


def seconds_between(start: str | None, end: str | None) -> float | None:
    """Return the seconds from one time to another, or None when either is missing or unreadable.

    Negative differences are None too: timestamps of real sessions run backwards now and then.
    """
    if not isinstance(start, str) or not isinstance(end, str):
        return None
    from datetime import datetime

    try:
        seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return seconds if seconds >= 0 else None
