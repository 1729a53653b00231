"""One line of the stdio transport taken apart: JSON-RPC messages, and where their parts stand.

JSON-RPC 2.0; a line may be an array of messages (a batch, MCP 2025-03-26). Read as servers read it,
not as an auditor would: bytes that are no UTF-8 are replaced, control characters may stand in
strings, and of a member that stands twice the last counts. What a server may take, must be seen.
"""

import json

from toolreplay.records.call import Json, JsonObject
from toolreplay.records.limits import DEFAULT
from toolreplay.records.spans import elements_of, members_of
from toolreplay.records.structure import is_deeper, values_over

__all__ = ["Message", "error_answer", "messages_in", "refusal_of", "withheld"]

_BLANKS = b" \t\r\n"


class Message:
    """One message of a line: its parsed object, and the bytes [start, end) it has in the line."""

    __slots__ = ("_members", "_params", "end", "line", "start", "value")

    def __init__(self, line: bytes, value: JsonObject, start: int, end: int) -> None:
        self.line, self.value, self.start, self.end = line, value, start, end
        self._members: dict[str, tuple[int, int]] | None = None
        self._params: dict[str, tuple[int, int]] | None = None

    @property
    def method(self) -> str | None:
        """What is asked for, None of what is no request and no notification."""
        method = self.value.get("method")
        return method if type(method) is str else None

    @property
    def params(self) -> JsonObject:
        """The parameters; what is no object has none."""
        params = self.value.get("params")
        return params if type(params) is dict else {}

    def raw(self, name: str) -> bytes | None:
        """Return the exact bytes of a member, the last of that name; None where there is none."""
        if self._members is None:
            self._members = _places(self.line, self.start)
        return self._cut(self._members.get(name))

    def raw_param(self, name: str) -> bytes | None:
        """Return the exact bytes of a member of the parameters; None where there is none."""
        if self._params is None:
            self.raw("params")
            place = (self._members or {}).get("params")
            self._params = {} if place is None else _places(self.line, place[0])
        return self._cut(self._params.get(name))

    def _cut(self, place: tuple[int, int] | None) -> bytes | None:
        return None if place is None else self.line[place[0] : place[1]]


def messages_in(line: bytes) -> tuple[list[Message], bool] | None:
    """Return the messages of a line and whether it is a batch; None of what cannot be parsed.

    A blank line has none, and elements that are no objects are no messages.
    """
    text = line.strip(_BLANKS)
    if not text:
        return [], False
    if values_over(line, DEFAULT.line_values) or is_deeper(line, DEFAULT.depth):
        return None
    try:
        value: Json = json.loads(text.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    start = line.index(text[:1])
    if type(value) is dict:
        return [Message(line, value, start, start + len(text))], False
    if type(value) is not list:
        return [], False
    places = elements_of(line, start)
    return [
        Message(line, element, *place)
        for element, place in zip(value, places, strict=True)
        if type(element) is dict
    ], True


def error_answer(request_id: bytes, code: int, text: str) -> bytes:
    """Return an error of ours; `request_id` are the bytes of the id it answers. No line ending."""
    error = json.dumps({"code": code, "message": text}, ensure_ascii=True)
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (request_id, error.encode())


def refusal_of(line: bytes, code: int, text: str) -> bytes:
    """Return the line that answers every request of a line with an error; nothing if it has none.

    A line that cannot be parsed is answered with the id null (JSON-RPC 2.0, section 5).
    """
    found = messages_in(line)
    if found is None:
        return error_answer(b"null", code, text) + b"\n"
    messages, is_batch = found
    answers = [
        error_answer(each.raw("id") or b"null", code, text)
        for each in messages
        if each.method is not None and "id" in each.value
    ]
    if not answers:
        return b""
    return (b"[%b]\n" % b",".join(answers)) if is_batch else answers[0] + b"\n"


def withheld(line: bytes, code: int, text: str) -> bytes:
    """Return a line with an error in place of each answer it has."""
    out, done = [], 0
    for each in (messages_in(line) or ([], False))[0]:
        if each.method is None and "id" in each.value:
            out += [line[done : each.start], error_answer(each.raw("id") or b"null", code, text)]
            done = each.end
    return b"".join([*out, line[done:]])


def _places(line: bytes, start: int) -> dict[str, tuple[int, int]]:
    return {member.name: (member.start, member.end) for member in members_of(line, start)}
