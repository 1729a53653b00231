"""Rule: what a kind of finding means; each audit lists its own in RULES."""

from typing import NamedTuple

__all__ = ["Rule"]


class Rule(NamedTuple):
    """One kind of finding.

    `line` is the report line it makes fail; `level` is "error", "warning" or "note"; `version`
    grows whenever the same run could get another answer. `absorbs` names kinds that are not
    reported for calls this finding covers: it says the same and more. `page` is the manual page of
    its audit, which the engine adds, so that a report can show it without knowing any audit.
    `final` says that the line stays failed where the finding is suppressed: what is broken stays
    broken.
    """

    kind: str
    line: str
    level: str
    meaning: str
    version: int = 1
    absorbs: tuple[str, ...] = ()
    page: str = ""
    final: bool = False
