"""The links of a sealed transcript, each recomputed from the one before it."""

from collections.abc import Iterable, Iterator, Mapping

from toolreplay.audits.engine import Seen
from toolreplay.evidence.seal import Break, ExpectedHead, LinkChecker, seal_checks
from toolreplay.findings.check import NOT_CHECKED, Check
from toolreplay.findings.finding import Finding

__all__ = ["NothingCommitted", "SealAudit"]


class NothingCommitted:
    """The audit of a run that carries no commitments."""

    def see(self, _: Seen) -> Iterable[Finding]:
        """Find nothing: there is nothing to recompute."""
        return ()

    def finish(self) -> Iterable[Finding]:
        """Find nothing at the end either."""
        return ()

    def covers_now(self) -> bool:
        """Say that no finding of this audit covers calls."""
        return False

    def checks(self) -> Iterator[Check]:
        """Say that nothing was recomputed."""
        yield Check(
            "contents",
            NOT_CHECKED,
            None,
            "a transcript carries no commitments",
            "see: toolreplay explain receipt",
        )

    def facts(self) -> Mapping[str, object]:
        """Add nothing to the result."""
        return {}


class SealAudit(NothingCommitted):
    """The audit of a sealed transcript; it remembers the digest of the link before."""

    def __init__(self, expected: ExpectedHead | None) -> None:
        self._expected = expected
        self._links = LinkChecker()
        self._broken: Break | None = None

    def see(self, seen: Seen) -> Iterable[Finding]:
        """Recompute a link; only the first broken one is a finding."""
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

    def checks(self) -> Iterator[Check]:
        """Answer the lines `contents` and `links`, and name what a seal alone cannot show."""
        yield from seal_checks(self._links.head, self._broken, self._expected)
