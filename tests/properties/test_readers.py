"""Any bytes into a reader give records, or one error that says where and what."""

import io
import json
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.strategies import (
    check_refusal,
    identical,
    mutated,
    runs,
    some_calls,
    soup,
    transcript_of,
)
from toolreplay.errors import DeclarationError, InputError, TranscriptError
from toolreplay.evidence.seal import parse_head, seal_lines
from toolreplay.records.call import Place, ToolCall
from toolreplay.records.jsonl import LineError, line_parser, lines_of
from toolreplay.records.limits import Limits
from toolreplay.records.meta import MetaReader
from toolreplay.records.scope import parse_scope
from toolreplay.records.transcript import TranscriptWriter, read_sealed, read_transcript

any_bytes = st.one_of(st.binary(max_size=200), soup)

PARSE = line_parser()


def outcome(reader, data: bytes):
    """Return the calls of a transcript, or its refusal; nothing else may happen."""
    calls = []
    try:
        for call in reader(io.BytesIO(data)):
            calls.append(call)
    except InputError as error:
        check_refusal(error)
        assert error.where.startswith("line ")
        assert len(calls) < int(error.where.split()[1])
        return error
    for position, call in enumerate(calls):
        assert call.index == position
        assert type(call.tool) is str
        assert call.tool
        assert type(call.args) is dict
        assert type(call.response) is dict
        assert data[call.place.start : call.place.end].strip()
    return calls


@given(any_bytes)
def test_any_bytes_into_the_readers_give_calls_or_one_error(data: bytes) -> None:
    outcome(read_transcript, data)
    outcome(read_sealed, data)


@given(any_bytes)
def test_any_line_gives_a_value_or_one_error(line: bytes) -> None:
    try:
        value = PARSE(line)
    except LineError as error:
        assert str(error)
        assert len(str(error)) < 300
    else:
        # What is accepted, Python's own parser accepts too, with the same value.
        assert identical(value, json.loads(line))


@given(any_bytes)
def test_what_pythons_own_parser_refuses_is_refused(line: bytes) -> None:
    try:
        json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        with pytest.raises(LineError):
            PARSE(line)


@given(any_bytes, st.integers(1, 30))
def test_lines_and_their_places_are_the_file(data: bytes, most: int) -> None:
    end = 0
    try:
        for line_number, start, line in lines_of(io.BytesIO(data), Limits(line_bytes=most)):
            assert not data[end:start].strip(b" \t\r\n")
            assert line_number == data.count(b"\n", 0, start) + 1
            assert start == 0 or data[start - 1 : start] == b"\n"
            assert line.strip(b" \t\r\n")
            assert data[start : start + len(line)] == line
            assert line.endswith(b"\n") or start + len(line) == len(data)
            assert len(line.removesuffix(b"\n").removesuffix(b"\r")) <= most or line.endswith(b"\r")
            end = start + len(line)
    except InputError as error:
        number = int(error.where.removeprefix("line "))
        assert len(data.split(b"\n")[number - 1]) > most
        check_refusal(error)
    else:
        assert not data[end:].strip(b" \t\r\n")


@given(any_bytes)
def test_any_bytes_as_a_scope_give_a_scope_or_one_error(data: bytes) -> None:
    try:
        scope = parse_scope(data, "scope.json")
    except DeclarationError as error:
        check_refusal(error)
    else:
        assert all(type(tool) is str for tool in scope.allowed_tools)


@given(st.one_of(any_bytes, any_bytes.map(lambda data: b"toolreplay/seal/v1\n" + data)))
def test_any_bytes_as_a_head_give_a_head_or_one_error(data: bytes) -> None:
    try:
        head = parse_head(data, "head")
    except InputError as error:
        assert error.where == "head"
    else:
        assert head.count >= 0
        assert len(head.digest) == 64


@given(
    st.one_of(
        any_bytes,
        any_bytes.map(
            lambda data: b'{"format":"toolreplay-meta/1","imported":"x","run":"r"}\n' + data
        ),
    )
)
def test_any_bytes_as_a_companion_give_calls_or_one_error(data: bytes) -> None:
    call = ToolCall(0, "t", {}, {"outcome": []}, Place(1, 0, 1))
    try:
        list(MetaReader(io.BytesIO(data), "x.meta.jsonl").join(iter([call])))
    except InputError as error:
        assert str(error).startswith("x.meta.jsonl: ")


def sealed(transcript: bytes) -> bytes:
    lines = seal_lines(read_transcript(io.BytesIO(transcript)))
    return b"".join(piece for pieces, _ in lines for piece in pieces)


@pytest.mark.parametrize(
    ("title", "prepare", "reader"),
    [("transcripts", bytes, read_transcript), ("sealed transcripts", sealed, read_sealed)],
)
def test_mutants_are_read_or_refused_and_both_happen_often(title, prepare, reader, capsys) -> None:
    rng = random.Random(7)
    ways: Counter[tuple[str, str]] = Counter()
    for _ in range(3000):
        way, broken = mutated(rng, prepare(transcript_of(some_calls(rng))))
        refused = isinstance(outcome(reader, broken), InputError)
        ways[way, "refused" if refused else "read"] += 1
    read = sum(count for (_, word), count in ways.items() if word == "read")
    with capsys.disabled():
        print(
            f"\n{title}: 3000 mutants, {read} read, {3000 - read} refused ({read / 3000:.0%} read)"
        )
    assert 100 <= read <= 2900, ways
    # What must be read, and what must not: members in another order or spelling, and twice.
    assert not ways["members", "refused"] + ways["escape", "refused"] + ways["double", "read"], ways


@given(runs)
def test_what_the_writer_writes_the_reader_reads_back_equal(calls) -> None:
    back = list(read_transcript(io.BytesIO(transcript_of(calls))))
    assert len(back) == len(calls)
    for call, (tool, args, response) in zip(back, calls, strict=True):
        assert identical([call.tool, call.args, call.response], [tool, args, response])


awkward_values = st.recursive(
    st.one_of(
        st.none(), st.integers(), st.floats(), st.text(st.characters(exclude_categories=())),
        st.binary(max_size=3), st.just(4300).map(lambda power: 10**power), st.tuples(st.integers()), st.sets(st.integers(), max_size=2),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.one_of(st.text(max_size=3), st.integers()), inner, max_size=3)),
    max_leaves=6,
)  # fmt: skip


@given(
    st.lists(
        st.tuples(st.one_of(st.text(max_size=3), st.none()), awkward_values, awkward_values),
        max_size=4,
    )
)
def test_whatever_is_handed_to_the_writer_is_readable_or_not_written(calls) -> None:
    from toolreplay.errors import CanonicalError

    file = io.BytesIO()
    writer = TranscriptWriter(file)
    written = []
    for call in calls:
        before = file.getvalue()
        try:
            writer.call(*call)
        except (CanonicalError, TranscriptError):
            assert file.getvalue() == before
        else:
            written.append(call)
    back = [
        [call.tool, call.args, call.response]
        for call in read_transcript(io.BytesIO(file.getvalue()))
    ]
    assert identical(back, [list(call) for call in written])
