"""The links of a sealed transcript, each recomputed; and what its first record is."""

from toolreplay.evidence.seal import Break, LinkChecker, line_of_link
from toolreplay.records.call import Json
from toolreplay.records.jsonl import LineError, line_parser, lines_of
from toolreplay.records.limits import Limits
from toolreplay.records.transcript import read_sealed
from toolreplay.sources.opening import Opened

__all__ = ["NOTHING", "checked_links", "first_record"]

NOTHING = object()
"""What stands for the first record of an input without any."""

_MOST_NAMED = 20


def first_record(opened: Opened, limits: Limits) -> tuple[int, Json]:
    """Return the line number and value of the first record; the file stands at its start again.

    The value is None when the line cannot be parsed: then it may still be another form.
    """
    parse = line_parser(limits)
    start = opened.file.tell()
    try:
        for number, _, line in lines_of(opened.file, limits):
            try:
                return number, parse(line)
            except LineError:
                return number, None
        return 0, NOTHING
    finally:
        opened.file.seek(start)


def checked_links(
    opened: Opened, limits: Limits, *, look: bool
) -> tuple[Break | None, LinkChecker, list[str]]:
    """Check every link; with `look` also name the lines that are not in canonical form."""
    checker = LinkChecker()
    broken: Break | None = None
    unusual: list[str] = []
    others = 0
    for call in read_sealed(opened.file, limits):
        found = checker.check(call)
        if broken is None:
            broken = found
        if look:
            assert opened.raw is not None
            line = opened.raw(call.place.start, call.place.end)
            if line.removesuffix(b"\n") != line_of_link(call):
                others += 1
                if others <= _MOST_NAMED:
                    unusual.append(
                        f"line {call.place.line} is not in canonical form; "
                        "its values are what its digest covers"
                    )
    if others > _MOST_NAMED:
        unusual.append(f"and {others - _MOST_NAMED:,} more lines")
    return broken, checker, [*unusual, ""] if unusual else []
