"""The plain program the product is measured against: what a user writes in an afternoon.

    python3 benchmarks/baseline/plain.py replay|seal|verify FILE

It is fixed and never tuned: a change here would move every published ratio. It reads text lines
with json.loads, keeps the list of records, encodes with json.dumps once per call key and once
per response (seal and verify: once a link), keeps those texts in a dict, and leaves the garbage
collector on. It prints the lines of toolreplay's `replay`, `seal` and `verify`, and leaves with
the same status. What it leaves out: duplicate member names, NaN, limits on size and depth.
"""

import hashlib
import json
import sys
from typing import Any

CALL_FIELDS = {"index": int, "tool": str, "args": dict, "response": dict}
LINK_FIELDS = CALL_FIELDS | {"prev": str, "digest": str}
MUTATORS = {"write_file", "delete_file", "create_file", "move_file", "run_command"}
FIRST_PREV = "0" * 64


class PlainError(Exception):
    """The file is not a transcript; the text is the whole message."""


def canonical(value: object) -> str:
    """Encode a value so that equal values have equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def sha256(text: str) -> str:
    """Hash a text into 64 lower-case hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def load(path: str, fields: dict[str, type]) -> list[dict[str, Any]]:
    """Read all records of a file; each has exactly the named fields with their types."""
    records: list[dict[str, Any]] = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                raise PlainError(f"line {number}: {error}") from error
            check(record, fields, f"line {number}")
            records.append(record)
    return records


def check(record: Any, fields: dict[str, type], where: str) -> None:
    """Refuse a record that has other fields or types than these."""
    if type(record) is not dict:
        raise PlainError(f"{where}: not an object")
    unexpected = sorted(record.keys() - fields.keys())
    if unexpected:
        raise PlainError(f"{where}: unexpected field(s): {', '.join(unexpected)}")
    missing = sorted(fields.keys() - record.keys())
    if missing:
        raise PlainError(f"{where}: missing field(s): {', '.join(missing)}")
    for name, kind in fields.items():
        if type(record[name]) is not kind:
            raise PlainError(f"{where}: {name} has the wrong type")


def load_calls(path: str) -> list[dict[str, Any]]:
    """Read a transcript; its indexes count from 0."""
    records = load(path, CALL_FIELDS)
    for position, record in enumerate(records):
        if record["index"] != position:
            raise PlainError(f"index must be {position}, found {record['index']}")
    return records


def replay(path: str) -> int:
    """Print the findings of a transcript; 1 when there are some."""
    first: dict[str, tuple[int, str]] = {}
    previous_key = None
    divergence = None
    findings = []
    records = load_calls(path)
    for record in records:
        index, tool = record["index"], record["tool"]
        key = canonical({"args": record["args"], "tool": tool})
        response = canonical(record["response"])
        first_index, first_response = first.setdefault(key, (index, response))
        if response != first_response:
            detail = (
                f"tool '{tool}' returned a different response than the identical call "
                f"at index {first_index}"
            )
            findings.append((index, "non-determinism", detail))
            if divergence is None:
                divergence = index
        if key == previous_key and tool not in MUTATORS:
            detail = (
                f"tool '{tool}' repeats the identical call at index {index - 1} "
                "with no state change between them"
            )
            findings.append((index, "redundant-call", detail))
        previous_key = key
    print(f"calls: {len(records)}")
    print("divergence: none" if divergence is None else f"divergence: index {divergence}")
    print(f"findings: {len(findings)}")
    for index, kind, detail in sorted(findings):
        print(f"index {index}: {kind}: {detail}")
    return 1 if findings else 0


def seal(path: str) -> int:
    """Print each call with the digest of the link before it and its own."""
    prev = FIRST_PREV
    for record in load_calls(path):
        record["prev"] = prev
        text = canonical(record)
        digest = sha256(text)
        place = f',"index":{record["index"]},"prev":"{prev}",'
        if text.count(place) == 1:
            print(text.replace(place, f',"digest":"{digest}"{place}'))
        else:
            # Arguments that hold a link of the same index and prev show the place twice.
            record["digest"] = digest
            print(canonical(record))
        prev = digest
    return 0


def verify(path: str) -> int:
    """Check each link of a sealed file; 1 at the first that is broken."""
    prev = FIRST_PREV
    for position, link in enumerate(load(path, LINK_FIELDS)):
        if link["index"] != position:
            return broken(position, str(position), str(link["index"]))
        if link["prev"] != prev:
            return broken(position, prev, link["prev"])
        found = link.pop("digest")
        digest = sha256(canonical(link))
        if found != digest:
            return broken(position, digest, found)
        prev = digest
    print("chain: intact")
    return 0


def broken(position: int, expected: str, found: str) -> int:
    """Print where the chain breaks."""
    print("chain: broken")
    print(f"first broken link: index {position}")
    print(f"expected: {expected}")
    print(f"found: {found}")
    return 1


def main(arguments: list[str]) -> int:
    """Run one command; 2 when the command line or the file cannot be used."""
    commands = {"replay": replay, "seal": seal, "verify": verify}
    if len(arguments) != 2 or arguments[0] not in commands:
        print("usage: plain.py replay|seal|verify FILE", file=sys.stderr)
        return 2
    command, path = arguments
    try:
        return commands[command](path)
    except (PlainError, OSError, UnicodeDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
