"""Redaction of random texts: what was planted is nowhere, and everything else is where it was."""

import base64
import json
import random
from urllib.parse import quote_from_bytes, unquote_to_bytes

from hypothesis import example, given
from hypothesis import strategies as st

from tests.evidence.redaction.samples import LOT, TOKEN, TOKENS
from tests.properties.strategies import identical, soup, values
from tests.stores.scanning import _unescaped, holds
from toolreplay.evidence.redaction.finder import Finder
from toolreplay.evidence.redaction.redactor import Redactor

REDACTOR = Redactor()

_WAYS = ("raw", "json", "percent", "quoted", "base64", "url")

ways = st.lists(st.sampled_from(_WAYS), min_size=1, max_size=2)
edges = st.text(st.characters(exclude_categories=("Cs",)), max_size=9)


def _spelt(text: bytes, way: str, before: bytes, behind: bytes) -> bytes:
    """Return a text in another spelling, with something before and behind that is spelt along."""
    whole = before + text + behind
    if way == "json":
        return json.dumps({"a": whole.decode()}).encode()
    if way == "percent":
        return "".join(f"%{byte:02X}" for byte in whole).encode()
    if way == "quoted":
        return quote_from_bytes(whole, safe="").encode()
    if way == "base64":
        return base64.b64encode(whole)
    return base64.urlsafe_b64encode(whole) if way == "url" else whole


def _holds(data: bytes) -> bool:
    """Whether the token stands in bytes, in escapes of escapes too, which the scanner does not undo."""
    forms = {data, unquote_to_bytes(data), _unescaped(data)}
    forms |= {unquote_to_bytes(_unescaped(data)), _unescaped(_unescaped(data))}
    return any(holds(form, TOKEN.encode()) for form in forms)


def _planted(rng: random.Random, value: object, text: str, places: int) -> object:
    """Return a value with a text in some places: an element, a member's value or its name."""
    if places == 0:
        return text
    if isinstance(value, list):
        at = rng.randrange(len(value) + 1)
        inner = value[at] if at < len(value) else None
        return [*value[:at], _planted(rng, inner, text, places - 1), *value[at + 1 :]]
    if isinstance(value, dict):
        name = rng.choice([*value, "x", text])
        return value | {name: _planted(rng, value.get(name), text, places - 1)}
    return [value, _planted(rng, None, text, places - 1)]


def _without(view: object, old: object) -> object:
    """Return the old value with what is hidden in the view put in its place; names by their order."""
    if isinstance(view, str) and view.startswith("[redacted:"):
        return view
    if isinstance(view, dict) and isinstance(old, dict) and len(view) == len(old):
        pairs = zip(view.items(), old.items(), strict=True)
        return {
            (name if name.startswith("[redacted:") else was): _without(new, each)
            for (name, new), (was, each) in pairs
        }
    if isinstance(view, list) and isinstance(old, list) and len(view) == len(old):
        return [_without(new, each) for new, each in zip(view, old, strict=True)]
    return old


@given(
    values, ways, edges, edges, st.randoms(use_true_random=False), st.integers(1, 3), st.booleans()
)
@example({}, ["base64", "base64"], "ab", "", random.Random(1), 2, True)
def test_what_is_planted_in_json_is_nowhere(value, ways, before, behind, rng, places, is_ascii):  # type: ignore[no-untyped-def]
    """In any place and spelling; what is left is JSON of the same shape, else byte for byte."""
    text = TOKEN.encode()
    for way in ways:
        text = _spelt(text, way, before.encode(), behind.encode())
    value = _planted(rng, value, text.decode(), places)
    content = json.dumps(value, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    assert _holds(content)
    found = REDACTOR.redacted(content)
    assert found.hidden
    assert not _holds(found.content)
    assert not _holds(json.dumps(found.hidden).encode())
    view = json.loads(found.content)
    assert identical(view, _without(view, value))
    assert _is_what_is_left(content, found.content)
    again = REDACTOR.redacted(found.content)
    assert (again.content, again.hidden) == (found.content, ())


@given(
    st.text(max_size=40),
    st.sampled_from([each for some in TOKENS.values() for each in some]),
    st.text(max_size=40),
    ways,
)
def test_what_is_planted_in_a_text_is_nowhere(before, token, behind, ways):  # type: ignore[no-untyped-def]
    """In any spelling, with blanks around; bytes around stay unless the spelling needs them."""
    text = token.encode()
    for way in ways:
        text = _spelt(text, way, b" ", b" ")
    content = (
        before.encode("utf-8", "replace") + b" " + text + b" " + behind.encode("utf-8", "replace")
    )
    found = REDACTOR.redacted(content)
    assert found.hidden
    assert not holds(found.content, token.encode())
    assert REDACTOR.redacted(found.content).hidden == ()


@given(st.one_of(soup, st.binary(max_size=200)), st.sampled_from([b" ", b"\xff", b"\n", b'"']))
def test_any_bytes_around_stay(data, edge):  # type: ignore[no-untyped-def]
    """Bytes that are no text too."""
    content = data + edge + TOKEN.encode() + b"\xff" + data
    found = REDACTOR.redacted(content)
    assert not holds(found.content, TOKEN.encode())
    assert _is_what_is_left(content, found.content)


@given(values)
def test_nothing_is_hidden_where_nothing_is_found(value):  # type: ignore[no-untyped-def]
    """Random values hold no credential, and their bytes are kept as they are."""
    content = json.dumps(value).encode()
    assert REDACTOR.redacted(content).content == content


@given(st.binary(max_size=100), st.integers(0, 3))
def test_images_and_digests_stay(data, offset):  # type: ignore[no-untyped-def]
    """What looks drawn by lot is no credential for that alone."""
    content = json.dumps(
        {"data": base64.b64encode(data).decode()[offset:], "sha256": data.hex(), "id": LOT}
    ).encode()
    assert REDACTOR.redacted(content).content == content


def _is_what_is_left(content: bytes, view: bytes) -> bool:
    """Whether a view is the content with some of its bytes replaced by marks."""
    at = 0
    parts = view.split(b"[redacted:")
    for number, part in enumerate(parts):
        kept = part.split(b"]", 1)[1] if number else part
        kept = kept.removeprefix(b'"') if number else kept
        if number < len(parts) - 1:
            kept = kept.removesuffix(b'"')
        found = content.find(kept, at)
        if found < 0:
            return False
        at = found + len(kept)
    return True


def test_the_quick_look_overlooks_nothing() -> None:
    """What is found in the bytes of a JSON text is found in its strings, and the other way round."""
    rng = random.Random(5)
    finder = Finder()
    samples = [each for some in TOKENS.values() for each in some]
    for _ in range(300):
        text = rng.choice(["", "a\n", 'say "', "\\", "é", "x: "]) + rng.choice(samples)
        content = json.dumps([text], ensure_ascii=rng.random() < 0.5).encode()
        assert bool(finder.rule_in(text.encode())) == bool(REDACTOR.redacted(content).hidden), text
