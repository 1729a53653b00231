"""What of a JSON text is hidden: values and names of members, each with its bytes and its path.

A value is hidden for what it says, for the member's name it stands under (arrays are passed
through), or for the name beside it in `{"name": "Authorization", "value": …}`. Under an object that
stands under a credential's name only what looks drawn by lot is hidden: a schema of `password` says
`"type": "string"` there.
"""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from toolreplay.evidence.profile.members import spelt
from toolreplay.evidence.redaction.finder import Finder
from toolreplay.evidence.redaction.named import is_long_number
from toolreplay.evidence.redaction.names import likeness
from toolreplay.evidence.redaction.randomness import is_path, is_placeholder, looks_random
from toolreplay.evidence.redaction.rules import NAMED, RANDOM, marker_of
from toolreplay.records.limits import DEFAULT
from toolreplay.records.spans import Scalar, names_of, scalars_of
from toolreplay.records.structure import is_deeper, opening_brackets, values_over

__all__ = ["Hidden", "OwnPath", "Path", "begins_json", "has_suspect_names", "hidden_in", "is_json"]

_STRING = re.compile(rb"(\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\")([ \t\r\n]*+:)?", re.DOTALL)
_BLANKS = b" \t\r\n"
_MOST_PATH = 1000
_LONG_NAME = 64
_PAIR_NAMES = ("name", "key", "header", "field", "Name", "Key")
_PAIR_VALUES = ("value", "Value")

Path = tuple[str | int, ...]
OwnPath = tuple[tuple[str, ...], str]
"""The components of a project's path, `*` for any, and the rule's name."""


class Hidden(NamedTuple):
    """The bytes [start, end) of a string, number, literal or name, and what hides them."""

    start: int
    end: int
    text: str
    path: str
    rule: str


def begins_json(content: bytes) -> bool:
    """Whether bytes begin as an object, an array or a string of JSON does."""
    start = content[:1]
    if start in _BLANKS:
        start = content.lstrip(_BLANKS)[:1]
    return start != b"" and start in b'{["'


def is_json(content: bytes) -> bool:
    """Whether bytes are a JSON text within our limits, other than a number or a literal."""
    if not begins_json(content):
        return False
    most, depth = DEFAULT.line_values, DEFAULT.depth
    if len(content) > most and values_over(content, most):
        return False
    if opening_brackets(content, depth) > depth and is_deeper(content, depth):
        return False
    try:
        json.loads(content.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def has_suspect_names(content: bytes, finder: Finder) -> bool:
    """Whether a JSON text has a name under or beside which something may have to be hidden."""
    found = _STRING.findall(content)
    names = {string for string, colon in found if colon}
    if finder.are_suspect(names):
        return True
    if not any(b'"%s"' % name.encode() in names for name in _PAIR_VALUES):
        return False
    return finder.are_suspect({string for string, _ in found if len(string) < _LONG_NAME})


def hidden_in(
    content: bytes, finder: Finder, paths: Sequence[OwnPath], markers: frozenset[str]
) -> list[Hidden]:
    """Return what is to be hidden in a JSON text, in order.

    `markers` are the texts that stand for something hidden: they stay.
    """
    scalars = list(scalars_of(content))
    strings = [scalar for scalar in scalars if content[scalar.start] == 0x22]
    texts = dict(
        zip(strings, _texts_of([content[each.start : each.end] for each in strings]), strict=True)
    )
    pairs = {
        scalar.path[:-1]
        for scalar, text in texts.items()
        if scalar.path and scalar.path[-1] in _PAIR_NAMES and likeness(text) == "strong"
    }
    rules: dict[Scalar, str] = {}
    for scalar in scalars:
        text = texts.get(scalar)
        if text in markers:
            texts.pop(scalar)
            continue
        value = content[scalar.start : scalar.end] if text is None else _bytes_of(text)
        rule = "" if value == b"null" else _own(scalar.path, finder, paths)
        rule = rule or _by_name(scalar.path, value, pairs, is_text=text is not None)
        if rule:
            rules[scalar] = rule
            texts.pop(scalar, None)
    left = list(texts)
    hits = finder.hits_in([_bytes_of(texts[scalar]) for scalar in left], most=None)
    rules |= {left[at]: rule for at, rule in hits or ()}
    return _with_names(content, finder, rules)


def _own(path: Path, finder: Finder, paths: Sequence[OwnPath]) -> str:
    """Return the rule of the project that hides what stands at a path, or nothing."""
    for parts, rule in paths:
        if len(parts) <= len(path) and all(
            part in ("*", str(step)) for part, step in zip(parts, path, strict=False)
        ):
            return rule
    if finder.has_names:
        for step in path:
            if type(step) is str and (rule := finder.own_name(step)):
                return rule
    return ""


def _by_name(path: Path, value: bytes, pairs: set[Path], *, is_text: bool) -> str:
    """Return the shipped rule that hides a value for the names it stands under, or nothing."""
    at = len(path) - 1
    while at >= 0 and type(path[at]) is int:
        at -= 1
    if at < 0:
        return ""
    like = likeness(str(path[at]))
    if path[-1] in _PAIR_VALUES and path[:-1] in pairs:
        like = "strong"
    if not like and any(type(step) is str and likeness(step) for step in path[:at]):
        like = "weak"
    if not like or not (is_text or is_long_number(value)):
        return ""
    if not is_text:
        return NAMED if like == "strong" else ""
    if like == "strong":
        if not value or is_placeholder(value) or (is_path(value) and not looks_random(value)):
            return ""
        return NAMED
    return RANDOM if looks_random(value) else ""


def _with_names(content: bytes, finder: Finder, rules: dict[Scalar, str]) -> list[Hidden]:
    """Return the values of these rules, and the names in which something is found."""
    shown: dict[tuple[Path, str], tuple[str, str]] = {}
    names = _suspect_names(content, finder)
    hidden: list[Hidden] = []
    if names:
        places = list(names_of(content))
        used: dict[Path, set[str]] = {}
        for path, _, _ in places:
            used.setdefault(path[:-1], set()).add(str(path[-1]))
        for place in places:
            parent, name = place.path[:-1], str(place.path[-1])
            if name not in names:
                continue
            if (parent, name) not in shown:
                shown[parent, name] = (_unused(names[name], used[parent]), names[name])
            text, rule = shown[parent, name]
            hidden.append(Hidden(place.start, place.end, text, _pointer(place.path, shown), rule))
    for scalar, rule in rules.items():
        pointer = _pointer(scalar.path, shown)
        hidden.append(Hidden(scalar.start, scalar.end, marker_of(rule), pointer, rule))
    return sorted(hidden)


def _suspect_names(content: bytes, finder: Finder) -> dict[str, str]:
    """Return the names of members in which something is found, each with the rule."""
    found = {string for string, colon in _STRING.findall(content) if colon}
    texts = [text for text in _texts_of(list(found)) if len(text) > 3]
    hits = finder.hits_in([_bytes_of(text) for text in texts], most=None)
    return {texts[at]: rule for at, rule in hits or ()}


def _unused(rule: str, used: set[str]) -> str:
    """Return a name that stands for a hidden one and that the object does not have yet."""
    text, number = marker_of(rule), 2
    while text in used:
        text = f"{marker_of(rule)[:-1]} {number}]"
        number += 1
    used.add(text)
    return text


def _pointer(path: Path, shown: dict[tuple[Path, str], tuple[str, str]]) -> str:
    """Return a path as a JSON pointer (RFC 6901); what is too long ends at what encloses it."""
    pointer = ""
    for at, step in enumerate(path):
        if type(step) is str:
            name = shown[path[:at], step][0] if (path[:at], step) in shown else step
            part = spelt(name).replace("~", "~0").replace("/", "~1")
        else:
            part = str(step)
        if len(pointer) + len(part) >= _MOST_PATH:
            break
        pointer += f"/{part}"
    return pointer


def _texts_of(strings: list[bytes]) -> list[str]:
    """Return the texts of JSON strings; bytes that are no UTF-8 replaced."""
    joined = b"[" + b",".join(strings) + b"]"
    texts: list[str] = json.loads(joined.decode("utf-8", "replace"), strict=False)
    return texts


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
