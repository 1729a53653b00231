"""The engine: one pass over a run's calls for all chosen audits, in one fixed order.

An audit is a folder here with RULES and `start(info, declared, options)`, which returns an object
with `see(seen)` and `finish()`, both returning findings, `checks()`, the report lines it answers,
and `facts()`, the numbers it adds to the result. The engine knows no audit by name.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from toolreplay.evidence.digest import call_digest, hex_of, result_digest
from toolreplay.findings.check import FAILED, LINES, NOT_CHECKED, PASSED, Check, Verdict
from toolreplay.findings.finding import Finding, Origin, Where
from toolreplay.findings.result import AuditResult
from toolreplay.findings.rule import Rule
from toolreplay.findings.spool import FindingSpool
from toolreplay.packaged import load_extension
from toolreplay.records.call import Place, ToolCall
from toolreplay.records.canonical import toolreplay_1
from toolreplay.records.limits import DEFAULT, Limits
from toolreplay.records.run import LOG, Run

if TYPE_CHECKING:  # what a quick command does not declare it does not load
    from toolreplay.evidence.record import Asked
    from toolreplay.evidence.seal import ExpectedHead
    from toolreplay.records.scope import Scope

__all__ = ["FINGERPRINT_DIGITS", "Audit", "Declared", "Options", "Seen", "judge"]

FINGERPRINT_DIGITS = 16
"""Hex digits: 64 bits tell the findings of any project apart and still fit a line."""

_KEY_BYTES = FINGERPRINT_DIGITS // 2
"""Bytes kept of a call's key, to count its repetitions: as many as the fingerprint has."""


class Declared:
    """What was handed in beside the run."""

    __slots__ = ("asked", "head", "scope")

    def __init__(
        self,
        *,
        scope: "Scope | None" = None,
        head: "ExpectedHead | None" = None,
        asked: "Asked | None" = None,
    ) -> None:
        self.scope = scope
        self.head = head
        self.asked = asked


class Options:
    """How the audits of one judging work.

    `excuse` counts differing repetitions with a recorded change of state in between as explained
    instead of reporting them; `state_changes` records those changes; `unexplained_only` drops
    the explained ones. `raw` reads bytes of the file again: with it an audit may remember a place
    instead of a digest. `identify` gives each finding its fingerprint and place.
    """

    __slots__ = ("excuse", "identify", "limits", "raw", "state_changes", "unexplained_only")

    def __init__(
        self,
        *,
        excuse: bool = False,
        state_changes: bool = False,
        unexplained_only: bool = False,
        identify: bool = False,
        raw: Callable[[int, int], bytes] | None = None,
        limits: Limits = DEFAULT,
    ) -> None:
        self.excuse = excuse
        self.state_changes = state_changes
        self.unexplained_only = unexplained_only
        self.identify = identify
        self.raw = raw
        self.limits = limits


class Seen:
    """One call as audits see it; its digests are computed when first asked for, once for all."""

    __slots__ = ("_key", "_result", "call", "origin", "result_size")

    def __init__(self, call: ToolCall) -> None:
        self.call = call
        self.origin: Origin | None = None
        self._key: bytes | None = None
        self._result: bytes | None = None
        self.result_size = 0

    @property
    def key(self) -> bytes:
        """32 raw bytes: the digest of the call key."""
        if self._key is None:
            args, same = self.call.args, self.call.same
            if same is not None and same.args is not None:
                args = {"_same": same.args}
            self._key = call_digest(self.call.tool, args)
        return self._key

    @property
    def result(self) -> bytes:
        """32 raw bytes: the digest of the response; afterwards `result_size` is its length."""
        if self._result is None:
            self._result, self.result_size = result_digest(self.call.response)
            if self.call.same is not None and self.call.same.result is not None:
                self._result = result_digest({"_same": self.call.same.result})[0]
        return self._result


class Audit(Protocol):
    """A started audit."""

    def see(self, seen: Seen) -> Iterable[Finding]:
        """Take the next call."""

    def finish(self) -> Iterable[Finding]:
        """Take the end of the run."""

    def covers_now(self) -> bool:
        """Whether a finding to come will cover the call that was seen last."""

    def checks(self) -> Iterable[Check]:
        """Answer the report lines this audit is about, after `finish`."""

    def facts(self) -> Mapping[str, object]:
        """Name further fields of AuditResult and their values, after `finish`."""


_ON_CALLS = frozenset({"replay", "scope", "loop"})
"""The lines that are judged on what the record says of the calls, and not on its commitments."""

_NOTHING_DECLARED = Declared()
_PLAIN = Options()


def judge(
    run: Run,
    names: Sequence[str],
    declared: Declared = _NOTHING_DECLARED,
    options: Options = _PLAIN,
    required: Callable[[Sequence[Check]], Iterable[str]] = lambda _: (),
) -> AuditResult:
    """Run the named audits over a run and return what they came to.

    `required` says, from the checks that were made, which lines must have passed. Raises
    InputError where the input breaks.
    """
    if run.info.form == LOG:  # it has no calls that anything else could judge
        names = ["recompute"]
    modules = [load_extension("audits", name) for name in names]
    rules = tuple(
        rule._replace(page=module.__doc__ or "") for module in modules for rule in module.RULES
    )
    audits: list[Audit] = [module.start(run.info, declared, options) for module in modules]
    found = FindingSpool()
    calls = 0
    identified = _Identifier(run).identified
    absorbing = _Absorbing(modules, audits)
    for seen in _with_origins(run) if options.identify else map(Seen, run.calls):
        calls += 1
        fresh: list[Finding] = []
        for audit in audits:
            fresh += audit.see(seen)
        for finding in fresh:
            if not absorbing.takes(finding):
                found.add(identified(finding) if options.identify else finding)
    for audit in audits:
        for finding in audit.finish():
            found.add(identified(finding) if options.identify else finding)
    checks = _in_line_order(check for audit in audits for check in audit.checks())
    if run.info.evidence is not None:
        checks = _without_doubtful(checks, run.info.evidence.doubt())
    kept = _without_absorbed(found, rules)
    checks = _without_emptied(checks, rules, found, kept)
    if run.info.lost:
        checks = (*checks, _coverage(run.info.lost))
    needed = frozenset(required(checks))
    if run.info.form == LOG:  # what is asked of calls is asked of its runs
        needed &= {check.line for check in checks}
    unanswered = needed - {check.line for check in checks}
    if "coverage" in unanswered and run.info.effects.readers is not None:
        # An import, and nothing of it was lost: said only to who asks, as it is not all there is.
        checks = (*checks, Check("coverage", PASSED, "nothing of the session was lost"))
        unanswered -= {"coverage"}
    checks = _in_line_order([*checks, *map(_nobody_answers, unanswered)])
    verdict = Verdict(checks, needed)
    result = AuditResult(run.info, calls, kept.in_order(), verdict, rules)
    for audit in audits:
        result = result._replace(**audit.facts())  # type: ignore[arg-type]
    return result


def _with_origins(run: Run) -> Iterator[Seen]:
    # The quick commands identify nothing.
    from toolreplay.evidence.digests import Digests

    # Eight bytes a distinct call; a dictionary of digests takes more than ten times that.
    known, repeated = Digests(_KEY_BYTES, numbered=False), dict[bytes, int]()
    for call in run.calls:
        seen = Seen(call)
        key = seen.key[:_KEY_BYTES]
        ordinal = 0
        if not known.add_new(key):
            ordinal = repeated[key] = repeated.get(key, 0) + 1
        seen.origin = Origin(seen.key, ordinal, call.place, call.tool)
        yield seen


class _Absorbing:
    """Knows which kinds are absorbed by a finding that is still to come.

    Without it a loop of a million calls would keep as many findings until it ends. One of each
    kind is kept all the same, so that what was found before is not forgotten.
    """

    def __init__(self, modules: Sequence[ModuleType], audits: Sequence[Audit]) -> None:
        self._kept: set[str] = set()
        self._by_audit = [
            (audit, kinds)
            for module, audit in zip(modules, audits, strict=True)
            if (kinds := {kind for rule in module.RULES for kind in rule.absorbs})
        ]

    def takes(self, finding: Finding) -> bool:
        """Whether a finding at the call that was seen last need not be kept."""
        for audit, kinds in self._by_audit:
            if finding.kind in kinds and audit.covers_now():
                if finding.kind in self._kept:
                    return True
                self._kept.add(finding.kind)
        return False


def _without_absorbed(findings: FindingSpool, rules: Sequence[Rule]) -> FindingSpool:
    """Drop findings at calls that another finding covers whose rule absorbs their kind."""
    absorbing = {rule.kind: rule.absorbs for rule in rules if rule.absorbs}
    covered: dict[str, _Ranges] = {}
    for finding in findings if findings.kinds & absorbing.keys() else ():
        if finding.covers is not None:
            for kind in absorbing.get(finding.kind, ()):
                covered.setdefault(kind, _Ranges()).add(*finding.covers)
    if not covered:
        return findings
    kept = FindingSpool()
    for finding in findings:
        ranges = covered.get(finding.kind)
        if ranges is None or finding.index is None or finding.index not in ranges:
            kept.add(finding)
    return kept


class _Ranges:
    """Ranges of indexes, which come in the order of their first one; sixteen bytes each."""

    def __init__(self) -> None:
        self._ends = array("Q")  # first and last by turns, none touching the next

    def add(self, first: int, last: int) -> None:
        ends = self._ends
        if ends and first <= ends[-1]:
            ends[-1] = max(ends[-1], last)
        else:
            ends.extend((first, last))

    def __contains__(self, index: int) -> bool:
        ends = self._ends
        at = bisect_right(ends, index)
        return at % 2 == 1 or bool(at and ends[at - 1] == index)


def _without_emptied(
    checks: tuple[Check, ...], rules: Sequence[Rule], found: FindingSpool, kept: FindingSpool
) -> tuple[Check, ...]:
    """Let a line pass all of whose findings another line reports: nothing would say why it failed."""
    lines = {rule.kind: rule.line for rule in rules}
    emptied = {lines[kind] for kind in found.kinds} - {lines[kind] for kind in kept.kinds}
    return tuple(
        check._replace(result=PASSED) if check.line in emptied and check.result == FAILED else check
        for check in checks
    )


def _without_doubtful(checks: tuple[Check, ...], doubt: str) -> tuple[Check, ...]:
    """Let no line pass that was judged on calls of which the record cannot be believed."""
    if not doubt:
        return checks
    return tuple(
        Check(check.line, NOT_CHECKED, None, doubt, "see: toolreplay verify")
        if check.line in _ON_CALLS and check.result == PASSED
        else check
        for check in checks
    )


def _coverage(lost: int) -> Check:
    """Say of an import with losses that not all of it was judged."""
    units = f"{lost:,} units of the session were lost"
    if lost == 1:
        units = "1 unit of the session was lost"
    return Check("coverage", NOT_CHECKED, None, units, "see: toolreplay explain coverage")


def _nobody_answers(line: str) -> Check:
    return Check(line, NOT_CHECKED, None, "no audit of this input answers it")


def _in_line_order(checks: Iterable[Check]) -> tuple[Check, ...]:
    return tuple(sorted(checks, key=lambda check: LINES.index(check.line)))


class _Identifier:
    """Adds to findings what tells them apart, and where the call stands in its file.

    Run and file are left out of the fingerprint on purpose: one baseline entry covers the same
    finding in every run. Many calls may stand on one line, which is hashed once.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._last: tuple[Place | None, str | None] = (None, None)

    def identified(self, finding: Finding) -> Finding:
        """Return the finding with its fingerprint and place."""
        origin = finding.origin
        digest = None if origin is None else origin.key.hex()
        ordinal = None if origin is None else origin.ordinal
        identity = toolreplay_1([finding.kind, digest, ordinal, finding.subject])
        where = None
        if origin is not None:
            place = origin.place
            if place != self._last[0]:
                raw = self._run.raw
                self._last = place, hex_of(raw(place.start, place.end)) if raw else None
            where = Where(self._run.info.file, place.line, (place.start, place.end), self._last[1])
        return finding._replace(fingerprint=hex_of(identity)[:FINGERPRINT_DIGITS], where=where)
