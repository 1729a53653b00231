"""What of an MCP session becomes calls: lines in, events out; nothing is read or written here.

MCP 2024-11-05 to 2025-11-25 (with a handshake) and 2026-07-28 (without), told apart message by
message. Rules kept here:

* Only `tools/call` of the client is a call. Its arguments are the bytes of `params.arguments`, its
  result those of `result` or `error`; of a member that stands twice the last counts.
* A request is known by the JSON type and value of its id: 1, "1" and 1.0 are three. An answer whose
  number is spelt otherwise (1 for 1.0) goes to the one that equals it, if no other fits. Of several
  with one id, the oldest is answered first.
* An answer with both `result` and `error` counts by its result, as the official clients take it.
* A cancelled call ends with its late answer, else at the session's end without a result.
* A result `input_required` ends nothing: the request that goes on with it (same tool, arguments and
  `requestState`) is the same call, and its `inputResponses` are a round.
* What is malformed is recorded all the same. A name that is no string is the JSON text that stands
  in its place, with the flag `name_escaped`; no name is `unknown`. A call without an id, or with one
  that nobody answers, stays unfinished.
"""

import json
from typing import NamedTuple

from toolreplay.capture.mcp_stdio.answered import outcome_of, server_named
from toolreplay.capture.mcp_stdio.definitions import Definitions
from toolreplay.capture.mcp_stdio.messages import Message, messages_in
from toolreplay.capture.observed import Intent, Outcome
from toolreplay.records.call import Json

__all__ = ["UNPARSED", "Begin", "Call", "End", "Event", "Gap", "Session"]

UNPARSED = "unparsed line"

_INTRODUCTIONS = ("initialize", "server/discover")
_LONGEST_NAME = 4096
_LONGEST_ID = 256
_ABSENT = object()


class Call:
    """One logical call. Whoever recorded its intent sets `number`; before, no answer is its own."""

    __slots__ = ("flags", "intent", "is_cancelled", "number", "rounds", "state")

    def __init__(self, intent: Intent, flags: tuple[str, ...]) -> None:
        self.intent, self.flags = intent, flags
        self.number: int | None = None
        self.is_cancelled = False
        self.rounds: list[bytes] = []
        self.state: object = _ABSENT


class Begin(NamedTuple):
    """A call is about to leave."""

    call: Call


class End(NamedTuple):
    """A call ended. The answer is bytes [start, end) of its line, its id the bytes `request_id`."""

    call: Call
    outcome: Outcome
    start: int = 0
    end: int = 0
    request_id: bytes = b"null"


class Gap(NamedTuple):
    """Something passed that could not be looked at."""

    reason: str


Event = Begin | End | Gap

_Key = tuple[str, Json]


class Session:
    """One session between a client and a server; used by one thread at a time.

    `server` is the name that the server is known by, None for the one it gives itself.
    """

    def __init__(self, server: str | None = None) -> None:
        self._name = server
        self._scope = f"mcp:{server or 'unknown'}"
        self._version = "unknown"
        self._introduction: bytes | None = None
        self._asked: dict[_Key, list[Call | str]] = {}
        self._waiting: list[Call] = []
        self._definitions = Definitions()

    def from_client(self, line: bytes) -> list[Event]:
        """Return what a line of the client begins; it must not leave before that is recorded."""
        found = messages_in(line)
        if found is None:
            return [Gap(UNPARSED)]
        events: list[Event] = []
        for message in found[0]:
            method = message.method
            if method == "tools/call":
                events += self._called(message)
            elif method == "notifications/cancelled":
                self._cancelled(message)
            elif method is not None and "id" in message.value:
                self._ask(message, method)
        return events

    def from_server(self, line: bytes) -> list[Event]:
        """Return what a line of the server ends; it must not be released before that is recorded.

        A line that is plainly no JSON (servers print words) is nothing.
        """
        found = messages_in(line)
        if found is None:
            return [Gap(f"{UNPARSED} of the server")] if line.lstrip()[:1] in b"{[" else []
        events: list[Event] = []
        for message in found[0]:
            value = message.value
            if message.method is None and "id" in value and ("result" in value or "error" in value):
                events += self._answered(message)
        return events

    def withdraw(self, call: Call) -> None:
        """Forget a call whose request was not forwarded."""
        for key, asked in [*self._asked.items()]:
            if any(each is call for each in asked):
                self._asked[key] = [each for each in asked if each is not call]
                if not self._asked[key]:
                    del self._asked[key]

    def finish(self) -> list[Event]:
        """Return what the end of the session ends: cancelled calls that nobody answered."""
        return [
            End(each, Outcome("cancelled", None, flags=each.flags, rounds=tuple(each.rounds)))
            for asked in self._asked.values()
            for each in asked
            if isinstance(each, Call) and each.is_cancelled and each.number is not None
        ]

    def _called(self, message: Message) -> list[Event]:
        tool, flags = _tool_of(message)
        args = message.raw_param("arguments") or b"null"
        responses = message.raw_param("inputResponses")
        call = self._goes_on(message, tool, args)
        is_new = call is None
        if call is None:
            definition, annotations = self._definitions.of(tool)
            intent = Intent(
                tool=tool,
                args=args,
                version=self._version,
                scope=self._scope,
                definition=definition,
                server=self._introduction,
                annotations=annotations,
                request_id=_id_kept(message.value.get("id")),
            )
            call = Call(intent, flags)
        if responses is not None:
            call.rounds.append(responses)
        if "id" in message.value:
            self._ask(message, call)
        return [Begin(call)] if is_new else []

    def _goes_on(self, message: Message, tool: str, args: bytes) -> Call | None:
        """Return the call that a request goes on with, None where it begins one."""
        params = message.params
        if not self._waiting or not ("inputResponses" in params or "requestState" in params):
            return None
        state = params.get("requestState", _ABSENT)
        for place, call in enumerate(self._waiting):
            intent = call.intent
            if intent.tool == tool and call.state == state and _same_json(intent.args, args):
                return self._waiting.pop(place)
        return None

    def _ask(self, message: Message, what: Call | str) -> None:
        key = _key_of(message.value["id"], message.raw("id"))
        self._asked.setdefault(key, []).append(what)

    def _cancelled(self, message: Message) -> None:
        params = message.params
        if "requestId" not in params:
            return
        key = _key_of(params["requestId"], message.raw_param("requestId"))
        for each in self._asked.get(key, ()):
            if isinstance(each, Call) and not each.is_cancelled:
                each.is_cancelled = True
                return

    def _answered(self, message: Message) -> list[Event]:
        asked = self._answers(message)
        if isinstance(asked, Call):
            return self._ended(asked, message)
        result = message.value.get("result")
        if asked == "tools/list":
            self._definitions.take(result)
        elif asked in _INTRODUCTIONS and type(result) is dict:
            name, version = server_named(result)
            if self._name is None:
                self._scope = f"mcp:{name or 'unknown'}"
            self._version = version or "unknown"
            self._introduction = message.raw("result")
        return []

    def _ended(self, call: Call, message: Message) -> list[Event]:
        result: Json = message.value.get("result")
        kind = result.get("resultType") if type(result) is dict else None
        if kind == "input_required" and not call.is_cancelled:
            call.state = result.get("requestState", _ABSENT)
            self._waiting.append(call)
            return []
        outcome = outcome_of(message, is_late=call.is_cancelled)
        outcome = outcome._replace(flags=outcome.flags + call.flags, rounds=tuple(call.rounds))
        request_id = message.raw("id") or b"null"
        return [End(call, outcome, message.start, message.end, request_id)]

    def _answers(self, message: Message) -> Call | str | None:
        """Take what a message answers off the list of what was asked."""
        value = message.value["id"]
        key = _key_of(value, message.raw("id"))
        if key not in self._asked and type(value) in (int, float):
            other = "float" if type(value) is int else "int"
            key = (other, value)
        asked = self._asked.get(key, [])
        for place, each in enumerate(asked):
            if isinstance(each, Call) and each.number is None:
                continue  # it has not left yet: what comes now cannot be its answer
            del asked[place]
            if not asked:
                del self._asked[key]
            return each
        return None


def _key_of(value: Json, raw: bytes | None) -> _Key:
    """Return what tells an id from others; of arrays and objects that is how they are spelt."""
    if type(value) in (list, dict):
        return "json", raw
    return type(value).__name__, value


def _tool_of(message: Message) -> tuple[str, tuple[str, ...]]:
    """Return the tool's name and, where the spelling is ours, the flag that says so."""
    name = message.params.get("name")
    if type(name) is str and name:
        return name, () if _spelt(name) == name else ("name_escaped",)
    raw = message.raw_param("name")
    if raw is None:
        return "unknown", ("name_escaped",)
    return raw[:_LONGEST_NAME].decode("utf-8", "replace"), ("name_escaped",)


def _id_kept(value: Json) -> Json:
    """Return an id as the receipt names it; None of one that is no word and no number."""
    if type(value) is str:
        return _spelt(value[:_LONGEST_ID])
    if type(value) is int:
        return value if value.bit_length() < _LONGEST_ID else None
    if type(value) is float:
        return value if value - value == 0.0 else None
    return value if type(value) is bool else None


def _spelt(text: str) -> str:
    if text.isascii():
        return text
    # Not loaded before the first bytes pass, and seldom needed.
    from toolreplay.evidence.profile.members import spelt

    return spelt(text)


def _same_json(one: bytes, other: bytes) -> bool:
    """Whether two texts have one value: a client may spell it otherwise the second time."""
    if one == other:
        return True
    values = [json.loads(each.decode("utf-8", "replace"), strict=False) for each in (one, other)]
    return json.dumps(values[0], sort_keys=True) == json.dumps(values[1], sort_keys=True)
