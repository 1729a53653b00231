"""The report lines `contents` and `links`: what came of a bundle's entries, counted."""

from toolreplay.evidence.record import counted
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check

__all__ = ["contents_check", "links_check"]


def contents_check(
    *, failed: bool, receipts: int, unsound: int, sealed: int, erased: int, has_close: bool
) -> Check:
    """Answer `contents`: of so many receipts `unsound` do not hold, pieces are sealed or erased."""
    count: str | None = f"{receipts - unsound:,} of {receipts:,}"
    if sealed:
        count = f"{count}; {counted(sealed, 'sealed piece')} not opened"
    if erased:
        count = f"{count}; {counted(erased, 'piece')} erased"
    if failed and not unsound:
        count = None  # what fails is no receipt; the report counts the findings
    if not failed and not receipts:
        count = "no call; the close receipt" if has_close else None
    if failed or count is not None:
        return Check("contents", FAILED if failed else PASSED, count)
    return Check("contents", NOT_CHECKED, None, "there is no receipt")


def links_check(*, failed: bool, unsound: int, has_erased: bool) -> Check:
    """Answer `links`; what follows a receipt that does not hold, or is gone, is tied to it."""
    if failed:
        return Check("links", FAILED)
    if unsound or has_erased:
        reason = "a receipt does not hold" if unsound else "entries were erased"
        return Check("links", NOT_CHECKED, None, f"{reason}, and what follows it is tied to it")
    return Check("links", PASSED)
