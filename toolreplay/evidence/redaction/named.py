"""Values that stand behind a credential's name in a text: parameters, variables, members, headers.

    ?api_key=…   DB_PASSWORD=…   --token …   "password": "…"   password: …   Cookie: …

In a query, form, environment, command line or member whatever stands behind the name is hidden; in
other text only what looks drawn by lot, because prose speaks of passwords too.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolreplay.evidence.redaction.names import likeness
from toolreplay.evidence.redaction.randomness import is_path, is_placeholder, looks_random
from toolreplay.evidence.redaction.rules import NAMED, RANDOM

__all__ = ["Found", "is_long_number", "named_values"]


class Found(NamedTuple):
    """The bytes [start, end) of a text that a rule hides."""

    start: int
    end: int
    rule: str


_WORDS = (b"pass", b"pwd", b"secret", b"token", b"key", b"auth", b"cookie", b"cred", b"jwt", b"bearer", b"otp", b"session")  # fmt: skip
_WORD = re.compile(rb"(?:%s)[a-z0-9_.-]{0,64}+" % b"|".join(_WORDS))
_NAME_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_MOST_NAME = 64
_LONG_VALUE = re.compile(rb"[\s\\\"'`:=>]{1,24}+[A-Za-z0-9_.~+/!@#$%^*-]{16}")
_COSTS, _MOST_COST = {"weak": 1, "strong": 8}, 1_600_000
"""What it costs to look behind a name, and how much of that: a text of nothing but names is hidden
whole, because looking behind each would take minutes."""
_BEHIND = re.compile(
    rb"(?P<closed>\\{0,3}+[\"'`])?(?P<gap>[ \t]{0,8}+)(?P<sep>=>|:=|[:=])?(?P<gap2>\s{0,8}+)"
    rb"(?:(?P<escapes>\\{0,3}+)(?P<quote>[\"'`]))?"
)
_PLAIN = re.compile(rb"[^\s\"'`,;&<>(){}\[\]\\=:|]{1,4096}+={0,2}")
_TAIL = re.compile(rb"[^\s\"'`,;&<>\\]*+")
_QUOTED = {
    quote: re.compile(rb"(?:[^%s\\]|\\.)*+" % quote, re.DOTALL) for quote in (b'"', b"'", b"`")
}
_HEADER = re.compile(
    rb"(?:Bearer|Basic|Digest|Token|ApiKey|Negotiate|AWS4-HMAC-SHA256)[ \t]{1,4}[^\r\n\"'\\]+|"
    rb"[^\s=;\"'\\]{1,256}=[^\r\n\"'\\]+",
    re.IGNORECASE,
)
_NUMBER = re.compile(rb"-?[0-9.]+(?:[eE][+-]?[0-9]+)?")
_MARKER = re.compile(rb"\[redacted:[a-z0-9-]{1,32}\]")
_LEAST_DIGITS = 6


def named_values(data: bytes) -> Iterator[Found]:
    """Yield the values in a text that stand behind the name of a credential, in order."""
    if not (b"=" in data or b":" in data or b"--" in data):
        return
    lowered = data.lower()
    if not any(word in lowered for word in _WORDS):
        return
    at = cost = 0
    for word in _WORD.finditer(lowered):
        if word.start() < at:
            continue
        start = max(at, word.start() - _MOST_NAME)
        start += len(data[start : word.start()].rstrip(_NAME_BYTES))
        at = word.end()
        name = data[start:at]
        like = likeness(name.decode("ascii"))
        if not like:
            continue
        cost += _COSTS[like]
        if cost > _MOST_COST:
            yield Found(0, len(data), NAMED)
            return
        if like == "strong" or _LONG_VALUE.match(data, at) is not None:
            found = _value(data, start, at, like)
            if found is not None:
                yield found
                at = max(at, found.end)


def is_long_number(value: bytes) -> bool:
    """Whether a value is a number of so many digits that it may be a credential."""
    digits = sum(0x30 <= byte <= 0x39 for byte in value[:4096])
    return digits >= _LEAST_DIGITS and _NUMBER.fullmatch(value) is not None


def _value(data: bytes, start: int, end: int, like: str) -> Found | None:
    """Return what is hidden behind the name [start, end), if anything is."""
    name = data[start:end]
    behind = _BEHIND.match(data, end)
    if behind is None:
        return None
    before = data[max(0, start - 1) : start]
    is_option = name.startswith(b"--") or before == b"-"
    if behind["sep"] is None and not (is_option and (behind["gap"] or behind["gap2"])):
        return None
    at = behind.end()
    if _MARKER.match(data, at):
        return None
    quote = behind["quote"]
    if quote is None:
        return _plain(data, behind, (start, at), like, is_option=is_option)
    if behind["escapes"]:
        close = data.find(quote, at)
        stop = len(data) if close < 0 else at + len(data[at:close].rstrip(b"\\"))
    else:
        found = _QUOTED[quote].match(data, at)
        assert found is not None
        stop = found.end()
    value = data[at:stop]
    is_member = behind["closed"] is not None or is_option or _is_variable(name)
    return _judged(Found(at, stop, ""), value, like, whatever=is_member)


def _plain(
    data: bytes, behind: "re.Match[bytes]", places: tuple[int, int], like: str, *, is_option: bool
) -> Found | None:
    """Judge a value that stands without quotes."""
    start, at = places
    name, before = data[start : behind.start()], data[max(0, start - 1) : start]
    last = name.lower().rsplit(b"-", 1)[-1]
    if last in (b"authorization", b"cookie") and behind["sep"] == b":":
        header = _HEADER.match(data, at)
        if header is not None and b"[redacted:" not in header[0]:
            return Found(at, header.end(), NAMED)
    found = _PLAIN.match(data, at)
    if found is None or found[0].startswith(b"-") or found[0] == b"$":
        return None
    tight = behind["sep"] == b"=" and not behind["gap"] and not behind["gap2"]
    if behind["closed"] is not None:
        whatever = is_long_number(found[0])
    else:
        whatever = (
            (tight and (before in (b"?", b"&", b";") or _is_variable(name)))
            or is_option
            or _is_entry(data, start, behind, found)
        )
    end = found.end()
    judged = _judged(Found(at, end, ""), found[0], like, whatever=whatever)
    if judged is None or behind["closed"] is not None:
        return judged
    tail = _TAIL.match(data, end)
    return judged if tail is None else judged._replace(end=tail.end())


def _is_variable(name: bytes) -> bool:
    return len(name) > 3 and name.isupper() and b"." not in name


def _is_entry(data: bytes, start: int, behind: "re.Match[bytes]", found: "re.Match[bytes]") -> bool:
    """Whether name and value are a line of their own, as in YAML, and the value is no mere word.

    A string in a JSON text begins a line too: before it stands its quote.
    """
    before = data[max(0, start - _MOST_NAME) : start]
    begin = max(map(before.rfind, (b"\n", b'"', b"'", b"`")))
    if before[begin + 1 :].strip(b" \t-") or (begin < 0 and len(before) == _MOST_NAME):
        return False
    rest = data[found.end() : found.end() + 1]
    if rest not in (b"", b"\r", b"\n", b'"', b"'", b"`", b"\0") or b"\n" in behind["gap2"]:
        return False
    value = found[0]
    return len(value) >= 6 and not value.replace(b"-", b"").replace(b"_", b"").isalpha()


def _judged(found: Found, value: bytes, like: str, *, whatever: bool) -> Found | None:
    if not value or is_placeholder(value) or (is_path(value) and not looks_random(value)):
        return None
    if like == "strong" and (whatever or looks_random(value, digests=True)):
        return found._replace(rule=NAMED)
    return found._replace(rule=RANDOM) if looks_random(value) else None
