"""What the commands for AER-1 documents print: one line a check, then what is reported beside it."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolreplay.cli.console import Console
from toolreplay.evidence.aer1.rule_check import RuleCheck
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.findings.gate import CLEAN, FOUND
from toolreplay.records.call import Json
from toolreplay.reports.lines import escaped

__all__ = ["Answer", "write_answer"]

_ORDER = (PASSED, FAILED, NOT_CHECKED)
_WIDTH = max(map(len, _ORDER)) + 2
_SHOWN = 500
_FEW_RULES = 3


class Answer(NamedTuple):
    """What one document came to. `facts` are reported beside the checks and decide nothing."""

    command: str
    heading: str
    checks: Sequence[RuleCheck]
    facts: Sequence[tuple[str, Json]]
    notes: Iterable[str]
    passed: bool


def write_answer(answer: Answer, form: str, console: Console) -> int:
    """Print an answer as text or JSON, and return its exit status."""
    status = CLEAN if answer.passed else FOUND
    if form == "json":
        document = {
            "format": "toolreplay-verdict/1",
            "command": answer.command,
            "document": answer.heading,
            "verdict": "PASS" if answer.passed else "FAIL",
            "checks": [
                {"name": c.name, "rules": list(c.rules), "result": c.result, "reason": c.reason}
                for c in answer.checks
            ],
            "facts": [{"name": name, "value": value} for name, value in answer.facts],
            "notes": list(answer.notes),
            "exit": status,
        }
        console.write(json.dumps(document) + "\n")
        return status
    lines = [escaped(answer.heading), ""]
    for check in answer.checks:
        reason = f": {_cut(check.reason)}" if check.reason else ""
        name = f"{check.name} ({_shown_rules(check.rules)})" if check.rules else check.name
        lines.append(f"{check.result:<{_WIDTH}}{escaped(name + reason)}")
    lines.append("")
    width = max((len(name) for name, _ in answer.facts), default=0) + 2
    lines += [f"{name:<{width}}{escaped(_cut(_shown(value)))}" for name, value in answer.facts]
    lines += [f"note: {escaped(_cut(note))}" for note in answer.notes]
    failed = sum(check.result == FAILED for check in answer.checks)
    said = (
        "nothing found"
        if answer.passed
        else "a check failed"
        if failed == 1
        else f"{failed:,} checks failed"
    )
    console.write_lines([*lines, "", f"exit {status}: {said}."])
    return status


def _shown_rules(rules: Sequence[str]) -> str:
    """Return the ids of a check's rules; of many the first and the last."""
    return ", ".join(rules) if len(rules) <= _FEW_RULES else f"{rules[0]} to {rules[-1]}"


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
