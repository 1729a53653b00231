"""Shapes of single values in AER-1 documents: digests, UUIDs, integers."""

import re

from toolreplay.records.call import Json

__all__ = ["integer_of", "is_hex_digest", "is_uuid", "shown_integer"]

_HEX = re.compile("[0-9a-f]{64}")
_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def is_hex_digest(value: Json) -> bool:
    """Whether a value is 64 lower-case hex digits and nothing else, no line ending either."""
    return type(value) is str and _HEX.fullmatch(value) is not None


def is_uuid(value: Json) -> bool:
    """Whether a value is a lower-case UUID of any version and nothing else."""
    return type(value) is str and _UUID.fullmatch(value) is not None


def integer_of(value: Json) -> int | None:
    """Return the integer a value counts as (1.0 counts as 1), or None; a boolean is none.

    AER-1, CHN-10 and WF-4.
    """
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    return None


def shown_integer(value: int) -> str:
    """Spell an integer from a file for a reason; thousands of digits would not be one line."""
    return str(value) if abs(value) < 10**20 else "of more than 20 digits"
