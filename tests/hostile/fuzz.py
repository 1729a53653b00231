"""Mutate sound files of every form, run every command on them and hold each run to the rules.

    python3 -m tests.hostile.fuzz --seconds 60 --seed 1
    python3 -m tests.hostile.fuzz --seed 1 --case 4711

A case is made from the seed and its number alone, so that `--case` makes it again; its files stay
in the folder that is printed. What is found becomes a row of the table.
"""

import argparse
import gc
import gzip
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable

from tests.evidence.trust import document, signer
from tests.hostile.oracle import replayed, verified
from tests.hostile.pieces import (
    BAD_VALUES,
    GOOD,
    GOOD_COMPANION,
    GOOD_HEAD,
    GOOD_SCOPE,
    GOOD_SEALED,
    GOOD_SESSION,
    ODD_NAMES,
    VALID_VALUES,
    WRONG,
    answered,
    asked,
    record,
    session,
)
from tests.hostile.running import FORBIDDEN, IN_MEMORY, HangsError, Ran, offences, run_here
from toolreplay.evidence.signatures.sign import sign_note

__all__ = ["Case", "main", "run_case"]

SECONDS_A_CASE = 20

LONG_SESSION = session(
    {"type": "summary", "summary": "s", "leafUuid": "x"},
    asked(1), answered(1, is_error=True, line_toolUseResult="Error: InputValidationError: x"),
    asked(2, line_isSidechain=True, line_parentUuid=None, line_attributionAgent="helper"),
    answered(2, line_isSidechain=True, line_parentUuid="uuid-a2"),
    asked(3, content=[{"type": "text", "text": "x"}, *asked(3)["message"]["content"]]),  # type: ignore[index]
    {**answered(3), "toolUseResult": {"interrupted": True, "stdout": "x"}},
    {"type": "progress", "sessionId": "s", "data": {"message": {"message": {"content": []}}}},
    {"type": "tool_use", "sessionId": "s", "id": "c9", "name": "bash", "input": {"x": [1.5, None]}},
    {"type": "tool_result", "sessionId": "s", "tool_use_id": "c9", "output": "x"},
    asked(4, line_agentId="a/../b"), asked(4), answered(4), answered(4),
)  # fmt: skip
REPEATS = b"".join(
    record(at, b'{"path": "a.md"}', b'{"n": %d, "t": "\xc3\xa9\\ud83d"}' % (at // 4))
    for at in range(9)
)

VKEY = document("keys")["log_vkey"]

SOUND: dict[str, tuple[bytes, ...]] = {
    "strict": (GOOD, REPEATS, record(0, b'{"a": [1.0, -0.0, 1e400, {"b": null}]}'.replace(b"1e400", b"1e300"))),
    "sealed": (GOOD_SEALED,),
    "session": (
        GOOD_SESSION, LONG_SESSION, b'{"loglines": [' + LONG_SESSION.strip().replace(b"\n", b",\n") + b"]}",
    ),
    "scope": (GOOD_SCOPE, b'{"agent": "a", "allowed_tools": ["read_file", "search", ""]}'),
    "companion": (GOOD_COMPANION,),
    "head": (GOOD_HEAD, sign_note(GOOD_HEAD, signer()), VKEY.encode()),
    "names": (b"# tools\nread_file\nsearch\n",),
    "words": (REPEATS, GOOD_SEALED, GOOD_SESSION),
}  # fmt: skip

NOTICES = (
    None, None, None, "x", "Error: InputValidationError: x", "User rejected tool use",
    "[Request interrupted by user]", "Cancelled: parallel tool call Bash(x) errored", {"interrupted": True},
)  # fmt: skip


def made_session(chance: random.Random) -> bytes:
    """Make a session of few different calls, so that they repeat, loop, fail and get lost."""
    lines: list[dict[str, object]] = []
    for number in range(1, chance.choice((3, 8, 25))):
        side = {"line_isSidechain": True} if chance.random() < 0.1 else {}
        name = chance.choice(("Read", "Read", "Grep", "Bash", "Edit", "mcp__a__b"))
        lines.append(asked(number, name=name, input={"n": chance.randrange(2)}, **side))
        notice = chance.choice(NOTICES)
        answer = answered(number, content=chance.choice(("a", "a", "b", [], None)), **side)
        if notice is not None:
            answer = answered(number, is_error=True, line_toolUseResult=notice, **side)
        if chance.random() < 0.95:
            lines.insert(len(lines) - (chance.random() < 0.05), answer)
    return session(*lines)


def made_transcript(chance: random.Random) -> bytes:
    """Make a transcript of few different calls."""
    return b"".join(
        record(
            number,
            b'{"n": %d}' % chance.randrange(2),
            b'{"n": %d}' % (chance.random() < 0.2),
            chance.choice((b'"read_file"', b'"read_file"', b'"search"', b'"write_file"')),
        )
        for number in range(chance.choice((2, 6, 30)))
    )


MADE = {"session": made_session, "strict": made_transcript}

COMMANDS: dict[str, tuple[str, ...]] = {
    "strict": (
        "replay x", "replay x --format json", "replay x --unexplained-only", "scope x scope.json",
        "scope x scope.json --format json", "seal x", "seal x -o y --head z", "audit x",
        "audit x --scope scope.json --format json", "audit x --only replay --mutator read_file",
        "show x", "show x --full", "show x --format json", "show x --calls 1-3", "verify x",
        "verify x --format json", "audit x good --verbose", "import x", "audit folder",
        "show folder", "audit x --from sealed", "audit x --from claude_code", "replay - <",
        "audit - <", "diff x good", "diff good x --format json", "diff x x --format markdown",
    ),
    "sealed": (
        "verify x", "verify x --explain", "verify x --format json", "verify x --against head",
        "verify x --expect-count 2 --explain", "audit x", "audit x --format json", "show x --full",
        "replay x", "audit x --only recompute", "verify - <", "diff x sealed", "diff sealed x --format json",
    ),
    "session": (
        "audit x", "audit x --format json", "show x", "show x --full", "show x --format json",
        "import x", "import x -o y", "import x -o y --strict", "import x -o folder/z", "verify x",
        "audit x --from claude_code", "import x --from claude_code -o y", "show x --from claude_code",
        "audit x --scope scope.json --only loop --only scope", "audit folder", "audit - <",
        "import - <", "diff x good", "diff x x --format json", "diff good x --format markdown",
    ),
    "scope": ("scope good x", "audit good --scope x", "audit x", "show x"),
    "companion": (
        "audit good.beside", "show good.beside --full", "audit good.beside --format json",
        "replay good.beside", "audit good.beside.meta.jsonl",
    ),
    "head": (
        "verify sealed --against x", "verify sealed --against x --format json", "audit x", "key show x",
        f"verify sealed --against x --key {VKEY}", "verify sealed --against head --key x",
    ),
    "names": ("replay good --mutators x", "audit good --mutators x", "audit x"),
    "words": (
        "{} x", "{}", "explain {}", "replay {}", "audit {}", "show {}", "verify {}", "import {}",
        "audit x {}", "scope x {}", "show x --calls {}", "show x --tool {}", "show x --from {}",
        "verify x --expect-count {}", "verify x --expect-head {}", "verify x --against {}",
        "key show {}", "key {} x", "verify sealed --against head --key {}", "key new --name {} -o x/y",
        "audit x --only {}", "audit x --require {}", "audit x --mutator {}", "audit x --mutators {}",
        "audit x --scope {}", "replay x --format {}", "replay x --max-depth {}", "sessions --last {}",
        "audit x --max-line-bytes {}", "seal x --max-line-values {}", "show x --max-expanded-bytes {}",
        "replay x {}={}", "replay x --{}", "diff x {}", "diff x good --run {}", "diff {} x --format {}",
    ),
}  # fmt: skip

OPTIONS = (
    "--max-depth 1", "--max-depth 6", "--max-depth 900", "--max-line-bytes 100",
    "--max-line-bytes 1000000000000", "--max-line-values 12", "--max-expanded-bytes 300", "--max-depth x",
)  # fmt: skip

TOKENS = (
    b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\\ud800", b"\\udc00", b"\\u0000", b"\n",
    b"\r\n", b"\r", b"\0", b"\t", b" ", b"\xef\xbb\xbf", b"\xff\xfe", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80",
    b"\xe2\x80\xa8", b"\xc2\x85", b"\xc2\x9b", b"\x1b[31m", b"\x7f", b"null", b"true", b"false", b"NaN",
    b"Infinity", b"1e400", b"-0.0", b"0", b"-1", b"1.0", b"9" * 30, b"[[[[", b"{}", b"[]", b'""', b'"type"',
    b'"tool_use"', b'"tool_result"', b'"content"', b'"index"', b'"prev"', b'"digest"', b'"outcome"',
    b'"sessionId"', b'"agentId"', b'"loglines"', b"../", b"/", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"//", b"#",
)  # fmt: skip


RELATED = 5
"""Of so many cases one is also run by all commands of its form, which must agree."""


WORDS = (
    "x", "good", "folder", "-", "--", ".", "..", "", "0", "1-", "3-1", "text", "json", "replay", "scope,loop",
    "links", "claude_code", "sealed", "x.toml", "@last", "x#y", "http://x.example", "/dev/null", "no-such", "--help",
    "-h", "--version", "--scope", "f" * 64, "e" * 63,
)  # fmt: skip


class Case:
    """One case: a form, its mutated bytes and a command, all from a seed and a number."""

    def __init__(self, seed: int, number: int) -> None:
        chance = random.Random(f"{seed} {number}")
        self.number = number
        self.form = chance.choice((*SOUND, "strict", "session", "session", "sealed"))
        data = chance.choice(SOUND[self.form])
        if self.form in MADE and chance.random() < 0.3:
            data = MADE[self.form](chance)
        for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 5, 8))):
            data = chance.choice(MUTATIONS)(data, chance)
        if chance.random() < 0.06:
            data = _packed(data, chance)
        self.data = data[: 1 << 20]
        command = chance.choice(COMMANDS[self.form])
        if chance.random() < 0.1 and not command.endswith("<"):
            command += f" {chance.choice(OPTIONS)}"
        while "{}" in command:
            command = command.replace("{}", _odd_word(chance), 1)
        self.command = command


def _odd_word(chance: random.Random) -> str:
    """Return what somebody may type, or a shell may fill in, without blanks."""
    kind = chance.randrange(4)
    if kind == 0:
        return chance.choice(WORDS)
    if kind == 1:
        digits = "".join(chance.choices("0123456789", k=chance.choice((1, 2, 5, 16, 19, 20, 6000))))
        return chance.choice(("", "", "-", "+")) + digits
    if kind == 2:
        text = chance.choice(tuple(ODD_NAMES.values()))[:3000]
        return "".join(text.split()) or "x"
    letters = "ax09-=.@#%~'\"\\\x1b\x9b\u202e\ufeff\ud800\udcff\uff11\0"
    return "".join(chance.choices(letters, k=chance.choice((1, 2, 6, 40))))


def _flip(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def _put(data: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + chance.choice(TOKENS) + data[at + chance.choice((0, 0, 1, 4)) :]


def _drop(data: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + data[at + chance.choice((1, 2, 10, 100)) :]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randint(0, len(data))]


def _repeat(data: bytes, chance: random.Random) -> bytes:
    start = chance.randint(0, len(data))
    piece = data[start : start + chance.choice((1, 8, 60, 400))]
    return data[:start] + piece * chance.choice((2, 3, 30)) + data[start:]


def _lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.randrange(4)
    if kind == 0:
        lines[first], lines[second] = lines[second], lines[first]
    elif kind == 1:
        lines.insert(first, lines[second])
    elif kind == 2:
        del lines[first]
    else:
        chance.shuffle(lines)
    return b"".join(lines)


def _splice(data: bytes, chance: random.Random) -> bytes:
    other = chance.choice(SOUND[chance.choice(tuple(SOUND))])
    return data[: chance.randint(0, len(data))] + other[chance.randint(0, len(other)) :]


def _odd_text(chance: random.Random) -> bytes:
    """Return a JSON text: of a wrong type, odd, or bad, and none of them large."""
    kind = chance.randrange(4)
    if kind == 0:
        return json.dumps(chance.choice(tuple(WRONG.values()))).encode()
    if kind == 1:
        return json.dumps(chance.choice(tuple(ODD_NAMES.values()))[:2000]).encode()
    texts = VALID_VALUES if kind == 2 else BAD_VALUES
    small = [text for text in texts.values() if len(text) < 3000]
    return chance.choice(small)


def _value(data: bytes, chance: random.Random) -> bytes:
    """Put an odd value somewhere into one of the lines that are JSON."""
    lines = data.splitlines(keepends=True) or [b""]
    at = chance.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except (ValueError, RecursionError):
        return _put(data, chance)
    mark = "\u2603 here"
    places = list(_places(value))
    holder, key = chance.choice(places) if places else (None, None)
    if holder is None:
        return _put(data, chance)
    if isinstance(holder, dict) and chance.random() < 0.15:
        holder[mark] = holder.pop(key)
        text = json.dumps(chance.choice(tuple(ODD_NAMES.values()))[:2000]).encode()
    else:
        holder[key] = mark
        text = _odd_text(chance)
    lines[at] = json.dumps(value).encode().replace(json.dumps(mark).encode(), text) + b"\n"
    return b"".join(lines)


def _places(value: object) -> list[tuple[object, object]]:
    found: list[tuple[object, object]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        if isinstance(holder, dict):
            found += [(holder, key) for key in holder]
            waiting += holder.values()
        elif isinstance(holder, list):
            found += [(holder, key) for key in range(len(holder))]
            waiting += holder
    return found


def _encode(data: bytes, chance: random.Random) -> bytes:
    encoding = chance.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "cp500"))
    return data.decode("utf-8", "replace").encode(encoding, "replace")


MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flip, _put, _put, _drop, _cut, _repeat, _lines, _lines, _splice, _value, _value, _value, _value,
    _value, _value, _value, _value, _value, _value, _encode,
)  # fmt: skip


def _packed(data: bytes, chance: random.Random) -> bytes:
    packed = gzip.compress(data, mtime=0)
    return chance.choice(
        (packed, _flip(packed, chance), _cut(packed, chance), _drop(packed, chance))
    )


def run_case(case: Case) -> tuple[Ran | None, list[str]]:
    """Run a case in the current folder; return what came of it, and what it broke."""
    for name in ("y", "z", "y.meta.jsonl"):
        if os.path.isdir(name):
            shutil.rmtree(name)
        elif os.path.lexists(name):
            os.remove(name)
    shutil.rmtree("folder", ignore_errors=True)
    os.mkdir("folder")
    around = set(os.listdir("..")), set(os.listdir("."))
    name = "good.beside.meta.jsonl" if case.form == "companion" else "x"
    for place in (name, "folder/x"):
        with open(place, "wb") as file:
            file.write(case.data)
    arguments = case.command.split(" ")
    stdin = name if arguments[-1] == "<" else os.devnull
    arguments = [word for word in arguments if word != "<"]
    try:
        ran = run_here(arguments, stdin, SECONDS_A_CASE)
    except HangsError as error:
        return None, [str(error)]
    found = offences(ran, arguments)
    ours = {name, "x", "y", "z", "y.meta.jsonl"}
    mine = {item for item in os.listdir(".") if not item.startswith("y.agent-")}
    stray = (set(os.listdir("..")) - around[0]) | (mine - around[1] - ours)
    if stray:
        found.append(f"files where none belong: {stray}")
    for item in set(os.listdir(".")) - around[1] - ours:
        os.remove(item)
    return ran, found


def relations(case: Case) -> list[str]:
    """Say which commands contradict one another about the file of the last case."""
    found = []

    def run(line: str, stdin: str = os.devnull) -> Ran:
        return run_here(line.split(), stdin, SECONDS_A_CASE)

    def same(first: object, second: object, what: str) -> None:
        if first != second:
            found.append(f"{what}: {first!r:.300} and {second!r:.300}")

    if case.form in ("strict", "sealed"):
        replayed, sealed = run("replay x"), run("seal x -o y")
        if replayed.status == 2:
            same(replayed.err, sealed.err, "replay and seal refuse differently")
        else:
            same(sealed.status, 0, "replay reads it, seal does not")
            same(run("verify y").out, b"chain: intact\n", "what was sealed is not intact")
            same(run("seal x").out, _bytes_of("y"), "seal prints and writes differently")
        audited = run("audit x --only replay --only scope --only loop")
        if audited.status != 2 and case.data[:1] != b"\x1f":
            same(run("audit - --only replay --only scope --only loop", "x").out.split(b"\n")[1:],
                 audited.out.split(b"\n")[1:], "a pipe is judged differently")  # fmt: skip
    if case.form == "session":
        audited = run("audit x --format json")
        imported = run("import x -o y --from claude_code")
        if audited.status != 2 and imported.status == 0 and os.path.isfile("y"):
            runs = json.loads(audited.out)["runs"]
            if len(runs) == 1:
                again = json.loads(run("audit y --format json").out)["runs"]
                same(_judged(runs), _judged(again), "an import is judged differently")
    same(
        run("show x --format json").status == 2, run("show x").status == 2, "show differs by format"
    )
    same(run("audit x --format json").status, run("audit x").status, "audit differs by format")
    return found


def against_oracle(case: Case) -> list[str]:
    """Compare the program's answer about the file of the last case with one worked out plainly."""
    if case.data.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        return []
    found = []
    for command, work_out in (("replay x", replayed), ("verify x", verified)):
        if case.form != ("strict" if work_out is replayed else "sealed"):
            continue
        ran, answer = run_here(command.split(), os.devnull, SECONDS_A_CASE), work_out(case.data)
        if isinstance(answer, int):
            # Where the first record tells no form, `verify` names the file as a whole, or judges
            # the session that it is.
            other = b"is not recognised" in ran.err or ran.err.startswith(b"account: ")
            right = ran.status == 2 and f"line {answer}: " in ran.err.decode("utf-8")
            if not right and (work_out is replayed or not other):
                found.append(f"{command}: line {answer} must be refused, but {ran!r:.300}")
        elif ran.status == 2 or FORBIDDEN.search(answer[1]) is None:
            if (ran.status, ran.out.decode("utf-8")) != answer:
                found.append(f"{command}: {answer!r:.300} must come out, but {ran!r:.300}")
        elif ran.status != answer[0]:
            found.append(f"{command}: the status must be {answer[0]}, but {ran!r:.300}")
    return found


def _judged(runs: list[dict[str, object]]) -> object:
    return [
        {
            "calls": run["calls"], "divergence": run["divergence"], "explained": run["explained"],
            "findings": [
                [item["kind"], item["index"], item["fingerprint"]]
                for item in run["findings"]  # type: ignore[attr-defined]
            ],
        }
        for run in runs
    ]  # fmt: skip


def _bytes_of(name: str) -> bytes:
    with open(name, "rb") as file:
        return file.read()


def prepare(folder: str) -> None:
    """Go into a folder and put the sound files there."""
    os.chdir(folder)
    for name, data in {
        "good": GOOD, "good.beside": GOOD, "sealed": GOOD_SEALED, "scope.json": GOOD_SCOPE,
        "head": GOOD_HEAD,
    }.items():  # fmt: skip
        with open(name, "wb") as file:
            file.write(data)


def main() -> int:
    """Run cases until the time is up; exit with 1 when a rule was broken."""
    parser = argparse.ArgumentParser(prog="python3 -m tests.hostile.fuzz")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="run this case only, and print what it prints")
    options = parser.parse_args()
    above = tempfile.mkdtemp(prefix="hostile-fuzz-", dir=IN_MEMORY)
    folder = os.path.join(above, "here")
    os.mkdir(folder)
    prepare(folder)
    if options.case is not None:
        return _run_one(Case(options.seed, options.case), folder)
    end = time.monotonic() + options.seconds
    number = 0
    broken: Counter[str] = Counter()
    ended: Counter[tuple[str, int]] = Counter()
    while time.monotonic() < end:
        case = Case(options.seed, number)
        ran, found = run_case(case)
        if ran is not None:
            ended[case.form, ran.status] += 1
            found += against_oracle(case)
            if number % RELATED == 0 and "--max" not in case.command:
                found += relations(case)
        for fact in found:
            if not broken[fact[:60]]:
                print(f"case {number}: {case.form}: {case.command}: {fact}", flush=True)
            broken[fact[:60]] += 1
        number += 1
        if number % 500 == 0:
            gc.collect()
    os.chdir("/")
    shutil.rmtree(above)
    print(f"seed {options.seed}: {number:,} cases, {sum(broken.values()):,} broke a rule")
    for (form, status), count in sorted(ended.items()):
        print(f"  {form:<10} exit {status}: {count:,}")
    return int(bool(broken))


def _run_one(case: Case, folder: str) -> int:
    print(f"{case.form}: {case.command}\nin {folder}\n{case.data!r}\n")
    ran, found = run_case(case)
    if ran is not None:
        print(ran.status, ran.out.decode("utf-8", "replace"), ran.err.decode("utf-8", "replace"))
        found += against_oracle(case)
        found += relations(case)
    print(*found, sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
