"""recompute: do the record's own commitments still come out?

Finds            the first link of a sealed transcript that does not follow
                 from the one before it (broken-link): an edited call, a call
                 taken out or put in, calls exchanged.
Matters because  everything else is judged on what the record says. If the
                 record was changed after it was made, those judgements are
                 about something that did not happen.
Decides by       each link in order: its index is its position, then `prev` is
                 the digest of the link before it, then `digest` is SHA-256 of
                 the toolreplay-1 form of {args, index, prev, response, tool}.
                 The first break is reported; all calls are judged as they
                 stand.
Cannot see       a tail that was cut off, and a transcript that was changed
                 and sealed again from the start: whoever holds the file can
                 do both. A head kept elsewhere shows them (`verify
                 --against`). Nor whether what was sealed ever happened.
Example          index 3: broken-link: the digest of this link should be
                 34d19a9d…, the file has 40aadf3b…
"""

from collections.abc import Iterable, Iterator, Mapping

from toolreplay.audits.engine import Declared, Options, Seen
from toolreplay.evidence.seal import Break, ExpectedHead, LinkChecker, seal_checks
from toolreplay.findings.check import NOT_CHECKED, Check
from toolreplay.findings.finding import Finding
from toolreplay.findings.rule import Rule
from toolreplay.records.run import SEALED, RunInfo

__all__ = ["RULES", "RecomputeAudit", "start"]

RULES = (
    Rule(
        "broken-link",
        "links",
        "error",
        "a link of the hash chain does not follow from the one before it",
        final=True,
    ),
)


def start(info: RunInfo, declared: Declared, options: Options) -> "RecomputeAudit":
    """Begin the audit of one run."""
    return RecomputeAudit(info.form == SEALED, declared.head)


class RecomputeAudit:
    """The audit of one run; it remembers the digest of the link before."""

    def __init__(self, is_sealed: bool, expected: ExpectedHead | None) -> None:  # noqa: FBT001
        self._is_sealed = is_sealed
        self._expected = expected
        self._links = LinkChecker()
        self._broken: Break | None = None

    def see(self, seen: Seen) -> Iterable[Finding]:
        """Recompute a link; only the first broken one is a finding."""
        if not self._is_sealed:
            return ()
        broken = self._links.check(seen.call)
        if broken is None or self._broken is not None:
            return ()
        self._broken = broken
        text = (
            f"the {broken.member} of this link should be {broken.expected}, "
            f"the file has {broken.found}"
        )
        return (
            Finding(
                seen.call.index, "broken-link", text, subject=broken.member, origin=seen.origin
            ),
        )

    def finish(self) -> Iterable[Finding]:
        """Nothing is left to say at the end of a run."""
        return ()

    def covers_now(self) -> bool:
        """Say that no finding of this audit covers calls."""
        return False

    def checks(self) -> Iterator[Check]:
        """Answer the lines `contents` and `links`, and name what a seal alone cannot show."""
        if not self._is_sealed:
            yield Check(
                "contents",
                NOT_CHECKED,
                None,
                "a transcript carries no commitments",
                "see: toolreplay explain receipt",
            )
            return
        yield from seal_checks(self._links.head, self._broken, self._expected)

    def facts(self) -> Mapping[str, int | None]:
        """Add nothing to the result."""
        return {}
