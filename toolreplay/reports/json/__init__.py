"""json: one document for every command that judges, format `toolreplay-report/1`.

Written as a stream: memory does not grow with the number of runs. Its schema is schema.json.
ASCII throughout, so that no recorded text can steer a terminal.
"""

from collections.abc import Callable
from json import dumps

from toolreplay.findings.check import Check
from toolreplay.findings.finding import Finding
from toolreplay.findings.judgement import Input, Report, Summary
from toolreplay.findings.result import AuditResult
from toolreplay.findings.spool import LineSpool
from toolreplay.findings.suppression import Suppressed
from toolreplay.version import __version__

__all__ = ["FORMAT", "start"]

FORMAT = "toolreplay-report/1"


class _Json:
    """The document; a member a line, and a run a line."""

    def __init__(self, out: Callable[[bytes], object]) -> None:
        self._out = out
        self._runs = 0
        # The inputs stand behind the runs, and there may be very many.
        self._inputs = LineSpool()

    def run(self, result: AuditResult) -> None:
        self._begin()
        _write_run(result, self._out, ",\n  " if self._runs else "\n  ")
        self._runs += 1

    def input(self, item: Input) -> None:
        self._inputs.add(dumps(_input(item)))

    def end(self, summary: Summary) -> None:
        self._begin()
        self._out(b'],\n "inputs": [')
        separator = "\n  "
        for line in self._inputs.lines():
            self._out(f"{separator}{line}".encode("ascii"))
            separator = ",\n  "
        left_out = summary.suppressed or Suppressed(0, 0, 0, (), None)
        suppressed = {"count": left_out.baseline + left_out.suppressions, **left_out._asdict()}
        totals = {name.replace(" ", "_"): count for name, count in summary.totals.items()}
        end = (
            f'],\n "suppressed": {dumps(suppressed)},\n "totals": {dumps(totals)},\n'
            f' "exit": {summary.status}}}\n'
        )
        self._out(end.encode("ascii"))

    def _begin(self) -> None:
        if not self._runs:
            tool = {"name": "toolreplay", "version": __version__}
            start = f'{{"format": {dumps(FORMAT)},\n "tool": {dumps(tool)},\n "runs": ['
            self._out(start.encode("ascii"))


def start(out: Callable[[bytes], object], many: bool) -> Report:  # noqa: FBT001, ARG001
    """Begin a report."""
    return _Json(out)


def _write_run(result: AuditResult, out: Callable[[bytes], object], separator: str) -> None:
    run = result.run
    head = {
        "run": run.name,
        "file": run.file,
        "form": run.form,
        "agent": run.agent,
        "model": run.model,
        "provenance": run.provenance,
        "calls": result.calls,
        "divergence": result.divergence,
        "explained": result.explained,
        "undetermined": result.undetermined,
    }
    if run.run_id is not None:
        head["id"] = run.run_id
    tail: dict[str, object] = {
        "checks": [_check(check) for check in result.verdict.checks],
        "required": sorted(result.verdict.required),
    }
    if result.seconds is not None:
        tail["seconds"] = result.seconds
    if result.notes:
        tail["notes"] = list(result.notes)
    if result.unbound:
        tail["unbound"] = [{"name": name, "value": value} for name, value in result.unbound]
    versions = {rule.kind: rule.version for rule in result.rules}
    out(f'{separator}{dumps(head)[:-1]}, "findings": ['.encode("ascii"))
    separator = ""
    for finding in result.findings:
        out(f"{separator}{dumps(_finding(finding, versions))}".encode("ascii"))
        separator = ", "
    out(f"], {dumps(tail)[1:]}".encode("ascii"))


def _finding(finding: Finding, versions: dict[str, int]) -> dict[str, object]:
    document: dict[str, object] = {
        "kind": finding.kind,
        "index": finding.index,
        "detail": finding.detail,
        "fingerprint": finding.fingerprint,
        "rule_version": versions[finding.kind],
    }
    if finding.where is not None:
        document["where"] = finding.where._asdict()
    if finding.state_changes is not None:
        document["state_changes_between"] = finding.state_changes._asdict()
    return document


def _input(item: Input) -> dict[str, object]:
    document = _without_none(item._asdict(), "sha256")
    if item.account is not None:
        document["account"] = item.account.counts()
    return document


def _check(check: Check) -> dict[str, object]:
    return _without_none(check._asdict())


def _without_none(members: dict[str, object], *kept: str) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None or name in kept}
