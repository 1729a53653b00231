"""Times of receipts: RFC 3339 with a zone, read by rule and not by the interpreter (TIM-1 to TIM-8).

`datetime.fromisoformat` takes other forms and fewer digits, and differs between versions; a verdict
must not.
"""

import re
from functools import lru_cache
from typing import NamedTuple

__all__ = ["Moment", "is_later", "moment_of", "text_of_seconds", "utc_text"]

_FORM = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_DAYS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS_BEFORE = (0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_DAY = 86400
_DAYS_TO_1970 = 719_162
_SHORT = 40
"""Characters of a time that is remembered: a fraction may have any number of digits."""


class Moment(NamedTuple):
    """A moment: whole seconds since 0001-01-01T00:00:00Z, and the digits of its fraction.

    The digits carry no trailing zeros, so that moments compare as tuples whatever their length.
    `has_real_offset` is False for an offset that no clock has, with minutes above 59.
    """

    seconds: int
    fraction: str
    has_real_offset: bool


def moment_of(text: object) -> Moment | None:
    """Return the moment a text says, or None where it is no time of a receipt.

    An offset of impossible size has a moment all the same, unless it comes to a day or more;
    whoever must refuse it looks at `has_real_offset` (TIM-5).
    """
    if type(text) is not str:
        return None
    # A receipt has one moment in several members, and calls follow each other closely.
    return _remembered(text) if len(text) <= _SHORT else _moment_of(text)


def _moment_of(text: str) -> Moment | None:
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    parts = found.groups()
    year, month, day, hour, minute, second = map(int, parts[:6])
    if year < 1 or not 1 <= month <= 12 or hour > 23 or minute > 59 or second > 59:
        return None
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= day <= _DAYS[month] + (leap and month == 2):
        return None
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400
    days += _DAYS_BEFORE[month] + (leap and month > 2) + day - 1
    seconds = days * _DAY + hour * 3600 + minute * 60 + second
    fraction, sign, hours, minutes = parts[6:]
    is_real = True
    if sign is not None:
        offset = int(hours) * 3600 + int(minutes) * 60
        if offset >= _DAY:
            return None
        seconds += offset if sign == "-" else -offset
        is_real = int(minutes) <= 59
    return Moment(seconds, (fraction or "").rstrip("0"), is_real)


_remembered = lru_cache(maxsize=64)(_moment_of)


def utc_text(text: object) -> str | None:
    """Return a time in UTC with milliseconds and Z, or None of what is no time.

    Digits behind the milliseconds are cut off, so that a time never moves ahead.
    """
    moment = moment_of(text)
    if moment is None or not moment.has_real_offset:
        return None
    days, seconds = divmod(moment.seconds, 86400)
    try:
        date = _date_of(days)
    except (OverflowError, ValueError):  # an offset may lead before the year 1, or behind 9999
        return None
    hours, minutes = divmod(seconds // 60, 60)
    milliseconds = moment.fraction[:3].ljust(3, "0")
    return f"{date}T{hours:02d}:{minutes:02d}:{seconds % 60:02d}.{milliseconds}Z"


def text_of_seconds(seconds: int) -> str:
    """Return the time so many seconds (0 or more) after 1970 began, in UTC with Z."""
    days, rest = divmod(seconds, _DAY)
    try:
        date = _date_of(days + _DAYS_TO_1970)
    except (OverflowError, ValueError):
        return f"{seconds} seconds after 1970 began"
    return f"{date}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}Z"


def _date_of(days: int) -> str:
    from datetime import date

    return date.fromordinal(days + 1).isoformat()


def is_later(text: object, now: str | None) -> bool:
    """Whether a time is later than `now` (TIM-7); nothing is where no `now` was given.

    What is no time is not later: that it is none is another rule's to say.
    """
    if now is None:
        return False
    moment, clock = moment_of(text), moment_of(now)
    return moment is not None and clock is not None and moment[:2] > clock[:2]
