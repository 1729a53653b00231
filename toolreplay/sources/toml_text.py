"""Parsing TOML that anybody may have written."""

import re
from collections.abc import Callable

from toolreplay.errors import DeclarationError

__all__ = ["parsed_toml"]

_MOST_PARTS = 16
# Begun at no middle of a word, and never gone back into one: its time grows with the file alone.
_LONG_NAME = re.compile(
    rb"(?<![A-Za-z0-9_-])"
    rb"(?:(?:\"[^\"\n]*+\"|'[^'\n]*+'|[A-Za-z0-9_-]++)[ \t]*+\.[ \t]*+){%d}" % _MOST_PARTS
)


def parsed_toml(
    name: str, data: bytes, parse_float: Callable[[str], object] = float
) -> dict[str, object]:
    """Return the table that a TOML text is (TOML v1.0.0). Raises DeclarationError."""
    import tomllib

    # The parser keeps every beginning of a dotted name: one of thousands would take gigabytes.
    if _LONG_NAME.search(data):
        raise DeclarationError(name, f"a name of more than {_MOST_PARTS} parts")
    try:
        return tomllib.loads(data.decode("utf-8"), parse_float=parse_float)
    except UnicodeDecodeError:
        raise DeclarationError(name, "not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise DeclarationError(name, f"not valid TOML: {error}") from None
    except RecursionError:
        raise DeclarationError(name, "nested too deep") from None
    except ValueError as error:  # an integer of thousands of digits
        raise DeclarationError(name, f"not valid TOML: {error}") from None
