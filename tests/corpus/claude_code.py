"""A count of the blocks of a Claude Code session that knows nothing of the importer."""

import json

BLOCKS = ("tool_use", "tool_result")
HOLDERS = ("assistant", "user", *BLOCKS)
NAMED = ("call without a tool name", "misplaced block", "repeated context")
"""Reasons of the account that stand for a call or result block, not for a line."""


def records_in(data):
    """Yield (number, object) of each line or element that can be read."""
    try:
        records = enumerate(json.loads(data)["loglines"], 1)
    except (ValueError, KeyError, TypeError):
        records = enumerate(data.split(b"\n"), 1)
    for number, record in records:
        try:
            value = json.loads(record) if isinstance(record, bytes) else record
        except ValueError:
            continue
        if isinstance(value, dict):
            yield number, value


def blocks_of(record):
    """Return the blocks where the format has them: the line itself, or its message's content."""
    if record.get("type") in BLOCKS:
        return [record]
    data = record.get("data") if record.get("type") == "progress" else None
    blocks = []
    for holder in (record, data.get("message") if isinstance(data, dict) else None):
        message = holder.get("message") if isinstance(holder, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        blocks += content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict) and block.get("type") in BLOCKS]


def anywhere(value):
    """Count the blocks anywhere in a value, not looking into blocks."""
    if isinstance(value, dict):
        return 1 if value.get("type") in BLOCKS else sum(map(anywhere, value.values()))
    return sum(map(anywhere, value)) if isinstance(value, list) else 0


def walk(data):
    """Return ({line number: its blocks}, blocks that stand there twice, lines with others)."""
    found, twice, elsewhere, seen = {}, 0, [], set()
    for number, record in records_in(data):
        blocks = found[number] = blocks_of(record)
        if anywhere(record) > len(blocks):
            elsewhere.append(number)
        if record.get("type") not in HOLDERS:
            continue
        message = record["message"] if isinstance(record.get("message"), dict) else {}
        if isinstance(record.get("uuid"), str):
            content = record if record["type"] in BLOCKS else message.get("content")
            line = json.dumps([record["uuid"], content], sort_keys=True)
            if line in seen:
                twice += len(blocks)
                continue
            seen.add(line)
        for block in blocks:
            names = [message.get("id"), block.get("id"), block.get("name"), block.get("input")]
            if block["type"] == "tool_use" and names[0] and names[1] and block.get("name"):
                call = json.dumps(names, sort_keys=True)
                twice += call in seen
                seen.add(call)
    return found, twice, elsewhere


def faults(data, calls, account):
    """Yield what does not fit between the walk and what the importer says of the same bytes.

    `calls` are all the calls of all runs.
    """
    found, twice, elsewhere = walk(data)
    kinds = [block["type"] for blocks in found.values() for block in blocks]
    named = sum(account.skipped.get(reason, 0) for reason in NAMED)
    mapped = account.calls + account.results + account.orphaned + named + twice
    if len(kinds) != mapped:
        yield f"{len(kinds)} blocks, but {mapped} are mapped, orphaned, named or copies"
    if len(calls) != account.calls or account.calls > kinds.count("tool_use"):
        yield f"{account.calls} calls counted, {len(calls)} exported"
    if any(not found.get(call.place.line) for call in calls):
        yield "a call stands where there is no block"
    if len(elsewhere) > sum(account.unknown.values()):
        yield f"blocks outside of their places, in lines not named as unknown: {elsewhere[:5]}"


def call_lines(data):
    """Return the numbers of the lines that hold a call."""
    found = walk(data)[0]
    return [
        number
        for number, blocks in found.items()
        if any(block["type"] == "tool_use" for block in blocks)
    ]
