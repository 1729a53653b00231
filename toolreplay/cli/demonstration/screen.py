"""Set what an agent says beside what the record has, statement by statement."""

from typing import NamedTuple

from toolreplay.cli.demonstration.agent import Statement
from toolreplay.records.call import ToolCall
from toolreplay.reports.lines import cut, escaped

__all__ = ["FALSE", "HOLDS", "UNKNOWING", "Told", "compared", "lines_of"]

_STORY, _RECORD = 35, 32


FALSE, UNKNOWING, HOLDS = "x", "~", " "


class Told(NamedTuple):
    """A statement, what the record has of it, and how they stand to each other.

    UNKNOWING is what the agent took for failed, and was done: no lie.
    """

    statement: str
    recorded: str
    mark: str


def compared(statements: list[Statement], calls: list[ToolCall]) -> list[Told]:
    """Compare each statement with the first call of its tool that no other statement took."""
    left = list(calls)
    told = []
    for statement in statements:
        call = next((each for each in left if each.tool == statement.tool), None)
        if call is None:
            told.append(Told(statement.text, "no such call", FALSE))
            continue
        left.remove(call)
        sent = _difference(statement.args, call.args)
        recorded = f"{call.index}: {call.tool} {sent}".rstrip()
        mark = FALSE if sent else HOLDS
        if not statement.worked and call.outcome == "ok":
            recorded, mark = f"{call.index}: {call.tool} was done, later", UNKNOWING
        told.append(Told(statement.text, recorded, mark))
    return told


def lines_of(told: list[Told]) -> list[str]:
    """Return the lines of the comparison, for 80 columns."""
    lines = [f"  {'what the agent says':<{_STORY}} what the record has"]
    for each in told:
        story, record = cut(escaped(each.statement), _STORY), cut(escaped(each.recorded), _RECORD)
        lines.append(f"{each.mark} {story:<{_STORY}} {record:<{_RECORD}}".rstrip())
    return lines


def _difference(said: dict[str, object], sent: dict[str, object]) -> str:
    return ", ".join(
        f"{name} {sent.get(name)}" for name, value in said.items() if sent.get(name) != value
    )
