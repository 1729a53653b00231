"""What hostile files are made of: lines of every form, and values that may stand in them."""

import json

TOOL = b'"read_file"'


def record(
    index: int, args: bytes = b"{}", response: bytes = b'{"ok": true}', tool: bytes = TOOL
) -> bytes:
    """Write one line of a strict transcript from JSON texts."""
    head = b'{"index": %d, "tool": ' % index
    return head + tool + b', "args": ' + args + b', "response": ' + response + b"}\n"


def link(index: int, args: bytes = b"{}", prev: bytes = b"0" * 64, tool: bytes = TOOL) -> bytes:
    """Write one line of a sealed transcript; its digest is right for nobody."""
    line = record(index, args, tool=tool)[:-2]
    return line + b', "prev": "' + prev + b'", "digest": "' + b"f" * 64 + b'"}\n'


def line(**members: object) -> bytes:
    """Write one line of JSON from values, in ASCII."""
    return json.dumps(members).encode() + b"\n"


SESSION = "5e550000-0000-4000-8000-00000000000a"


def asked(number: int, **changes: object) -> dict[str, object]:
    """Return a session line with one call; `changes` replace members of the line or its block."""
    block: dict[str, object] = {
        "type": "tool_use", "id": f"toolu_{number}", "name": "Read", "input": {"n": number},
    }  # fmt: skip
    block |= {name: changes.pop(name) for name in list(changes) if name in block}
    message: dict[str, object] = {
        "id": f"msg_{number}", "role": "assistant", "model": "example-model-1", "content": [block],
    }  # fmt: skip
    message |= {name: changes.pop(name) for name in list(changes) if name in message}
    record: dict[str, object] = {
        "type": "assistant", "sessionId": SESSION, "uuid": f"uuid-a{number}", "version": "2.1.0",
        "isSidechain": False, "timestamp": f"2026-01-15T09:00:{number:02d}.000Z",
        "message": message,
    }  # fmt: skip
    return record | {name.removeprefix("line_"): value for name, value in changes.items()}


def answered(number: int, **changes: object) -> dict[str, object]:
    """Return a session line with the result of a call."""
    block: dict[str, object] = {
        "type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "fine",
    }  # fmt: skip
    block |= {
        name: changes.pop(name) for name in list(changes) if name in (*block, "is_error", "output")
    }
    record: dict[str, object] = {
        "type": "user", "sessionId": SESSION, "uuid": f"uuid-r{number}", "version": "2.1.0",
        "isSidechain": False, "timestamp": f"2026-01-15T09:01:{number:02d}.000Z",
        "sourceToolAssistantUUID": f"uuid-a{number}",
        "message": {"role": "user", "content": [block]}, "toolUseResult": {"type": "text"},
    }  # fmt: skip
    record |= {name.removeprefix("line_"): value for name, value in changes.items()}
    return record


def session(*lines: dict[str, object] | bytes) -> bytes:
    """Write session lines; bytes are taken as they are."""
    return b"".join(
        item if isinstance(item, bytes) else json.dumps(item).encode() + b"\n" for item in lines
    )


def with_text(record: dict[str, object], mark: str, text: bytes) -> bytes:
    """Write a line in which the string `mark` is replaced by a JSON text."""
    return json.dumps(record).encode().replace(json.dumps(mark).encode(), text) + b"\n"


GOOD = record(0, b'{"path": "a.md"}') + record(1, b'{"path": "b.md"}')
GOOD_SEALED = (
    b'{"args":{"path":"a.md"},"digest":'
    b'"278f3af5b26b046b525614fd73bc5f578dbd063c12717df135c314f0c13592ca","index":0,"prev":'
    b'"0000000000000000000000000000000000000000000000000000000000000000","response":{"ok":true},'
    b'"tool":"read_file"}\n'
    b'{"args":{"path":"b.md"},"digest":'
    b'"03e70a4ad74b541bdfb59749d9e870a3cd165a115f0daf0d3eb4d4044cee8e7c","index":1,"prev":'
    b'"278f3af5b26b046b525614fd73bc5f578dbd063c12717df135c314f0c13592ca","response":{"ok":true},'
    b'"tool":"read_file"}\n'
)
GOOD_HEAD = (
    b"toolreplay/seal/v1\n2\n"
    b"03e70a4ad74b541bdfb59749d9e870a3cd165a115f0daf0d3eb4d4044cee8e7c\ntoolreplay-1\n"
)
GOOD_SESSION = session(asked(1), answered(1), asked(2), answered(2))
GOOD_SCOPE = b'{"agent": "docs-reader", "allowed_tools": ["read_file"]}\n'
COMPANION_HEAD = line(format="toolreplay-meta/1", imported="claude_code", run="s", agent=None)


def companion_line(index: int, **changes: object) -> bytes:
    """Write the line of one call in a companion."""
    members: dict[str, object] = {
        "index": index, "call_id": None, "at": None, "ended_at": None, "model": None,
        "outcome": "ok", "file": "s.jsonl", "bytes": [0, 9], "line_sha256": "0" * 64,
    }  # fmt: skip
    return line(**members | changes)


GOOD_COMPANION = COMPANION_HEAD + companion_line(0) + companion_line(1)

# --- values: what stands where any JSON value may stand ---------------------------------------

DEEP = 100_000

BAD_VALUES: dict[str, bytes] = {
    "deep-lists": b"[" * DEEP + b"]" * DEEP,
    "deep-objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "deep-open": b"[" * DEEP,
    "deep-hidden": b'["]]}}",' * 250 + b"1" + b"]" * 250,
    "deep-hidden-escape": b'["\\"]",' * 250 + b"1" + b"]" * 250,
    "digits-4301": b"9" * 4301,
    "digits-4301-negative": b"-" + b"9" * 4301,
    "digits-5000": b"1" * 5000,
    "overflow": b"1e400",
    "overflow-negative": b"-1e400",
    "overflow-long": b"1" + b"0" * 400 + b".0",
    "nan": b"NaN",
    "infinity": b"Infinity",
    "infinity-negative": b"-Infinity",
    "twice": b'{"a": 1, "a": 2}',
    "twice-equal": b'{"a": 1, "a": 1}',
    "twice-deep": b'[[{"b": {"c": [{"a": 1, "a": 2}]}}]]',
    "twice-escaped": b'{"a": 1, "\\u0061": 2}',
    "twice-surrogate": b'{"\\ud800": 1, "\\uD800": 2}',
    "twice-control": b'{"\\u001b[31m": 1, "\\u001b[31m": 2}',
    "twice-long": b'{"%b": 1, "%b": 2}' % (b"k" * 1_000_000, b"k" * 1_000_000),
    "twice-empty": b'{"": 1, "": 2}',
    "overlong-slash": b'"\xc0\xaf"',
    "overlong-nul": b'"\xc0\x80"',
    "overlong-three": b'"\xe0\x80\xaf"',
    "surrogate-bytes": b'"\xed\xa0\x80"',
    "surrogate-pair-bytes": b'"\xed\xa0\xbd\xed\xb8\x80"',
    "past-unicode": b'"\xf4\x90\x80\x80"',
    "latin-1": b'"caf\xe9"',
    "stray-continuation": b'"\x80"',
    "cut-sequence": b'"\xe2\x82"',
    "byte-ff": b'"\xff"',
    "raw-escape": b'"\x1b[31m"',
    "raw-nul": b'"a\x00b"',
    "raw-tab": b'"a\tb"',
    "raw-cr": b'"a\rb"',
    "values-over": b"[" + b"1," * 1_000_000 + b"1]",
    "single-quotes": b"{'a': 1}",
    "trailing-comma": b"[1, 2,]",
    "comment": b"[1, /* two */ 2]",
    "leading-zero": b"[01]",
    "plus-sign": b"[+1]",
    "bare-fraction": b"[.5]",
    "hexadecimal": b"[0x10]",
    "python-word": b"[True]",
    "undefined": b"[undefined]",
    "bare-name": b"{a: 1}",
    "bad-escape": b'"\\x41"',
    "short-escape": b'"\\u12"',
    "half-escape": b'"\\ud83d\\u"',
    "full-width-digit": "[１]".encode(),
    "no-break-space": "[\u00a01]".encode(),
    "minus-alone": b"[-]",
    "exponent-alone": b"[1e]",
}
"""Values that nothing may read, by name."""

VALID_VALUES: dict[str, bytes] = {
    "line-separator": '"a\u2028b\u2029c"'.encode(),
    "next-line": '"a\u0085b"'.encode(),
    "minus-zero": b"-0.0",
    "minus-zero-integer": b"-0",
    "past-double": b"9007199254740993",
    "digits-4300": b"9" * 4300,
    "digits-4300-negative": b"-" + b"9" * 4300,
    "digits-of-fraction": b"0." + b"3" * 5000,
    "tiny": b"[5e-324, 1e-400, 1.7976931348623157e308, 1E5, 1e+16]",
    "high-surrogate": b'"\\ud83d"',
    "low-surrogate": b'"cut \\ude00"',
    "reversed-surrogates": b'"\\ude00\\ud83d"',
    "surrogate-key": b'{"\\udfff": {"\\ud800": 1}}',
    "surrogate-pair": b'"\\ud83d\\ude00"',
    "escape": b'"\\u001b[2J\\u001b[31mred"',
    "escape-key": b'{"\\u001b[2J": 1}',
    "title": b'"\\u001b]0;owned\\u0007"',
    "link-sequence": b'"\\u001b]8;;file:///etc/passwd\\u001b\\\\click"',
    "c1": '"\u009b31m \\u009d0;t\u009c"'.encode(),
    "delete": b'"a\x7fb\\u007f"',
    "bidi": '"\u202egpj.exe\u202c \u2066x\u2069 \u200f"'.encode(),
    "zero-width": '"a\u200bb\u200cc\u200dd\u2060e\ufefff"'.encode(),
    "nul": b'"a\\u0000b"',
    "line-breaks": b'"a\\r\\nb\\u000bc\\fd\\u001ce"',
    "noncharacters": '"\ufffe\uffff\ufdd0\U0010ffff\U0001fffe"'.encode(),
    "twins": '{"caf\u00e9": 1, "cafe\u0301": 2}'.encode(),
    "one-and-one": b"[1, 1.0, 1e0, true]",
    "brackets-in-string": b'"' + b"[{" * DEEP + b'"',
    "quoted-brackets": b'["\\"' + b"[" * 300 + b'", "\\\\", "' + b"{" * 300 + b'"]',
    "empty-key": b'{"": {"": []}}',
    "object-words": b'{"__proto__": 1, "constructor": 2, "toString": 3}',
    "long-string": b'"' + b"x" * 1_000_000 + b'"',
    "wide-list": b"[" + b"1," * 9_999 + b"1]",
    "annotation": b'"::stop-commands::x\\n::error file=a::b%0A"',
    "page": b'"<script>alert(1)</script> {{7*7}} ${x} javascript:x"',
    "marks": '"Z\u0351\u0300\u0301\u0302 \U000e0041 \u00ad"'.encode(),
}
"""Odd values that every reader takes, by name."""

WRONG: dict[str, object] = {
    "number": 7, "fraction": 0.5, "string": "x", "empty": "", "list": [1], "null": None,
    "bool": True, "object": {"x": 1},
}  # fmt: skip
"""One value of each type, by the word for it."""

ODD_NAMES: dict[str, str] = {
    "escape": "\x1b[31mread\x1b[0m",
    "title": "\x1b]0;owned\x07read",
    "c1": "\x9b31mread\x9d",
    "bidi": "read\u202eelif_\u2066x",
    "zero-width": "re\u200bad_\u2060file\ufeff",
    "line": "read'\nindex 0: redundant-call: tool 'x",
    "carriage-return": "read\rindex 9: loop",
    "tab-and-nul": "a\tb\0c",
    "surrogate": "\ud800read\udfff",
    "separators": "a\u2028b\u2029c\u0085d",
    "delete": "rea\x7fd",
    "nfc": "caf\u00e9",
    "nfd": "cafe\u0301",
    "long": "t" * 1_000_000,
    "long-escapes": "\x1b" * 100_000,
    "quote": "it's",
    "annotation": "::error file=a,line=1::b%0A",
    "blank": " ",
    "path": "../../../etc/passwd",
    "wide": "読む" * 30,
    "noncharacter": "a\ufffe\U0010ffff",
}
"""Names of tools, agents and sessions that a writer may have put into a record."""


def strict_with(value: bytes) -> bytes:
    """Put a value into the second call of a strict transcript."""
    return record(0, b'{"path": "a.md"}') + record(1, b'{"x": ' + value + b"}")


def sealed_with(value: bytes) -> bytes:
    """Put a value into the second link of a sealed transcript."""
    return link(0, b'{"path": "a.md"}') + link(1, b'{"x": ' + value + b"}")


def session_with(value: bytes) -> bytes:
    """Put a value into the second call of a session."""
    return session(asked(1), answered(1), with_text(asked(2, input="V"), "V", value), answered(2))


def scope_with(value: bytes) -> bytes:
    """Put a value where a scope has its agent."""
    return b'{"allowed_tools": ["read_file"], "agent": ' + value + b"}\n"


def companion_with(value: bytes) -> bytes:
    """Put a value where the companion of two calls has the id of the first."""
    first = companion_line(0, call_id="V").replace(b'"V"', value)
    return COMPANION_HEAD + first + companion_line(1)
