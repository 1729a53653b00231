"""sarif: findings for code scanning, SARIF 2.1.0 (OASIS standard, errata 01).

One run of the tool holds everything that was judged. Each kind of finding is a rule with its
level, its meaning and the manual page of its audit; each finding has the place of its call and a
fingerprint that stays when files move or grow. What could not be read or was not checked is a
notification of the invocation: no results alone does not say that all is well.
"""

from collections.abc import Callable
from json import dumps

from toolreplay.findings.check import NOT_CHECKED
from toolreplay.findings.finding import Finding
from toolreplay.findings.gate import COULD_NOT_RUN
from toolreplay.findings.judgement import Input, Report, Summary
from toolreplay.findings.result import AuditResult
from toolreplay.findings.rule import Rule
from toolreplay.findings.spool import LineSpool
from toolreplay.records.run import LOG
from toolreplay.reports.lines import escaped
from toolreplay.version import __version__

__all__ = ["start"]

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_HOME = "https://toolreplay.invalid"
_UNRESERVED = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
)  # RFC 3986, section 2.3, and the separator of folders


def start(out: Callable[[bytes], object], many: bool) -> Report:  # noqa: FBT001, ARG001
    """Begin a report."""
    return _Sarif(out)


class _Sarif:
    """The document; a result a line, and the rules behind them, when all are known."""

    def __init__(self, out: Callable[[bytes], object]) -> None:
        self._out = out
        self._begun = False
        self._results = 0
        self._rules: dict[str, Rule] = {}
        self._notifications = LineSpool()

    def run(self, result: AuditResult) -> None:
        self._begin()
        for rule in result.rules:
            self._rules.setdefault(rule.kind, rule)
        places = {kind: place for place, kind in enumerate(self._rules)}
        levels = {rule.kind: rule.level for rule in result.rules}
        for finding in result.findings:
            document = _result(finding, result, places[finding.kind], levels[finding.kind])
            self._put(document)
        where = _text_of(f"{result.run.file}: run {result.run.name}")
        if not result.calls and result.run.form != LOG:
            self._notify("warning", f"{where}: not checked: nothing was recorded", result.run.file)
        for check in result.verdict.checks:
            if check.result == NOT_CHECKED:
                level = "warning" if check.line in result.verdict.required else "note"
                text = f"{where}: {check.line} not checked: {_text_of(check.reason or '')}"
                self._notify(level, text, result.run.file)

    def input(self, item: Input) -> None:
        if item.error is not None:
            level = "error" if item.status == "unreadable" else "note"
            text = f"{_text_of(item.name)}: {item.status}: {_text_of(item.error)}"
            self._notify(level, text, item.name)

    def end(self, summary: Summary) -> None:
        self._begin()
        if summary.suppressed is not None:
            text = _text_of(summary.suppressed.text())
            self._notifications.add(dumps({"level": "note", "message": {"text": text}}))
        driver = {
            "name": "toolreplay",
            "semanticVersion": __version__,
            "informationUri": f"{_HOME}/",
            "rules": [_rule(rule) for rule in self._rules.values()],
        }
        totals = {name.replace(" ", "_"): count for name, count in summary.totals.items()}
        invocation = {
            "executionSuccessful": summary.status != COULD_NOT_RUN,
            "exitCode": summary.status,
        }
        self._out(
            f'],\n  "tool": {{"driver": {dumps(driver)}}},\n'
            f'  "invocations": [{dumps(invocation)[:-1]}, "toolExecutionNotifications": ['.encode(
                "ascii"
            )
        )
        separator = "\n    "
        for line in self._notifications.lines():
            self._out(f"{separator}{line}".encode("ascii"))
            separator = ",\n    "
        self._out(
            f']}}],\n  "columnKind": "unicodeCodePoints",\n'
            f'  "properties": {{"totals": {dumps(totals)}}}}}]}}\n'.encode("ascii")
        )

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            head = f'{{"$schema": {dumps(_SCHEMA)},\n "version": "2.1.0",\n "runs": [{{\n'
            self._out(f'{head}  "results": ['.encode("ascii"))

    def _put(self, document: dict[str, object]) -> None:
        separator = ",\n    " if self._results else "\n    "
        self._results += 1
        self._out(f"{separator}{dumps(document)}".encode("ascii"))

    def _notify(self, level: str, text: str, file: str) -> None:
        document: dict[str, object] = {"level": level, "message": {"text": text}}
        if file != "-":
            document["locations"] = [{"physicalLocation": {"artifactLocation": _artifact(file)}}]
        self._notifications.add(dumps(document))


def _rule(rule: Rule) -> dict[str, object]:
    page = rule.page.strip("\n")
    # Four blanks make a block in Markdown that nothing inside can end.
    block = "\n".join(f"    {line}".rstrip() for line in page.splitlines())
    return {
        "id": rule.kind,
        "shortDescription": {"text": _text_of(f"{rule.meaning[0].upper()}{rule.meaning[1:]}.")},
        "fullDescription": {"text": _text_of(f"{rule.meaning[0].upper()}{rule.meaning[1:]}.")},
        "help": {"text": _braced(page) or rule.kind, "markdown": _braced(block) or rule.kind},
        "helpUri": f"{_HOME}/kinds/{rule.kind}",
        "defaultConfiguration": {"level": rule.level},
        "properties": {"line": rule.line, "version": rule.version},
    }


def _result(finding: Finding, result: AuditResult, place: int, level: str) -> dict[str, object]:
    run = result.run
    index = "" if finding.index is None else f"#{finding.index}"
    prefix = "" if finding.index is None else f"index {finding.index}: "
    location: dict[str, object] = {
        "logicalLocations": [
            {"name": escaped(run.name), "fullyQualifiedName": f"{escaped(run.name)}{index}"}
        ]
    }
    if run.file != "-":
        physical: dict[str, object] = {"artifactLocation": _artifact(run.file)}
        if finding.where is not None:
            first, last = finding.where.byte_range
            physical["region"] = {
                "startLine": finding.where.line,
                "byteOffset": first,
                "byteLength": last - first,
            }
        location["physicalLocation"] = physical
    document: dict[str, object] = {
        "ruleId": finding.kind,
        "ruleIndex": place,
        "level": level,
        "message": {"text": f"{prefix}{_text_of(finding.detail)}"},
        "locations": [location],
    }
    if finding.fingerprint is not None:
        document["partialFingerprints"] = {
            "toolreplay/v1": finding.fingerprint,
            # What GitHub matches alerts by; it would hash the source line otherwise.
            "primaryLocationLineHash": f"{finding.fingerprint}:1",
        }
    properties: dict[str, object] = {"run": escaped(run.name)}
    if finding.where is not None and finding.where.line_sha256 is not None:
        properties["lineSha256"] = finding.where.line_sha256
    if finding.state_changes is not None:
        properties["stateChangesBetween"] = finding.state_changes._asdict()
    document["properties"] = properties
    return document


def _artifact(file: str) -> dict[str, object]:
    """Return a location whose URI a name of any bytes has, relative where the name is."""
    try:
        raw = file.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # no name the system gave us
        raw = file.encode("utf-8", "surrogatepass")
    quoted = "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in raw)
    if quoted.startswith("/"):
        return {"uri": f"file://{quoted}"}
    while quoted.startswith("./"):
        quoted = quoted[2:].lstrip("/")
    return {"uri": quoted or "."}


def _text_of(text: str) -> str:
    """Return recorded text for a message: no control characters, no link, no placeholder.

    SARIF reads `[text](target)` as a link and `{0}` as an argument (sections 3.11.6 and 3.11.5).
    """
    shown = escaped(text).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return _braced(shown)


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
