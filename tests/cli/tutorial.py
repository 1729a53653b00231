"""The golden table of the five commands: arguments, then standard output, error and exit status.

    python3 -m tests.cli.tutorial -- COMMAND…

runs the whole table against any way of starting toolreplay (an installed `toolreplay`, a zipapp,
another interpreter) and exits with 1 when anything differs. Each entry runs in a fresh folder
that holds the files of `FILES`.

`TUTORIAL` is what the public tool of the same name prints, version 0.6.0, and what its text fixes:
these lines never change. `OURS` is what we decided ourselves about the same commands.
"""

import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from toolreplay.version import __version__

__all__ = ["FILES", "OURS", "SEALED_DIRTY", "TABLE", "TUTORIAL", "Golden", "differences", "lay_out"]

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"


class Golden(NamedTuple):
    """One command line and all that comes of it. `writes` are the files it must have made.

    `core` marks the few that the tests also start as processes of their own.
    """

    name: str
    arguments: tuple[str, ...]
    status: int
    out: str = ""
    err: str = ""
    stdin: bytes = b""
    writes: tuple[tuple[str, str], ...] = ()
    core: bool = False


DIGESTS = (
    "c1bd7fb3e28ce29e5c9dbd0cf47cafcaa1613295be26d86fb04463fe3d8b40da",
    "b5e755345cfdb21496eb57ea16b7dfe8cb5e503d239242d1bce96eabd3afc45e",
    "fe5e31cd086662cd9829bff49ee4c05c282f12af5a994a1521bc414d9fc2b1ba",
    "40aadf3b8156217f0b5b1d95010b6b79f82a26ccf5e780aed0f5f311f865028a",
    "327da75f2d491267f1dbeaf5d31b4a61a2ed9e956a71a5c4cbb67a87b4720d6a",
    "75ccf1faad88c5ea82c68139b2ec2a02943142dd0133bb0c626ccbff28f5c711",
)
"""The published digests of the dirty sample's links."""

ZEROS = "0" * 64

_PARTS = (
    ('{"path":"docs"}', '{"entries":["intro.md","guide.md"]}', "list_dir"),
    ('{"path":"docs/intro.md"}', '{"bytes":214}', "read_file"),
    ('{"path":"docs/intro.md"}', '{"bytes":214}', "read_file"),
    ('{"query":"install"}', '{"hits":3}', "search"),
    ('{"path":"docs/intro.md","text":"edited"}', '{"ok":true}', "write_file"),
    ('{"query":"install"}', '{"hits":7}', "search"),
)

SEALED_DIRTY = "".join(
    f'{{"args":{args},"digest":"{digest}","index":{index},"prev":"{prev}",'
    f'"response":{response},"tool":"{tool}"}}\n'
    for index, ((args, response, tool), digest, prev) in enumerate(
        zip(_PARTS, DIGESTS, (ZEROS, *DIGESTS[:-1]), strict=True)
    )
)
"""What `seal` prints of the dirty sample, written out by hand."""

DIRTY_REPLAY = """\
calls: 6
divergence: index 5
findings: 2
index 2: redundant-call: tool 'read_file' repeats the identical call at index 1 with no state change between them
index 5: non-determinism: tool 'search' returned a different response than the identical call at index 3
"""

DIRTY_SCOPE = """\
calls: 6
findings: 1
index 4: permission-overreach: tool 'write_file' is not in the declared scope for agent 'docs-reader'
"""

CHANGED_HITS = """\
chain: broken
first broken link: index 3
expected: 34d19a9dfb112baa07afa37994ddcbbebe2973674385f3942340653d08d205bd
found: 40aadf3b8156217f0b5b1d95010b6b79f82a26ccf5e780aed0f5f311f865028a
"""

NOTHING_FOUND = "calls: {}\ndivergence: none\nfindings: 0\n"

HEAD_DIRTY = f"toolreplay/seal/v1\n6\n{DIGESTS[5]}\ntoolreplay-1\n"


def call(index: object, tool: object = "t", args: object = None, response: object = None) -> str:
    """Spell one record as Python's json module does."""
    record = {"index": index, "tool": tool, "args": args or {}, "response": response or {}}
    return json.dumps(record)


def sealed(*records: dict[str, object]) -> str:
    """Seal records independently of the product: the published rule in six lines."""
    lines, prev = [], ZEROS
    for record in records:
        link = {**record, "prev": prev}
        prev = hashlib.sha256(_canonical(link).encode("ascii")).hexdigest()
        lines.append(_canonical({**link, "digest": prev}) + "\n")
    return "".join(lines)


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _broken(message: str, *lines: str, name: str) -> tuple[str, bytes, str]:
    return name, "".join(f"{line}\n" for line in lines).encode(), message


_GOOD = call(0)
_UTF16 = (
    "line 1: the file is UTF-16, not UTF-8 (a shell's > may have re-encoded it; -o FILE does not)"
)

_REFUSED: tuple[tuple[str, bytes, str], ...] = (
    _broken(
        "line 1: unexpected field(s): extra",
        '{"index": 0, "tool": "t", "args": {}, "response": {}, "extra": 1}',
        name="a member too many",
    ),
    _broken(
        "line 3: missing field(s): response",
        _GOOD, call(1), '{"index": 2, "tool": "t", "args": {}}',
        name="a member too few",
    ),
    _broken("line 2: index must be 1, found 4", _GOOD, call(4), name="an index out of order"),
    _broken(
        "line 2: index must be 1, found 0", _GOOD, _GOOD, name="an index that comes twice"
    ),
    _broken(
        "line 1: index must be 0, found 4 (a transcript starts at index 0)",
        call(4),
        name="a record pasted alone",
    ),
    _broken(
        "line 5: duplicate field 'path'",
        *(call(index) for index in range(4)),
        '{"index": 4, "tool": "t", "args": {"path": 1, "path": 1}, "response": {}}',
        name="a member twice",
    ),
    _broken(
        "line 1: duplicate field 'a'",
        '{"index": 0, "tool": "t", "args": {}, "response": {"x": [[{"a": 1, "b": 2, "a": 1}]]}}',
        name="a member twice, deep inside",
    ),
    _broken(
        "line 1: duplicate field 'index'",
        '{"index": 0, "index": 0, "tool": "t", "args": {}, "response": {}}',
        name="an index twice in one record",
    ),
    _broken(
        "line 4: index must be 1, found 2",
        _GOOD, "", " \t\r", call(2),
        name="blank lines count as lines, not as records",
    ),
)  # fmt: skip
"""Refusals in the spelling of the public tool: (name, transcript, message)."""

_REFUSED_BY_US: tuple[tuple[str, bytes, str], ...] = (
    _broken("line 1: index must be an integer", call(True), name="an index that is true"),
    _broken("line 2: index must be an integer", _GOOD, call(1.0), name="an index that is 1.0"),
    _broken("line 2: index must be an integer", _GOOD, call("1"), name='an index that is "1"'),
    _broken("line 1: index must be an integer", call(False), name="an index that is false"),
    _broken(
        "line 1: index must be 0, found -1 (a transcript starts at index 0)",
        call(-1),
        name="an index below zero",
    ),
    _broken("line 1: tool must not be empty", call(0, ""), name="a tool without a name"),
    _broken("line 1: tool must be a string", call(0, 7), name="a tool that is a number"),
    _broken("line 1: args must be an object", call(0, "t", [1]), name="args that are an array"),
    _broken(
        "line 1: response must be an object", call(0, "t", {}, "ok"), name="a response that is text"
    ),
    _broken("line 1: a record must be an object", "[]", name="a record that is an array"),
    _broken("line 1: a record must be an object", "null", name="a record that is null"),
    _broken("line 1: NaN is not JSON", call(0, "t", {"x": float("nan")}), name="NaN"),
    _broken("line 1: -Infinity is not JSON", call(0, "t", {"x": -1e999}), name="-Infinity"),
    _broken(
        "line 1: a number overflows to infinity",
        _GOOD.replace('"args": {}', '"args": {"x": 1e400}'),
        name="a number past the largest",
    ),
    _broken(
        "line 1: an integer of more than 4300 digits",
        _GOOD.replace('"args": {}', '"args": {"x": ' + "9" * 4301 + "}"),
        name="an integer past the digit limit",
    ),
    _broken(
        "line 1: nested deeper than 200 levels (--max-depth raises the limit)",
        _GOOD.replace('"args": {}', '"args": {"x": ' + "[" * 199 + "]" * 199 + "}"),
        name="nesting past the depth limit",
    ),
    (
        "bytes that are not UTF-8",
        _GOOD.encode() + b"\n" + call(1).encode().replace(b'"t"', b'"\xff"'),
        "line 2: not UTF-8 (byte 23 of the line)",
    ),
    (
        "a byte order mark",
        b"\xef\xbb\xbf" + _GOOD.encode(),
        "line 1: starts with a byte order mark (save the file as UTF-8 without one)",
    ),
    (
        "a UTF-16 file with its mark",
        f"{_GOOD}\n".encode("utf-16"),
        _UTF16,
    ),
    (
        "a UTF-16 file without a mark",
        f"{_GOOD}\n".encode("utf-16-le"),
        _UTF16,
    ),
    (
        "half a record",
        _GOOD.encode() + b'\n{"index": 1, "tool": "t", "ar',
        "line 2: not valid JSON (the line ends inside a string)",
    ),
)
"""Refusals in our own words."""

_CLEAN_RECORDS: tuple[dict[str, object], ...] = (
    {"index": 0, "tool": "list_dir", "args": {"path": "docs"},
     "response": {"entries": ["intro.md", "guide.md"]}},
    {"index": 1, "tool": "read_file", "args": {"path": "docs/intro.md"}, "response": {"bytes": 214}},
    {"index": 2, "tool": "search", "args": {"query": "install"}, "response": {"hits": 3}},
    {"index": 3, "tool": "read_file", "args": {"path": "docs/guide.md"}, "response": {"bytes": 371}},
)  # fmt: skip

_ODD_RECORDS: tuple[dict[str, object], ...] = (
    {"index": 0, "tool": "\ud800", "args": {"\uffff": 1, "\U0001f600": 2, "z": -0.0, "Z": 1e16},
     "response": {"del": "\x7f", "quote": "\"\\/\b\n", "pair": "\U0001f600", "half": "x\udc00",
                  "floats": [1.0, 1e-7, 1.5e300, 0.1], "big": 2**70, "none": [None, True, False]}},
)  # fmt: skip
"""What the canonical form has a rule for, in one record."""

_TWICE_DIFFERENT = "\n".join(
    call(index, "clock", {}, {"t": time}) for index, time in enumerate((1, 2, 2, 1))
)
_MUTATORS_TWICE = "\n".join(
    call(2 * number + again, tool, {"x": 1}, {"ok": 1})
    for number, tool in enumerate(
        ("write_file", "delete_file", "create_file", "move_file", "run_command")
    )
    for again in (0, 1)
)
_BETWEEN = "\n".join(
    (call(0, "read", {"a": 1}), call(1, "other"), call(2, "read", {"a": 1}), call(3, "read"))
)
_SPELT_APART = (
    '{"index": 0, "tool": "t", "args": {"a": 1, "b": {"x": 1.50, "y": "\\u00e9"}}, "response": {"m": 1, "n": 2}}\n'
    '{"response":{"n":2,"m":1},"args":{"b":{"y":"é","x":1.5},"a":1},"tool":"t","index":1}\n'
)
_VALUES_APART = "\n".join(
    call(index, "t", {"x": value}, {"y": 1})
    for index, value in enumerate((1, 1.0, True, -0.0, 0.0))
)
_RESPONSES_APART = "\n".join(
    call(index, "t", {}, {"y": value}) for index, value in enumerate((0.0, -0.0, 0))
)
_SCOPES = {
    "scope-extra.json": b'{"agent": "a", "allowed_tools": [], "denied": []}',
    "scope-missing.json": b'{"agent": "a"}',
    "scope-types.json": b'{"agent": 1, "allowed_tools": []}',
    "scope-case.json": b'{"agent": "it\'s", "allowed_tools": ["Read_File", "list_dir ", "search*"]}',
    "scope.toml": b"agent = 'a'\n",
}


def _files() -> dict[str, bytes]:
    files = {f"samples/{path.name}": path.read_bytes() for path in SAMPLES.iterdir()}
    dirty = files["samples/session-dirty.jsonl"]
    links = SEALED_DIRTY.splitlines(keepends=True)
    for number, (_, data, _) in enumerate(_REFUSED + _REFUSED_BY_US):
        files[f"refused-{number}.jsonl"] = data
    return {
        **files,
        **_SCOPES,
        "folder/empty.jsonl": b"",
        "empty.jsonl": b"",
        "blank.jsonl": b"\n \t\r\n\n",
        "dirty.gz": gzip.compress(dirty, mtime=0),
        "half.gz": gzip.compress(dirty, mtime=0)[:-20],
        "crlf.jsonl": dirty.replace(b"\n", b"\r\n"),
        "no-last-newline.jsonl": dirty.rstrip(b"\n"),
        "twice-different.jsonl": _TWICE_DIFFERENT.encode(),
        "mutators-twice.jsonl": _MUTATORS_TWICE.encode(),
        "between.jsonl": _BETWEEN.encode(),
        "spelt-apart.jsonl": _SPELT_APART.encode(),
        "values-apart.jsonl": _VALUES_APART.encode(),
        "responses-apart.jsonl": _RESPONSES_APART.encode(),
        "odd.jsonl": json.dumps(_ODD_RECORDS[0]).encode(),
        "odd-name.jsonl": "\n".join(
            call(index, "a\x1b[31m'\u202eb", {}, {}) for index in (0, 1)
        ).encode(),
        "deep.jsonl": _GOOD.replace('"args": {}', '"args": {"x": [[[]]]}').encode(),
        "mutators.txt": b"# readers that write\n\n  read_file \nsearch\r\n",
        "sealed.jsonl": SEALED_DIRTY.encode(),
        "changed.jsonl": SEALED_DIRTY.replace('"hits":3', '"hits":4').encode(),
        "link-taken-out.jsonl": "".join(links[:2] + links[3:]).encode(),
        "links-exchanged.jsonl": "".join([links[0], links[2], links[1], *links[3:]]).encode(),
        "tail-cut.jsonl": "".join(links[:4]).encode(),
        "first-prev.jsonl": SEALED_DIRTY.replace(ZEROS, "1" * 64, 1).encode(),
        "renumbered.jsonl": SEALED_DIRTY.replace('"index":2', '"index":7').encode(),
        "sealed-again.jsonl": sealed(*_CLEAN_RECORDS).encode(),
        "sealed-respelt.jsonl": SEALED_DIRTY.replace('","digest"', '" , "digest"')
        .replace('"},"digest"', '"}, "digest"')
        .encode(),
        "sealed-extra.jsonl": SEALED_DIRTY.replace('"hits":3}', '"hits":3},"extra":1').encode(),
        "sealed-no-prev.jsonl": SEALED_DIRTY.replace(f'"prev":"{ZEROS}",', "").encode(),
        "sealed-upper.jsonl": SEALED_DIRTY.replace(DIGESTS[1], DIGESTS[1].upper(), 1).encode(),
        "sealed-short.jsonl": SEALED_DIRTY.replace(DIGESTS[0], DIGESTS[0][:-1], 1).encode(),
        "sealed-float-index.jsonl": SEALED_DIRTY.replace('"index":2', '"index":2.0').encode(),
        "head.txt": HEAD_DIRTY.encode(),
        "signed-head.txt": HEAD_DIRTY.encode() + b"\n\xe2\x80\x94 key base64\n",
        "not-a-head.txt": b"toolreplay/seal/v2\n6\n",
    }


FILES: dict[str, bytes] = _files()
"""What stands in the folder before each command, by path."""

_DIRTY = "samples/session-dirty.jsonl"
_CLEAN = "samples/session-clean.jsonl"
_SCOPE = "samples/scope.json"


def _refusals(table: Sequence[tuple[str, bytes, str]], start: int) -> Iterator[Golden]:
    for number, (name, _, message) in enumerate(table, start):
        file = f"refused-{number}.jsonl"
        yield Golden(f"replay: {name}", ("replay", file), 2, err=f"error: {message}\n")


def _line(index: int, kind: str, tool: str, other: int) -> str:
    """Spell a finding of `replay`."""
    if kind == "redundant-call":
        text = f"repeats the identical call at index {other} with no state change between them"
    else:
        text = f"returned a different response than the identical call at index {other}"
    return f"index {index}: {kind}: tool '{tool}' {text}\n"


TUTORIAL: tuple[Golden, ...] = (
    Golden("version", ("version",), 0, f"toolreplay {__version__}\n", core=True),
    Golden("replay: the dirty sample", ("replay", _DIRTY), 1, DIRTY_REPLAY, core=True),
    Golden("replay: the clean sample", ("replay", _CLEAN), 0, NOTHING_FOUND.format(4), core=True),
    Golden(
        "replay: standard input",
        ("replay", "-"), 1, DIRTY_REPLAY, stdin=FILES[_DIRTY], core=True,
    ),
    Golden("replay: a compressed transcript", ("replay", "dirty.gz"), 1, DIRTY_REPLAY),
    Golden("replay: CR LF at line ends", ("replay", "crlf.jsonl"), 1, DIRTY_REPLAY),
    Golden("replay: no LF at the end", ("replay", "no-last-newline.jsonl"), 1, DIRTY_REPLAY),
    Golden("replay: an empty transcript", ("replay", "empty.jsonl"), 0, NOTHING_FOUND.format(0)),
    Golden("replay: only blank lines", ("replay", "blank.jsonl"), 0, NOTHING_FOUND.format(0)),
    Golden(
        "replay: each difference names the first call of its key",
        ("replay", "twice-different.jsonl"), 1,
        "calls: 4\ndivergence: index 1\nfindings: 5\n"
        + _line(1, "non-determinism", "clock", 0)
        + _line(1, "redundant-call", "clock", 0)
        + _line(2, "non-determinism", "clock", 0)
        + _line(2, "redundant-call", "clock", 1)
        + _line(3, "redundant-call", "clock", 2),
    ),
    Golden(
        "replay: repeating a mutator is not redundant",
        ("replay", "mutators-twice.jsonl"), 0, NOTHING_FOUND.format(10),
    ),
    Golden(
        "replay: a call in between may have changed state",
        ("replay", "between.jsonl"), 0, NOTHING_FOUND.format(4),
    ),
    Golden(
        "replay: the spelling of a record does not matter",
        ("replay", "spelt-apart.jsonl"), 1,
        "calls: 2\ndivergence: none\nfindings: 1\n" + _line(1, "redundant-call", "t", 0),
    ),
    Golden(
        "replay: 1, 1.0, true, -0.0 and 0.0 are different arguments",
        ("replay", "values-apart.jsonl"), 0, NOTHING_FOUND.format(5),
    ),
    Golden(
        "replay: 0.0, -0.0 and 0 are different responses",
        ("replay", "responses-apart.jsonl"), 1,
        "calls: 3\ndivergence: index 1\nfindings: 4\n"
        + _line(1, "non-determinism", "t", 0)
        + _line(1, "redundant-call", "t", 0)
        + _line(2, "non-determinism", "t", 0)
        + _line(2, "redundant-call", "t", 1),
    ),
    Golden(
        "replay: --mutator adds a tool",
        ("replay", _DIRTY, "--mutator", "read_file"), 1,
        "calls: 6\ndivergence: index 5\nfindings: 1\n" + _line(5, "non-determinism", "search", 3),
    ),
    Golden(
        "replay: --mutators adds a file of tools",
        ("replay", "--mutators", "mutators.txt", _DIRTY), 1,
        "calls: 6\ndivergence: index 5\nfindings: 1\n" + _line(5, "non-determinism", "search", 3),
    ),
    Golden(
        "replay: --unexplained-only keeps what no recorded change explains",
        ("replay", _DIRTY, "--unexplained-only"), 1,
        "calls: 6\ndivergence: none\nfindings: 1\n" + _line(2, "redundant-call", "read_file", 1),
    ),
    Golden(
        "replay: no such file",
        ("replay", "session.jsonl"), 2,
        err="error: session.jsonl: No such file or directory\n", core=True,
    ),
    Golden(
        "replay: a sealed transcript",
        ("replay", "sealed.jsonl"), 2, err="error: line 1: unexpected field(s): digest, prev\n",
    ),
    *_refusals(_REFUSED, 0),
    Golden("scope: the dirty sample", ("scope", _DIRTY, _SCOPE), 1, DIRTY_SCOPE, core=True),
    Golden("scope: the clean sample", ("scope", _CLEAN, _SCOPE), 0, "calls: 4\nfindings: 0\n"),
    Golden(
        "scope: names are matched exactly, capitals and all",
        ("scope", _CLEAN, "scope-case.json"), 1,
        "calls: 4\nfindings: 4\n"
        + "".join(
            f"index {index}: permission-overreach: tool '{tool}' "
            "is not in the declared scope for agent 'it's'\n"
            for index, tool in enumerate(("list_dir", "read_file", "search", "read_file"))
        ),
    ),
    Golden(
        "scope: a sealed transcript",
        ("scope", "sealed.jsonl", _SCOPE), 2,
        err="error: line 1: unexpected field(s): digest, prev\n",
    ),
    Golden(
        "scope: a transcript that breaks",
        ("scope", "refused-0.jsonl", _SCOPE), 2,
        err="error: line 1: unexpected field(s): extra\n",
    ),
    Golden("seal: the dirty sample", ("seal", _DIRTY), 0, SEALED_DIRTY, core=True),
    Golden("seal: the clean sample", ("seal", _CLEAN), 0, sealed(*_CLEAN_RECORDS)),
    Golden("seal: standard input", ("seal", "-"), 0, SEALED_DIRTY, stdin=FILES[_DIRTY]),
    Golden("seal: the spelling of the input does not matter", ("seal", "crlf.jsonl"), 0, SEALED_DIRTY),
    Golden("seal: an empty transcript", ("seal", "empty.jsonl"), 0, ""),
    Golden("seal: the canonical form", ("seal", "odd.jsonl"), 0, sealed(*_ODD_RECORDS)),
    Golden(
        "seal: nothing is printed of a transcript that breaks at its end",
        ("seal", "refused-1.jsonl"), 2, err="error: line 3: missing field(s): response\n", core=True,
    ),
    Golden(
        "seal: a sealed transcript",
        ("seal", "sealed.jsonl"), 2, err="error: line 1: unexpected field(s): digest, prev\n",
    ),
    Golden("verify: intact", ("verify", "sealed.jsonl"), 0, "chain: intact\n", core=True),
    Golden(
        "verify: standard input", ("verify", "-"), 0, "chain: intact\n", stdin=SEALED_DIRTY.encode()
    ),
    Golden("verify: one response changed", ("verify", "changed.jsonl"), 1, CHANGED_HITS, core=True),
    Golden(
        "verify: a link taken out is found by its index",
        ("verify", "link-taken-out.jsonl"), 1,
        "chain: broken\nfirst broken link: index 2\nexpected: 2\nfound: 3\n",
    ),
    Golden(
        "verify: two links exchanged",
        ("verify", "links-exchanged.jsonl"), 1,
        "chain: broken\nfirst broken link: index 1\nexpected: 1\nfound: 2\n",
    ),
    Golden(
        "verify: an index that is not its position",
        ("verify", "renumbered.jsonl"), 1,
        "chain: broken\nfirst broken link: index 2\nexpected: 2\nfound: 7\n",
    ),
    Golden(
        "verify: a first link that does not begin with zeros",
        ("verify", "first-prev.jsonl"), 1,
        f"chain: broken\nfirst broken link: index 0\nexpected: {ZEROS}\nfound: {'1' * 64}\n",
    ),
    Golden("verify: a tail cut off is not seen", ("verify", "tail-cut.jsonl"), 0, "chain: intact\n"),
    Golden("verify: an empty sealed file", ("verify", "empty.jsonl"), 0, "chain: intact\n"),
    Golden("verify: only blank lines", ("verify", "blank.jsonl"), 0, "chain: intact\n"),
    Golden(
        "verify: a line spelt another way has the same values",
        ("verify", "sealed-respelt.jsonl"), 0, "chain: intact\n",
    ),
    Golden(
        "verify: a bare transcript",
        ("verify", _DIRTY), 2, err="error: line 1: missing field(s): digest, prev\n", core=True,
    ),
    Golden(
        "verify: a member too many",
        ("verify", "sealed-extra.jsonl"), 2, err="error: line 4: unexpected field(s): extra\n",
    ),
    Golden(
        "verify: a member too few",
        ("verify", "sealed-no-prev.jsonl"), 2, err="error: line 1: missing field(s): prev\n",
    ),
    Golden(
        "verify: no such file",
        ("verify", "session.jsonl"), 2, err="error: session.jsonl: No such file or directory\n",
    ),
)  # fmt: skip
"""The public tool's lines; `--unexplained-only` and the samples' wording are of its text too."""

_NO_SIGNER = "signer  a seal has no signature  see: toolreplay explain signer\n"
_EXPLAINED_INTACT = (
    "chain: intact\n"
    "\n"
    "passed       contents (6 of 6) · links\n"
    "not checked  ending  no head to compare with  see: toolreplay explain ending\n"
    "             signer  a seal has no signature  see: toolreplay explain signer\n"
)

OURS: tuple[Golden, ...] = (
    Golden("--version", ("--version",), 0, f"toolreplay {__version__}\n", core=True),
    *_refusals(_REFUSED_BY_US, len(_REFUSED)),
    Golden(
        "replay: a folder",
        ("replay", "folder"), 2, err="error: folder: is a folder (see: toolreplay audit)\n",
    ),
    Golden(
        "scope: a folder",
        ("scope", "folder", _SCOPE), 2,
        err="error: folder: is a folder (see: toolreplay audit)\n",
    ),
    Golden(
        "seal: a folder",
        ("seal", "folder"), 2, err="error: folder: is a folder (see: toolreplay audit)\n",
    ),
    Golden(
        "replay: half a compressed file",
        ("replay", "half.gz"), 2, err="error: half.gz: the compressed file ends too early\n",
    ),
    Golden(
        "replay: names from a recording cannot steer a terminal",
        ("replay", "odd-name.jsonl"), 1,
        "calls: 2\ndivergence: none\nfindings: 1\n"
        + _line(1, "redundant-call", "a\\u{1b}[31m'\\u{202e}b", 0),
    ),
    Golden(
        "replay: a limit can be lowered",
        ("replay", "--max-line-bytes", "100", _DIRTY), 2,
        err="error: line 1: longer than 100 bytes (--max-line-bytes raises the limit)\n",
    ),
    Golden(
        "replay: a limit can be raised",
        ("replay", "--max-depth", "201", f"refused-{len(_REFUSED) + 15}.jsonl"), 0,
        NOTHING_FOUND.format(1),
    ),
    Golden(
        "replay: the depth is counted from the record itself",
        ("replay", "--max-depth", "5", "deep.jsonl"), 0, NOTHING_FOUND.format(1),
    ),
    Golden(
        "replay: one level too many",
        ("replay", "--max-depth", "4", "deep.jsonl"), 2,
        err="error: line 1: nested deeper than 4 levels (--max-depth raises the limit)\n",
    ),
    Golden(
        "replay: too many values",
        ("replay", "--max-line-values", "10", _DIRTY), 2,
        err="error: line 1: more than 10 values (--max-line-values raises the limit)\n",
    ),
    Golden(
        "replay: a limit that is no number",
        ("replay", "--max-depth", "0", _DIRTY), 2,
        err="error: argument --max-depth: '0' is not a whole number from 1 "
        "(see: toolreplay replay --help)\n",
    ),
    Golden(
        "replay: a list of tools that is not there",
        ("replay", _DIRTY, "--mutators", "tools.txt"), 2,
        err="error: tools.txt: No such file or directory\n",
    ),
    Golden(
        "replay: nothing to replay",
        ("replay",), 2,
        err="error: the following arguments are required: TRANSCRIPT "
        "(see: toolreplay replay --help)\n",
    ),
    Golden(
        "replay: two inputs from one standard input",
        ("replay", "-", "--mutators", "-"), 2,
        err="error: only one input can be standard input\n",
    ),
    Golden(
        "scope: a scope that is not there",
        ("scope", _DIRTY, "scope.yaml"), 2, err="error: scope.yaml: No such file or directory\n",
    ),
    Golden(
        "scope: a TOML scope",
        ("scope", _DIRTY, "scope.toml"), 2,
        err="error: scope.toml: TOML scopes are not read yet\n",
    ),
    Golden(
        "scope: a rule we do not know",
        ("scope", _DIRTY, "scope-extra.json"), 2,
        err="error: scope-extra.json: unexpected field(s): denied\n",
    ),
    Golden(
        "scope: no tools named",
        ("scope", _DIRTY, "scope-missing.json"), 2,
        err="error: scope-missing.json: missing field(s): allowed_tools\n",
    ),
    Golden(
        "scope: an agent that is no text",
        ("scope", _DIRTY, "scope-types.json"), 2,
        err="error: scope-types.json: agent must be a string\n",
    ),
    Golden(
        "scope: the scope from standard input",
        ("scope", _DIRTY, "-"), 1, DIRTY_SCOPE, stdin=FILES[_SCOPE],
    ),
    Golden(
        "scope: two inputs from one standard input",
        ("scope", "-", "-"), 2, err="error: only one input can be standard input\n",
    ),
    Golden(
        "seal: -o writes the file itself",
        ("seal", _DIRTY, "-o", "out.jsonl"), 0, writes=(("out.jsonl", SEALED_DIRTY),), core=True,
    ),
    Golden("seal: -o - is standard output", ("seal", _DIRTY, "-o", "-"), 0, SEALED_DIRTY),
    Golden(
        "seal: --head writes what is to be kept elsewhere",
        ("seal", _DIRTY, "--head", "kept.txt"), 0, SEALED_DIRTY, writes=(("kept.txt", HEAD_DIRTY),),
    ),
    Golden(
        "seal: both at once",
        ("seal", _DIRTY, "-o", "out.jsonl", "--head", "kept.txt"), 0,
        writes=(("out.jsonl", SEALED_DIRTY), ("kept.txt", HEAD_DIRTY)),
    ),
    Golden(
        "seal: the head of nothing",
        ("seal", "empty.jsonl", "--head", "kept.txt"), 0,
        writes=(("kept.txt", f"toolreplay/seal/v1\n0\n{ZEROS}\ntoolreplay-1\n"),),
    ),
    Golden(
        "seal: neither file is made of a transcript that breaks",
        ("seal", "refused-1.jsonl", "-o", "out.jsonl", "--head", "kept.txt"), 2,
        err="error: line 3: missing field(s): response\n",
    ),
    Golden(
        "seal: the transcript is not written over",
        ("seal", "crlf.jsonl", "-o", "./crlf.jsonl"), 2,
        err="error: ./crlf.jsonl: is the transcript itself\n",
    ),
    Golden(
        "seal: nor is it by the head",
        ("seal", "crlf.jsonl", "--head", "crlf.jsonl"), 2,
        err="error: crlf.jsonl: is the transcript itself\n",
    ),
    Golden(
        "seal: one file cannot be both",
        ("seal", _DIRTY, "-o", "out.jsonl", "--head", "./out.jsonl"), 2,
        err="error: -o and --head name the same file\n",
    ),
    Golden(
        "seal: a folder that is not there",
        ("seal", _DIRTY, "-o", "nowhere/out.jsonl"), 2,
        err="error: nowhere/out.jsonl: No such file or directory\n",
    ),
    Golden(
        "verify: the head is the one that was kept",
        ("verify", "sealed.jsonl", "--against", "head.txt"), 0, "chain: intact\npassed       ending\n",
    ),
    Golden(
        "verify: a signature below the head is left to its checker",
        ("verify", "sealed.jsonl", "--against", "signed-head.txt"), 0,
        "chain: intact\npassed       ending\n",
    ),
    Golden(
        "verify: a tail cut off is seen with the head",
        ("verify", "tail-cut.jsonl", "--against", "head.txt"), 1,
        "chain: intact\nfailed       ending (expected 6 links, found 4)\n",
    ),
    Golden(
        "verify: sealed again with another content",
        ("verify", "sealed-again.jsonl", "--expect-head", DIGESTS[5]), 1,
        f"chain: intact\nfailed       ending (expected last digest {DIGESTS[5]}, "
        f"found {json.loads(sealed(*_CLEAN_RECORDS).splitlines()[-1])['digest']})\n",
    ),
    Golden(
        "verify: a broken chain has no end to compare",
        ("verify", "changed.jsonl", "--against", "head.txt"), 1,
        CHANGED_HITS + "failed       ending (the chain is broken before it)\n",
    ),
    Golden(
        "verify: the count alone",
        ("verify", "sealed.jsonl", "--expect-count", "6"), 0, "chain: intact\npassed       ending\n",
    ),
    Golden(
        "verify: another count",
        ("verify", "sealed.jsonl", "--expect-count", "7"), 1,
        "chain: intact\nfailed       ending (expected 7 links, found 6)\n",
    ),
    Golden(
        "verify: the digest alone",
        ("verify", "sealed.jsonl", "--expect-head", DIGESTS[5]), 0,
        "chain: intact\npassed       ending\n",
    ),
    Golden(
        "verify: all three agree",
        ("verify", "sealed.jsonl", "--expect-count", "6", "--expect-head", DIGESTS[5],
         "--against", "head.txt"), 0, "chain: intact\npassed       ending\n",
    ),
    Golden(
        "verify: an empty file and a count of none",
        ("verify", "empty.jsonl", "--expect-count", "0"), 0, "chain: intact\npassed       ending\n",
    ),
    Golden(
        "verify: an empty file where there were links",
        ("verify", "empty.jsonl", "--against", "head.txt"), 1,
        "chain: intact\nfailed       ending (expected 6 links, found 0)\n",
    ),
    Golden(
        "verify: two counts that contradict",
        ("verify", "sealed.jsonl", "--expect-count", "5", "--against", "head.txt"), 2,
        err="error: --expect-count and --against say different counts\n",
    ),
    Golden(
        "verify: two digests that contradict",
        ("verify", "sealed.jsonl", "--expect-head", ZEROS, "--against", "head.txt"), 2,
        err="error: --expect-head and --against say different digests\n",
    ),
    Golden(
        "verify: a count that is none",
        ("verify", "sealed.jsonl", "--expect-count", "six"), 2,
        err="error: --expect-count must be a whole number\n",
    ),
    Golden(
        "verify: a digest that is none",
        ("verify", "sealed.jsonl", "--expect-head", DIGESTS[5].upper()), 2,
        err="error: --expect-head must be 64 lower-case hex digits\n",
    ),
    Golden(
        "verify: a head that is none",
        ("verify", "sealed.jsonl", "--against", "not-a-head.txt"), 2,
        err="error: not-a-head.txt: not the head of a seal (its first line is toolreplay/seal/v1)\n",
    ),
    Golden(
        "verify: a head that is not there",
        ("verify", "sealed.jsonl", "--against", "gone.txt"), 2,
        err="error: gone.txt: No such file or directory\n",
    ),
    Golden(
        "verify: two inputs from one standard input",
        ("verify", "-", "--against", "-"), 2,
        err="error: only one input can be standard input\n", stdin=HEAD_DIRTY.encode(),
    ),
    Golden(
        "verify: --explain says what was not checked",
        ("verify", "sealed.jsonl", "--explain"), 0, _EXPLAINED_INTACT,
    ),
    Golden(
        "verify: --explain of a broken chain",
        ("verify", "changed.jsonl", "--explain"), 1,
        CHANGED_HITS + "\nfailed       contents · links\n"
        + _EXPLAINED_INTACT[_EXPLAINED_INTACT.index("not checked"):],
    ),
    Golden(
        "verify: --explain names lines that are not canonical",
        ("verify", "sealed-respelt.jsonl", "--explain"), 0,
        "chain: intact\n\n"
        + "".join(
            f"line {number} is not in canonical form; its values are what its digest covers\n"
            for number in range(1, 7)
        )
        + _EXPLAINED_INTACT.removeprefix("chain: intact\n"),
    ),
    Golden(
        "verify: --explain of an empty sealed file",
        ("verify", "empty.jsonl", "--explain"), 0,
        "chain: intact\n\n"
        "not checked  contents  nothing was sealed\n"
        "             links     nothing was sealed\n"
        "             ending    no head to compare with  see: toolreplay explain ending\n"
        "             signer    a seal has no signature  see: toolreplay explain signer\n"
        "not checked: nothing was sealed\n",
    ),
    Golden(
        "verify: upper-case hex",
        ("verify", "sealed-upper.jsonl"), 2,
        err="error: line 2: digest must be 64 lower-case hex digits\n",
    ),
    Golden(
        "verify: a digest too short",
        ("verify", "sealed-short.jsonl"), 2,
        err="error: line 1: digest must be 64 lower-case hex digits\n",
    ),
    Golden(
        "verify: an index that is 2.0",
        ("verify", "sealed-float-index.jsonl"), 2, err="error: line 3: index must be an integer\n",
    ),
)  # fmt: skip
"""What the public tool's text leaves open."""

TABLE: tuple[Golden, ...] = TUTORIAL + OURS


def lay_out(folder: str | os.PathLike[str]) -> None:
    """Write FILES into a folder."""
    for place in {os.path.dirname(name) for name in FILES} - {""}:
        os.makedirs(os.path.join(folder, place), exist_ok=True)
    for name, data in FILES.items():
        with open(os.path.join(folder, name), "wb", 0) as file:
            file.write(data)


Answer = tuple[int, bytes, bytes]
Start = Callable[[Golden, str], Answer]
"""Runs one entry in a folder: (status, standard output, standard error)."""


def differences(start: Start, table: Sequence[Golden] = TABLE) -> list[str]:
    """Run entries of the table; return what differs, a few lines each."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        lay_out(folder)
        for golden in table:
            status, out, err = start(golden, folder)
            found += [
                f"{golden.name}: {what} is {got!r}, expected {wanted!r}"
                for what, got, wanted in (
                    ("the exit status", status, golden.status),
                    ("standard output", out.decode("utf-8", "replace"), golden.out),
                    ("standard error", err.decode("utf-8", "replace"), golden.err),
                )
                if got != wanted
            ]
            found += [f"{golden.name}: {fact}" for fact in _wrong_files(golden, folder)]
    return found


def _wrong_files(golden: Golden, folder: str) -> Iterator[str]:
    """Compare the folder with what it should hold now, and take away what was made."""
    wanted = {name: text.encode() for name, text in golden.writes}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(place, name), folder)
            with open(os.path.join(folder, path), "rb") as file:
                data = file.read()
            if path in FILES:
                if data != FILES[path]:
                    yield f"{path} was changed"
                continue
            if path not in wanted:
                yield f"{path} was left behind"
            elif data != wanted.pop(path):
                yield f"{path} holds {data!r}"
            os.unlink(os.path.join(folder, path))
    yield from (f"{name} was not written" for name in wanted)


def _start_with(command: Sequence[str]) -> Start:
    def start(golden: Golden, folder: str) -> Answer:
        done = subprocess.run(
            [*command, *golden.arguments],
            cwd=folder,
            input=golden.stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return start


def main(arguments: Sequence[str]) -> int:
    """Run the table against the command behind `--`."""
    if len(arguments) < 2 or arguments[0] != "--":
        print("usage: python3 -m tests.cli.tutorial -- COMMAND…")
        return 2
    command = [os.path.abspath(word) if os.sep in word else word for word in arguments[1:]]
    found = differences(_start_with(command))
    for line in found:
        print(line)
    print(f"{len(TABLE)} command lines, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
