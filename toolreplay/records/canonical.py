r"""The named canonical forms: one value, one spelling, so that equal values hash alike.

`toolreplay-1`  the form of the tutorial's digests and call keys: sorted member names, no white
                space, U+007F and all outside ASCII as `\\uXXXX`, shortest floats as Python spells
                them. Lone surrogates have a form (their escape).
`aer1`          the committed bytes of AER-1 receipts (CAN-1 to CAN-13 of docs/formats): the same,
                but characters outside ASCII stand literally as UTF-8. Lone surrogates have none.

"Canonical JSON" is not one thing, so no function here is called that, and a digest always says
which form it used. A value without a form is refused: turned into text anyway, two different
values could share a digest. NaN, Infinity, member names that are not strings, integers that no
reader would take back, two halves of a surrogate pair as two characters (their escapes are those
of the one character), tuples and other types have no form.
"""

import re
from collections.abc import Callable
from json import JSONEncoder
from json.encoder import (  # type: ignore[attr-defined]
    c_make_encoder,  # None in an interpreter without the C accelerator
    encode_basestring,
    encode_basestring_ascii,
)

from toolreplay.errors import CanonicalError
from toolreplay.records.call import Json, JsonObject, ToolCall
from toolreplay.records.limits import INTEGER_DIGITS

__all__ = [
    "FORMS",
    "aer1",
    "aer1_text_of_parsed",
    "call_key_text",
    "link_pieces",
    "link_text",
    "text_of_parsed",
    "toolreplay_1",
]


def toolreplay_1(value: Json) -> bytes:
    """Return the `toolreplay-1` form of a value; ASCII bytes. Raises CanonicalError."""
    _refuse_formless(value)
    return text_of_parsed(value).encode("ascii")


def aer1(value: Json) -> bytes:
    """Return the `aer1` form of a value; UTF-8 bytes. Raises CanonicalError."""
    _refuse_formless(value)
    try:
        return _aer1_text(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise CanonicalError(
            f"a lone surrogate U+{ord(error.object[error.start]):04X} has no form aer1"
        ) from None


FORMS: dict[str, Callable[[Json], bytes]] = {"aer1": aer1, "toolreplay-1": toolreplay_1}
"""Each form by the name that documents and digests use."""


def _text_of_parsed(spelling: Callable[[str], str], *, allow_nan: bool) -> Callable[[Json], str]:
    if c_make_encoder is None:
        return JSONEncoder(
            ensure_ascii=spelling is encode_basestring_ascii,
            check_circular=False,
            sort_keys=True,
            separators=(",", ":"),
            allow_nan=allow_nan,
        ).encode
    # What JSONEncoder.encode does, without making a new encoder for each of its calls: that costs
    # more than encoding a short record. tests/records/test_canonical.py holds the bytes equal.
    encode = c_make_encoder(None, None, spelling, None, ":", ",", True, False, allow_nan)
    join = "".join

    def text_of_parsed(value: Json) -> str:
        try:
            return join(encode(value, 0))
        except RecursionError:
            # With a raised depth limit the parser may get a few levels further than the encoder.
            raise CanonicalError("nested deeper than the interpreter can follow") from None
        except ValueError:
            raise CanonicalError(
                "an integer of more digits than the interpreter was set to write"
            ) from None

    return text_of_parsed


text_of_parsed: Callable[[Json], str] = _text_of_parsed(encode_basestring_ascii, allow_nan=False)
"""The `toolreplay-1` form, as ASCII text, of a value that records/jsonl.py parsed.

Such a value has a form by construction; any other value must go through `toolreplay_1`.
"""

_aer1_text: Callable[[Json], str] = _text_of_parsed(encode_basestring, allow_nan=False)

aer1_text_of_parsed: Callable[[Json], str] = _text_of_parsed(encode_basestring, allow_nan=True)
"""The `aer1` form, as text, of a value that a JSON parser returned.

NaN and Infinity are spelt as Python does (AER-1, CAN-9): whoever refuses them must look. Text with
a lone surrogate has no bytes: encoding it raises UnicodeEncodeError.
"""


def call_key_text(tool: str, args: JsonObject) -> str:
    """Return the `toolreplay-1` form of `{"args": …, "tool": …}`: two calls are equal by it."""
    return f'{{"args":{text_of_parsed(args)},"tool":{encode_basestring_ascii(tool)}}}'


def link_text(call: ToolCall, prev: str) -> str:
    """Return what a link's digest covers: the form of `{args, index, prev, response, tool}`."""
    return text_of_parsed(
        {
            "args": call.args,
            "index": call.index,
            "prev": prev,
            "response": call.response,
            "tool": call.tool,
        }
    )


def link_pieces(call: ToolCall, prev: str) -> tuple[bytes, ...]:
    """Return the ASCII bytes of `link_text` in pieces, of which the first ends with the args.

    The sealed line has `,"digest":"…"` behind the first, where sorting places that member. A large
    response is a piece of its own, because joining would copy it.
    """
    first = f'{{"args":{text_of_parsed(call.args)}'.encode("ascii")
    start = f',"index":{call.index},"prev":"{prev}","response":'
    response = text_of_parsed(call.response)
    end = f',"tool":{encode_basestring_ascii(call.tool)}}}'
    if len(response) < _LARGE:
        return first, f"{start}{response}{end}".encode("ascii")
    return first, start.encode("ascii"), response.encode("ascii"), end.encode("ascii")


def _refuse_formless(value: Json) -> None:
    """Raise CanonicalError for a value without a form.

    A value is looked at quickly first; only one that is not clearly in order is walked slowly, to
    say why.
    """
    try:
        if _is_in_order(value, 0):
            return
    except RecursionError:
        pass
    _walk(value)


def _is_in_order(value: Json, depth: int) -> bool:
    """Say whether a value surely has a form; False of what holds itself, as of what is too deep."""
    kind = type(value)
    if kind is dict:
        for name in value:
            if type(name) is not str or not (name.isascii() or _has_no_split_pair(name)):
                return False
        items = value.values()
    elif kind is list:
        items = value
    else:
        items = (value,)
    for item in items:
        kind = type(item)
        if kind is str:
            if not (item.isascii() or _has_no_split_pair(item)):
                return False
        elif kind is int:
            if item.bit_length() > _FEWEST_BITS:
                return False
        elif kind is dict or kind is list:
            if depth >= _DEEPEST - 1 or not _is_in_order(item, depth + 1):
                return False
        elif kind is float:
            if item - item != 0.0:
                return False
        elif item is not None and kind is not bool:
            return False
    return True


def _has_no_split_pair(text: str) -> bool:
    return re.search(_SPLIT_PAIR, text) is None


def _walk(value: Json) -> None:
    """Walk a value without recursion (it may be deeper than the stack, or hold itself)."""
    waiting: list[Json] = [value]
    entered: set[int] = set()
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind is dict or kind is list:
            waiting.append(_Leave(id(item)))
            if id(item) in entered:
                raise CanonicalError("a value that holds itself has no form")
            entered.add(id(item))
            if kind is dict:
                for name in item:
                    if type(name) is not str:
                        raise CanonicalError(
                            f"a member name of type {type(name).__name__} has no form"
                        )
                waiting.extend(item)
                waiting.extend(item.values())
            else:
                waiting.extend(item)
            if len(entered) > _DEEPEST:
                raise CanonicalError(f"nested deeper than {_DEEPEST} levels")
        elif kind is _Leave:
            entered.discard(item.identity)
        elif kind is float:
            if item - item != 0.0:
                raise CanonicalError(f"the number {item} has no form")
        elif kind is str:
            if not item.isascii() and re.search(_SPLIT_PAIR, item):
                raise CanonicalError("a surrogate pair as two characters has no form")
        elif kind is int:
            if item.bit_length() > _FEWEST_BITS and abs(item) >= 10**INTEGER_DIGITS:
                raise CanonicalError(f"an integer of more than {INTEGER_DIGITS} digits has no form")
        elif kind not in _SCALARS:
            raise CanonicalError(f"a value of type {kind.__name__} has no form")


_LARGE = 1 << 20  # characters; below it one piece is faster than three

_DEEPEST = 512
"""Levels; the larger of the two depth limits (records 200, receipts 512): what is deeper could be
written but never read back."""

_SCALARS = frozenset({bool, type(None)})
_FEWEST_BITS = 3 * INTEGER_DIGITS
_SPLIT_PAIR = r"[\ud800-\udbff][\udc00-\udfff]"


class _Leave:
    """Marks on the walk's stack that all below one container has been seen."""

    __slots__ = ("identity",)

    def __init__(self, identity: int) -> None:
        self.identity = identity
