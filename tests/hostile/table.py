"""The table: (file, command, exit, line) for every hostile file and what may read it.

`file` is a name in `files.FILES`, which says how it is made. `command` is a word of `COMMANDS`, or
a command line in which `{}` stands for the file; `< FILE` and `> FILE` may end it. Files of the
table that a command line names are made too.

`line`, with exit 2, is the one line of standard error; otherwise a line of either stream. `…` in it
stands for anything: the system's or a library's own words, or what another row is about. None says
nothing about the lines. What holds for every row says running.py.
"""

import errno
import os
from itertools import count
from typing import NamedTuple

from tests.hostile.files import LONGEST_ID, ODD_FILES, SESSION_MEMBERS, SPOILT
from tests.hostile.pieces import BAD_VALUES, ODD_NAMES, VALID_VALUES, WRONG
from tests.hostile.running import FORBIDDEN

__all__ = ["COMMANDS", "ROWS", "Row"]


class Row(NamedTuple):
    """One row."""

    file: str
    command: str
    exit: int
    line: str | None = None


COMMANDS = {
    "replay": "replay {}",
    "scope": "scope {} scope.json",
    "seal": "seal {}",
    "audit": "audit {}",
    "show": "show {}",
    "full": "show {} --full",
    "verify": "verify {}",
    "explain": "verify {} --explain",
    "import": "import {} -o out/run.jsonl",
    "print": "import {}",
    "audit json": "audit {} --format json",
    "replay json": "replay {} --format json",
    "scope json": "scope {} scope.json --format json",
    "show json": "show {} --format json",
    "diff": "diff {} good.jsonl",
    "diff json": "diff {} good.jsonl --format json",
    "diff markdown": "diff {} good.jsonl --full --format markdown",
    "diff itself": "diff {} {}",
    "verify json": "verify {} --format json",
    "as scope": "scope good.jsonl {}",
    "audit scope": "audit good.jsonl --scope {}",
    "against": "verify good.sealed.jsonl --against {}",
    "mutators": "replay good.jsonl --mutators {}",
    "from session": "audit {} --from claude_code",
}

STRICT = ("replay", "scope", "seal")
READ = ("audit", "show", "audit json")
TRANSCRIPT = (*STRICT, *READ)
EVERY = (*TRANSCRIPT, "full", "show json", "replay json", "scope json")
SEALED = ("verify", "verify json", "audit", "show")
SESSION = ("audit", "show", "import")
SCOPE = ("as scope", "audit scope")
BESIDE = ("audit", "show")

ROWS: list[Row] = []


_turns = count()


def some(commands: tuple[str, ...], number: int = 1) -> tuple[str, ...]:
    """Return some of the commands, others at each call: what they share is not asked of each."""
    start = next(_turns)
    return tuple(commands[(start + at) % len(commands)] for at in range(number))


def rows(file: str, commands: tuple[str, ...], status: int, line: str | None = None) -> None:
    """Add a row for each of the commands."""
    ROWS.extend(Row(file, command, status, line) for command in commands)


def refused(file: str, commands: tuple[str, ...], fact: str) -> None:
    """Add rows of exit 2."""
    rows(file, commands, 2, f"error: {fact}")


def escaped(text: str) -> str:
    """Write a text as it must be printed."""
    return FORBIDDEN.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", text.replace("\n", "\\u{a}"))


def placed(fact: str, at: int) -> str:
    """Put a byte or column into a message; other braces stay as they are."""
    return fact.replace("{}", str(at))


def account(
    mapped: int, *, orphaned: int = 0, unreadable: int = 0, truncated: int = 0, skipped: str = "0"
) -> str:
    """Write the beginning of the account of a session."""
    seen = mapped + orphaned + unreadable + truncated + int(skipped.partition(" ")[0])
    return (
        f"account: seen {seen} = mapped {mapped} + skipped {skipped} + truncated {truncated}"
        f" + orphaned {orphaned} + duplicate 0 + unreadable {unreadable}…"
    )


DEEP = "nested deeper than 200 levels (--max-depth raises the limit)"
DIGITS = "an integer of more than 4300 digits"
MARK = "starts with a byte order mark (save the file as UTF-8 without one)"
UTF_16 = "the file is UTF-16, not UTF-8 (a shell's > may have re-encoded it; -o FILE does not)"
VALUES = "more than 1000000 values (--max-line-values raises the limit)"
OVERFLOW = "a number overflows to infinity"
CONTROL = "a raw control character in a string (column {})"
NOT_JSON = "not valid JSON (column {})"
NOT_UTF_8 = "not UTF-8 (byte {} of the line)"
MIDDLE = "not valid JSON (the line ends in the middle of a value)"
IN_STRING = "not valid JSON (the line ends inside a string)"
NOT_HEAD = "not the head of a seal (its first line is toolreplay/seal/v1)"
NOT_COMPANION = "line 1: not the companion of a transcript (toolreplay-meta/1)"
NO_SESSION = "not a Claude Code session (no line has a type with sessionId, uuid or message blocks)"
FOREIGN = "unexpected field(s): isSidechain, message, sessionId, timestamp, type, uuid, version"
CHANGED = "the file changed while it was read"

# --- one bad value, wherever a value may stand --------------------------------------------------
# The number is the place in the value that the message names, counted from 1.

BAD: dict[str, tuple[str, int]] = {
    "deep-lists": (DEEP, 0),
    "deep-objects": (DEEP, 0),
    "deep-open": (DEEP, 0),
    "deep-hidden": (DEEP, 0),
    "deep-hidden-escape": (DEEP, 0),
    "digits-4301": (DIGITS, 0),
    "digits-4301-negative": (DIGITS, 0),
    "digits-5000": (DIGITS, 0),
    "overflow": (OVERFLOW, 0),
    "overflow-negative": (OVERFLOW, 0),
    "overflow-long": (OVERFLOW, 0),
    "nan": ("NaN is not JSON", 0),
    "infinity": ("Infinity is not JSON", 0),
    "infinity-negative": ("-Infinity is not JSON", 0),
    "twice": ("duplicate field 'a'", 0),
    "twice-equal": ("duplicate field 'a'", 0),
    "twice-deep": ("duplicate field 'a'", 0),
    "twice-escaped": ("duplicate field 'a'", 0),
    "twice-surrogate": ("duplicate field '\\u{d800}'", 0),
    "twice-control": ("duplicate field '\\u{1b}[31m'", 0),
    "twice-long": (f"duplicate field '{'k' * 100}…'", 0),
    "twice-empty": ("duplicate field ''", 0),
    "overlong-slash": (NOT_UTF_8, 2),
    "overlong-nul": (NOT_UTF_8, 2),
    "overlong-three": (NOT_UTF_8, 2),
    "surrogate-bytes": (NOT_UTF_8, 2),
    "surrogate-pair-bytes": (NOT_UTF_8, 2),
    "past-unicode": (NOT_UTF_8, 2),
    "latin-1": (NOT_UTF_8, 5),
    "stray-continuation": (NOT_UTF_8, 2),
    "cut-sequence": (NOT_UTF_8, 2),
    "byte-ff": (NOT_UTF_8, 2),
    "raw-escape": (CONTROL, 2),
    "raw-nul": (CONTROL, 3),
    "raw-tab": (CONTROL, 3),
    "raw-cr": (CONTROL, 3),
    "values-over": (VALUES, 0),
    "single-quotes": (NOT_JSON, 2),
    "trailing-comma": ("not valid JSON (column …)", 0),
    "comment": (NOT_JSON, 5),
    "leading-zero": (NOT_JSON, 3),
    "plus-sign": (NOT_JSON, 2),
    "bare-fraction": (NOT_JSON, 2),
    "hexadecimal": (NOT_JSON, 3),
    "python-word": (NOT_JSON, 2),
    "undefined": (NOT_JSON, 2),
    "bare-name": (NOT_JSON, 2),
    "bad-escape": (NOT_JSON, 2),
    "short-escape": (NOT_JSON, 3),
    "half-escape": (NOT_JSON, 9),
    "full-width-digit": (NOT_JSON, 2),
    "no-break-space": (NOT_JSON, 2),
    "minus-alone": (NOT_JSON, 2),
    "exponent-alone": (NOT_JSON, 3),
}
assert BAD.keys() == BAD_VALUES.keys()

for _name, (_fact, _at) in BAD.items():
    # What stands before the value in its line: 48 bytes in a transcript, 42 in a scope, 24 in a
    # companion (see `strict_with` and the others in pieces.py).
    refused(f"{_name}.jsonl", some(TRANSCRIPT), f"line 2: {placed(_fact, 48 + _at)}")
    refused(f"{_name}.sealed.jsonl", some(SEALED), f"line 2: {placed(_fact, 48 + _at)}")
    refused(f"{_name}.scope.json", some(SCOPE), f"{_name}.scope.json: {placed(_fact, 42 + _at)}")
    _companion = f"{_name}.beside.jsonl.meta.jsonl"
    refused(
        f"{_name}.beside.jsonl", some(BESIDE), f"{_companion}: line 2: {placed(_fact, 24 + _at)}"
    )
    # A session that an agent's program cut or mixed up is still read: the line is counted as lost.
    rows(f"{_name}.session.jsonl", some(SESSION), 0, account(2, orphaned=1, unreadable=1))

# --- one odd value that is valid: it is read everywhere, and printed nowhere as it is -----------

for _name, _value in VALID_VALUES.items():
    rows(f"{_name}.jsonl", some(EVERY, 3), 0)
    rows(f"{_name}.sealed.jsonl", some(("verify", "explain")), 0, "chain: intact")
    rows(f"{_name}.sealed.jsonl", some(("verify json", "audit", "show")), 0)
    rows(f"{_name}.session.jsonl", some((*SESSION, "full", "print"), 2), 0, account(4))
    if _value.startswith(b'"'):
        rows(f"{_name}.scope.json", some(SCOPE), 0)
        rows(f"{_name}.beside.jsonl", some((*BESIDE, "show json")), 0)

# --- names that a record carries ----------------------------------------------------------------

for _name, _text in ODD_NAMES.items():
    _long = len(_text) > 1000
    _cut = f"{_text[:1000]}… ({len(_text)} characters)" if _long else _text
    _quoted = f"'{escaped(_cut)}'"
    _outside = f"index 0: permission-overreach: tool {_quoted} is not in the declared scope"
    _repeats = f"index 1: redundant-call: tool {_quoted} repeats the identical call at index 0"
    rows(f"tool-{_name}.jsonl", ("scope",), 1, f"{_outside} for agent 'docs-reader'")
    rows(f"tool-{_name}.jsonl", some(("replay", "audit")), 1, f"{_repeats} with no state change…")
    rows(f"tool-{_name}.jsonl", some(("audit json", "replay json", "scope json")), 1)
    rows(f"tool-{_name}.jsonl", some(("seal", "show", "full", "show json"), 2), 0)
    rows(f"tool-{_name}.sealed.jsonl", ("verify",), 0, "chain: intact")
    rows(f"tool-{_name}.session.jsonl", some((*SESSION, "full", "show json"), 2), 0, account(4))
    rows(f"agent-{_name}.scope.json", some(SCOPE), 1, f"…for agent {_quoted}")
    _text = _text[:LONGEST_ID]
    _shown = escaped(_text if len(_text) <= 200 else f"{_text[:200]}…")
    rows(f"run-{_name}.jsonl", some(BESIDE), 0, f"run {_shown} · {_shown} · 2 calls · LOGGED…")
    rows(f"run-{_name}.jsonl", some(("audit json", "show json")), 0)
    # An agent's id names a file, a session's id too where there are two: both stay below `out`.
    _id = f"{_text}.agent-{_text}"
    _heading = escaped(_id if len(_id) <= 200 else f"{_id[:200]}…")
    if not _id.startswith("."):
        _line = f"run {_heading} · {_shown}, model {_shown} · 1 call · LOGGED…"
        rows(f"id-{_name}.session.jsonl", some(("audit", "show")), 0, _line)
    rows(f"id-{_name}.session.jsonl", ("import", *some(("print", "audit json"))), 0, account(2))
    rows(f"two-{_name}.session.jsonl", ("audit", "import {} -o out/folder"), 0, account(5))

# --- whole files, spoilt ------------------------------------------------------------------------


NOTHING_LIKE_OURS = ("ebcdic", "gzip-twice", "lz4", "noise", "nul-only", "page", "zip")


def broken_at_first(name: str, fact: str, *forms: str) -> None:
    """Add rows for files whose first line cannot be read: ours are known by how it begins."""
    for form in forms or ("jsonl", "sealed.jsonl", "session.jsonl"):
        file = f"spoilt-{name}.{form}"
        refused(file, some(STRICT), f"line 1: {fact}")
        if form != "session.jsonl" and name not in NOTHING_LIKE_OURS:
            refused(file, some((*READ, "verify")), f"line 1: {fact}")
            word = "sealed transcript" if form.startswith("sealed") else "transcript"
            refused(file, some(("print",)), f"{file}: is a {word} already (see: toolreplay audit)")
            continue
        reason = f"is not recognised: not a transcript (line 1: {fact}); {NO_SESSION}"
        refused(file, some((*READ, "verify", "print")), f"{file}: {reason}")


def whole(name: str, ending: str, commands: tuple[str, ...], fact: str) -> None:
    """Add rows for a file that is named as a whole."""
    file = f"spoilt-{name}.{ending}"
    beside = ".meta.jsonl" if ending == "beside.jsonl" else ""
    refused(file, commands, f"{file}{beside}: {fact}")


for _name in ("empty", "newline", "blanks"):
    _file = f"spoilt-{_name}"
    rows(f"{_file}.jsonl", ("replay", "scope"), 0, "calls: 0")
    rows(f"{_file}.jsonl", ("seal", "show", "show json", "replay json", "scope json"), 0)
    rows(f"{_file}.jsonl", ("audit",), 3, "not checked: nothing was recorded")
    rows(f"{_file}.jsonl", ("audit json",), 3)
    rows(f"{_file}.sealed.jsonl", ("verify",), 0, "chain: intact")
    rows(f"{_file}.sealed.jsonl", ("explain",), 0, "not checked: nothing was sealed")
    whole(_name, "session.jsonl", ("import",), "is a transcript already (see: toolreplay audit)")
    whole(_name, "scope.json", some(SCOPE), MIDDLE)
    whole(_name, "head.txt", ("against",), NOT_HEAD)
    whole(_name, "beside.jsonl", some(BESIDE), NOT_COMPANION)

for _name in ("crlf", "no-newline", "blank-between", "blank-ends", "gzip", "gzip-padding",
              "gzip-parts"):  # fmt: skip
    rows(f"spoilt-{_name}.jsonl", some(TRANSCRIPT, 3), 0)
    rows(f"spoilt-{_name}.sealed.jsonl", ("verify",), 0, "chain: intact")
    rows(f"spoilt-{_name}.session.jsonl", SESSION, 0, account(4))
    if not _name.startswith("gzip"):
        rows(f"spoilt-{_name}.scope.json", SCOPE, 0)
        rows(f"spoilt-{_name}.beside.jsonl", BESIDE, 0)
        refused(
            f"spoilt-{_name}.session.jsonl",
            STRICT,
            f"line {1 + 2 * (_name == 'blank-ends')}: {FOREIGN}",
        )
rows("spoilt-no-newline.head.txt", ("against",), 0, "passed       ending")
for _name in ("crlf", "blank-between", "blank-ends"):
    whole(_name, "head.txt", ("against",), NOT_HEAD)

for _name, _fact in {
    "utf-16-le": UTF_16, "utf-16-be": UTF_16, "utf-16-le-mark": UTF_16, "utf-16-be-mark": UTF_16,
    "utf-32-le": UTF_16, "utf-32-be-mark": NOT_UTF_8.format(3), "ebcdic": NOT_UTF_8.format(1), "nul-only": NOT_JSON.format(1), "zip": NOT_JSON.format(1),
    "page": NOT_JSON.format(1), "noise": NOT_UTF_8.format(2), "gzip-twice": NOT_UTF_8.format(2),
    "lz4": NOT_JSON.format(1),
}.items():  # fmt: skip
    broken_at_first(_name, _fact)
    if _name != "gzip-twice":
        whole(_name, "head.txt", ("against",), NOT_HEAD)
        whole(_name, "scope.json", some(SCOPE), _fact)
        whole(_name, "beside.jsonl", some(BESIDE), f"line 1: {_fact}")

# A first line that is lost costs a session that line; a transcript is refused.
for _name, _fact in {
    "bom": MARK, "bom-crlf": MARK, "comment": NOT_JSON.format(1), "utf-7": NOT_JSON.format(1),
}.items():  # fmt: skip
    broken_at_first(_name, _fact, "jsonl", "sealed.jsonl")
    whole(_name, "scope.json", some(SCOPE), _fact)
    whole(_name, "head.txt", ("against",), NOT_HEAD)
    whole(_name, "beside.jsonl", some(BESIDE), f"line 1: {_fact}")
for _name in ("bom", "bom-crlf", "utf-7"):
    rows(f"spoilt-{_name}.session.jsonl", SESSION, 0, account(2, orphaned=1, unreadable=1))
rows("spoilt-comment.session.jsonl", SESSION, 0, account(4, unreadable=1))
rows("spoilt-bom-inside.session.jsonl", SESSION, 0, account(3, unreadable=1))
refused("spoilt-bom-inside.jsonl", some(TRANSCRIPT, 2), f"line 2: {MARK}")
refused("spoilt-bom-inside.sealed.jsonl", some(SEALED), f"line 2: {MARK}")
whole("bom-inside", "scope.json", some(SCOPE), "more text after the value (column 57)")
whole("bom-inside", "head.txt", ("against",), "the count of a head must be a plain number")
whole("bom-inside", "beside.jsonl", some(BESIDE), f"line 2: {MARK}")

# What stands behind the last line.
for _name in ("nul-padding", "nul-line", "form-feed", "vertical-tab", "next-line",
              "ideographic-space"):  # fmt: skip
    _cut_off = _name == "nul-padding"
    refused(f"spoilt-{_name}.jsonl", some(TRANSCRIPT, 2), f"line 3: {NOT_JSON.format(1)}")
    refused(f"spoilt-{_name}.sealed.jsonl", some(SEALED), f"line 3: {NOT_JSON.format(1)}")
    rows(
        f"spoilt-{_name}.session.jsonl", SESSION, 0,
        account(4, truncated=int(_cut_off), unreadable=int(not _cut_off)),
    )  # fmt: skip
    whole(_name, "scope.json", some(SCOPE), "more text after the value (column 57)")
    whole(_name, "head.txt", ("against",), NOT_HEAD)
    whole(_name, "beside.jsonl", some(BESIDE), f"line 4: {NOT_JSON.format(1)}")

# What is missing from the last line.
for _name, _facts in {
    "nul-page": (CONTROL.format(27), CONTROL.format(168), NOT_JSON.format(1), CONTROL.format(152)),
    "cut": (MIDDLE, IN_STRING, IN_STRING, IN_STRING),
    "cut-character": tuple(NOT_UTF_8.format(at) for at in (75, 216, 46, 200)),
}.items():
    refused(f"spoilt-{_name}.jsonl", some(TRANSCRIPT, 2), f"line 2: {_facts[0]}")
    refused(f"spoilt-{_name}.sealed.jsonl", some(SEALED), f"line 2: {_facts[1]}")
    rows(f"spoilt-{_name}.session.jsonl", SESSION, 0, account(3, truncated=1))
    whole(_name, "scope.json", some(SCOPE), _facts[2])
    whole(_name, "head.txt", ("against",), NOT_HEAD)
    whole(_name, "beside.jsonl", some(BESIDE), f"line 3: {_facts[3]}")

# Two objects on one line.
for _name in ("glued", "separated-by-2028", "cr-only"):
    _facts = [f"more text after the value (column {at})" for at in (86, 227)]
    broken_at_first(_name, _facts[0], "jsonl")
    broken_at_first(_name, _facts[1], "sealed.jsonl")
    whole(_name, "head.txt", ("against",), NOT_HEAD)
    whole(_name, "beside.jsonl", some(BESIDE), f"line 1: {_facts[0]}")
rows("spoilt-glued.session.jsonl", SESSION, 0, account(2, unreadable=1))
rows("spoilt-separated-by-2028.session.jsonl", SESSION, 0, account(2, unreadable=1))
broken_at_first("cr-only", "more text after the value (column 341)", "session.jsonl")
rows("spoilt-cr-only.scope.json", SCOPE, 0)
rows("spoilt-glued.scope.json", SCOPE, 0)

# JSON, but no record.
for _name, _fact in {
    "null": "a record must be an object", "number": "a record must be an object",
    "text": "a record must be an object",
    "object": "missing field(s): args, index, response, tool",
}.items():  # fmt: skip
    for _form in ("jsonl", "sealed.jsonl", "session.jsonl"):
        refused(f"spoilt-{_name}.{_form}", some(STRICT), f"line 1: {_fact}")
        _reason = f"is not recognised: not a transcript ({_fact}); {NO_SESSION}"
        whole(_name, _form, some((*READ, "verify", "import")), _reason)
    whole(_name, "head.txt", ("against",), NOT_HEAD)
    whole(_name, "beside.jsonl", some(BESIDE), NOT_COMPANION)
    if _name != "object":
        whole(_name, "scope.json", some(SCOPE), "a scope must be an object")
whole("object", "scope.json", some(SCOPE), "missing field(s): agent, allowed_tools")
for _form in ("jsonl", "sealed.jsonl", "session.jsonl"):
    refused(f"spoilt-array.{_form}", STRICT, f"line 1: {MIDDLE}")
    whole("array", _form, (*READ, "verify", "import"), f"is not recognised: {NO_SESSION}")
whole("array", "head.txt", ("against",), NOT_HEAD)
whole("array", "beside.jsonl", some(BESIDE), f"line 1: {MIDDLE}")
whole("separated-by-2028", "scope.json", some(SCOPE), "more text after the value (column 57)")
whole("array", "scope.json", some(SCOPE), "a scope must be an object")

# Compressed, and broken.
for _form in ("jsonl", "sealed.jsonl", "session.jsonl"):
    whole(
        "gzip-cut",
        _form,
        some((*TRANSCRIPT, "verify", "import"), 2),
        "the compressed file ends too early",
    )
    whole(
        "gzip-head",
        _form,
        some((*TRANSCRIPT, "verify", "import"), 2),
        "the compressed file ends too early",
    )
    whole("gzip-flip", _form, some((*TRANSCRIPT, "verify", "import"), 2), "cannot be read: …")
    whole(
        "gzip-checksum",
        _form,
        some((*TRANSCRIPT, "verify", "import"), 2),
        "cannot be read: CRC check failed…",
    )
    whole(
        "gzip-garbage",
        _form,
        some((*TRANSCRIPT, "verify", "import"), 2),
        "cannot be read: Not a gzipped file…",
    )
    whole(
        "zstandard",
        _form,
        some((*TRANSCRIPT, "verify", "import"), 2),
        "a Zstandard file needs the extra 'zstd' (pip install '.[zstd]')",
    )
for _name in (*filter(lambda name: name.startswith("gzip"), SPOILT), "zstandard"):
    # What is declared is small and stands in the open.
    whole(_name, "scope.json", some(SCOPE), NOT_UTF_8.format(2))
    whole(_name, "head.txt", ("against",), NOT_HEAD)
    whole(_name, "beside.jsonl", some(BESIDE), f"line 1: {NOT_UTF_8.format(2)}")

# --- limits -------------------------------------------------------------------------------------

rows("depth-200.jsonl", EVERY, 0)
rows("depth-200.sealed.jsonl", ("verify",), 0, "chain: intact")
rows("depth-200.session.jsonl", (*SESSION, "full", "print"), 0, account(4))
refused("depth-201.jsonl", TRANSCRIPT, f"line 2: {DEEP}")
refused("depth-201.sealed.jsonl", SEALED, f"line 2: {DEEP}")
rows("depth-201.session.jsonl", SESSION, 0, account(2, orphaned=1, unreadable=1))
refused("depth-201.scope.json", SCOPE, f"depth-201.scope.json: {DEEP}")
refused("depth-201.beside.jsonl", BESIDE, f"depth-201.beside.jsonl.meta.jsonl: line 2: {DEEP}")
rows("depth-201.jsonl", tuple(f"{COMMANDS[word]} --max-depth 201" for word in TRANSCRIPT), 0)
rows("depth-201.session.jsonl", ("import {} -o out/run.jsonl --max-depth 201",), 0, account(4))
refused("good.jsonl", ("replay {} --max-depth 1",),
        "line 1: nested deeper than 1 levels (--max-depth raises the limit)")  # fmt: skip
rows("good.jsonl", ("replay {} --max-depth 2", "seal {} --max-depth 2"), 0)
for _file in ("line-1000.jsonl", "line-1000.crlf.jsonl", "line-1000.cut.jsonl"):
    rows(_file, ("replay {} --max-line-bytes 1000", "audit {} --max-line-bytes 1000"), 0)
    refused(_file, ("replay {} --max-line-bytes 999", "show {} --max-line-bytes 999"),
            "line 2: longer than 999 bytes (--max-line-bytes raises the limit)")  # fmt: skip
refused("line-1001.jsonl", ("seal {} --max-line-bytes 1000",),
        "line 2: longer than 1000 bytes (--max-line-bytes raises the limit)")  # fmt: skip
_LONG = "longer than 16777216 bytes (--max-line-bytes raises the limit)"
rows("line-limit.jsonl", ("replay",), 0)
refused("line-over.jsonl", ("replay", "audit json"), f"line 2: {_LONG}")
refused("line-over.sealed.jsonl", ("verify",), f"line 2: {_LONG}")
refused("line-over.session.jsonl", ("audit", "import"), f"line 2: {_LONG}")
refused("line-over.scope.json", ("as scope",), f"line-over.scope.json: {_LONG}")
refused("line-over.head.txt", ("against",), f"line-over.head.txt: {_LONG}")
refused("line-over.beside.jsonl", ("audit",), f"line-over.beside.jsonl.meta.jsonl: line 2: {_LONG}")
refused("spaces.jsonl", ("replay", "show"), f"line 2: {_LONG}")
rows("values-6.jsonl", ("replay {} --max-line-values 11",), 0)
refused("values-6.jsonl", ("replay {} --max-line-values 10",),
        "line 1: more than 10 values (--max-line-values raises the limit)")  # fmt: skip
# A limit nobody's memory holds is asked of nobody's memory.
for _command in ("replay", "audit", "show", "as scope", "against", "mutators"):
    _file = {"as scope": "scope.json", "against": "good-head.txt", "mutators": "names-odd.txt"}.get(
        _command, "one.jsonl"
    )
    rows(_file, tuple(f"{COMMANDS[_command]} --max-line-bytes {most}"
                      for most in (10**11, 4611686018427387903)), 0)  # fmt: skip
rows("export.session.json", ("audit {} --max-line-bytes 4611686018427387903",), 0, account(4))
_MOST = 4611686018427387903
_FLAGS = f"--max-line-values {_MOST} --max-depth {_MOST} --max-expanded-bytes {_MOST}"
rows("good.jsonl", (f"replay {{}} {_FLAGS}",), 0)

refused("bomb.jsonl.gz", some(STRICT), f"line 1: {_LONG}")
_EXPANDED = (
    "is larger than 1000000 bytes once read or expanded (--max-expanded-bytes raises the limit)"
)
for _command in ("audit", "show", "verify", "import", "seal"):
    refused("bomb-of-lines.jsonl.gz", (f"{COMMANDS[_command]} --max-expanded-bytes 100000",),
            f"bomb-of-lines.jsonl.gz: {_EXPANDED.replace('1000000', '100000')}")  # fmt: skip
    refused("bomb.jsonl.gz", (f"{COMMANDS[_command]} --max-expanded-bytes 1000000",),
            f"bomb.jsonl.gz: {_EXPANDED}")  # fmt: skip
rows("bomb-of-lines.jsonl.gz", ("replay",), 0, "calls: 0")
rows("bomb-in-name.jsonl.gz", TRANSCRIPT, 0)
refused(
    "gzip-length.jsonl.gz", TRANSCRIPT, "gzip-length.jsonl.gz: cannot be read: Incorrect length…"
)

# --- members of the wrong type, missing and unknown ---------------------------------------------

_DIGEST = "must be 64 lower-case hex digits"
_MUST: dict[str, str] = {
    "index": "index must be an integer",
    "tool": "tool must be a string",
    "args": "args must be an object",
    "response": "response must be an object",
    "prev": f"prev {_DIGEST}",
    "digest": f"digest {_DIGEST}",
    "agent": "agent must be a string",
    "allowed_tools": "allowed_tools must be an array of strings",
}
_FITS = {
    "index": ("number",), "tool": ("string",), "args": ("object",), "response": ("object",),
    "prev": (), "digest": (), "agent": ("string", "empty"), "allowed_tools": (),
}  # fmt: skip
_OWN = {"tool": {"empty": "tool must not be empty"}}

for _name, _fact in _MUST.items():
    for _word in WRONG:
        _said = _OWN.get(_name, {}).get(_word, _fact)
        _file = f"wrong-{_name}-{_word}"
        if _name in ("agent", "allowed_tools"):
            if _word in _FITS[_name]:
                rows(f"{_file}.scope.json", SCOPE, 0)
            else:
                refused(f"{_file}.scope.json", some(SCOPE), f"{_file}.scope.json: {_said}")
            continue
        if _word in _FITS[_name]:
            rows(f"{_file}.sealed.jsonl", ("verify",), 1, "first broken link: index 1")
            rows(f"{_file}.sealed.jsonl", ("audit",), 1, "index 1: broken-link: …")
        else:
            refused(f"{_file}.sealed.jsonl", some(SEALED), f"line 2: {_said}")
        if _name in ("prev", "digest"):
            continue
        if _name == "index" and _word == "number":
            refused(f"{_file}.jsonl", TRANSCRIPT, "line 2: index must be 1, found 7")
        elif _word in _FITS[_name]:
            rows(f"{_file}.jsonl", ("replay", "seal", "audit", "show"), 0)
        else:
            refused(f"{_file}.jsonl", some(TRANSCRIPT), f"line 2: {_said}")

for _word in WRONG:
    _fact = "unexpected field(s): x" if _word == "object" else "a record must be an object"
    refused(f"wrong-record-{_word}.jsonl", some(TRANSCRIPT), f"line 2: {_fact}")
    refused(f"wrong-record-{_word}.sealed.jsonl", some(SEALED), f"line 2: {_fact}")
    _file = f"wrong-record-{_word}.scope.json"
    _fact = "unexpected field(s): x" if _word == "object" else "a scope must be an object"
    refused(_file, some(SCOPE), f"{_file}: {_fact}")
    _file = f"wrong-record-{_word}.beside.jsonl"
    refused(_file, some(BESIDE), f"{_file}.meta.jsonl: line 3: must have exactly at, bytes, call_id, "
            "ended_at, file, index, line_sha256, model, outcome")  # fmt: skip

for _ending, _names in {
    "jsonl": ("index", "tool", "args", "response"),
    "sealed.jsonl": ("index", "tool", "args", "response", "prev", "digest"),
}.items():
    _all = TRANSCRIPT if _ending == "jsonl" else SEALED
    for _name in _names:
        refused(
            f"wrong-{_name}-missing.{_ending}", some(_all), f"line 2: missing field(s): {_name}"
        )
    _some = ", ".join(f"x{number}\\u{{1b}}" for number in sorted(map(str, range(5000)))[:10])
    _fact = "line 2: unexpected field(s):"
    refused(f"wrong-unknown.{_ending}", some(_all), f"{_fact} \\u{{1b}}[31mx")
    refused(f"wrong-unknown-many.{_ending}", some(_all), f"{_fact} {_some}, and 4990 more")
    _some = "\\u{1b}" * 100
    refused(f"wrong-unknown-long.{_ending}", some(_all), f"{_fact} {_some}…")
for _name in ("agent", "allowed_tools"):
    _file = f"wrong-{_name}-missing.scope.json"
    refused(_file, SCOPE, f"{_file}: missing field(s): {_name}")
refused("wrong-item.scope.json", SCOPE,
        "wrong-item.scope.json: allowed_tools must be an array of strings")  # fmt: skip
refused("wrong-unknown.scope.json", SCOPE,
        "wrong-unknown.scope.json: unexpected field(s): \\u{1b}[31mx")  # fmt: skip
rows("wrong-unknown-many.scope.json", SCOPE, 2)
rows("wrong-unknown-long.scope.json", SCOPE, 2)

_TEXTS = "line 3: call_id, at, ended_at, model must be strings or null"
_PLACE = "line 3: file and bytes must be a string and [start, end]"
for _name, _fact, _fits in (
    ("index", "line 3: index must be 1", ()),
    ("call_id", _TEXTS, ("string", "empty", "null")),
    ("at", _TEXTS, ("string", "empty", "null")),
    ("ended_at", _TEXTS, ("string", "empty", "null")),
    ("model", _TEXTS, ("string", "empty", "null")),
    ("outcome", "line 3: unknown outcome", ()),
    ("file", _PLACE, ("string", "empty")),
    ("bytes", _PLACE, ()),
    ("line_sha256", f"line 3: line_sha256 {_DIGEST}", ()),
):  # fmt: skip
    for _word in WRONG:
        _file = f"wrong-{_name}-{_word}.beside.jsonl"
        if _word in _fits:
            rows(_file, some(BESIDE), 0)
        else:
            refused(_file, some(BESIDE), f"{_file}.meta.jsonl: {_fact}")
    _file = f"wrong-{_name}-missing.beside.jsonl"
    refused(_file, some(BESIDE), f"{_file}.meta.jsonl: line 3: must have exactly at, bytes, call_id, "
            "ended_at, file, index, line_sha256, model, outcome")  # fmt: skip
for _word in ("unknown", "unknown-many", "unknown-long"):
    _file = f"wrong-{_word}.beside.jsonl"
    refused(_file, some(BESIDE), f"{_file}.meta.jsonl: line 3: must have exactly…")
rows("beside.jsonl", (*BESIDE, "audit json", "show json"), 0)
for _name, _fact, _fits in (
    ("format", NOT_COMPANION, ()),
    ("imported", "line 1: imported and run must be strings", ("string", "empty")),
    ("run", "line 1: imported and run must be strings", ("string", "empty")),
    ("agent", "line 1: agent must be a string or null", ("string", "empty", "null")),
):  # fmt: skip
    for _word in WRONG:
        _file = f"wrong-head-{_name}-{_word}.beside.jsonl"
        if _name == "imported" and _word in _fits:
            _said = f"line 1: no importer '{WRONG[_word]}'"
            refused(_file, some(BESIDE), f"{_file}.meta.jsonl: {_said}")
        elif _word in _fits:
            rows(_file, some(BESIDE), 0)
        else:
            refused(_file, some(BESIDE), f"{_file}.meta.jsonl: {_fact}")

for _file, _fact in {
    "short.beside.jsonl": "ends before the call at index 1",
    "long.beside.jsonl": "line 4: the transcript has only 2 calls",
    "null-behind.beside.jsonl": "line 4: the transcript has only 2 calls",
    "hides.beside.jsonl": "line 2: outcome does not fit the response at index 0",
    "nobody.beside.jsonl": "line 1: no importer '\\u{1b}[31m'",
    "bytes-backwards.beside.jsonl": _PLACE,
}.items():
    refused(_file, some((*BESIDE, "audit json", "show json"), 2), f"{_file}.meta.jsonl: {_fact}")
    # The tutorial's commands do not read it, and say that it is there.
    rows(_file, ("replay",), 0, f"note: {_file}.meta.jsonl is beside it: toolreplay audit also…")
rows("outcomes.beside.jsonl", BESIDE, 0)

for _file, _fact in {
    "wrong-index-far.jsonl": "line 2: index must be 1, found a number of more than 20 digits",
    "wrong-index-start.jsonl": "line 1: index must be 0, found 4 (a transcript starts at index 0)",
    "wrong-index-gap.jsonl": "line 2: index must be 1, found 2",
    "wrong-index-again.jsonl": "line 2: index must be 1, found 0",
    "wrong-index-minus.jsonl": "line 1: index must be 0, found -1 (a transcript starts at index 0)",
    "wrong-index-float.jsonl": "line 1: index must be an integer",
}.items():
    refused(_file, some(TRANSCRIPT, 2), _fact)
for _file, _line in {
    "wrong-index-big.sealed.jsonl": "found: a number of more than 20 digits",
    "broken-prev.sealed.jsonl": "first broken link: index 1",
    "broken-index.sealed.jsonl": "found: -7",
    "broken-response.sealed.jsonl": "first broken link: index 0",
}.items():
    rows(_file, ("verify", "explain"), 1, _line)
    rows(_file, some(("audit", "verify json", "audit json")), 1)
for _word in ("case", "newline", "wide"):
    refused(f"wrong-digest-{_word}.sealed.jsonl", some(SEALED, 2), f"line 1: digest {_DIGEST}")

# --- sessions: nothing in them stops the reading ------------------------------------------------

for _name in SESSION_MEMBERS:
    _output = "out/folder" if _name == "line-sessionId" else "out/run.jsonl"
    rows(f"wrong-{_name}.session.jsonl", (f"import {{}} -o {_output}",
         *some(("audit", "show", "audit json", "show json", "full"), 2)), 0)  # fmt: skip
rows(
    "types.session.jsonl",
    (*SESSION, "audit json", "show json"),
    0,
    "account: seen 5,0…".replace(",", ""),
)
rows("tools.session.jsonl", (*SESSION, "audit json"), 0, "account: seen 600 = mapped 600 + …")
rows("orphans.session.jsonl", ("import {} -o out/run.jsonl --strict",), 1,
     "lost: line 1: orphaned result \\u{1b}[31mread\\u{1b}[0m")  # fmt: skip
rows("orphans.session.jsonl", ("import {} -o out/run.jsonl --strict",), 1,
     f"lost: line {1 + list(ODD_NAMES).index('long')}: orphaned result {'t' * 160}…")  # fmt: skip
rows("records-of-all-types.session.jsonl", SESSION, 0,
     account(2, skipped="8 (not an object 7, no type 1)"))  # fmt: skip
rows("one-id.session.jsonl", SESSION, 0)
rows("one-uuid.session.jsonl", SESSION, 0, "account: seen 600 = mapped 2 + skipped 0 + trun…")
rows("parents-in-a-ring.session.jsonl", SESSION, 0, account(4))
rows("agents.session.jsonl", ("audit",), 0)
rows("agents.session.jsonl", ("print",), 2, "error: agents.session.jsonl: holds 500 runs; name…")
rows("export.session.json", (*SESSION, "print"), 0, account(4))
rows("export-deep.session.json", SESSION, 2)
rows("export-twice.session.json", SESSION, 2)
rows("export-odd.session.json", SESSION, 0, account(4, skipped="8 (not an object 7, no type 1)"))
rows("export-cut.session.json", SESSION, 2)
rows("spoilt-noise.jsonl", ("from session",), 3)
rows("good.jsonl", ("from session",), 3)
refused("session.jsonl", ("audit {} --from transcript",), f"line 1: {FOREIGN}")
refused("good.jsonl", ("audit {} --from sealed", "verify"),
        "line 1: missing field(s): digest, prev")  # fmt: skip

# --- heads, scopes, lists of names, twins -------------------------------------------------------

for _name, _fact in {
    "count-minus": "the count of a head must be a plain number",
    "count-zeros": "the count of a head must be a plain number",
    "count-huge": "the count of a head must be a plain number",
    "count-word": "the count of a head must be a plain number",
    "count-wide": "the count of a head must be a plain number",
    "digest-short": "the digest of a head must be 64 lower-case hex digits",
    "digest-case": "the digest of a head must be 64 lower-case hex digits",
    "form": NOT_HEAD,
    "escape": NOT_HEAD,
}.items():
    _file = f"head-{_name}.head.txt"
    refused(_file, ("against", f"{COMMANDS['against']} --format json"), f"{_file}: {_fact}")
rows("head-count-other.head.txt", ("against",), 1,
     "failed       ending (expected 3 links, found 2)")  # fmt: skip
rows("head-digest-other.head.txt", ("against",), 1, "failed       ending (expected last digest…")
rows("head-signed.head.txt", ("against",), 0, "passed       ending")
rows("good-head.txt", ("against",), 0, "passed       ending")
refused("scope.toml", SCOPE, "scope.toml: TOML scopes are not read yet")
refused("names-bom.txt", ("mutators",), f"names-bom.txt: {MARK}")
refused("names-utf-16.txt", ("mutators",),
        "names-utf-16.txt: not UTF-8 (it has zero bytes, as UTF-16 does)")  # fmt: skip
refused("names-latin-1.txt", ("mutators",), "names-latin-1.txt: not UTF-8")
rows("names-odd.txt", ("mutators",), 0)
# Twins in two normal forms, and numbers that only look alike, are different things.
rows("twins.args.jsonl", ("replay", "audit"), 0)
rows("twins.tool.jsonl", ("scope {} twins.scope.json",), 1,
     "index 0: permission-overreach: tool 'caf\u00e9' is not in the declared scope for agent 'a'")  # fmt: skip
rows("numbers.args.jsonl", ("replay", "audit"), 0)

# --- names of files, and what is no file --------------------------------------------------------


def system(number: int) -> str:
    """Return the system's own words for an error."""
    return os.strerror(number)


NO_FILE = system(errno.ENOENT)

for _name, _file in ODD_FILES.items():
    _read = "./{}" if _file.startswith("-") else "{}"
    rows(_file, some((f"replay {_read}", f"show {_read} --format json", f"seal {_read}",
                      f"audit {_read} --format json"), 2), 0)  # fmt: skip
    _shown = escaped(_file.rpartition(".")[0] or _file)
    _shown = f"{_shown[:200]}…" if len(_shown) > 200 else _shown
    rows(_file, some((f"audit {_read}", f"show {_read}")), 0, f"run {_shown} · 1 call · LOGGED…")
    refused(_file, (f"replay {_read}.gone",),
            f"{_read.replace('{}', escaped(_file))}.gone: "
            + system(errno.ENAMETOOLONG if _name == "long" else errno.ENOENT))  # fmt: skip
for _command in ("replay", "audit", "show", "verify", "import"):
    _words = COMMANDS[_command]
    rows("-a.jsonl", (_words,), 2)
    refused("a\0b", (_words,), "a\\u{0}b: is not a name a file can have")
    refused("\ud800", (_words,), "\\u{d800}: is not a name a file can have")
    rows("", (_words,), 2, "error: an argument is empty…")
    refused("no-such-file", (_words,), f"no-such-file: {NO_FILE}")
    refused("dangling.jsonl", (_words,), f"dangling.jsonl: {NO_FILE}")
    refused("loop.jsonl", (_words,), f"loop.jsonl: {system(errno.ELOOP)}")
    refused("socket.jsonl", (_words,), f"socket.jsonl: {system(errno.ENXIO)}")
    refused("good.jsonl/below", (_words,), f"good.jsonl/below: {system(errno.ENOTDIR)}")
    refused("n" * 5000, (_words,), f"{'n' * 2000}…"[:1980] + "…")
for _command in ("audit", "show"):
    refused("https://example.org/\x1b", (_command,),
            "https://example.org/\\u{1b}: a URL is never fetched; give a file")  # fmt: skip
    refused("@last", (f"{COMMANDS[_command]}-9",), "@last-9 is a run of a store, and …")
refused("https://example.org/", ("replay",), f"https://example.org/: {NO_FILE}")
rows("folder", ("import",), 0, "account of folder/session.jsonl: …")
for _command in ("print", "import {} -o -"):
    refused("folder", (_command,), "folder: is a folder; name a folder for it with -o")
refused("folder", ("import {} -o folder/out",), "folder/out: lies in the folder that is read")
for _command in ("replay", "seal"):
    refused("folder", (_command,), "folder: is a folder (see: toolreplay audit)")
refused("folder", ("scope",), "folder: is a folder (see: toolreplay audit)")
for _command in ("as scope", "against", "mutators"):
    refused("folder", (_command,), f"folder: {system(errno.EISDIR)}")
rows("linked.jsonl", TRANSCRIPT, 0)
rows("/dev/null", ("replay",), 0, "calls: 0")
rows("/dev/null", ("audit",), 3, "not checked: nothing was recorded")
rows("/dev/null", ("verify",), 0, "chain: intact")
refused("/dev/null", ("as scope",), f"/dev/null: {MIDDLE}")
refused("/dev/null", ("against",), f"/dev/null: {NOT_HEAD}")
refused("/dev/zero", STRICT, f"line 1: {_LONG}")
refused("/dev/zero", ("as scope", "against", "mutators"), f"/dev/zero: {_LONG}")
for _command in ("audit", "show", "verify", "import"):
    refused("/dev/zero", (f"{COMMANDS[_command]} --max-expanded-bytes 1000000",),
            f"/dev/zero: {_EXPANDED}")  # fmt: skip
if os.path.exists("/proc/self/mem"):  # a file whose first byte cannot be read
    for _command in ("replay", "audit", "verify", "as scope", "against", "mutators"):
        refused("/proc/self/mem", (_command,), f"/proc/self/mem: {system(errno.EIO)}")

# --- folders ------------------------------------------------------------------------------------

_TOTALS = (
    "files: {} ({} read, {} not recognised, {} unreadable) · runs: {} · calls: {} · findings: …"
)
rows("folder", ("audit",), 2, _TOTALS.format(3, 2, 0, 1, 2, 4))
rows("folder", ("audit json",), 2, f"error: folder/deep-lists.jsonl: line 2: {DEEP}")
rows("folder", ("show",), 2, f"error: folder/deep-lists.jsonl: line 2: {DEEP}")
rows("nothing", ("audit",), 3, _TOTALS.format(0, 0, 0, 0, 0, 0))
refused("nothing", ("show",), "nothing: holds no run that can be shown (see: toolreplay formats)")
rows("others", ("audit",), 2, _TOTALS.format(3, 1, 1, 1, 1, 2))
rows("others", ("audit {} --verbose",), 2, "note: others/spoilt-page.jsonl: is not recognised…")
rows("ring", ("audit", "show"), 0, "run a · 1 call · LOGGED…")
rows("deep", ("audit", "show"), 0, "run a · 1 call · LOGGED…")
rows("too-deep", ("audit",), 2, _TOTALS.format(2, 1, 0, 1, 1, 1))
rows("too-deep", ("show",), 2)
rows("waiting", ("audit", "show", "audit json"), 0)
rows("good.jsonl", ("audit {} no-such-file",), 2, f"error: no-such-file: {NO_FILE}")
rows("good.jsonl", ("audit {} depth-201.jsonl",), 2, f"error: depth-201.jsonl: line 2: {DEEP}")
rows("good.jsonl", ("audit {} {} {}",), 0, _TOTALS.format(1, 1, 0, 0, 1, 2))
if os.getuid():  # permissions stop nobody who is root
    _DENIED = system(errno.EACCES)
    refused("locked.jsonl", ("replay", "audit", "as scope", "against"), f"locked.jsonl: {_DENIED}")
    rows("locked", ("audit",), 2, _TOTALS.format(2, 0, 0, 2, 0, 0))
    refused("locked", ("show",), f"locked/a.jsonl: {_DENIED}")
    refused("good.jsonl", ("seal {} -o sealed-off/x",), f"sealed-off/x: {_DENIED}")

# --- options ------------------------------------------------------------------------------------

for _command in (
    "replay {} --max-depth 0", "replay {} --max-depth -1", "replay {} --max-depth 1.5",
    "replay {} --max-depth \uff12", "replay {} --max-depth 1_000", "replay {} --max-depth +5",
    "replay {} --max-line-bytes 9223372036854775807", "replay {} --max-line-bytes 1e9",
    f"replay {{}} --max-line-bytes {'9' * 5000}", f"replay {{}} --max-line-bytes {'0' * 30}1",
    f"replay {{}} --max-line-values 0000000000000000000000001{'9' * 100}",
    "replay {} --max-line-values x", "replay {} --max-expanded-bytes \x1b[31m",
    "replay {} --format xml", "replay {} --format", "replay {} --form json", "replay --format text", "replay {} {}",
    "replay {} --nonsense", "replay {} --\x1b[31m", "scope {}", "verify --explain", "seal -o x",
    "audit {} --only nothing", "audit {} --require nothing", "audit {} --require \x1b[31m",
    "audit {} --from nothing", "audit --verbose", "sessions --last x", "sessions --last -1", "sessions --last 0", f"sessions --last {'9' * 5000}",
    "explain \x1b[31m", "explain no such word", "nonsense", "\x1b[31m", "REPLAY {}", "-",
    "version {}", "formats {}", "demo --into good.jsonl", "demo --into good.jsonl/below",
    "completion", "completion {}", "completion \x1b[31m", "completion bash {}", "selftest {}", "selftest --only nothing", "selftest --only \x1b[31m", "selftest --format xml",
    "demo --into a\0b", "demo --into \ud800", "demo --into folder", "demo --into x\x1b\0",
):  # fmt: skip
    rows("good.jsonl", (_command,), 2, "error: …")
for _command, _line in (
    ("adit {}", "no command 'adit'; did you mean 'audit'? (see: toolreplay --help)"),
    ("audi\x1bt {}", "no command 'audi\\u{1b}t'; did you mean 'audit'? (see: toolreplay --help)"),
    (f"{'audit' * 20000} {{}}", "no command 'auditaudit…"),
    ("replay {} --formt json", "unrecognized arguments: --formt json; did you mean '--format'?…"),
    ("replay {} --fo\x1brmat", "unrecognized arguments: --fo\\u{1b}rmat; did you mean '--format'?…"),
    (f"replay {{}} --{'format' * 20000}", "unrecognized arguments: --formatformat…"),
    ("replay {} --format js\ufeffon", "argument --format: invalid choice:…; did you mean 'json'?…"),
    ("audit {} --report jsn=out/x", "argument --report: no report 'jsn'…; did you mean 'json'?…"),
    ("audit {} --require lo\u202eop", "no report line 'lo\\u{202e}op'…; did you mean 'loop'?"),
    (f"audit {{}} --require {'loop' * 20000}", "no report line 'looploop…"),
    ("explain redundant-\x1bcall", "no word 'redundant-\\u{1b}call'; did you mean 'redundant-call'…"),
    (f"explain {'loop' * 20000}", "no word 'looploop…"),
):  # fmt: skip
    refused("good.jsonl", (_command,), _line)
refused("good.jsonl", tuple(f"show {{}} --calls {text}" for text in (
    "x", "-1", "1-x", "1--2", "1,2", "1 2".replace(" ", "_"), "9" * 16, "0x1", "\x1b", "1.0", "-", "\u0661",
)), "--calls takes one index or a range, as 3 or 3-9")  # fmt: skip
refused("good.jsonl", ("show {} --calls 9-3",), "--calls 9-3: the last index is before the first")
rows("good.jsonl", ("show {} --calls 7-", "show {} --calls 99",
                    "show {} --tool \x1b[31m", "show {} --calls 999999999999999"), 0)  # fmt: skip
refused("good.sealed.jsonl", tuple(f"verify {{}} --expect-count {text}" for text in (
    "-1", "x", "1.0", "9" * 5000, "\uff12", "1_0", "0x2", "+2",
)), "--expect-count must be a whole number")  # fmt: skip
refused("good.sealed.jsonl", tuple(f"verify {{}} --expect-head {text}" for text in (
    "x", "F" * 64, "f" * 63, "f" * 65, "f" * 63 + "\n", "\x1b[31m",
)), "--expect-head must be 64 lower-case hex digits")  # fmt: skip
rows("good.sealed.jsonl", ("verify {} --expect-count 2",), 0, "passed       ending")
rows("good.sealed.jsonl", ("verify {} --expect-count 999999999999999",), 1, "failed       ending…")
refused("good.sealed.jsonl", ("verify {} --expect-count 3 --against good-head.txt",),
        "--expect-count and --against say different counts")  # fmt: skip
for _option in ("--scope", "--mutators", "--mutator", "--require", "--from", "--only"):
    # A variable of the shell that is unset must not leave a check out in silence.
    rows("good.jsonl", (f"audit {{}} {_option}=", f"audit {{}} {_option} EMPTY"), 2,
         "error: an argument is empty…")  # fmt: skip
rows("good.jsonl", ("seal {} --head EMPTY", "seal {} -o EMPTY", "explain EMPTY"), 2,
     "error: an argument is empty…")  # fmt: skip
rows("good.jsonl", ("replay {} --mutator \x1b[31m", "audit {} --mutator \ud800"), 0)
refused("good.jsonl", ("scope - -", "audit - --scope -", "verify - --against -"),
        "only one input can be standard input")  # fmt: skip

# --- outputs ------------------------------------------------------------------------------------

rows("good.jsonl", ("seal {} -o out/sealed.jsonl --head out/head.txt", "seal {} -o -"), 0)
for _command in ("seal good.jsonl -o", "import session.jsonl -o", "seal good.jsonl --head"):
    refused("no-folder/x", (f"{_command} {{}}",), f"no-folder/x: {NO_FILE}")
    refused("good.jsonl/x", (f"{_command} {{}}",), f"good.jsonl/x: {system(errno.ENOTDIR)}")
    refused("/dev/full", (f"{_command} {{}}",), f"/dev/full…: {system(errno.ENOSPC)}")
    refused("a\0b", (f"{_command} {{}}",), "a\\u{0}b…: is not a name a file can have")
    refused("\udfff", (f"{_command} {{}}",), "\\u{dfff}…: is not a name a file can have")
for _command in ("seal good.jsonl -o", "seal good.jsonl --head"):
    refused("folder", (f"{_command} {{}}",), f"folder: {system(errno.EISDIR)}")
    refused("n" * 256, (f"{_command} {{}}",), f"{'n' * 256}: {system(errno.ENAMETOOLONG)}")
    rows("n" * 254, (f"{_command} out/{{}}",), 0)
    rows("\u8aad" * 84, (f"{_command} out/{{}}",), 0)
    refused("good.jsonl", (f"{_command} {{}}", f"{_command} ./{{}}"),
            "…good.jsonl: is the transcript itself")  # fmt: skip
    refused("linked.jsonl", (f"{_command} {{}}",), "linked.jsonl: is the transcript itself")
refused("folder", ("import session.jsonl -o {}",),
        "folder: is a folder, and this session goes to one file")  # fmt: skip
rows("session.jsonl", ("import {} -o " + "out/" + "n" * 240,), 0)
refused(
    "session.jsonl",
    ("import {} -o {}", "import {} -o ./{}"),
    "session.jsonl: is the session itself",
)
refused(
    "two-nfc.session.jsonl",
    ("import {} -o good.jsonl",),
    "good.jsonl: is a file, and a folder is needed",
)
refused("good.jsonl", ("seal {} -o out/x --head out/x",), "-o and --head name the same file")
refused("depth-201.jsonl", ("seal {} -o out/x",), f"line 2: {DEEP}")

# --- standard input and standard output ---------------------------------------------------------

rows("good.jsonl", ("replay - < {}", "seal - < {}", "audit - < {}", "scope - scope.json < {}"), 0)
rows("good.sealed.jsonl", ("verify - < {}",), 0, "chain: intact")
rows("good.sealed.jsonl", ("verify - --format json < {}",), 0)
rows("session.jsonl", ("audit - < {}", "import - < {}"), 0, account(4))
rows("session.jsonl", ("verify - < {}",), 3, account(4))
rows("spoilt-gzip.jsonl", ("replay - < {}", "audit - < {}"), 0)
refused("depth-201.jsonl", ("replay - < {}", "audit - < {}"), f"line 2: {DEEP}")
refused("/dev/zero", ("replay - < {}",), f"line 1: {_LONG}")
refused("bomb.jsonl.gz", ("audit - --max-expanded-bytes 1000000 < {}",), f"-: {_EXPANDED}")
rows("good.jsonl", ("replay /dev/stdin < {}", "audit /dev/stdin < {}", "show /dev/stdin < {}"), 0)
rows("good.sealed.jsonl", ("verify /dev/stdin --format json < {}",), 0)
# Renaming over /dev/stdout would take it from every program of the machine.
for _command, _stream in (
    ("seal good.jsonl -o", "/dev/stdout"), ("import session.jsonl -o", "/dev/fd/1"),
    ("seal good.jsonl --head", "/proc/self/fd/1"),
):  # fmt: skip
    rows("out/captured", (f"{_command} {_stream} > {{}}",), 2,
         f"error: {_stream}: is standard output or standard error already (use -o -)")  # fmt: skip
rows("/dev/null", ("import session.jsonl -o /dev/stdout > {}",), 0)
for _command in (
    "version", "replay good.jsonl", "seal good.jsonl", "audit good.jsonl --format json",
    "import session.jsonl", "seal --help", "completion bash", "selftest --only scope",
):  # fmt: skip
    rows("/dev/full", (f"{_command} > {{}}",), 2, f"error: standard output: {system(errno.ENOSPC)}")
rows("good.jsonl", ("selftest --only scope",), 0, "selftest: 6 passed, 0 failed")
rows("/dev/null", ("seal {} > {}", "replay good.jsonl > {}"), 0)

# --- two runs -----------------------------------------------------------------------------------

DIFF = ("diff", "diff json", "diff markdown", "diff itself")

for _name, (_fact, _at) in BAD.items():
    _file = f"{_name}.jsonl"
    refused(_file, some(DIFF), f"{_file}: line 2: {placed(_fact, 48 + _at)}")
for _name in VALID_VALUES:
    rows(f"{_name}.jsonl", some(DIFF[:3]), 1)
    rows(f"{_name}.sealed.jsonl", ("diff itself",), 0, "shared links: 2 (of 2 in A, 2 in B)")
for _name in ODD_NAMES:
    rows(f"tool-{_name}.jsonl", some(DIFF[:3], 2), 1)
    rows(f"tool-{_name}.jsonl", ("diff itself",), 0, "first difference: none")
    rows(f"run-{_name}.jsonl", some(DIFF), 0)
    rows(f"id-{_name}.session.jsonl", some(DIFF[:3]), 1)
    refused(f"two-{_name}.session.jsonl", some(DIFF),
            f"two-{_name}.session.jsonl: holds … runs; name one with --run (see: toolreplay show)")  # fmt: skip
for _name, _file in ODD_FILES.items():
    _read = "./{}" if _file.startswith("-") else "{}"
    rows(_file, (f"diff {_read} good.jsonl", f"diff good.jsonl {_read} --format markdown"), 1)
refused("folder", ("diff", "diff good.jsonl {}"), "folder: is a folder, not one run")
refused("no-such-file", ("diff", "diff good.jsonl {}"), f"no-such-file: {NO_FILE}")
refused("socket.jsonl", ("diff",), f"socket.jsonl: {system(errno.ENXIO)}")
refused("a\0b", ("diff",), "a\\u{0}b: is not a name a file can have")
refused("https://example.org/\x1b", ("diff",),
        "https://example.org/\\u{1b}: a URL is never fetched; give a file")  # fmt: skip
refused("good.jsonl", ("diff - -",), "only one input can be standard input")
rows("good.jsonl", ("diff - {} < {}",), 0, "first difference: none")
refused("good.jsonl", ("diff {} {} --run \x1b[31m",), "no run of A or B is named '\\u{1b}[31m'")
refused("agents.session.jsonl", ("diff {} {} --run no-such",),
        "agents.session.jsonl: holds 500 runs, none of them named 'no-such'")  # fmt: skip
refused("bomb.jsonl.gz", ("diff good.jsonl {} --max-expanded-bytes 1000000",),
        f"bomb.jsonl.gz: {_EXPANDED}")  # fmt: skip
