"""Times: how we write them, and those that hosts write, compared only with each other."""

__all__ = ["seconds_between", "utc_of"]

_DAYS_BEFORE_1970 = 719_468
"""From 1 March of the year 0: counted from there, a leap day is the last of its year."""

_DAYS_OF_400_YEARS = 146_097


def utc_of(microseconds: int) -> str:
    """Return a moment in microseconds since 1970 as RFC 3339 in UTC with milliseconds."""
    seconds, rest = divmod(microseconds, 10**6)
    days, second = divmod(seconds, 86_400)
    clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}.{rest // 1000:03d}Z"
    return f"{_date_of(days)}T{clock}"


def _date_of(days: int) -> str:
    """Return the date so many days after 1970 began: of any year, which `datetime` has not."""
    centuries, day = divmod(days + _DAYS_BEFORE_1970, _DAYS_OF_400_YEARS)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153  # from March; five months have 153 days
    day -= (153 * month + 2) // 5 - 1
    month = month + 3 if month < 10 else month - 9
    return f"{400 * centuries + year + (month < 3):04d}-{month:02d}-{day:02d}"


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
