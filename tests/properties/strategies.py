"""What the properties are tried on: JSON values, calls, transcripts and what happens to files."""

import io
import json
import random
import re

from hypothesis import strategies as st

from toolreplay.errors import InputError
from toolreplay.records.transcript import TranscriptWriter

Call = tuple[str, dict[str, object], dict[str, object]]

_SPLIT_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")

# A pair as two characters has no form: a parser never gives one.
texts = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=8),
    st.text(
        st.sampled_from('[]{}",:\\/\x00\x1f\x7f\x85\u2028\ufeff\ud800\udfff\U0001f600éaA0'),
        max_size=12,
    ),
).filter(lambda text: not _SPLIT_PAIR.search(text))

numbers = st.one_of(
    st.integers(),
    st.integers(-(10**60), 10**60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0, -1, 2**53, 2**53 + 1, 0.0, -0.0, 1.0, 1e16, 1e-5, 1e-7, 5e-324]),
)

values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)

objects = st.dictionaries(texts, values, max_size=2)

free_calls = st.tuples(texts.filter(bool), objects, objects)

# Few tools, arguments and responses, so that calls repeat.
repeating_calls = st.tuples(
    st.sampled_from(["read_file", "search", "write_file", "run_command", "İ"]),
    st.sampled_from([{}, {"a": 1}, {"a": 1.0}, {"a": True}, {"b": 1, "a": 2}, {"a": 2, "b": 1}]),
    st.sampled_from(
        [{}, {"n": 0}, {"n": 0.0}, {"n": -0.0}, {"n": False}, {"x": 1, "y": 2}, {"y": 2, "x": 1}]
    ),
)

runs = st.lists(st.one_of(free_calls, repeating_calls, repeating_calls), max_size=8)


def transcript_of(calls: list[Call]) -> bytes:
    """Write a transcript with the writer that users have."""
    file = io.BytesIO()
    writer = TranscriptWriter(file)
    for call in calls:
        writer.call(*call)
    return file.getvalue()


def identical(one: object, other: object) -> bool:
    """Whether two values are the same JSON: True, 1 and 1.0 are three, and so are 0.0 and -0.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(identical(one[name], other[name]) for name in one)  # type: ignore[attr-defined,index]
    if isinstance(one, list):
        return len(one) == len(other) and all(map(identical, one, other))  # type: ignore[arg-type]
    if isinstance(one, float):
        return repr(one) == repr(other)
    return one == other


def check_refusal(error: InputError) -> None:
    """Hold a refusal to what every refusal is: a place, a fact, and not a page of text."""
    assert type(error) is not InputError or error.what.startswith("longer than")
    assert error.where, error
    assert error.what, error
    assert len(str(error)) < 2500


_TOKENS = [
    *(b'{}[],:"\\ \t\r\n'[at : at + 1] for at in range(12)), b"null", b"true", b"NaN", b"Infinity", b"-", b"0", b"1e999",
    b"9" * 4301, b'"index"', b'"index": 0', b'"tool": "t"', b'"args": {}', b'"response": {}', b'"extra": 1', b'"prev"', b'"digest"',
    b"\\ud800", b"\\u0061", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\x00", b"\x1b[31m", b"[" * 201, b"]" * 201,
]  # fmt: skip

soup = st.lists(st.one_of(st.sampled_from(_TOKENS), st.binary(max_size=6)), max_size=20).map(
    b"".join
)


def some_calls(rng: random.Random) -> list[Call]:
    """Return a few calls without asking Hypothesis, which is slow at large examples."""
    words = ["path", "é", "\U0001f600", "a\ud800", "", "[{", '"\\', "e", "\u2028", "query"]
    scalars = [None, True, 0, -1, 10**20, 1.5, -0.0, 1e16, *words]

    def value(level: int) -> object:
        kind = rng.randrange(4) if level < 3 else 3
        if kind == 0:
            return [value(level + 1) for _ in range(rng.randrange(3))]
        if kind == 1:
            return {word: value(level + 1) for word in rng.sample(words, rng.randrange(3))}
        return rng.choice(scalars)

    def members() -> dict[str, object]:
        return {word: value(0) for word in rng.sample(words, rng.randrange(3))}

    return [(rng.choice(words) or "t", members(), members()) for _ in range(rng.randrange(1, 6))]


def mutated(rng: random.Random, data: bytes) -> tuple[str, bytes]:
    """Damage a file in one of the ways that files are damaged; return the way and the bytes."""
    way = rng.choice(
        ["flip", "cut", "delete", "insert", "ending", "lines", "members", "double", "escape"]
    )
    at = rng.randrange(len(data))
    if way == "flip":
        return way, data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    if way == "cut":
        return way, data[:at]
    if way == "delete":
        return way, data[:at] + data[at + rng.randrange(1, 40) :]
    if way == "insert":
        return way, data[:at] + rng.choice(_TOKENS) + data[at:]
    if way == "ending":
        return way, data.replace(b"\n", rng.choice([b"\r\n", b"\n\n", b" \n", b"\n\t\r\n", b"\r"]))
    lines = data.splitlines(keepends=True)
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    if way == "lines":
        lines[at], lines[other] = lines[other], lines[at]
        return way, b"".join(lines)
    members = list(json.loads(lines[at]).items())
    rng.shuffle(members)
    if way == "double":
        members.insert(rng.randrange(len(members)), rng.choice(members))
    spelt = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in members]
    if way == "escape":  # the same letters, spelt as escapes
        spelt = [
            member.replace('"' + letter, f'"\\u{ord(letter):04x}', 1)
            for member in spelt
            for letter in [rng.choice("aeitrp")]
        ]
    lines[at] = ("{" + ", ".join(spelt) + "}\n").encode()
    return way, b"".join(lines)
