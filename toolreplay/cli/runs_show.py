"""Show what is known of one run: whose it is, who feeds it, its calls by tool, and what it lacks.

A tool is shown with its server, where the record names one. Nothing is judged here: toolreplay verify
STORE#RUN does that, and toolreplay show STORE#RUN prints the calls.
"""

import argparse
import json
from collections.abc import Iterable, Sequence

from toolreplay.capture.closing import lives, process_of
from toolreplay.cli.arguments import add_format
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import add_store, place_of_run
from toolreplay.cli.run_document import document_of_run
from toolreplay.evidence.profile.members import provenance_of
from toolreplay.findings.gate import CLEAN
from toolreplay.records.call import JsonObject
from toolreplay.records.tool_name import normal_tool
from toolreplay.reports.lines import columns, cut, escaped, plural
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.one_run import KnownRun, Seen, known_run

__all__ = ["add_arguments", "run"]

_MOST_ROWS = 20
_SHORT = 12
"""Characters of a digest that tell those of one run apart."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `runs show`."""
    parser.add_argument(
        "run", metavar="RUN",
        help="the run: STORE#RUN, or its name in the default store, or @last",
    )  # fmt: skip
    add_store(parser)
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what is known of the run."""
    path, run_id = place_of_run(arguments.run, arguments, "runs show")
    with reading_of_store(path) as (connection, _):
        known = known_run(connection, path, run_id)
    if arguments.format == "json":
        console.write(json.dumps(document_of_run(path, run_id, known)) + "\n")
        return CLEAN
    console.write_lines(columns([[name, escaped(text)] for name, text in _rows(run_id, known)]))
    for title, rows in _tables(known):
        if rows:
            console.write_lines(["", title])
            shown = [[f"  {cut(escaped(first), 40)}", *map(escaped, more)] for first, *more in rows]
            console.write_lines(columns(shown[:_MOST_ROWS]))
            if len(rows) > _MOST_ROWS:
                console.write_lines([f"  and {len(rows) - _MOST_ROWS:,} more (--format json)"])
    return CLEAN


def _rows(run_id: str, known: KnownRun) -> list[tuple[str, str]]:
    opened = known.opened or {}
    agent = opened.get("agent", {})
    who = [
        f"{name} {agent[name]}"
        for name in ("model", "model_version", "harness", "workflow")
        if name in agent
    ]
    who += [f"{name}={value}" for name, value in agent.get("labels", {}).items()]
    if "model" not in agent and known.models:
        who.append(f"model {' and '.join(known.models[:3])} (by its calls)")
    capture = opened.get("capture", {})
    layer = capture.get("layer", "unknown")
    how = f"{layer} ({capture.get('adapter', 'unknown')}), {provenance_of(layer)}"
    rows = [
        ("run", run_id),
        ("name", opened.get("name", "-")),
        ("run by", opened.get("run_by", "-")),
        ("agent", ", ".join([agent.get("name", "-"), *who])),
        ("recorded", how if opened else "its opening is not here"),
    ]
    if "cwd" in capture:
        rows.append(("folder", capture["cwd"]))
    rows.append(("opened", opened.get("started_at", "-")))
    rows += _closing_rows(known)
    rows.append(("entries", _entries(known)))
    calls = sum(sum(outcomes.values()) for outcomes in known.calls.values())
    unanswered = f", {known.unanswered:,} of them unanswered" if known.unanswered else ""
    rows.append(("calls", f"{calls + known.unanswered:,}{unanswered}"))
    return rows


def _closing_rows(known: KnownRun) -> list[tuple[str, str]]:
    if known.close is None:
        feeding = ", ".join(_writer_text(writer) for writer in known.writers[:_MOST_ROWS])
        return [("closed", "not yet"), ("fed by", feeding or "nobody (see: toolreplay runs close)")]
    close = known.close["close"]
    rows = [("closed", f"{known.closed_at} by {close['closed_by']}"), ("goal", close["goal"])]
    rows.append(("answer", "recorded" if close["answer_recorded"] else "not recorded"))
    return rows


def _writer_text(writer: str) -> str:
    process = process_of(writer)
    state = "lives" if lives(writer) else "is gone"
    return f"{'somebody' if process is None else f'process {process.pid}'} ({state})"


def _entries(known: KnownRun) -> str:
    beside = []
    if known.without_payload:
        beside.append(f"{known.without_payload:,} without payload")
    if known.edited:
        beside.append(f"{known.edited:,} not what was committed to")
    return ", ".join([f"{known.entries:,}", *beside])


def _tables(known: KnownRun) -> Iterable[tuple[str, list[Sequence[str]]]]:
    """Yield title and rows of what there may be several of."""
    yield (
        "calls by tool:",
        [
            (
                _tool(name, scope),
                ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(outcomes.items())),
            )
            for (name, scope), outcomes in sorted(known.calls.items())
        ],
    )
    yield (
        "unanswered:",
        [
            (f"position {one.position:,}", _tool(one.tool, one.scope), one.started_at)
            for one in known.waiting
        ],
    )
    yield (
        "gaps:",
        [
            (
                reason,
                plural(gap.gaps, "gap") + (f", {plural(gap.calls, 'call')}" if gap.calls else ""),
                f"{gap.since or '?'} to {gap.until or '?'}",
            )
            for reason, gap in known.gaps.items()
        ],
    )
    yield (
        "redacted, by rule:",
        [(rule, plural(count, "value")) for rule, count in sorted(known.hidden.items())],
    )
    yield (
        "erased, by reason:",
        [(reason, plural(count, "digest")) for reason, count in known.erasures.items()],
    )
    yield "definitions seen:", [(one.tool or "", *_seen_words(one)) for one in known.definitions]
    yield (
        "servers seen:",
        [
            (" ".join(filter(None, (one.name, one.version))) or "-", *_seen_words(one))
            for one in known.servers
        ],
    )
    yield (
        "linked to sessions, which nothing binds:",
        [(str(link.get("session", "?")), _link_words(link)) for link in known.links],
    )


def _seen_words(one: Seen) -> tuple[str, str]:
    return one.digest[:_SHORT], f"{plural(one.calls, 'call')}{'' if one.is_kept else ', not kept'}"


def _link_words(link: JsonObject) -> str:
    said = ("form", "agent", "model", "host_version")
    return ", ".join(f"{name} {link[name]}" for name in said if type(link.get(name)) is str)


def _tool(name: str, scope: str) -> str:
    server, tool = normal_tool(name, scope)
    return tool if server is None else f"{server}/{tool}"
