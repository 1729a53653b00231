"""The lines of one call, as `show` prints it: brief, in full, or as JSON."""

import json
import re

from toolreplay.records.call import DOES_NOT_HOLD, Json, ReceiptFacts, ToolCall
from toolreplay.reports.brief import MOST_CHARACTERS, brief, content_of
from toolreplay.reports.lines import WIDTH, cut, escaped, width_of

__all__ = ["brief_lines", "document_of", "full_lines"]

_TOOL_WIDTH = 16


def brief_lines(call: ToolCall) -> list[str]:
    """Return one line: index, time of day, tool, arguments, what became of it."""
    start, outcome = _start_of(call), _outcome_of(call)
    tool = escaped(call.tool[:MOST_CHARACTERS])
    start += tool if width_of(tool) > _TOOL_WIDTH else tool + " " * (_TOOL_WIDTH - width_of(tool))
    result = "" if not call.has_result else f"→ {brief(content_of(call.response))}"
    room = WIDTH - width_of(start) - 1
    args = brief(call.args)
    if result:
        # Arguments may take what the response leaves, and at least half of the room.
        args = cut(args, max(room // 2, room - width_of(outcome + result) - 1))
    else:
        args = cut(args, room - width_of(outcome))
    return [cut(f"{start} {args} {outcome}{result}".rstrip(), WIDTH)]


def full_lines(call: ToolCall) -> list[str]:
    """Return the call with its arguments and response whole, and its receipt."""
    lines = [f"{_start_of(call)}{escaped(call.tool)} {_outcome_of(call)}".rstrip()]
    for label, value in (("args", call.args), ("response", call.response)):
        text = json.dumps(value, ensure_ascii=False, indent=2)
        first, *rest = text.split("\n")
        lines.append(f"       {label}: {escaped(first)}")
        lines += [f"       {escaped(line)}" for line in rest]
    if call.meta is not None and call.meta.receipt is not None:
        lines += [f"       {line}" for line in _receipt_lines(call.meta.receipt, call)]
    return lines


def _receipt_lines(receipt: ReceiptFacts, call: ToolCall) -> list[str]:
    """Return what an auditor looks a receipt up by."""
    assert call.meta is not None
    rows = [
        ("receipt:", receipt.receipt_id or "without an id"),
        ("", f"sha256 {receipt.output_hash}" if receipt.output_hash else "without committed bytes"),
    ]
    places = {"seq": receipt.seq, "position": receipt.position, "line": call.place.line}
    rows.append(
        ("", " · ".join(f"{name} {place}" for name, place in places.items() if place is not None))
    )
    who = [receipt.provenance_class, receipt.layer and f"layer {receipt.layer}"]
    rows.append(("", " · ".join(text for text in who if text)))
    began, ended = call.meta.at, call.meta.ended_at
    rows.append(("", " to ".join(time for time in (began, ended) if time)))
    return [f"{label:<9}{escaped(text)}" for label, text in rows if text]


def document_of(call: ToolCall) -> dict[str, Json]:
    """Return the call as a JSON object."""
    document: dict[str, Json] = {
        "index": call.index, "tool": call.tool, "args": call.args, "response": call.response,
        "outcome": call.outcome, "line": call.place.line,
    }  # fmt: skip
    if call.meta is not None:
        meta = call.meta
        document |= {
            "call_id": meta.call_id, "at": meta.at, "ended_at": meta.ended_at, "model": meta.model,
        }  # fmt: skip
        if meta.receipt is not None:
            document["receipt"] = meta.receipt._asdict()
    return document


def _start_of(call: ToolCall) -> str:
    return f"{call.index:>5}  {_clock(call.meta.at) if call.meta else ''}"


def _outcome_of(call: ToolCall) -> str:
    if call.meta is not None and DOES_NOT_HOLD in call.meta.notes:
        return f"[{DOES_NOT_HOLD}] "
    return "" if call.outcome in (None, "ok") else f"[{call.outcome}] "


def _clock(time: str | None) -> str:
    """Return the time of day as the record has it, or blanks: dates stand in --full and JSON."""
    found = re.search(r"T(\d\d:\d\d:\d\d)", time or "")
    return f"{found[1]}  " if found else ""
