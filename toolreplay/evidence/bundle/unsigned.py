"""The report lines that say the same of every record without a signature and without a log."""

from collections.abc import Iterator

from toolreplay.evidence.record import Asked
from toolreplay.findings.check import NOT_CHECKED, Check

__all__ = ["unsigned_checks"]


def unsigned_checks(asked: Asked, log: str) -> Iterator[Check]:
    """Answer `signer`, `time` and `log`: nobody signed, and nobody outside was asked."""
    reason = "nothing here is signed"
    if asked.signature:
        reason = f"nothing here is signed, and {asked.signature[0]} was given"
    yield Check("signer", NOT_CHECKED, None, reason, "see: toolreplay explain signer")
    yield Check("time", NOT_CHECKED, None, "no outside clock", "see: toolreplay explain time")
    yield Check("log", NOT_CHECKED, None, log, "see: toolreplay explain log")
