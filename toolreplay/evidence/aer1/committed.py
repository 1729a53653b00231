"""The committed bytes of a receipt: decoded, hashed, and held against their own canonical form.

AER-1, rules B64-1 to B64-4, UTF-1, REC-11, HSH-1 and CAN-1 to CAN-13. A wrong digest and bytes
that are not canonical are two findings: the first says that the content was changed, the second
that a producer serialises differently.

Nothing of the content stands in a reason; it may be what the receipt was made to keep private.
"""

import re
import sys
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from hashlib import sha256
from json import JSONDecoder
from typing import NamedTuple

from toolreplay.errors import CanonicalError
from toolreplay.evidence.aer1.base64_text import Base64Error, bytes_of_base64, loosely_read
from toolreplay.evidence.aer1.rule_check import RuleCheck
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.records.call import Json
from toolreplay.records.canonical import aer1_text_of_parsed
from toolreplay.records.limits import INTEGER_DIGITS
from toolreplay.records.structure import is_deeper

__all__ = [
    "ALL_PASSED",
    "DEEPEST",
    "Committed",
    "has_constants",
    "is_output_hash",
    "read_committed",
]

DEEPEST = 512
"""Levels of the committed JSON (CAN-12). Fixed, so that a verdict does not depend on a stack."""

_BASE64 = RuleCheck("base64", ("B64-1", "B64-2", "B64-3", "B64-4"), PASSED)
_UTF_8 = RuleCheck("UTF-8", ("UTF-1",), PASSED)
_JSON = RuleCheck("committed JSON", ("CAN-1", "CAN-12"), PASSED)
_FORM = RuleCheck(
    "canonical form",
    ("CAN-2", "CAN-3", "CAN-4", "CAN-5", "CAN-6", "CAN-7", "CAN-8", "CAN-10", "CAN-11", "CAN-13"),
    PASSED,
)
_HASH_FORM = RuleCheck("output_hash form", ("REC-11",), PASSED)
_DIGEST = RuleCheck("digest", ("HSH-1",), PASSED)
ALL_PASSED = (_BASE64, _UTF_8, _JSON, _FORM, _HASH_FORM, _DIGEST)
_PREFIX = "sha256:"
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')


class Committed(NamedTuple):
    """What stands behind `canonical_bytes`.

    `data` are the decoded bytes, None where there are none; they are there too when only the
    spelling of the base64 was wrong. `digest` is the SHA-256 of `data` in hex. `value` means
    something if `is_json`. `checks` are base64, UTF-8, committed JSON, canonical form, output_hash
    form and digest, in this order.
    """

    data: bytes | None
    digest: str | None
    value: Json
    is_json: bool
    checks: tuple[RuleCheck, ...]

    @property
    def is_in_order(self) -> bool:
        """Whether nothing is wrong with the bytes, and no constant in them (CAN-9).

        False may also mean that nobody looked yet.
        """
        return self.checks is ALL_PASSED

    @property
    def is_utf_8(self) -> bool:
        """Whether there are bytes and they are strict UTF-8 (UTF-1)."""
        return self.checks[1].result == PASSED

    @property
    def has_right_digest(self) -> bool:
        """Whether the bytes are those the receipt's digest names (HSH-1)."""
        return self.checks[5].result == PASSED


def read_committed(canonical_bytes: Json, output_hash: Json) -> Committed:
    """Return what two members of a receipt commit to; never raises.

    A receipt in order is parsed once and encoded once. Whatever is not in order is looked at
    again, step by step, to say why.
    """
    if type(canonical_bytes) is str and type(output_hash) is str:
        try:
            data = a2b_base64(canonical_bytes)
            # One text for one value: what encodes back to itself has no other fault.
            if b2a_base64(data, newline=False) == canonical_bytes.encode():
                text = data.decode()
                digest = sha256(data).hexdigest()
                if output_hash == _PREFIX + digest and not _is_too_deep(data):
                    value, end = _strict_scanner()(text, 0)
                    if end == len(text) and aer1_text_of_parsed(value) == text:
                        return Committed(data, digest, value, True, ALL_PASSED)
        except (ValueError, StopIteration, RecursionError, CanonicalError):
            pass
    return _step_by_step(canonical_bytes, output_hash)


def is_output_hash(value: Json) -> bool:
    """Whether a value is `sha256:` and 64 lower-case hex digits, and nothing else (REC-11)."""
    return (
        type(value) is str
        and len(value) == 71
        and value.startswith(_PREFIX)
        and not value[7:].strip("0123456789abcdef")
    )


def has_constants(data: bytes) -> bool:
    """Whether NaN, Infinity or -Infinity stands in a text that was parsed (CAN-9)."""
    # One letter is looked for many times faster than a word.
    if (b"N" not in data or b"NaN" not in data) and (b"I" not in data or b"Infinity" not in data):
        return False
    outside = _STRING.sub(b"", data)
    return b"NaN" in outside or b"Infinity" in outside


def _step_by_step(canonical_bytes: Json, output_hash: Json) -> Committed:
    base64 = _BASE64
    try:
        data: bytes | None = bytes_of_base64(canonical_bytes)
    except Base64Error as error:
        base64 = _failed(_BASE64, f"canonical_bytes {error}")
        data = loosely_read(canonical_bytes)
    form = _HASH_FORM
    if not is_output_hash(output_hash):
        form = _failed(_HASH_FORM, "output_hash is not sha256: and 64 lower-case hex digits")
    if data is None:
        skipped = [_skipped(check, "there are no bytes") for check in (_UTF_8, _JSON, _FORM)]
        digest = _failed(_DIGEST, "there are no bytes to hash")
        return Committed(None, None, None, False, (base64, *skipped, form, digest))
    found = sha256(data).hexdigest()
    digest = _DIGEST
    if form.result == FAILED:
        digest = _failed(_DIGEST, "there is no digest to compare with")
    elif output_hash != _PREFIX + found:
        digest = _failed(_DIGEST, f"the bytes hash to {_PREFIX}{found}, not to {output_hash}")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        checks = (
            base64,
            _failed(_UTF_8, f"not UTF-8 (byte {error.start + 1} of {len(data)})"),
            _skipped(_JSON, "the bytes are not UTF-8"),
            _skipped(_FORM, "the bytes are not UTF-8"),
            form,
            digest,
        )
        return Committed(data, found, None, False, checks)
    value, json, canonical = _parsed(data, text)
    checks = (base64, _UTF_8, json, canonical, form, digest)
    return Committed(data, found, value, json.result == PASSED, checks)


def _parsed(data: bytes, text: str) -> tuple[Json, RuleCheck, RuleCheck]:
    """Return the value, whether it is JSON, and whether it is in its own canonical form."""
    reason = ""
    value: Json = None
    if _is_too_deep(data):
        reason = f"too deep: nested deeper than {DEEPEST} levels"
    else:
        try:
            blank = len(text) - len(text.lstrip(" \t\r\n"))
            value, end = _scanner()(text, blank)
            if text[end:].strip(" \t\r\n"):
                reason = f"not JSON (more text after byte {_bytes_before(text, end)})"
        except RecursionError:
            reason = "too deep: nested deeper than the interpreter can follow"
        except StopIteration as error:
            reason = f"not JSON (byte {_bytes_before(text, error.value) + 1} of {len(data)})"
        except ValueError as error:
            at = getattr(error, "pos", None)
            if at is None:
                reason = "an integer of more digits than a reader takes back"
            else:
                reason = f"not JSON (byte {_bytes_before(text, at) + 1} of {len(data)})"
    if reason:
        return None, _failed(_JSON, reason), _skipped(_FORM, "there is no value to encode")
    why = _why_not_canonical(value, text, len(data))
    return value, _JSON, _failed(_FORM, why) if why else _FORM


def _why_not_canonical(value: Json, text: str, size: int) -> str:
    try:
        form = aer1_text_of_parsed(value)
        if form != text and _has_a_member_twice(text):
            return "an object has a member twice"
    except CanonicalError as error:
        return str(error)
    if form == text:
        return ""
    # What begins alike is found by halving; a step for each character would take long.
    least, most = 0, min(len(form), len(text))
    while least < most:
        middle = (least + most + 1) // 2
        if text.startswith(form[:middle]):
            least = middle
        else:
            most = middle - 1
    return f"differs from its canonical form (byte {_bytes_before(text, least) + 1} of {size})"


def _has_a_member_twice(text: str) -> bool:
    twice = []

    def look(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        members = dict(pairs)
        if len(members) != len(pairs):
            twice.append(True)
        return members

    JSONDecoder(object_pairs_hook=look).decode(text)
    return bool(twice)


def _bytes_before(text: str, at: int) -> int:
    return len(text[:at].encode())


def _failed(check: RuleCheck, reason: str) -> RuleCheck:
    return RuleCheck(check.name, check.rules, FAILED, reason)


def _skipped(check: RuleCheck, reason: str) -> RuleCheck:
    return RuleCheck(check.name, check.rules, NOT_CHECKED, reason)


def _is_too_deep(data: bytes) -> bool:
    return data.count(b"[") + data.count(b"{") > DEEPEST and is_deeper(data, DEEPEST)


def _counted_integer(text: str) -> int:
    if len(text) - text.startswith("-") > INTEGER_DIGITS:
        raise ValueError
    return int(text)


def _no_constant(text: str) -> Json:
    raise ValueError(text)


_Scan = Callable[[str, int], tuple[Json, int]]
# What JSONDecoder.decode calls, without its two searches for white space.
_scan: _Scan = JSONDecoder().scan_once  # type: ignore[attr-defined]
_scan_and_count: _Scan = JSONDecoder(parse_int=_counted_integer).scan_once  # type: ignore[attr-defined]
_scan_strictly: _Scan = JSONDecoder(parse_constant=_no_constant).scan_once  # type: ignore[attr-defined]
_scan_strictly_and_count: _Scan = JSONDecoder(
    parse_int=_counted_integer, parse_constant=_no_constant
).scan_once  # type: ignore[attr-defined]


def _scanner() -> _Scan:
    """Return the parser that refuses integers of more than 4,300 digits, whoever counts them."""
    return _scan if sys.get_int_max_str_digits() == INTEGER_DIGITS else _scan_and_count


def _strict_scanner() -> _Scan:
    """Return the same parser, which refuses NaN and Infinity too: those are looked at again."""
    is_counted = sys.get_int_max_str_digits() == INTEGER_DIGITS
    return _scan_strictly if is_counted else _scan_strictly_and_count
