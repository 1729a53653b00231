"""Runs made up for tests, from (tool, args, response, outcome) as short as can be written."""

import io
import json
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from toolreplay.audits.engine import Declared, Options, judge
from toolreplay.findings.finding import Finding
from toolreplay.findings.result import AuditResult
from toolreplay.records.call import WITHOUT_RESULT, CallMeta, JsonObject, Place, ToolCall
from toolreplay.records.run import STRICT, Run, RunInfo, ToolEffects
from toolreplay.records.transcript import read_transcript

__all__ = ["Step", "audited", "call", "lines_of", "places", "run_of", "run_of_bytes", "run_of_text"]


class Step(NamedTuple):
    """One call of a made-up run."""

    tool: str
    args: JsonObject = {}  # noqa: RUF012 - never changed
    response: JsonObject = {}  # noqa: RUF012
    outcome: str | None = None
    at: str | None = None
    ended_at: str | None = None
    notes: tuple[str, ...] = ()


def call(index: int, step: Step) -> ToolCall:
    """Return the call of a step; it stands on a line of its own."""
    response = {"outcome": step.outcome} if step.outcome in WITHOUT_RESULT else step.response
    meta = CallMeta(at=step.at, ended_at=step.ended_at, notes=step.notes)
    place = Place(index + 1, 100 * index, 100 * index + 99)
    return ToolCall(index, step.tool, step.args, response, place, step.outcome, None, meta)


def run_of(steps: Iterable[Step], effects: ToolEffects | None = None, form: str = STRICT) -> Run:
    """Return a run of these steps, as an import would give it: nothing can be read again."""
    info = RunInfo("made-up", "made-up.jsonl", form, effects=effects or ToolEffects())
    return Run(info, (call(index, step) for index, step in enumerate(steps)))


def run_of_bytes(data: bytes, *, seekable: bool = True) -> Run:
    """Return the run of a strict transcript; a seekable one can be read again."""
    raw: Callable[[int, int], bytes] | None = None
    if seekable:
        raw = lambda start, end: data[start:end]  # noqa: E731
    info = RunInfo("made-up", "made-up.jsonl", STRICT)
    return Run(info, read_transcript(io.BytesIO(data)), raw)


def run_of_text(text: str) -> Run:
    """Return a run in which each letter is one call, with one result: `abab`."""
    return run_of(Step(letter, {}, {"r": letter}) for letter in text)


def lines_of(steps: Sequence[Step]) -> bytes:
    """Spell a strict transcript as Python's json module does."""
    return "".join(
        json.dumps(
            {"index": index, "tool": step.tool, "args": step.args, "response": step.response}
        )
        + "\n"
        for index, step in enumerate(steps)
    ).encode("ascii")


def audited(
    run: Run, *names: str, declared: Declared | None = None, **options: object
) -> AuditResult:
    """Judge a run by the named audits."""
    return judge(run, names, declared or Declared(), Options(**options))  # type: ignore[arg-type]


def places(findings: Iterable[Finding]) -> list[tuple[int | None, str]]:
    """Return (index, kind) of each finding."""
    return [(finding.index, finding.kind) for finding in findings]
