"""The canonical forms: one spelling for each value, and a fixed point of parse and write."""

import json

import pytest
from hypothesis import given

from tests.properties.strategies import identical, objects, texts, values
from toolreplay.errors import CanonicalError
from toolreplay.records.canonical import aer1, call_key_text, text_of_parsed, toolreplay_1
from toolreplay.records.jsonl import line_parser

PARSE = line_parser()


def has_lone_surrogate(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


@given(values)
def test_the_form_of_the_tutorial_is_what_python_writes(value) -> None:
    expected = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    assert toolreplay_1(value) == expected.encode("ascii")
    assert text_of_parsed(value) == expected


@given(values)
def test_the_form_of_receipts_is_what_python_writes_unescaped(value) -> None:
    if has_lone_surrogate(value):
        with pytest.raises(CanonicalError):
            aer1(value)
    else:
        expected = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert aer1(value) == expected.encode("utf-8")


@given(values)
def test_forms_are_fixed_points_of_parse_and_write(value) -> None:
    form = toolreplay_1(value)
    assert identical(PARSE(form), value)
    assert toolreplay_1(PARSE(form)) == form
    if not has_lone_surrogate(value):
        form = aer1(value)
        assert identical(PARSE(form), value)
        assert aer1(PARSE(form)) == form


@given(values)
def test_any_spelling_of_a_value_has_its_form(value) -> None:
    for spelling in (
        json.dumps(value),
        json.dumps(value, indent=1).replace("\n", "\r\n"),
        json.dumps(value, separators=(" , ", " : ")),
    ):
        assert toolreplay_1(PARSE(spelling.encode())) == toolreplay_1(value)


@given(texts)
def test_a_text_spelt_in_escapes_alone_has_its_form(text) -> None:
    units = text.encode("utf-16-be", "surrogatepass").hex()
    spelling = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
    for spelt in (spelling, spelling.upper().replace("\\U", "\\u")):
        assert toolreplay_1(PARSE(f'"{spelt}"'.encode())) == toolreplay_1(text)


@given(values, values)
def test_different_values_have_different_forms(one, other) -> None:
    assert (toolreplay_1(one) == toolreplay_1(other)) == identical(one, other)


@given(objects)
def test_the_order_of_members_does_not_matter(value) -> None:
    backwards = dict(reversed(value.items()))
    assert toolreplay_1(backwards) == toolreplay_1(value)


@given(texts, objects)
def test_the_call_key_is_the_form_of_its_object(tool, args) -> None:
    assert call_key_text(tool, args).encode("ascii") == toolreplay_1({"tool": tool, "args": args})
