"""Find credentials in bytes, as they are and in other spellings."""

import re
from binascii import Error, a2b_base64
from collections.abc import Iterator, Sequence
from itertools import islice

from toolreplay.evidence.redaction.named import Found, named_values
from toolreplay.evidence.redaction.names import likeness
from toolreplay.evidence.redaction.randomness import is_placeholder, looks_random
from toolreplay.evidence.redaction.rules import (
    BARE,
    BY_MARK,
    LEAST_TOKEN,
    Rule,
    glob_matches,
)
from toolreplay.evidence.redaction.spellings import (
    TOKEN_BYTES,
    WRAPPED,
    base64_texts,
    forms_of,
    runs_in,
)
from toolreplay.records.spans import text_at

__all__ = ["Finder"]

_TIMES = 2
_USERINFO = re.compile(
    rb"://[^\s/?#\"'<>\\:@]{0,256}+:((?!\[redacted:)[^\s/?#\"'<>\\@]{1,256}(?:@[^\s/?#\"'<>\\@]{1,256}){0,4})@"
)
_PRIVATE = re.compile(rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PRIVATE_END = re.compile(rb"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_NOTE_KEY = re.compile(rb"PRIVATE\+KEY\+[^\s\"'\\+]{1,255}\+[0-9a-f]{8}\+[A-Za-z0-9+/]{20,}+={0,2}")
_BEARER = re.compile(rb"(?:[Bb]earer|BEARER)[ \t+]{1,4}([A-Za-z0-9._~+/=-]{12,}+)")
_BASIC = re.compile(rb"(?:[Bb]asic|BASIC)[ \t+]{1,4}([A-Za-z0-9+/_-]{6,}+={0,2})")
_PAIR = re.compile(rb"[^\x00-\x1f\x7f:]{0,512}:[^\x00-\x1f\x7f]{1,}")
_QUOTED_NAME = re.compile(rb"([\"'])([^\"'\\\n]{1,128})\1\s{0,8}+:\s{0,8}+([\"']?)")
_UNQUOTED = re.compile(rb"[^\s,{}\[\]\"']+")
_WORD = re.compile(rb"[^\s\"'`<>,;(){}]+")
_BASE64_RUN = re.compile(rb"[A-Za-z0-9+/_-]{20,}+={0,2}")
_LINE = re.compile(rb"[^\r\n]+")
_BEHIND_PREFIX = re.compile(rb"[^\s\"'`<>,;&(){}\[\]\\|]*+")
_UNITS = ((WRAPPED, (b"\n",)), (_BASE64_RUN, (b"",)), (_WORD, (b"%", b"\\")), (_LINE, (b"",)))
"""What is hidden for what it says in another spelling, and what it must have for that."""
_GROUPS = 16
_MOST_KNOWN, _LONG_NAME = 4096, 64
_MOST_HITS, _MOST_PLACES = 4096, 100_000
_LETTER = re.compile(rb"[A-Za-z0-9]")


class Finder:
    """Finds what the shipped rules and those of a project hide in bytes."""

    def __init__(self, own: Sequence[Rule] = ()) -> None:
        self._prefixes = _needles(own, "prefix")
        self._texts = _needles(own, "contains")
        self._harmless: set[bytes] = set()
        self._globs = [(rule.value.split("*"), rule.name) for rule in own if rule.kind == "key"]

    @property
    def is_wide(self) -> bool:
        """Whether a rule of the project finds texts with characters beyond ASCII."""
        return not all(needle.isascii() for needle, _ in (*self._prefixes, *self._texts))

    @property
    def has_names(self) -> bool:
        """Whether a rule of the project finds by names of members."""
        return bool(self._globs)

    def own_name(self, name: str) -> str:
        """Return the rule of the project that hides what stands under a member's name, or nothing."""
        for parts, rule in self._globs:
            if glob_matches(parts, name):
                return rule
        return ""

    def are_suspect(self, names: set[bytes]) -> bool:
        """Whether under one of these names, JSON strings, something may have to be hidden."""
        unknown = names - self._harmless
        if not unknown:
            return False
        if len(self._harmless) > _MOST_KNOWN:
            self._harmless = set()
        for string in unknown:
            name = text_at(string, 0, len(string))
            if likeness(name) or (self._globs and self.own_name(name)):
                return True
            if len(string) <= _LONG_NAME:
                self._harmless.add(string)
        return False

    def rule_in(self, data: bytes, times: int = _TIMES) -> str:
        """Return the first rule that finds something in the data in any spelling, or nothing."""
        for form in forms_of(data):
            for found in self._as_it_is(form):
                return found.rule
            for text in base64_texts(form) if times else ():
                rule = self.rule_in(text, times - 1)
                if rule:
                    return rule
        return ""

    def places_in(self, data: bytes) -> list[Found]:
        """Return what is to be hidden in a text, in order and without overlaps.

        What shows only in another spelling is hidden with the run of base64, the word or the line
        that holds it, and where even that is not enough, with the whole text.
        """
        places = _joined(list(islice(self._as_it_is(data), _MOST_PLACES)))
        if len(places) == _MOST_PLACES:
            return [Found(0, len(data), places[0].rule)]
        for unit, marks in _UNITS:
            rest = _starred(data, places)
            rule = self.rule_in(rest)
            if not rule:
                return places
            if not any(mark in rest for mark in marks):
                continue
            units = [
                found for found in unit.finditer(rest) if any(mark in found[0] for mark in marks)
            ]
            hits = self.hits_in([found[0] for found in units])
            if hits is None:
                break
            places = _joined([*places, *(Found(*units[at].span(), rule) for at, rule in hits)])
        rule = self.rule_in(_starred(data, places))
        return [Found(0, len(data), rule)] if rule else places

    def hits_in(
        self, texts: Sequence[bytes], most: int | None = _MOST_HITS
    ) -> list[tuple[int, str]] | None:
        """Return index and rule of each text in which something is found, in order.

        None where there are more than `most`. Texts are looked at in groups, smaller ones of those
        in which something was found.
        """
        hits: list[tuple[int, str]] = []
        waiting = [(0, len(texts))]
        while waiting:
            start, end = waiting.pop()
            rule = self.rule_in(b"\0\n".join(texts[start:end])) if end > start else ""
            if not rule:
                continue
            if end - start == 1:
                hits.append((start, rule))
                if most is not None and len(hits) > most:
                    return None
                continue
            step = max(1, (end - start) // _GROUPS)
            parts = [(at, min(at + step, end)) for at in range(start, end, step)]
            waiting.extend(reversed(parts))
        return hits

    def _as_it_is(self, data: bytes) -> Iterator[Found]:
        yield from _tokens(data)
        if b"://" in data and b"@" in data:
            for found in _USERINFO.finditer(data):
                if not is_placeholder(found[1]):
                    yield Found(found.start(1), found.end(1), "url-password")
        if b"PRIVATE" in data:
            yield from _private(data)
        if b"earer" in data or b"EARER" in data:
            for found in _BEARER.finditer(data):
                if looks_random(found[1], 12, digests=True):
                    yield Found(found.start(1), found.end(1), "bearer-token")
        if b"asic" in data or b"ASIC" in data:
            for found in _BASIC.finditer(data):
                if _is_pair(found[1]):
                    yield Found(found.start(1), found.end(1), "basic-credential")
        yield from named_values(data)
        if self._prefixes or self._texts or self._globs:
            yield from self._own(data)

    def _own(self, data: bytes) -> Iterator[Found]:
        for needle, rule in self._prefixes:
            at = data.find(needle)
            while at >= 0:
                behind = _BEHIND_PREFIX.match(data, at + len(needle))
                end = at + len(needle) if behind is None else behind.end()
                if _LETTER.match(data, at - 1) is None or at == 0:
                    yield Found(at, end, rule)
                    at = data.find(needle, end)
                else:
                    at = data.find(needle, at + 1)
        for needle, rule in self._texts:
            at = data.find(needle)
            while at >= 0:
                start = data.rfind(b"\n", 0, at) + 1
                end = data.find(b"\n", at + len(needle))
                end = len(data) if end < 0 else end
                yield Found(start, end, rule)
                at = data.find(needle, end)
        if self._globs:
            yield from self._own_named(data)

    def _own_named(self, data: bytes) -> Iterator[Found]:
        for name in _QUOTED_NAME.finditer(data):
            rule = self.own_name(name[2].decode("utf-8", "replace"))
            if not rule:
                continue
            at = name.end()
            if name[3]:
                end = data.find(name[3], at)
                end = len(data) if end < 0 else end
            else:
                found = _UNQUOTED.match(data, at)
                end = at if found is None else found.end()
            if data[at:end].strip(b"*") and not data.startswith(b"[redacted:", at):
                yield Found(at, end, rule)


def _needles(own: Sequence[Rule], kind: str) -> list[tuple[bytes, str]]:
    return [
        (rule.value.encode("utf-8", "surrogatepass"), rule.name)
        for rule in own
        if rule.kind == kind
    ]


def _tokens(data: bytes) -> Iterator[Found]:
    runs = b"\0".join([data[start:end] for start, end in runs_in(data, TOKEN_BYTES, LEAST_TOKEN)])
    if not runs:
        return
    for beginnings in (BARE, *(each for mark, each in BY_MARK if mark in runs)):
        for beginning in beginnings:
            if beginning.text in runs:
                for found in beginning.find(data):
                    yield Found(found.start(), found.end(), beginning.rule)


def _private(data: bytes) -> Iterator[Found]:
    at = 0
    while (begin := _PRIVATE.search(data, at)) is not None:
        close = _PRIVATE_END.search(data, begin.end())
        at = len(data) if close is None else close.end()
        yield Found(begin.start(), at, "private-key")
    if b"PRIVATE+KEY+" in data:
        for found in _NOTE_KEY.finditer(data):
            yield Found(found.start(), found.end(), "note-key")


def _is_pair(text: bytes) -> bool:
    """Whether base64 says a user and a password (RFC 7617 section 2)."""
    text = text.rstrip(b"=")[:2048].replace(b"-", b"+").replace(b"_", b"/")
    try:
        pair = a2b_base64(text + b"=" * (-len(text) % 4))
    except Error:
        return False
    return _PAIR.fullmatch(pair) is not None


def _joined(places: list[Found]) -> list[Found]:
    """Return places in order, those that touch or overlap as one under the first one's rule."""
    joined: list[Found] = []
    for place in sorted(places):
        if joined and place.start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, place.end))
        else:
            joined.append(place)
    return joined


def _starred(data: bytes, places: list[Found]) -> bytes:
    """Return the data with stars in the places, so that the others stay where they are."""
    parts: list[bytes] = []
    at = 0
    for place in places:
        parts += (data[at : place.start], b"*" * (place.end - place.start))
        at = place.end
    return b"".join([*parts, data[at:]])
