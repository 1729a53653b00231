"""Finding: one thing an audit reports about a run, and the one order findings are printed in."""

from collections.abc import Iterable
from typing import NamedTuple

from toolreplay.records.call import Json, Place

__all__ = ["Finding", "Origin", "StateChanges", "Where", "in_order", "place_in_order", "quoted"]

_LONGEST_NAME = 1000


class StateChanges(NamedTuple):
    """The recorded calls between two equal ones that may have changed state.

    `count` is all of them; `first` the indexes of at most twenty.
    """

    count: int  # type: ignore[assignment]  # a field, not the tuple's method
    first: tuple[int, ...]


class Where(NamedTuple):
    """Where a finding's call stands: file as the user named it, line, bytes, hash of the line."""

    file: str
    line: int
    byte_range: tuple[int, int]
    line_sha256: str | None


class Origin(NamedTuple):
    """The call a finding is about: digest of its key, how many equal ones came before, its place.

    `tool` is its name as recorded.
    """

    key: bytes
    ordinal: int
    place: Place
    tool: str


class Finding(NamedTuple):
    """One finding. `index` is the call's number, or None for the run as a whole.

    `kind` is a kebab-case noun from the audit's RULES, `detail` one sentence. `subject` tells two
    findings of one kind at equal calls apart in the fingerprint. `covers` is the range of indexes
    [first, last] a finding speaks for, where its rule absorbs others. `origin` is what the engine
    makes `fingerprint` and `where` from.
    """

    index: int | None  # type: ignore[assignment]  # a field, not the tuple's method
    kind: str
    detail: str
    subject: Json = None
    state_changes: StateChanges | None = None
    covers: tuple[int, int] | None = None
    origin: Origin | None = None
    fingerprint: str | None = None
    where: Where | None = None


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Sort by index, then kind; findings of the whole run come first."""
    return sorted(findings, key=place_in_order)


def place_in_order(finding: Finding) -> tuple[int, str]:
    """Return what `in_order` sorts by."""
    return (-1 if finding.index is None else finding.index, finding.kind)


def quoted(name: str) -> str:
    """Put a recorded name between single quotes, as the tutorial's lines do.

    A name of more than 1,000 characters is cut, so that a finding stays one readable line.
    """
    if len(name) > _LONGEST_NAME:
        name = f"{name[:_LONGEST_NAME]}… ({len(name)} characters)"
    return f"'{name}'"
