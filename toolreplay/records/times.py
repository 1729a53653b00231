"""Times as hosts write them: RFC 3339 text, compared only with each other, never with a clock."""

__all__ = ["seconds_between"]


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
