"""The messages between those who see calls and the recorder's service, as docs/recorder-protocol.md has them.

A message is one line: a JSON object in UTF-8, read strictly, and LF. Exact bytes are base64 (RFC 4648
section 4). A member that is not known is refused: what is dropped in silence would be missing from
the record.
"""

import json
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable
from typing import NamedTuple

from toolreplay.capture.modes import MODES
from toolreplay.capture.observed import Adapter, Agent, Answer, Intent, Outcome
from toolreplay.errors import ToolReplayError
from toolreplay.evidence.profile.members import FLAGS, LAYERS
from toolreplay.records.call import OUTCOMES, Json, JsonObject
from toolreplay.records.jsonl import LineError, line_parser
from toolreplay.records.limits import Limits

__all__ = [
    "ANSWER_BYTES",
    "MEMBERS",
    "MESSAGE_BYTES",
    "PROTOCOL",
    "Gap",
    "Hello",
    "WireError",
    "answer_of",
    "begin_message",
    "call_of",
    "end_message",
    "finish_message",
    "finish_of",
    "gap_message",
    "gap_of",
    "hello_message",
    "hello_of",
    "intent_of",
    "line_of",
    "message_parser",
    "outcome_of",
]

PROTOCOL = "toolreplay-recorder/1"

MESSAGE_BYTES = 32 * 1024 * 1024
"""Bytes of one message, its LF not counted: about 24 MB of exact bytes."""

ANSWER_BYTES = 64 * 1024
"""Bytes of one answer: all of them are short."""

MEMBERS = {
    "hello": ("protocol", "layer", "adapter", "agent", "run", "mode", "folder"),
    "begin": (
        "tool", "args", "version", "scope", "media_type", "fidelity", "definition", "server",
        "annotations", "request_id", "parent",
    ),
    "end": ("call", "status", "result", "media_type", "fidelity", "flags", "rounds"),
    "gap": ("reason", "count", "since_us"),
    "finish": ("goal", "answer", "media_type"),
    "status": (),
}  # fmt: skip
"""Each operation and what its message may have beside `op` and `id`."""

_AGENT = ("name", "model", "model_version", "harness", "workflow")
_MOST_TEXT = 4096
"""Characters of a word that is no piece: a name, a reason, a media type."""
_LAST_US = 253_402_300_799_999_999


class WireError(ToolReplayError):
    """A message that breaks the protocol; whoever sent it is told, and is heard no more."""


class Hello(NamedTuple):
    """Who begins to tell: what saw the calls, of which agent, in which run, and how much to keep."""

    adapter: Adapter
    agent: Agent = Agent()
    run: str | None = None
    mode: str = "redacted"
    folder: str | None = None


class Gap(NamedTuple):
    """What was not recorded, and since when, where that is known."""

    reason: str
    calls: int | None
    since_us: int | None


def line_of(message: JsonObject) -> bytes:
    """Return a message as one line with its LF; ASCII, so that any text has a form."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def message_parser(of: str | None = None) -> Callable[[bytes], JsonObject]:
    """Return a function that parses messages, for one thread. It raises WireError.

    `of` is the operation of all of them, where something beside them says it.
    """
    parse = line_parser(Limits(line_bytes=MESSAGE_BYTES))

    def parsed(line: bytes) -> JsonObject:
        try:
            message = parse(line)
        except LineError as error:
            raise WireError(str(error).partition(" (--")[0]) from None
        if type(message) is not dict:
            raise WireError("a message is a JSON object")
        operation = message.setdefault("op", of)
        if type(operation) is not str or operation not in MEMBERS:
            raise WireError(f"op is one of {', '.join(MEMBERS)}")
        if operation != (of or operation):
            raise WireError(f"op is not {of}")
        number = message.get("id")
        if number is not None and (type(number) is not int or not 0 <= number < 2**53):
            raise WireError("id is a whole number")
        known = (*MEMBERS[operation], "op", "id", *(() if of is None else ("session",)))
        for name in message:
            if name not in known:
                raise WireError(f"{operation} has no member {name[:100]}")
        return message

    return parsed


def answer_of(line: bytes) -> JsonObject:
    """Parse the answer to a message. Raises WireError."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if type(answer) is not dict:
        raise WireError("the answer is no JSON object")
    return answer


def hello_message(hello: Hello) -> JsonObject:
    """Return the message that comes first."""
    agent: JsonObject = {
        name: getattr(hello.agent, name)
        for name in _AGENT
        if getattr(hello.agent, name) is not None
    }
    if hello.agent.labels:
        agent["labels"] = dict(hello.agent.labels)
    message: JsonObject = {"op": "hello", "protocol": PROTOCOL, "mode": hello.mode}
    message |= dict(zip(("layer", "adapter"), hello.adapter, strict=True))
    return message | {"agent": agent, "run": hello.run, "folder": hello.folder}


def hello_of(message: JsonObject) -> Hello:
    """Return what a hello says. Raises WireError."""
    if message.get("protocol") != PROTOCOL:
        raise WireError(f"protocol is not {PROTOCOL}")
    layer, mode = _text(message, "layer"), _text(message, "mode", "redacted")
    if layer not in LAYERS:
        raise WireError(f"layer is one of {', '.join(LAYERS)}")
    if mode not in MODES:
        raise WireError(f"mode is one of {', '.join(MODES)}")
    agent = message.get("agent", {})
    if type(agent) is not dict:
        raise WireError("agent is not an object")
    for name in agent:
        if name not in (*_AGENT, "labels"):
            raise WireError(f"agent has no member {name[:100]}")
    labels = agent.get("labels", {})
    if type(labels) is not dict or len(labels) > 100:
        raise WireError("labels is not an object of at most 100 members")
    run = _text_or_null(message, "run")
    if run == "":
        raise WireError("run is empty")
    return Hello(
        Adapter(layer, _text(message, "adapter")),
        Agent()._replace(
            labels=tuple((name, _text(labels, name)) for name in labels),
            **{name: _text_or_null(agent, name) for name in _AGENT},
        ),
        run,
        mode,
        _text_or_null(message, "folder"),
    )


def begin_message(intent: Intent) -> JsonObject:
    """Return the message about a call that leaves; its time is that of the service."""
    return {
        "op": "begin",
        "tool": intent.tool,
        "args": _base64(intent.args),
        "version": intent.version,
        "scope": intent.scope,
        "media_type": intent.media_type,
        "fidelity": intent.fidelity,
        "definition": None if intent.definition is None else _base64(intent.definition),
        "server": None if intent.server is None else _base64(intent.server),
        "annotations": intent.annotations,
        "request_id": intent.request_id,
        "parent": intent.parent,
    }


def intent_of(message: JsonObject) -> Intent:
    """Return the call that a message says leaves. Raises WireError."""
    annotations = message.get("annotations")
    if annotations is not None and type(annotations) is not dict:
        raise WireError("annotations is neither an object nor null")
    args = _bytes_or_null(message, "args")
    return Intent(
        _text(message, "tool"),
        b"null" if args is None else args,
        version=_text(message, "version", "unknown"),
        scope=_text(message, "scope", "unknown"),
        media_type=_text(message, "media_type", "application/json"),
        fidelity=_text(message, "fidelity", "wire-bytes"),
        definition=_bytes_or_null(message, "definition"),
        server=_bytes_or_null(message, "server"),
        annotations=annotations,
        request_id=message.get("request_id"),
        parent=_text_or_null(message, "parent"),
    )


def end_message(call: int, outcome: Outcome) -> JsonObject:
    """Return the message about how a call ended."""
    return {
        "op": "end",
        "call": call,
        "status": outcome.status,
        "result": None if outcome.result is None else _base64(outcome.result),
        "media_type": outcome.media_type,
        "fidelity": outcome.fidelity,
        "flags": list(outcome.flags),
        "rounds": [_base64(each) for each in outcome.rounds],
    }


def call_of(message: JsonObject) -> int:
    """Return the number of the call that a message is about. Raises WireError."""
    call = message.get("call")
    if type(call) is not int:
        raise WireError("call is not the number of a call")
    return call


def outcome_of(message: JsonObject) -> Outcome:
    """Return how a call ended. Raises WireError."""
    status, flags, rounds = (
        _text(message, "status"),
        message.get("flags", []),
        message.get("rounds", []),
    )
    if status not in OUTCOMES:
        raise WireError(f"status is one of {', '.join(OUTCOMES)}")
    if type(flags) is not list or any(type(flag) is not str or flag not in FLAGS for flag in flags):
        raise WireError(f"flags is not a list of {', '.join(FLAGS)}")
    if type(rounds) is not list:
        raise WireError("rounds is not a list of base64")
    return Outcome(
        status,
        _bytes_or_null(message, "result"),
        media_type=_text(message, "media_type", "application/json"),
        fidelity=_text(message, "fidelity", "wire-bytes"),
        flags=tuple(flags),
        rounds=tuple(_bytes(each, "rounds") for each in rounds),
    )


def gap_message(reason: str, calls: int | None, since_us: int | None = None) -> JsonObject:
    """Return the message about what was not recorded."""
    message: JsonObject = {"op": "gap", "reason": reason[:_MOST_TEXT], "count": calls}
    return message if since_us is None else message | {"since_us": since_us}


def gap_of(message: JsonObject) -> Gap:
    """Return what was not recorded. Raises WireError."""
    count, since = message.get("count"), message.get("since_us")
    if count is not None and (type(count) is not int or not 0 <= count < 2**53):
        raise WireError("count is neither a whole number nor null")
    if since is not None and (type(since) is not int or not 0 <= since <= _LAST_US):
        raise WireError("since_us is neither microseconds since 1970 nor null")
    return Gap(_text(message, "reason"), count, since)


def finish_message(answer: Answer | None) -> JsonObject:
    """Return the message that comes last."""
    message: JsonObject = {"op": "finish"}
    if answer is not None:
        content = None if answer.content is None else _base64(answer.content)
        message |= {"goal": answer.goal, "answer": content, "media_type": answer.media_type}
    return message


def finish_of(message: JsonObject) -> Answer | None:
    """Return what a run came to, None where nobody says. Raises WireError."""
    goal, content = _text_or_null(message, "goal"), _bytes_or_null(message, "answer")
    if goal is None and content is None:
        return None
    return Answer(goal, content, _text(message, "media_type", "text/plain"))


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def _bytes(value: Json, name: str) -> bytes:
    if type(value) is str:
        try:
            return b64decode(value, validate=True)
        except (Base64Error, ValueError):
            pass
    raise WireError(f"{name} is not base64")


def _bytes_or_null(message: JsonObject, name: str) -> bytes | None:
    value = message.get(name)
    return None if value is None else _bytes(value, name)


def _text(message: JsonObject, name: str, otherwise: str | None = None) -> str:
    value = message.get(name, otherwise)
    if type(value) is not str:
        raise WireError(f"{name[:100]} is not a string")
    if len(value) > _MOST_TEXT:
        raise WireError(f"{name[:100]} is longer than {_MOST_TEXT} characters")
    return value


def _text_or_null(message: JsonObject, name: str) -> str | None:
    return None if message.get(name) is None else _text(message, name)
