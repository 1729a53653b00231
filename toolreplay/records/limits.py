"""Every limit on what is read, with its unit, its reason and where the number came from.

A file that passes a limit is refused with one line that names the flag, never cut or repaired.
"""

from typing import NamedTuple

__all__ = ["DEFAULT", "INTEGER_DIGITS", "Limits"]

INTEGER_DIGITS = 4300
"""Decimal digits of one integer. CPython's own default against quadratic conversion
(CVE-2020-10735); counted by us, so that no environment variable changes what is accepted."""


class Limits(NamedTuple):
    """The limits of one reading; the defaults hold unless a flag raises them."""

    line_bytes: int = 16 * 1024 * 1024
    """Bytes of one line, its line ending not counted. Lines of a few megabytes occur (screenshots
    in base64); 16 MiB keeps a line, its text and its parsed value well under 256 MB."""

    line_values: int = 1_000_000
    """Values in one line, counted on its bytes before parsing as the number of `[`, `{`, `,` and
    `:` outside strings. A parsed value costs about 100 bytes, so a million stay near 100 MB."""

    depth: int = 200
    """Levels of arrays and objects in one record. Real calls stay under 20; the interpreter's own
    parser gives up near 1,000, and a writer needs room below that."""

    expanded_bytes: int = 1024 * 1024 * 1024
    """Bytes a compressed input may expand to. A 1 MB file of zeros expands to a gigabyte; real
    sessions compress about tenfold and stay under 100 MB."""


DEFAULT = Limits()
