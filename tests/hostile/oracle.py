"""What must come out, worked out a second time in the plainest way: slow, and on its own.

Nothing here imports the program. Each function takes the bytes of a file and returns the status
and the text of standard output, or the number of the line that must be refused.
"""

import json
from collections.abc import Iterator
from hashlib import sha256

__all__ = ["Answer", "replayed", "verified"]

Answer = tuple[int, str] | int
"""A status and an output, or the number of the line at fault."""

FIELDS = {"index", "tool", "args", "response"}
SEALED_FIELDS = FIELDS | {"prev", "digest"}
MUTATORS = {"write_file", "delete_file", "create_file", "move_file", "run_command"}
DEEPEST = 200


class _RefusedError(Exception):
    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


def _float(text: str) -> float:
    if float(text) in (float("inf"), float("-inf")):
        raise ValueError
    return float(text)


def _constant(text: str) -> object:
    raise ValueError(text)


def _depth(value: object) -> int:
    items: object = ()
    if isinstance(value, dict):
        items = value.values()
    elif isinstance(value, list):
        items = value
    else:
        return 0
    return 1 + max(map(_depth, items), default=0)  # type: ignore[call-overload]


def _records(data: bytes) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield (line, object) of each line that is not blank."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip(b" \t\r"):
            continue
        try:
            value = json.loads(
                line.decode("utf-8"),
                object_pairs_hook=_members,
                parse_float=_float,
                parse_constant=_constant,
            )
            if type(value) is not dict or _depth(value) > DEEPEST:
                raise ValueError
        except (ValueError, RecursionError):
            raise _RefusedError(number) from None
        yield number, value


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _is_call(record: dict[str, object], fields: set[str]) -> bool:
    return (
        record.keys() == fields
        and type(record["index"]) is int
        and type(record["tool"]) is str
        and record["tool"] != ""
        and type(record["args"]) is dict
        and type(record["response"]) is dict
    )


def replayed(data: bytes) -> Answer:
    """Say what `replay` must print of a transcript; names stand as they are recorded."""
    first: dict[str, tuple[int, str]] = {}
    before = ("", -1)
    lines = []
    divergence = None
    position = 0
    try:
        for number, record in _records(data):
            if not _is_call(record, FIELDS) or record["index"] != position:
                return number
            key = _canonical({"args": record["args"], "tool": record["tool"]})
            response, tool = _canonical(record["response"]), record["tool"]
            index, known = first.setdefault(key, (position, response))
            if known != response:
                divergence = position if divergence is None else divergence
                lines.append(
                    f"index {position}: non-determinism: tool '{tool}' returned a different "
                    f"response than the identical call at index {index}"
                )
            if before[0] == key and tool not in MUTATORS:
                lines.append(
                    f"index {position}: redundant-call: tool '{tool}' repeats the identical call "
                    f"at index {before[1]} with no state change between them"
                )
            before = (key, position)
            position += 1
    except _RefusedError as error:
        return error.line
    where = "none" if divergence is None else f"index {divergence}"
    head = [f"calls: {position}", f"divergence: {where}", f"findings: {len(lines)}"]
    return int(bool(lines)), "".join(f"{line}\n" for line in (*head, *lines))


def verified(data: bytes) -> Answer:
    """Say what `verify` must print of a sealed transcript."""
    prev = "0" * 64
    broken = None
    position = 0
    try:
        for number, record in _records(data):
            if not _is_call(record, SEALED_FIELDS):
                return number
            for name in ("prev", "digest"):
                value = record[name]
                if (
                    type(value) is not str
                    or len(value) != 64
                    or set(value) - set("0123456789abcdef")
                ):
                    return number
            if broken is None:
                covered = {name: value for name, value in record.items() if name != "digest"}
                digest = sha256(_canonical(covered).encode()).hexdigest()
                if record["index"] != position:
                    broken = (position, position, record["index"])
                elif record["prev"] != prev:
                    broken = (position, prev, record["prev"])
                elif record["digest"] != digest:
                    broken = (position, digest, record["digest"])
            prev = str(record["digest"])
            position += 1
    except _RefusedError as error:
        return error.line
    if broken is None:
        return 0, "chain: intact\n"
    at, expected, found = broken
    return (
        1,
        f"chain: broken\nfirst broken link: index {at}\nexpected: {expected}\nfound: {found}\n",
    )
