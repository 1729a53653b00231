"""Find runs of a store: by a name or the beginning of an id, by place from the end, by a filter.

A filter is terms joined by AND. In names `*` stands for anything:

    tool:write_file  outcome:tool_error  agent:support-*  model:m-2  since:7d  open:yes
    unanswered:yes  run_by:parent*

`tool` and `outcome` speak of one call: a call of that tool that came to that. A tool is found by its
name as it was observed, and by its normal form: `tool:get_order` finds `mcp__orders__get_order`. Answers come from the
tables for finding, which `store check` compares with the leaves.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from types import NoneType
from typing import NamedTuple

from toolreplay.errors import StoreError, UsageError
from toolreplay.records.call import OUTCOMES
from toolreplay.records.times import utc_of
from toolreplay.records.tool_name import normal_tool
from toolreplay.stores.sqlite.gaps import RECORDER
from toolreplay.stores.sqlite.reading import RunFound

__all__ = ["TERMS", "Filter", "filter_of", "found_runs", "last_run", "named_runs"]

TERMS = ("tool", "outcome", "agent", "model", "since", "open", "unanswered", "run_by")

_LATER = ("finding",)
_YES_OR_NO = {
    "open": "r.closed_at is null",
    "unanswered": "exists (select 1 from open_call o where o.run = r.id)",
}
_SECONDS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_LONGEST = 1000
_MISSING = "missing"

_COLUMNS = (
    "r.run, r.name, r.agent, r.model, r.opened_at, r.closed_at, r.run_by, r.entries, "
    "(select coalesce(sum(calls), 0) from run_tool t where t.run = r.id), "
    "(select count(*) from open_call o where o.run = r.id)"
)


class Filter(NamedTuple):
    """The condition of a filter in SQL, and what is put into it."""

    condition: str
    values: tuple[object, ...]


def filter_of(terms: Sequence[str], now: int) -> Filter:
    """Parse a filter; `now` is in microseconds since 1970. Raises UsageError."""
    conditions: list[str] = []
    values: list[object] = []
    tools: list[str] = []
    outcomes: list[str] = []
    for term in terms:
        name, colon, value = term.partition(":")
        if not _is_text(term):
            raise UsageError(f"no term '{term[:60]}': it is not Unicode")
        if name in _LATER:
            raise UsageError(f"{name}: runs are not found by findings yet (see: toolreplay audit)")
        if not colon or name not in TERMS:
            raise UsageError(f"no term '{term[:60]}' (there are: {':, '.join(TERMS)}:)")
        if not value or len(value) > _LONGEST:
            raise UsageError(f"{name}: names nothing (as {_EXAMPLES[name]})")
        if name == "tool":
            tools.append(_pattern(value))
        elif name == "outcome":
            outcomes.append(_pattern(_known_outcome(value)))
        elif name == "since":
            conditions.append("r.opened_at >= ?")
            values.append(_since(value, now))
        elif name in _YES_OR_NO:
            if value not in ("yes", "no"):
                raise UsageError(f"{name}:{value[:40]} is neither {name}:yes nor {name}:no")
            conditions.append(f"{'' if value == 'yes' else 'not '}({_YES_OR_NO[name]})")
        else:
            conditions.append(f"r.{name} glob ?")
            values.append(_pattern(value))
    for tool in tools or ["*"] * bool(outcomes):
        condition, put_in = _call_condition(tool, outcomes)
        conditions.append(condition)
        values += put_in
    return Filter(" and ".join(conditions) or "true", tuple(values))


_EXAMPLES = {
    "tool": "tool:write_file",
    "outcome": "outcome:tool_error",
    "agent": "agent:support-bot",
    "model": "model:m-2",
    "since": "since:7d",
    "open": "open:yes",
    "unanswered": "unanswered:yes",
    "run_by": "run_by:parent*",
}


def _call_condition(tool: str, outcomes: Sequence[str]) -> tuple[str, list[object]]:
    """Return the condition that there is a call of a tool with an outcome that fits all of these.

    An intent without an outcome is a call of the outcome `missing`, and of a tool that the tables
    do not know.
    """
    values: list[object] = [tool, tool, *outcomes]
    tests = "(t.tool glob ? or normal_tool(t.tool) glob ?)" + " and t.outcome glob ?" * len(
        outcomes
    )
    text = f"exists (select 1 from run_tool t where t.run = r.id and {tests})"  # noqa: S608
    if outcomes and tool == "*":
        tests = " and ".join(f"'{_MISSING}' glob ?" for _ in outcomes)
        text = f"({text} or ({tests} and exists (select 1 from open_call o where o.run = r.id)))"  # noqa: S608
        values += outcomes
    return text, values


def _pattern(value: str) -> str:
    """Return a pattern of SQLite's GLOB in which only `*` is special."""
    return re.sub(r"[\[?]", lambda found: f"[{found[0]}]", value)


def _known_outcome(value: str) -> str:
    if "*" not in value and value not in OUTCOMES:
        raise UsageError(f"no outcome '{value[:40]}' (there are: {', '.join(OUTCOMES)})")
    return value


def _since(value: str, now: int) -> str:
    """Return the moment from which on runs are meant, as the table has moments."""
    ago = re.fullmatch(r"([0-9]{1,6})([mhdw])", value)
    if ago is not None:
        return utc_of(max(0, now - int(ago[1]) * _SECONDS[ago[2]] * 10**6))
    day = re.fullmatch(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])", value)
    if day is None:
        raise UsageError(f"since:{value[:40]} is neither 30m, 12h, 7d, 2w nor a day as 2026-11-30")
    return value  # what a moment of that day begins with sorts before it


def found_runs(connection: sqlite3.Connection, path: str, wanted: Filter) -> Iterator[RunFound]:
    """Yield the runs that a filter means, in the order they were opened.

    Raises StoreError where a row does not hold what the table says.
    """
    connection.create_function("normal_tool", 1, _normal, deterministic=True)
    query = f"select {_COLUMNS} from run r where {wanted.condition} order by r.id"  # noqa: S608
    for found in connection.execute(query, wanted.values):
        *texts, _, _, _ = found
        if any(type(text) not in (str, NoneType) for text in texts) or any(
            type(count) is not int for count in found[len(texts) :]
        ):
            raise StoreError(path, "its table of runs is damaged (toolreplay store repair)")
        yield RunFound(*found)


def _normal(tool: object) -> str | None:
    return normal_tool(tool)[1] if type(tool) is str else None


def named_runs(connection: sqlite3.Connection, wanted: str, fewest: int, most: int) -> list[str]:
    """Return the ids of the runs of a name, or whose id begins so (with `fewest` characters).

    A run whose whole id it is, is meant alone. At most `most` are returned, the oldest first.
    """
    if not _is_text(wanted):
        return []
    query = "select run from run where run = ?"
    found = connection.execute(query, (wanted,)).fetchall()
    if not found:
        query = "select run from run where name = ? "
        values: list[object] = [wanted]
        if len(wanted) >= fewest:
            query += "or substr(run, 1, ?) = ? "
            values += [len(wanted), wanted]
        found = connection.execute(f"{query} order by id limit ?", (*values, most)).fetchall()
    return [run for (run,) in found]


def _is_text(word: str) -> bool:
    """Whether a word can stand in a database: of a command line it may be any bytes."""
    try:
        return bool(word.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def last_run(connection: sqlite3.Connection, before: int) -> str | None:
    """Return the id of the run that was opened last, or `before` others; None without so many.

    What a recorder wrote down about itself is no run that anybody means.
    """
    query = "select run from run where name is not ? order by id desc limit 1 offset ?"
    found = connection.execute(query, (RECORDER, before)).fetchone()
    return None if found is None else found[0]
