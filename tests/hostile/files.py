"""The hostile files by name: small ones are written out, large ones are generated.

A maker is called in the folder the file belongs in. It returns the bytes of the file, or makes
there what it likes and returns None. Everything is deterministic.
"""

import gzip
import json
import os
import socket
import struct
from collections.abc import Callable
from functools import partial

from tests.hostile.pieces import (
    BAD_VALUES,
    COMPANION_HEAD,
    GOOD,
    GOOD_COMPANION,
    GOOD_HEAD,
    GOOD_SCOPE,
    GOOD_SEALED,
    GOOD_SESSION,
    ODD_NAMES,
    SESSION,
    VALID_VALUES,
    WRONG,
    answered,
    asked,
    companion_line,
    companion_with,
    line,
    link,
    record,
    scope_with,
    sealed_with,
    session,
    session_with,
    strict_with,
)
from tests.hostile.running import run_here

__all__ = [
    "FILES",
    "FORMS",
    "LONGEST_ID",
    "ODD_FILES",
    "SESSION_MEMBERS",
    "SPOILT",
    "make",
    "nested",
]

Maker = bytes | Callable[[], bytes | None]

FILES: dict[str, Maker] = {}


def make(name: str) -> None:
    """Make a file of the table in the current folder, if it is not there yet."""
    if name not in FILES or os.path.lexists(name):
        return
    maker = FILES[name]
    data = maker if isinstance(maker, bytes) else maker()
    if data is not None:
        with open(name, "wb") as file:
            file.write(data)


def sealed_from(name: str) -> Callable[[], None]:
    """Return a maker that seals another file of the table with the program itself."""

    def maker() -> None:
        make(name)
        ran = run_here(["seal", name, "-o", f"{name.removesuffix('.jsonl')}.sealed.jsonl"])
        assert ran.status == 0, ran.err

    return maker


def with_companion(name: str, transcript: bytes, companion: Maker) -> None:
    """Add a transcript and what stands beside it."""

    def maker() -> bytes:
        make(f"{name}.meta.jsonl")
        return transcript

    FILES[name] = maker
    FILES[f"{name}.meta.jsonl"] = companion


# --- sound files, to stand beside a hostile one -------------------------------------------------

FILES["good.jsonl"] = GOOD
FILES["good.sealed.jsonl"] = GOOD_SEALED
FILES["good-head.txt"] = GOOD_HEAD
FILES["scope.json"] = GOOD_SCOPE
FILES["session.jsonl"] = GOOD_SESSION
with_companion("beside.jsonl", GOOD, GOOD_COMPANION)

# --- one value, in every form -------------------------------------------------------------------

for _name, _value in BAD_VALUES.items():
    FILES[f"{_name}.jsonl"] = partial(strict_with, _value)
    FILES[f"{_name}.sealed.jsonl"] = partial(sealed_with, _value)
    FILES[f"{_name}.session.jsonl"] = partial(session_with, _value)
    FILES[f"{_name}.scope.json"] = partial(scope_with, _value)
    with_companion(f"{_name}.beside.jsonl", GOOD, partial(companion_with, _value))

for _name, _value in VALID_VALUES.items():
    FILES[f"{_name}.jsonl"] = partial(strict_with, _value)
    FILES[f"{_name}.sealed.jsonl"] = sealed_from(f"{_name}.jsonl")
    FILES[f"{_name}.session.jsonl"] = partial(session_with, _value)
    if _value.startswith(b'"'):
        FILES[f"{_name}.scope.json"] = partial(scope_with, _value)
        with_companion(f"{_name}.beside.jsonl", GOOD, partial(companion_with, _value))

# --- names that a record carries ----------------------------------------------------------------


LONGEST_ID = 50_000


def _tool_twice(text: str) -> bytes:
    spelt = json.dumps(text).encode()
    return record(0, tool=spelt) + record(1, tool=spelt)


def _tool_in_session(text: str) -> bytes:
    again = asked(2, name=text, input={"n": 1})
    return session(asked(1, name=text), answered(1), again, answered(2))


def _ids_of_session(text: str) -> bytes:
    ids = {"line_sessionId": text, "line_agentId": text}
    return session(asked(1, model=text, **ids), answered(1, **ids))


def _two_sessions(text: str) -> bytes:
    one, other = {"line_sessionId": text}, {"line_sessionId": f"{text}/.."}
    return session(
        *(asked(1, **one), answered(1, **one), asked(2, **other), answered(2, **other)),
        asked(3, line_agentId=f"../{text}", **one),
    )


def _named_companion(text: str) -> bytes:
    head = line(format="toolreplay-meta/1", imported="claude_code", run=text, agent=text)
    first = companion_line(0, call_id=text, at=text, ended_at=text, model=text)
    return head + first + companion_line(1)


for _name, _text in ODD_NAMES.items():
    FILES[f"tool-{_name}.jsonl"] = partial(_tool_twice, _text)
    FILES[f"tool-{_name}.sealed.jsonl"] = sealed_from(f"tool-{_name}.jsonl")
    FILES[f"agent-{_name}.scope.json"] = partial(line, agent=_text, allowed_tools=["x"])
    FILES[f"tool-{_name}.session.jsonl"] = partial(_tool_in_session, _text)
    FILES[f"id-{_name}.session.jsonl"] = partial(_ids_of_session, _text[:LONGEST_ID])
    FILES[f"two-{_name}.session.jsonl"] = partial(_two_sessions, _text[:LONGEST_ID])
    with_companion(f"run-{_name}.jsonl", GOOD, partial(_named_companion, _text[:LONGEST_ID]))

# --- whole files, spoilt ------------------------------------------------------------------------

FORMS: dict[str, bytes] = {
    "jsonl": GOOD,
    "sealed.jsonl": GOOD_SEALED,
    "session.jsonl": GOOD_SESSION,
    "scope.json": GOOD_SCOPE,
    "head.txt": GOOD_HEAD,
    "beside.jsonl": GOOD_COMPANION,
}
"""A sound file of each form, by the ending of its name here."""


def _utf(encoding: str, mark: bytes = b"") -> Callable[[bytes], bytes]:
    return lambda data: mark + data.decode().encode(encoding)


SPOILT: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "newline": lambda _: b"\n",
    "blanks": lambda _: b" \n\t\r\n\n   ",
    "crlf": lambda data: data.replace(b"\n", b"\r\n"),
    "no-newline": lambda data: data[:-1],
    "blank-between": lambda data: data.replace(b"\n", b"\n \t\r\n\n"),
    "blank-ends": lambda data: b"\n\n" + data + b"\n\n",
    "bom": lambda data: b"\xef\xbb\xbf" + data,
    "bom-crlf": lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
    "bom-inside": lambda data: data.replace(b"\n", b"\n\xef\xbb\xbf", 1),
    "utf-16-le": _utf("utf-16-le"),
    "utf-16-be": _utf("utf-16-be"),
    "utf-16-le-mark": _utf("utf-16-le", b"\xff\xfe"),
    "utf-16-be-mark": _utf("utf-16-be", b"\xfe\xff"),
    "utf-32-le": _utf("utf-32-le"),
    "utf-32-be-mark": _utf("utf-32-be", b"\0\0\xfe\xff"),
    "utf-7": lambda data: b"+AHs" + data[1:],
    "ebcdic": _utf("cp500"),
    "nul-padding": lambda data: data + bytes(512),
    "nul-line": lambda data: data + b"\0\n",
    "nul-page": lambda data: data[:-60] + bytes(60),
    "nul-only": lambda _: bytes(4096),
    "cr-only": lambda data: data.replace(b"\n", b"\r"),
    "form-feed": lambda data: data + b"\f\n",
    "vertical-tab": lambda data: data + b"\v\n",
    "next-line": lambda data: data + "\u0085\n".encode(),
    "ideographic-space": lambda data: data + "\u3000\n".encode(),
    "cut": lambda data: data[:-9],
    "cut-character": lambda data: data[:-12] + b"\xe2\x80",
    "glued": lambda data: data.replace(b"\n", b" ", 1),
    "separated-by-2028": lambda data: data.replace(b"\n", "\u2028".encode(), 1),
    "array": lambda data: b"[" + data.strip().replace(b"\n", b",\n") + b"]\n",
    "comment": lambda data: b"# a comment\n" + data,
    "null": lambda _: b"null\n",
    "number": lambda _: b"7\n",
    "text": lambda _: b'"\\u001b[31m"\n',
    "object": lambda _: b"{}\n",
    "zip": lambda _: b"PK\x03\x04" + bytes(60),
    "page": lambda _: b"<!DOCTYPE html><html>\x1b[31m</html>\n",
    "noise": lambda _: bytes(at * 97 % 256 for at in range(3, 5003)),
    "gzip": gzip.compress,
    "gzip-cut": lambda data: gzip.compress(data)[:-9],
    "gzip-head": lambda _: b"\x1f\x8b",
    "gzip-flip": lambda data: _flipped(gzip.compress(data, mtime=0)),
    "gzip-checksum": lambda data: gzip.compress(data)[:-8] + bytes(8),
    "gzip-garbage": lambda data: gzip.compress(data) + b"garbage",
    "gzip-padding": lambda data: gzip.compress(data) + bytes(512),
    "gzip-twice": lambda data: gzip.compress(gzip.compress(data)),
    "gzip-parts": lambda data: b"".join(map(gzip.compress, data.splitlines(keepends=True))),
    "zstandard": lambda _: b"\x28\xb5\x2f\xfd" + bytes(20),
    "lz4": lambda _: b"\x04\x22\x4d\x18" + bytes(20),
}
"""Ways of spoiling a whole file; some of them leave it sound."""


def _flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0x55]) + data[middle + 1 :]


for _name, _spoil in SPOILT.items():
    for _ending, _data in FORMS.items():
        if _ending == "beside.jsonl":
            with_companion(f"spoilt-{_name}.beside.jsonl", GOOD, partial(_spoil, _data))
        else:
            FILES[f"spoilt-{_name}.{_ending}"] = partial(_spoil, _data)

# --- limits -------------------------------------------------------------------------------------


def nested(levels: int, form: Callable[[bytes], bytes], *, around: int) -> bytes:
    """Nest so that the record has so many levels; `around` are those the form has already."""
    lists = levels - around
    return form(b"[" * lists + b"]" * lists)


FILES["depth-200.jsonl"] = nested(200, strict_with, around=2)
FILES["depth-201.jsonl"] = nested(201, strict_with, around=2)
FILES["depth-200.sealed.jsonl"] = sealed_from("depth-200.jsonl")
FILES["depth-201.sealed.jsonl"] = nested(201, sealed_with, around=2)
FILES["depth-200.session.jsonl"] = nested(200, session_with, around=5)
FILES["depth-201.session.jsonl"] = nested(201, session_with, around=5)
FILES["depth-201.scope.json"] = nested(201, scope_with, around=1)
FILES["depth-201.beside.jsonl"] = GOOD
with_companion("depth-201.beside.jsonl", GOOD, nested(201, companion_with, around=1))


def long_line(size: int) -> bytes:
    """Make a transcript whose second line has exactly so many bytes, its ending not counted."""
    first, second = record(0), record(1, b'{"x": ""}')
    return first + record(1, b'{"x": "' + b"x" * (size - len(second) + 1) + b'"}')


FILES["line-1000.jsonl"] = long_line(1000)
FILES["line-1000.crlf.jsonl"] = long_line(1000).replace(b"\n", b"\r\n")
FILES["line-1000.cut.jsonl"] = long_line(1000)[:-1]
FILES["line-1001.jsonl"] = long_line(1001)
FILES["line-limit.jsonl"] = lambda: long_line(16 * 1024 * 1024)
FILES["line-over.jsonl"] = lambda: long_line(16 * 1024 * 1024 + 1)
FILES["line-over.sealed.jsonl"] = lambda: link(0) + b" " * (16 * 1024 * 1024 + 1) + link(1)
FILES["line-over.session.jsonl"] = lambda: session(asked(1), b" " * 17_000_000 + b"\n")
FILES["line-over.scope.json"] = lambda: GOOD_SCOPE + b" " * (16 * 1024 * 1024)
FILES["line-over.head.txt"] = lambda: GOOD_HEAD + b"\n" * (16 * 1024 * 1024)
FILES["spaces.jsonl"] = lambda: record(0) + b" " * 17_000_000
with_companion("line-over.beside.jsonl", GOOD, COMPANION_HEAD + b" " * 17_000_000 + b"\n")
FILES["values-6.jsonl"] = record(0, tool=b'"t:,[{"')  # { : , : , : { , : { :
FILES["bomb.jsonl.gz"] = lambda: gzip.compress(bytes(20_000_000), 9)
FILES["bomb-of-lines.jsonl.gz"] = lambda: gzip.compress(b"\n" * 200_000, 9)
FILES["bomb-in-name.jsonl.gz"] = lambda: _gzip_with_name(b"\x1b[31m" * 100, GOOD)


def _gzip_with_name(name: bytes, data: bytes) -> bytes:
    plain = gzip.compress(data, mtime=0)
    return plain[:3] + b"\x08" + plain[4:10] + name + b"\0" + plain[10:]


FILES["gzip-length.jsonl.gz"] = gzip.compress(GOOD)[:-4] + struct.pack("<I", 2**32 - 1)

# --- members of every form, missing, unknown and of the wrong type ------------------------------


def _changed(data: bytes, changes: dict[str, object], *without: str) -> bytes:
    """Change the members of the last line of a file."""
    *lines, last = data.splitlines(keepends=True)
    members = json.loads(last) | changes
    for name in without:
        del members[name]
    return b"".join([*lines, json.dumps(members).encode() + b"\n"])


_WRONG_FORMS = {
    "jsonl": GOOD, "sealed.jsonl": GOOD_SEALED, "scope.json": GOOD_SCOPE,
    "beside.jsonl": GOOD_COMPANION,
}  # fmt: skip

for _ending, _data in _WRONG_FORMS.items():
    _members = json.loads(_data.splitlines()[-1])
    _spoilt = {f"{_name}-missing": _changed(_data, {}, _name) for _name in _members}
    _spoilt["unknown"] = _changed(_data, {"\x1b[31mx": 1})
    _spoilt["unknown-many"] = _changed(_data, {f"x{at}\x1b": 1 for at in range(5000)})
    _spoilt["unknown-long"] = _changed(_data, {"\x1b" * 500_000: 1})
    for _name in _members:
        for _word, _value in WRONG.items():
            _spoilt[f"{_name}-{_word}"] = _changed(_data, {_name: _value})
    for _word, _value in WRONG.items():
        _whole = _data.splitlines(keepends=True)[:-1]
        _spoilt[f"record-{_word}"] = b"".join(_whole) + json.dumps(_value).encode() + b"\n"
    for _name, _bytes in _spoilt.items():
        if _ending == "beside.jsonl":
            with_companion(f"wrong-{_name}.{_ending}", GOOD, _bytes)
        else:
            FILES[f"wrong-{_name}.{_ending}"] = _bytes

for _name in ("format", "imported", "run", "agent"):
    for _word, _value in WRONG.items():
        _head, _rest = GOOD_COMPANION.split(b"\n", 1)
        _head = json.dumps(json.loads(_head) | {_name: _value}).encode()
        with_companion(f"wrong-head-{_name}-{_word}.beside.jsonl", GOOD, _head + b"\n" + _rest)

FILES["wrong-item.scope.json"] = line(agent="a", allowed_tools=["x", ["y"]])
FILES["wrong-index-far.jsonl"] = record(0) + record(10**30)
FILES["wrong-index-start.jsonl"] = record(4)
FILES["wrong-index-gap.jsonl"] = record(0) + record(2)
FILES["wrong-index-again.jsonl"] = record(0) + record(0)
FILES["wrong-index-minus.jsonl"] = record(-1)
FILES["wrong-index-float.jsonl"] = record(0).replace(b"0", b"0.0", 1)
FILES["wrong-index-big.sealed.jsonl"] = GOOD_SEALED.replace(
    b'"index":1', b'"index":1%b' % (b"0" * 4000)
)
FILES["wrong-digest-case.sealed.jsonl"] = GOOD_SEALED.replace(b'"278f', b'"278F')
FILES["wrong-digest-newline.sealed.jsonl"] = GOOD_SEALED.replace(b'92ca"', b'92c\\n"')
FILES["wrong-digest-wide.sealed.jsonl"] = GOOD_SEALED.replace(b'92ca"', b'92c\\uff11"')
FILES["broken-prev.sealed.jsonl"] = GOOD_SEALED.replace(b'"prev":"2', b'"prev":"3')
FILES["broken-index.sealed.jsonl"] = GOOD_SEALED.replace(b'"index":1', b'"index":-7')
FILES["broken-response.sealed.jsonl"] = GOOD_SEALED.replace(b"true", b"1", 1)
with_companion("short.beside.jsonl", GOOD, COMPANION_HEAD + companion_line(0))
with_companion("long.beside.jsonl", GOOD, GOOD_COMPANION + companion_line(2))
with_companion("hides.beside.jsonl", GOOD, COMPANION_HEAD + companion_line(0, outcome="denied"))
with_companion("nobody.beside.jsonl", GOOD, GOOD_COMPANION.replace(b"claude_code", b"\\u001b[31m"))
with_companion(
    "outcomes.beside.jsonl",
    record(0, response=b'{"outcome": ["denied"]}') + record(1, response=b'{"outcome": {}}'),
    GOOD_COMPANION,
)

# Each member of a session's lines, with a value of each type in lines of its own.
_MEMBERS: dict[str, Callable[[int, object], dict[str, object]]] = {}
for _name in ("id", "name", "input"):
    _MEMBERS[f"call-{_name}"] = lambda at, odd, name=_name: asked(at, **{name: odd})
for _name in ("model", "content"):
    _MEMBERS[f"message-{_name}"] = lambda at, odd, name=_name: asked(at, **{name: odd})
for _name in (
    "type", "sessionId", "uuid", "parentUuid", "isSidechain", "agentId", "attributionAgent",
    "version", "timestamp", "message", "requestId",
):  # fmt: skip
    _MEMBERS[f"line-{_name}"] = lambda at, odd, name=_name: asked(at, **{f"line_{name}": odd})
_MEMBERS["block"] = lambda at, odd: asked(at, content=[odd])
_MEMBERS["block-type"] = lambda at, odd: asked(at, content=[{"type": odd, "id": "x"}])
for _name in ("tool_use_id", "content", "is_error", "output"):
    _MEMBERS[f"result-{_name}"] = lambda at, odd, name=_name: answered(at, **{name: odd})
for _name in (
    "message", "toolUseResult", "toolDenialKind", "sourceToolUseID", "sourceToolAssistantUUID",
):  # fmt: skip
    _MEMBERS[f"answer-{_name}"] = lambda at, odd, name=_name: answered(
        at, **{f"line_{name}": odd, "is_error": True}
    )

SESSION_MEMBERS = tuple(_MEMBERS)
"""The members of session lines of which there is a file `wrong-MEMBER.session.jsonl`."""

for _name, _line_of in _MEMBERS.items():
    _lines: list[dict[str, object]] = [asked(1), answered(1)]
    for _at, _odd in enumerate(WRONG.values(), 2):
        _line = _line_of(_at, _odd)
        _lines += [_line, answered(_at)] if _line["type"] == "assistant" else [asked(_at), _line]
    FILES[f"wrong-{_name}.session.jsonl"] = session(*_lines)

FILES["records-of-all-types.session.jsonl"] = session(
    asked(1), answered(1), *(json.dumps(odd).encode() + b"\n" for odd in WRONG.values())
)
FILES["types.session.jsonl"] = lambda: session(
    asked(1),
    answered(1),
    *(line(type=text, sessionId=SESSION, uuid=text[:9]) for text in ODD_NAMES.values()),
    *(line(type=f"\x1b{at}", sessionId=SESSION) for at in range(5000)),
)
FILES["tools.session.jsonl"] = lambda: session(
    *(
        made
        for at in range(300)
        for made in (asked(at, name=f"\x9b{at}\u202e", timestamp="T"), answered(at, timestamp="T"))
    )
)
FILES["orphans.session.jsonl"] = lambda: session(
    *(answered(1, tool_use_id=text, line_uuid=text) for text in ODD_NAMES.values()), asked(1)
)
FILES["one-id.session.jsonl"] = session(
    *(asked(1, line_uuid=f"u{at}", input={"n": at}) for at in range(300)),
    *(answered(1, line_uuid=f"v{at}", content=str(at)) for at in range(300)),
)
FILES["one-uuid.session.jsonl"] = session(*[asked(1)] * 300, *[answered(1)] * 300)
FILES["parents-in-a-ring.session.jsonl"] = session(
    asked(1, line_parentUuid="uuid-r2", line_isSidechain=True),
    answered(1, line_parentUuid="uuid-a1", line_isSidechain=True),
    asked(2, line_parentUuid="uuid-r1", line_isSidechain=True),
    answered(2, line_parentUuid="uuid-r2", line_isSidechain=True),
)
FILES["agents.session.jsonl"] = lambda: session(
    *(asked(at, line_isSidechain=True, timestamp="T") for at in range(500))
)
FILES["export.session.json"] = lambda: _export(GOOD_SESSION)
FILES["export-deep.session.json"] = lambda: _export(session_with(b"[" * 300 + b"]" * 300))
FILES["export-twice.session.json"] = lambda: _export(GOOD_SESSION)[:-2] + b', "loglines": []}\n'
FILES["export-odd.session.json"] = lambda: _export(
    GOOD_SESSION + b"".join(json.dumps(odd).encode() + b"\n" for odd in WRONG.values())
)
FILES["export-cut.session.json"] = lambda: _export(GOOD_SESSION)[:-40]


def _export(lines: bytes) -> bytes:
    return b'{"loglines": [' + b",\n".join(lines.splitlines()) + b"]}\n"


# --- heads, scopes and lists of names -----------------------------------------------------------

for _name, _text in {
    "count-minus": GOOD_HEAD.replace(b"\n2\n", b"\n-2\n"),
    "count-zeros": GOOD_HEAD.replace(b"\n2\n", b"\n02\n"),
    "count-huge": GOOD_HEAD.replace(b"\n2\n", b"\n" + b"9" * 5000 + b"\n"),
    "count-word": GOOD_HEAD.replace(b"\n2\n", b"\ntwo\n"),
    "count-wide": GOOD_HEAD.replace(b"\n2\n", "\n２\n".encode()),
    "count-other": GOOD_HEAD.replace(b"\n2\n", b"\n3\n"),
    "digest-short": GOOD_HEAD.replace(b"8e7c", b"8e7"),
    "digest-case": GOOD_HEAD.replace(b"03e7", b"03E7"),
    "digest-other": GOOD_HEAD.replace(b"03e7", b"03e8"),
    "form": GOOD_HEAD.replace(b"toolreplay-1", b"toolreplay-2"),
    "escape": b"\x1b[31m" + GOOD_HEAD,
    "signed": GOOD_HEAD + b"\n\x1b[31m not a signature\n",
}.items():
    FILES[f"head-{_name}.head.txt"] = _text

FILES["scope.toml"] = b'agent = "a"\n'
FILES["names-bom.txt"] = b"\xef\xbb\xbfread_file\n"
FILES["names-utf-16.txt"] = "read_file\n".encode("utf-16-le")
FILES["names-latin-1.txt"] = b"caf\xe9\n"
FILES["names-odd.txt"] = "# \x1b[31m\nread_file\u2028x\r\n\n".encode()
FILES["twins.args.jsonl"] = record(0, '{"p": "caf\u00e9"}'.encode()) + record(
    1, '{"p": "cafe\u0301"}'.encode()
)
FILES["twins.tool.jsonl"] = record(0, tool='"caf\u00e9"'.encode())
FILES["twins.scope.json"] = line(agent="a", allowed_tools=["cafe\u0301"])
FILES["numbers.args.jsonl"] = (
    record(0, b'{"n": 1}') + record(1, b'{"n": 1.0}') + record(2, b'{"n": true}')
    + record(3, b'{"n": "1"}') + record(4, b'{"n": 9007199254740992}')
    + record(5, b'{"n": 9007199254740993}') + record(6, b'{"n": -0.0}') + record(7, b'{"n": 0.0}')
)  # fmt: skip

# --- names of files, and what is no file --------------------------------------------------------

ODD_FILES: dict[str, str] = {
    "newline": "a\nerror: b.jsonl",
    "escape": "a\x1b[31mb.jsonl",
    "not-utf-8": os.fsdecode(b"caf\xe9.jsonl"),
    "c1": "a\u009b31mb.jsonl",
    "bidi": "lnosj\u202e.a",
    "zero-width": "a\u200bb.jsonl",
    "dash": "-a.jsonl",
    "option": "--format=json",
    "blank": " ",
    "dot": ".jsonl",
    "percent": "%s%n.jsonl",
    "quote": "a'b\"c.jsonl",
    "hash": "a#b.jsonl",
    "at": "@last",
    "nfc": "caf\u00e9.jsonl",
    "nfd": "cafe\u0301.jsonl",
    "address": "http:",
    "wide": "読" * 60 + ".jsonl",
    "long": "n" * 255,
}
"""Names a file may really have, by a word for it."""

for _text in ODD_FILES.values():
    FILES[_text] = record(0)


def _folder(name: str, *inside: str) -> Callable[[], None]:
    def maker() -> None:
        os.makedirs(name)
        for item in inside:
            make(item)
            os.link(item, os.path.join(name, item))

    return maker


def _ring() -> None:
    os.makedirs("ring/below")
    os.symlink("..", "ring/below/up")
    os.symlink(".", "ring/itself")
    os.symlink("itself-too", "ring/itself-too")
    os.symlink("/dev/zero", "ring/zero")
    with open("ring/below/a.jsonl", "wb") as file:
        file.write(record(0))


def _deep_folder() -> None:
    """Make a folder 1,500 levels deep; its path is still one the system takes."""
    os.mkdir("deep")
    here = os.open("deep", os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    with open(os.open("a.jsonl", os.O_WRONLY | os.O_CREAT, dir_fd=here), "wb") as file:
        file.write(record(0))
    os.close(here)


def _too_deep_folder() -> None:
    """Make a folder whose lowest levels have a path longer than the system takes."""
    os.mkdir("too-deep")
    with open("too-deep/zz.jsonl", "wb") as file:
        file.write(record(0))
    here = os.open("too-deep", os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=here)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def _socket() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.jsonl")


FILES["folder"] = _folder("folder", "good.jsonl", "session.jsonl", "deep-lists.jsonl")
FILES["nothing"] = _folder("nothing")
FILES["others"] = _folder("others", "spoilt-zstandard.jsonl", "spoilt-page.jsonl", "good.jsonl")
FILES["ring"] = _ring
FILES["deep"] = _deep_folder
FILES["too-deep"] = _too_deep_folder
FILES["socket.jsonl"] = _socket
FILES["loop.jsonl"] = lambda: os.symlink("loop.jsonl", "loop.jsonl")
FILES["dangling.jsonl"] = lambda: os.symlink("no-such-file", "dangling.jsonl")
FILES["linked.jsonl"] = lambda: (make("good.jsonl"), os.symlink("good.jsonl", "linked.jsonl"))[1]


def _waiting() -> None:
    os.mkdir("waiting")
    os.mkfifo("waiting/nobody-writes.jsonl")
    with open("waiting/a.jsonl", "wb") as file:
        file.write(record(0))
    os.mkfifo("waiting/a.jsonl.meta.jsonl")


def _locked() -> None:
    if os.path.lexists("locked"):
        return
    os.makedirs("locked/below")
    for name in ("locked/a.jsonl", "locked/below/b.jsonl", "locked.jsonl"):
        with open(name, "wb") as file:
            file.write(record(0))
    os.chmod("locked.jsonl", 0)
    os.chmod("locked/a.jsonl", 0)
    os.chmod("locked/below", 0)


FILES["waiting"] = _waiting
FILES["locked"] = _locked
FILES["locked.jsonl"] = _locked

FILES["one.jsonl"] = record(0)
with_companion("null-behind.beside.jsonl", GOOD, GOOD_COMPANION + b"null\n")
with_companion(
    "bytes-backwards.beside.jsonl",
    GOOD,
    COMPANION_HEAD + companion_line(0) + companion_line(1, bytes=[9, 0]),
)
