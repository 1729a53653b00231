"""List the runs of a store, in the order in which they were opened.

A filter is terms that must all hold; in names `*` stands for anything:

  tool:write_file     a call of this tool, as it was observed or in normal form:
                      mcp__files__write_file is found by its last part too
  outcome:tool_error  a call that came to this (of that tool, if both are given)
  agent:support-*     the agent's name
  model:m-2           the model's
  since:7d            opened in the last 7 days (m, h, d, w), or since:DAY
  open:yes            not closed
  unanswered:yes      a call of it never ended, or has not yet
  run_by:parent*      by what its calls were taken for one run

Answers come from the tables for finding, and nothing is judged: toolreplay audit STORE does that.
"""

import argparse
import json
import os
from collections import Counter

from toolreplay.cli.arguments import add_format
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import add_store, default_store, store_path
from toolreplay.errors import InputError, UsageError
from toolreplay.findings.gate import CLEAN
from toolreplay.reports.lines import columns, cut, escaped, plural
from toolreplay.sources.head import begins_as_database
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.finding import TERMS, filter_of, found_runs
from toolreplay.stores.sqlite.opening import microseconds
from toolreplay.stores.sqlite.reading import RunFound

__all__ = ["add_arguments", "run"]

_SHORT = 13
"""Characters of an id that hold its whole time stamp: as good as always those of one run."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `runs list`."""
    parser.add_argument(
        "filter", nargs="*", metavar="TERM",
        help="what must hold of a run; in front of it the store, unless it is the default one",
    )  # fmt: skip
    add_store(parser)
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the runs."""
    terms = list(arguments.filter)
    store = default_store(arguments)
    if terms and arguments.store is None and _is_store(terms[0]):
        store = store_path(terms.pop(0))
        if not os.path.exists(store):
            there_are = ":, ".join(TERMS)
            raise InputError(store, f"is not there, and is no term (there are: {there_are}:)")
    wanted = filter_of([word for text in terms for word in text.split()], microseconds())
    if store is None:
        raise UsageError("no store is known (--store STORE)")
    with reading_of_store(store) as (connection, _):
        found = list(found_runs(connection, store, wanted))
    if arguments.format == "json":
        body = ",\n  ".join(json.dumps(_document(one)) for one in found)
        head = json.dumps({"format": "toolreplay-runs/1", "store": store})[:-1]
        console.write(f'{head}, "runs": [\n  {body}\n]}}\n')
        return CLEAN
    if found:
        times = Counter(one.run[:_SHORT] for one in found)
        rows = [["RUN", "NAME", "AGENT, MODEL", "OPENED (UTC)", "CALLS", ""]]
        rows += [_row(one, is_alone=times[one.run[:_SHORT]] == 1) for one in found]
        console.write_lines(columns(rows, right=(4,)))
    console.write_lines([escaped(f"{plural(len(found), 'run')} in {store}")])
    return CLEAN


def _is_store(word: str) -> bool:
    """Whether a word means a store: every term has a colon, and a file may have one too."""
    return ":" not in word or word.startswith("sqlite:") or begins_as_database(word)


def _row(found: RunFound, *, is_alone: bool) -> list[str]:
    who = ", ".join(name for name in (found.agent, found.model) if name)
    return [
        escaped(found.run[:_SHORT] if is_alone else found.run),
        cut(escaped(found.name or "-"), 14),
        cut(escaped(who or "-"), 20),
        escaped((found.opened_at or "-")[:16].replace("T", " ")),
        f"{found.calls:,}",
        _state(found),
    ]


def _state(found: RunFound) -> str:
    waiting = f"{found.open_calls:,} unanswered" if found.open_calls else ""
    return ", ".join(text for text in ("" if found.closed_at else "open", waiting) if text)


def _document(found: RunFound) -> dict[str, object]:
    return {
        "run": found.run, "name": found.name, "agent": found.agent, "model": found.model,
        "opened_at": found.opened_at, "closed_at": found.closed_at, "run_by": found.run_by, "entries": found.entries,
        "calls": found.calls, "open_calls": found.open_calls,
    }  # fmt: skip
