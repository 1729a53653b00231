"""The outer document of a receipt, a close or a timeline, read from bytes.

AER-1, rules CLI-2 and CLI-3. What cannot be read at all is refused. A member that stands twice in
one object is read (the last one wins, as in other readers) and said: the document fails, at every
level, because two readers may have seen two documents.
"""

from collections.abc import Callable
from json import JSONDecodeError, JSONDecoder
from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.evidence.aer1.rule_check import RuleCheck
from toolreplay.findings.check import FAILED, PASSED
from toolreplay.records.call import Json
from toolreplay.records.limits import INTEGER_DIGITS, Limits
from toolreplay.records.structure import is_deeper, opening_brackets, values_over

__all__ = ["DOCUMENT_LIMITS", "Document", "read_document"]

DOCUMENT_LIMITS = Limits(depth=512)
"""The limits of one document; its depth is that of the committed bytes (CAN-12)."""

_MEMBERS_ONCE = RuleCheck("members once", ("CLI-3",), PASSED)
_SHOWN = 100


class Document(NamedTuple):
    """A document that was read: its value, and the first member found twice, None without one."""

    value: Json
    twice: str | None

    @property
    def check(self) -> RuleCheck:
        """Whether each member stands once in its object (CLI-3)."""
        if self.twice is None:
            return _MEMBERS_ONCE
        reason = f"the member '{self.twice}' stands twice in one object"
        return RuleCheck("members once", ("CLI-3",), FAILED, reason)


def read_document(data: bytes, where: str = "", limits: Limits = DOCUMENT_LIMITS) -> Document:
    """Return the document that bytes hold (AER-1, CLI-2 and CLI-3).

    NaN, Infinity and -Infinity are read, as the reader does that is followed here. Raises
    InputError, naming `where`, for bytes over a limit and for what is not JSON in UTF-8.
    """
    _within(data, where, limits)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InputError(where, f"not UTF-8 (byte {error.start + 1})") from None
    try:
        value, end = _scan(text, 0)
        if not text[end:].strip(" \t\r\n"):
            return Document(value, None)
    except (ValueError, StopIteration, RecursionError, _TwiceError):
        pass  # what is not in order is read once more, to say why
    if text.startswith("\ufeff"):
        raise InputError(where, "starts with a byte order mark")
    try:
        try:
            return Document(_ONCE.decode(text), None)
        except _TwiceError as error:
            return Document(_LAST_WINS.decode(text), error.member)
    except JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(where, f"not valid JSON ({place})") from None
    except RecursionError:
        raise InputError(where, "nested deeper than the interpreter can follow") from None
    except ValueError:
        raise InputError(where, f"an integer of more than {INTEGER_DIGITS} digits") from None


def _within(data: bytes, where: str, limits: Limits) -> None:
    if len(data) > limits.line_bytes:
        what = f"longer than {limits.line_bytes} bytes (--max-line-bytes raises the limit)"
        raise InputError(where, what)
    if len(data) > limits.line_values and values_over(data, limits.line_values):
        what = f"more than {limits.line_values} values (--max-line-values raises the limit)"
        raise InputError(where, what)
    if opening_brackets(data, limits.depth) > limits.depth and is_deeper(data, limits.depth):
        what = f"nested deeper than {limits.depth} levels (--max-depth raises the limit)"
        raise InputError(where, what)


class _TwiceError(Exception):
    def __init__(self, member: str) -> None:
        super().__init__()
        self.member = member


def _each_once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = set()
        for name, _ in pairs:
            if name in names:
                # What a hostile document brings must still be one short message.
                raise _TwiceError(name if len(name) <= _SHOWN else name[:_SHOWN] + "…")
            names.add(name)
    return members


def _counted_integer(text: str) -> int:
    if len(text) - text.startswith("-") > INTEGER_DIGITS:
        raise ValueError
    return int(text)


_ONCE = JSONDecoder(object_pairs_hook=_each_once, parse_int=_counted_integer)
_LAST_WINS = JSONDecoder(parse_int=_counted_integer)

# What JSONDecoder.decode calls, without its two searches for white space.
_scan: Callable[[str, int], tuple[Json, int]] = _ONCE.scan_once  # type: ignore[attr-defined]
