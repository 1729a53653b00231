"""Set what an agent says beside what the record has, statement by statement."""

import json
from typing import NamedTuple

from toolreplay.cli.demonstration.agent import Statement
from toolreplay.records.call import ToolCall
from toolreplay.reports.lines import cut, escaped

__all__ = ["Told", "compared", "lines_of"]

_STORY, _RECORD = 35, 32


class Told(NamedTuple):
    """A statement, what the record has of it, and what differs; nothing where they agree."""

    statement: str
    recorded: str
    differs: str


def compared(statements: list[Statement], calls: list[ToolCall]) -> list[Told]:
    """Compare each statement with the first call of its tool that no other statement took."""
    left = list(calls)
    told = []
    for statement in statements:
        call = next((each for each in left if each.tool == statement.tool), None)
        if call is None:
            told.append(Told(statement.text, "no such call", "never happened"))
            continue
        left.remove(call)
        sent = _difference(statement.args, call.args)
        recorded = f"{call.index}: {call.tool} {sent}".rstrip()
        differs = "another value was sent" if sent else ""
        answer = _answer(call)
        if not statement.worked and answer is not None:
            recorded = f"{call.index}: {call.tool} answered late"
            differs = "it was made"
        told.append(Told(statement.text, recorded, differs))
    return told


def lines_of(told: list[Told]) -> list[str]:
    """Return the lines of the comparison, for 80 columns."""
    lines = [f"  {'what the agent says':<{_STORY}} {'what the record has':<{_RECORD}}"]
    for each in told:
        mark = "x" if each.differs else " "
        story, record = cut(escaped(each.statement), _STORY), cut(escaped(each.recorded), _RECORD)
        lines.append(f"{mark} {story:<{_STORY}} {record:<{_RECORD}}".rstrip())
    return lines


def _difference(said: dict[str, object], sent: dict[str, object]) -> str:
    return ", ".join(
        f"{name} {sent.get(name)}" for name, value in said.items() if sent.get(name) != value
    )


def _answer(call: ToolCall) -> str | None:
    """Return what a tool answered, None where nothing came or it was an error."""
    try:
        text = json.dumps(call.response)
    except (TypeError, ValueError):
        return None
    return text if "content" in text and '"isError": true' not in text else None
