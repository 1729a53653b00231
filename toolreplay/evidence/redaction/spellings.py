"""What bytes say when JSON escapes, percent escapes and base64 are undone.

JSON: RFC 8259 section 7; percent: RFC 3986 section 2.1; base64, both alphabets, at each offset and
over line breaks: RFC 4648 sections 4 and 5. Each undoing is linear; they are only looked at, so a
form that is undone a little too much does no harm.
"""

import re
from binascii import a2b_base64
from collections.abc import Iterator

__all__ = ["TOKEN_BYTES", "WRAPPED", "base64_texts", "forms_of", "runs_in", "unescaped"]

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def _table(marked: bytes) -> bytes:
    return bytes(0x78 if byte in marked else 0 for byte in range(256))


TOKEN_BYTES = _table(_LETTERS + b"_.~+/=-")
"""Marks the bytes that credentials with a known beginning are of."""

_BASE64 = _table(_LETTERS + b"+/_-")
_PRINTED = _table(bytes(range(0x20, 0x7F)) + b"\t\r\n")
_COMMON = bytes.maketrans(b"-_", b"+/")
_LEAST_BASE64 = 20
_LEAST_PRINTED = 14
_LINE = 60

WRAPPED = re.compile(rb"(?:[A-Za-z0-9+/_-]{%d,}+\r?\n[ \t]{0,16})++[A-Za-z0-9+/_-]*+={0,2}" % _LINE)
"""Base64 over several lines."""

_CODE = re.compile(rb"\\u(?:00([0-7][0-9A-Fa-f])|[0-9A-Fa-f]{4})")
_ESCAPED = {b'\\"': b'"', b"\\/": b"/", b"\\n": b"\n", b"\\r": b"\r", b"\\t": b"\t", b"\\b": b"\b", b"\\f": b"\f"}  # fmt: skip
_PERCENT = re.compile(rb"%[0-9A-Fa-f]{2}")
_BYTE_OF = {b"%02x" % byte: bytes([byte]) for byte in range(256)}


def forms_of(data: bytes, times: int = 2) -> Iterator[bytes]:
    """Yield bytes as they are, then with JSON and percent escapes undone up to so many times."""
    yield data
    last, seen = [data], {data}
    for _ in range(times):
        made: list[bytes] = []
        for form in last:
            if b"\\" in form:
                made.append(unescaped(form))
            if b"%" in form and _PERCENT.search(form):
                made.append(_unquoted(form))
        last = [form for form in dict.fromkeys(made) if form not in seen]
        seen.update(last)
        yield from last


def runs_in(data: bytes, table: bytes, least: int) -> list[tuple[int, int]]:
    """Return the bytes [start, end) of each run of marked bytes that is so long or longer."""
    marks = data.translate(table)
    unit = b"x" * least
    found: list[tuple[int, int]] = []
    at = marks.find(unit)
    while at >= 0:
        end = marks.find(b"\0", at + least)
        if end < 0:
            end = len(marks)
        found.append((at, end))
        at = marks.find(unit, end)
    return found


def base64_texts(data: bytes) -> Iterator[bytes]:
    """Yield the printed text that base64 in the data says, at each offset."""
    places = runs_in(data, _BASE64, _LEAST_BASE64)
    runs = [data[start:end] for start, end in places]
    if any(end - start >= _LINE and data[end : end + 1] in (b"\r", b"\n") for start, end in places):
        runs += [found[0].translate(None, b" \t\r\n=") for found in WRAPPED.finditer(data)]
    if not runs:
        return
    # Four slashes are ones at each offset: they part the runs by bytes that are no text.
    joined = b"////".join(runs).translate(_COMMON)
    for offset in range(4):
        text = joined[offset:]
        if len(text) % 4 == 1:
            text = text[:-1]
        decoded = a2b_base64(text + b"=" * (-len(text) % 4))
        parts = [decoded[start:end] for start, end in runs_in(decoded, _PRINTED, _LEAST_PRINTED)]
        if parts:
            yield b"\0".join(parts)


def unescaped(data: bytes) -> bytes:
    """Return what bytes say when JSON's escapes are undone; a character beyond ASCII is some byte."""
    plain = data.replace(b"\\\\", b"\0")
    if b"\\u" in plain:
        plain = _CODE.sub(lambda found: _BYTE_OF[(found[1] or b"ff").lower()], plain)
    for escape, byte in _ESCAPED.items():
        plain = plain.replace(escape, byte)
    return plain.replace(b"\0", b"\\")


def _unquoted(data: bytes) -> bytes:
    first, *others = data.split(b"%")
    parts = [first]
    for part in others:
        byte = _BYTE_OF.get(part[:2].lower())
        parts += (b"%", part) if byte is None else (byte, part[2:])
    return b"".join(parts)
