"""Seal then verify is intact; a changed bit is found where it is, or changes no value."""

import io
import pathlib
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.strategies import identical, runs, transcript_of
from toolreplay.errors import InputError
from toolreplay.evidence.seal import (
    Break,
    Head,
    LinkChecker,
    head_text,
    line_of_link,
    parse_head,
    seal_lines,
)
from toolreplay.records.canonical import toolreplay_1
from toolreplay.records.jsonl import line_parser
from toolreplay.records.transcript import read_sealed, read_transcript

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "samples" / "session-dirty.jsonl"

PARSE = line_parser()


def seal(transcript: bytes) -> bytes:
    lines = seal_lines(read_transcript(io.BytesIO(transcript)))
    return b"".join(piece for pieces, _ in lines for piece in pieces)


def first_break(sealed: bytes) -> Break | None:
    checker = LinkChecker()
    for call in read_sealed(io.BytesIO(sealed)):
        broken = checker.check(call)
        if broken is not None:
            return broken
    return None


@given(runs)
def test_seal_then_verify_is_intact(calls) -> None:
    sealed = seal(transcript_of(calls))
    assert first_break(sealed) is None
    back = list(read_sealed(io.BytesIO(sealed)))
    assert identical(
        [[call.tool, call.args, call.response] for call in back], [list(call) for call in calls]
    )
    for line, call in zip(sealed.splitlines(), back, strict=True):
        assert toolreplay_1(PARSE(line)) == line == line_of_link(call)


@given(runs, st.data())
def test_a_change_that_was_sealed_again_is_seen_by_the_head(calls, data) -> None:
    sealed = seal(transcript_of(calls))
    digests = [call.link.digest for call in read_sealed(io.BytesIO(sealed)) if call.link]
    head = Head(len(digests), digests[-1] if digests else "0" * 64)
    assert parse_head(head_text(head), "head") == head
    if calls:
        at = data.draw(st.integers(0, len(calls) - 1))
        tool, args, response = calls[at]
        again = seal(transcript_of([*calls[:at], (tool + "x", args, response), *calls[at + 1 :]]))
        assert first_break(again) is None
        assert [call.link.digest for call in read_sealed(io.BytesIO(again)) if call.link][
            -1
        ] != head.digest


@given(runs.filter(lambda calls: len(calls) > 1), st.data())
def test_a_link_left_out_repeated_or_moved_is_found(calls, data) -> None:
    lines = seal(transcript_of(calls)).splitlines(keepends=True)
    at = data.draw(st.integers(0, len(lines) - 2))
    for changed in (
        lines[:at] + lines[at + 1 :],
        lines[: at + 1] + lines[at:],
        [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]],
    ):
        broken = first_break(b"".join(changed))
        assert broken is not None
        assert broken.member == "index"
        assert broken.index in (at, at + 1)


def judge_flip(sealed: bytes, lines: list[bytes], at: int, bit: int) -> str:
    """Flip one bit and hold the answer to what it must be; return which answer it was."""
    line = sealed.count(b"\n", 0, at)
    changed = sealed[:at] + bytes([sealed[at] ^ 1 << bit]) + sealed[at + 1 :]
    try:
        broken = first_break(changed)
    except InputError as error:
        assert error.where == f"line {line + 1}", (error, at, bit)
        return "input error"
    if broken is not None:
        assert broken.index == line, (broken, at, bit)
        return "broken link"
    new_line = changed.splitlines(keepends=True)[line]
    assert identical(PARSE(new_line), PARSE(lines[line])), (at, bit)
    call = next(call for call in read_sealed(io.BytesIO(changed)) if call.index == line)
    assert line_of_link(call) + b"\n" != new_line
    return "same values"


def test_each_bit_of_the_sealed_sample(capsys) -> None:
    sealed = seal(SAMPLE.read_bytes())
    lines = sealed.splitlines(keepends=True)
    answers = {"input error": 0, "broken link": 0, "same values": 0}
    for at in range(len(sealed)):
        for bit in range(8):
            answers[judge_flip(sealed, lines, at, bit)] += 1
    with capsys.disabled():
        print(f"\nbits of the sealed sample: {answers}")
    assert answers["same values"] == 0
    assert answers["broken link"] > 1000


@settings(max_examples=60)
@given(runs.filter(bool), st.data())
def test_bits_of_any_sealed_file(calls, data) -> None:
    sealed = seal(transcript_of(calls))
    lines = sealed.splitlines(keepends=True)
    for at in data.draw(st.lists(st.integers(0, len(sealed) - 1), min_size=25, max_size=25)):
        judge_flip(sealed, lines, at, data.draw(st.integers(0, 7)))


def test_a_flip_that_changes_no_value_is_named_by_verify_explain(tmp_path, monkeypatch) -> None:
    from toolreplay.cli.main import main

    sealed = seal(transcript_of([("t", {"é": 1e16}, {"a": "\u2028\xaa"}), ("t", {}, {})]))
    lines = sealed.splitlines(keepends=True)
    silent = [
        (at, bit)
        for at in range(len(sealed))
        for bit in range(8)
        if judge_flip(sealed, lines, at, bit) == "same values"
    ]
    # The letters of \u00e9, \u00aa and of 1e+16, in upper case.
    assert [sealed[at : at + 1] for at, _ in silent] == [b"e", b"e", b"a", b"a"]
    for at, bit in [*silent, (0, None)]:
        path = tmp_path / f"{at}-{bit}.jsonl"
        changed = (
            sealed
            if bit is None
            else sealed[:at] + bytes([sealed[at] ^ 1 << bit]) + sealed[at + 1 :]
        )
        path.write_bytes(changed)
        out = io.TextIOWrapper(io.BytesIO())
        monkeypatch.setattr(sys, "stdout", out)
        status = main(["verify", "--explain", str(path)])
        printed = out.buffer.getvalue().decode()  # type: ignore[attr-defined]
        monkeypatch.undo()
        assert status == 0
        assert printed.startswith("chain: intact\n")
        named = "line 1 is not in canonical form" in printed
        assert named == (bit is not None), printed
